package population_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// fitModel has a parameter of every kind that can be unknown.
const fitModel = `name: outbreak
time: {unit: day, start: 0, end: 40}
population: {size: 300, start: {ill: seeds, away: part, well: rest}}
parameters:
  beta: 0.5 per day  # contacts
  stay: 5 days
  chance: 0.8
  rho: 30%
  ratio: 2.5
  seeds: 10
  part: 5%
  more: 3
  spread: 10%
  k: 4
  slope: -0.1 per day
states:
  well: {}
  ill: {race: [{after: {gamma: {mean: stay, shape: 2}}, to: immune}, {rate: 0.01 per day, to: out, name: death}]}
  away: {race: [{rate: ratio / stay, to: well}]}
  immune: {race: [{after: {gompertz: {rate: 0.01 per day, growth: slope}}, to: well}]}
transmission: [{from: ill, rate: beta, chance: chance, to: {well: ill}}]
interventions: [{at: 20 days, enter: ill, count: 2 * more}]
record: {every: 7 days}
fit:
  data: cases.csv
  unknown:
    beta: {uniform: {low: 0.1 per day, high: 1 per day}}
  match:
    - {column: cases, incidence: well->ill, observed: rho, error: poisson}
    - {column: deaths, flow: death, error: {negative binomial: {dispersion: k}}}
    - {column: ill, state: ill, error: {normal: {sd: spread}}}
`

func compiled(t *testing.T, source string, changes ...population.Change) *population.Model {
	t.Helper()
	m, err := population.Compile("model.yaml", []byte(source), changes...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fitted(t *testing.T, o population.FitOptions) *population.Fit {
	t.Helper()
	f, err := compiled(t, fitModel).Fit(o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What a prior says, in a file and on one line, in which unit, and what its parameter can be.
func TestUnknowns(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		name, words, yaml string
		family            string
		args              []float64
		unit              string
		low, high         float64
		whole             bool
		value             string // of 0.25
	}{
		{"beta", "uniform 0.1..1 per day", "{uniform: {low: 0.1 per day, high: 1 per day}}", "uniform", []float64{0.1, 1}, "per day", 0, inf, false, "0.25 per day"},
		{"beta", "uniform 1 per week .. 1 per day", "{uniform: {low: 1 per week, high: 1 per day}}", "uniform", []float64{1, 7}, "per week", 0, inf, false, "0.25 per week"},
		{"beta", "log-uniform 0.01..1 per day", "{log-uniform: {low: 0.01 per day, high: 1 per day}}", "log-uniform", []float64{0.01, 1}, "per day", 0, inf, false, "0.25 per day"},
		{"beta", "normal 0.5 sd 0.1 per day", "{normal: {mean: 0.5 per day, sd: 0.1 per day}}", "normal", []float64{0.5, 0.1}, "per day", 0, inf, false, "0.25 per day"},
		{"stay", "lognormal mean 5 sd 2 days", "{lognormal: {mean: 5 days, sd: 2 days}}", "lognormal", []float64{5, 2}, "days", 0, inf, false, "0.25 days"},
		{"stay", "gamma 1 week shape 2", "{gamma: {mean: 1 week, shape: 2}}", "gamma", []float64{1, 2}, "weeks", 0, inf, false, "0.25 weeks"},
		{"stay", "gamma 5, shape 2 days", "{gamma: {mean: 5 days, shape: 2}}", "gamma", []float64{5, 2}, "days", 0, inf, false, "0.25 days"},
		{"stay", "exponential 5 days", "{exponential: {mean: 5 days}}", "exponential", []float64{5}, "days", 0, inf, false, "0.25 days"},
		{"stay", "weibull 5 days 2", "{weibull: {scale: 5 days, shape: 2}}", "weibull", []float64{5, 2}, "days", 0, inf, false, "0.25 days"},
		{"stay", "{weibull: {scale: 5 days, shape: 2}}", "{weibull: {scale: stay, shape: 2}}", "weibull", []float64{5, 2}, "days", 0, inf, false, "0.25 days"},
		{"chance", "beta 2 5", "{beta: {a: 2, b: 5}}", "beta", []float64{2, 5}, "", 0, 1, false, "0.25"},
		{"chance", "uniform 10..90%", "{uniform: {low: 10%, high: 90%}}", "uniform", []float64{10, 90}, "%", 0, 100, false, "0.25%"},
		{"rho", "uniform 7%..90%", "{uniform: {low: 7%, high: 90%}}", "uniform", []float64{7, 90}, "%", 0, 100, false, "0.25%"},
		{"rho", "beta 2 5", "{beta: {a: 2, b: 5}}", "beta", []float64{2, 5}, "", 0, 1, false, "25%"},
		{"ratio", "normal 2 sd 1", "{normal: {mean: 2, sd: 1}}", "normal", []float64{2, 1}, "", 0, inf, false, "0.25"},
		{"seeds", "uniform 1..50", "{uniform: {low: 1, high: 50}}", "uniform", []float64{1, 50}, "", 0, inf, true, "0.25"},
		{"more", "uniform 0..5", "{uniform: {low: 0, high: 5}}", "uniform", []float64{0, 5}, "", 0, inf, true, "0.25"},
		{"part", "uniform 0..20%", "{uniform: {low: 0, high: 20%}}", "uniform", []float64{0, 20}, "%", 0, inf, false, "0.25%"},
		{"spread", "exponential 10%", "{exponential: {mean: 10%}}", "exponential", []float64{10}, "%", 0, inf, false, "0.25%"},
		{"k", "exponential 5", "{exponential: {mean: 5}}", "exponential", []float64{5}, "", 0, inf, false, "0.25"},
		{"slope", "normal -0.1 sd 0.1 per day", "{normal: {mean: -0.1 per day, sd: 0.1 per day}}", "normal", []float64{-0.1, 0.1}, "per day", -inf, inf, false, "0.25 per day"},
	} {
		t.Run(test.name+" "+test.words, func(t *testing.T) {
			f := fitted(t, population.FitOptions{Unknown: []string{test.name + "=" + test.words}})
			u := f.Unknowns[len(f.Unknowns)-1]
			got := []any{u.Name, u.Family, u.Args, u.Unit, u.Low, u.High, u.Whole, u.Value(0.25)}
			want := []any{test.name, test.family, test.args, test.unit, test.low, test.high, test.whole, test.value}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got\n%v\nwant\n%v", got, want)
			}
			if n := map[bool]int{true: 1, false: 2}[test.name == "beta"]; len(f.Unknowns) != n {
				t.Errorf("%d unknowns, want %d: a flag replaces what the file has of it, or adds to it", len(f.Unknowns), n)
			}
			m := compiled(t, strings.Replace(fitModel, "beta: {uniform: {low: 0.1 per day, high: 1 per day}}", test.name+": "+test.yaml, 1))
			if err := m.Check(); err != nil {
				t.Fatal(err)
			}
			of, err := m.Fit(population.FitOptions{})
			if err != nil {
				t.Fatal(err)
			}
			v := of.Unknowns[0]
			v.Text = u.Text
			if !reflect.DeepEqual(u, v) {
				t.Errorf("in the file it is %+v\non one line %+v", v, u)
			}
		})
	}
}

// What a column is compared with, on one line as in a file.
func TestMatches(t *testing.T) {
	for words, want := range map[string]population.Match{
		"cases = incidence well->ill observed 30% poisson": {Column: "cases", Kind: "incidence", Of: "well->ill", Error: "poisson"},
		"deaths=flow death negative binomial dispersion 5": {Column: "deaths", Kind: "flow", Of: "death", Error: "negative binomial"},
		"my deaths = flow  death negative binomial k":      {Column: "my deaths", Kind: "flow", Of: "death", Error: "negative binomial"},
		"ill = state ill normal 12":                        {Column: "ill", Kind: "state", Of: "ill", Error: "normal"},
	} {
		f := fitted(t, population.FitOptions{Match: []string{words}})
		if got := f.Matches[len(f.Matches)-1]; got != want {
			t.Errorf("%s: %+v", words, got)
		}
		if n := map[bool]int{true: 4, false: 3}[want.Column == "my deaths"]; len(f.Matches) != n {
			t.Errorf("%s: %d columns, want %d", words, len(f.Matches), n)
		}
	}
	f := fitted(t, population.FitOptions{Match: []string{"ill = state ill normal 12", "deaths=flow death negative binomial 5"}})
	m, err := f.At([]float64{0.4})
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Seen(m)
	want := []population.Seen{{0.3, "poisson", 0, false}, {1, "normal", 12, false}, {1, "negative binomial", 5, false}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// The model at values of the unknowns is the one that is read anew with them, and what is seen follows them.
func TestAt(t *testing.T) {
	f := fitted(t, population.FitOptions{Unknown: []string{"rho=uniform 7%..90%", "spread=uniform 1%..20%", "k=uniform 1..9", "seeds=uniform 1..50", "part=beta 2 5", "stay=uniform 1..2 weeks"}})
	m, err := f.At([]float64{0.61, 7, 3, 2.5, 12, 0.07, 1.3})
	if err != nil {
		t.Fatal(err)
	}
	changes := []population.Change{population.Set("beta", "0.61 per day"), population.Set("rho", "7%"), population.Set("spread", "3%"), population.Set("k", "2.5"),
		population.Set("seeds", "12"), population.Set("part", "7%"), population.Set("stay", "1.3 weeks")}
	want := compiled(t, fitModel, changes...)
	if got := runOf(t, m, 9); got != runOf(t, want, 9) || got == runOf(t, compiled(t, fitModel), 9) {
		t.Error("the run is not the one of the model that is read anew")
	}
	if !reflect.DeepEqual(m.Parameters(), want.Parameters()) {
		t.Errorf("%v\n%v", m.Parameters(), want.Parameters())
	}
	seen, err := f.Seen(m)
	if err != nil || seen[0].Observed != 0.07 || seen[1].Arg != 2.5 || seen[2] != (population.Seen{Observed: 1, Error: "normal", Arg: 0.03, Share: true}) {
		t.Errorf("%+v, %v", seen, err)
	}
	// Values with which there is no model are problems, and nothing else.
	for _, x := range [][]float64{{-1, 7, 3, 2, 12, 0.07, 1}, {1, 7, 3, 2, 12.5, 0.07, 1}, {1, 7, 3, 2, 290, 0.07, 1}} {
		if _, err := f.At(x); !errors.As(err, new(population.Problems)) {
			t.Errorf("%v: %v", x, err)
		}
	}
	m, err = f.At([]float64{1, 107, 3, 2, 12, 0.07, 1})
	if err == nil {
		_, err = f.Seen(m)
	}
	if !errors.As(err, new(population.Problems)) {
		t.Errorf("seen with 107 %%: %v", err)
	}
}

func runOf(t *testing.T, m *population.Model, seed uint64) string {
	t.Helper()
	r, err := m.Run(t.Context(), population.Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	run, text := &r.Runs[0], ""
	for row := range run.Rows() {
		for i := range m.States() {
			text += fmt.Sprint(run.Count(row, i), " ")
		}
		for i := range m.Flows() {
			text += fmt.Sprint(run.Flow(row, i), " ")
		}
	}
	return text
}

// A trial tells what is seen at the times of the data, whatever the file records, and is the run that records then. Trials may be made in any order,
// and at once.
func TestTrials(t *testing.T) {
	times := []float64{0, 1, 2.5, 7, 21, 35}
	f := fitted(t, population.FitOptions{})
	daily := compiled(t, strings.Replace(fitModel, "every: 7 days", "every: 12 hours", 1), population.Set("beta", "0.7 per day"))
	r, err := daily.Run(t.Context(), population.Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	run := &r.Runs[0]
	flow := func(name string) int {
		for i, f := range daily.Flows() {
			if f.String() == name {
				return i
			}
		}
		t.Fatal(name)
		return 0
	}
	want, before := make([][]float64, 3), 0.0
	for _, at := range times {
		row := int(2 * at)
		infected := float64(run.Flow(row, flow("well->ill")))
		want[0] = append(want[0], 0.3*(infected-before))
		want[1] = append(want[1], float64(run.Named(row, 0)))
		want[2] = append(want[2], float64(run.Count(row, 1)))
		before = infected
	}
	if want[0][4] == 0 || want[1][5] == 0 || want[2][0] != 10 {
		t.Fatalf("nothing happens: %v", want)
	}
	trials := f.Trials(times, population.Options{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			own := f.Trials(times, population.Options{})
			for seed := range uint64(8) {
				got, err := own.Run(t.Context(), []float64{0.7}, seed)
				if err != nil || seed == 5 && !reflect.DeepEqual(got.Means, want) {
					t.Errorf("seed %d: %v, want %v; %v", seed, got.Means, want, err)
				}
			}
		})
	}
	group.Wait()
	for range 2 {
		if _, err := trials.Run(t.Context(), []float64{0.2}, 3); err != nil {
			t.Fatal(err)
		}
		got, err := trials.Run(t.Context(), []float64{0.7}, 5)
		if err != nil || !reflect.DeepEqual(got.Means, want) || got.Events == 0 {
			t.Errorf("%v, want %v; %v", got.Means, want, err)
		}
	}
	if _, err := trials.Run(t.Context(), []float64{-1}, 5); !errors.As(err, new(population.Problems)) {
		t.Error(err)
	}
}

// Tables as programs write them give the same numbers; what one should know of them is noted.
func TestReadData(t *testing.T) {
	plain := "time,cases,deaths,ill\n7,3,0,5\n14,,1,5.5\n21,8,NA,-2\n"
	nan := math.NaN()
	want := [][]float64{{3, nan, 8}, {0, 1, nan}, {5, 5.5, -2}}
	gaps := []string{"d.csv: column cases has 1 gap in line 3, which has no say", "d.csv: column deaths has 1 gap in line 4, which has no say"}
	f := fitted(t, population.FitOptions{})
	for name, test := range map[string]struct {
		text  string
		notes []string
	}{
		"plain":     {plain, gaps},
		"mark":      {"\ufeff" + plain, gaps},
		"crlf":      {strings.ReplaceAll(plain, "\n", "\r\n"), gaps},
		"comment":   {strings.Replace(plain, "7,3", "# first\n7,3", 1), []string{strings.Replace(gaps[0], "line 3", "line 4", 1), strings.Replace(gaps[1], "line 4", "line 5", 1)}},
		"semicolon": {strings.ReplaceAll(plain, ",", ";"), append([]string{"d.csv: its columns are separated by semicolons"}, gaps...)},
		"tab":       {strings.ReplaceAll(plain, ",", "\t"), append([]string{"d.csv: its columns are separated by tabs"}, gaps...)},
		"spaces":    {strings.ReplaceAll(plain, ",", " , "), gaps},
		"other":     {"time,x,ill,deaths,cases\n7,?,5,0,3\n14,?,5.5,1,n/a\n21,?,-2,nan,8\n", gaps},
	} {
		d, err := f.Read("d.csv", []byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if fmt.Sprint(d.Columns) != fmt.Sprint(want) || !reflect.DeepEqual(d.Times, []float64{7, 14, 21}) {
			t.Errorf("%s: %v, %v", name, d.Times, d.Columns)
		}
		if !reflect.DeepEqual(d.Notes, test.notes) {
			t.Errorf("%s: %q", name, d.Notes)
		}
	}
	d, err := f.Read("d.csv", []byte("time,cases,deaths,ill\n14,3,0,5\n16,3,0,5\n18,3,0,5\n24,3,0,5\n26,3,0,5\n"))
	notes := []string{"d.csv: rows are missing before line 5, where most are 2 days apart; an incidence is what happened since the row before",
		"d.csv: the first row, of line 2, is 14 days after the start of the run, and the others are 2 days apart; an incidence of the first row is what happened since the start"}
	if err != nil || !reflect.DeepEqual(d.Notes, notes) {
		t.Errorf("%q, %v", d.Notes, err)
	}
}

// Values are written into the text of a model in the place of those that stand there, and all else stays.
func TestRewrite(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{"plain", "parameters:\n  a: 0.5 per day  # why\n  b: 30%\n", "parameters:\n  a: 0.25 per day  # why\n  b: 12.5%\n"},
		{"on one line", "parameters: {b: 30%, a: 0.5 per day} # both\n", "parameters: {b: 12.5%, a: 0.25 per day} # both\n"},
		{"quoted", "parameters:\n  'a': '0.5 per day'\n  b: \"30%\"\n", "parameters:\n  'a': 0.25 per day\n  b: 12.5%\n"},
		{"other letters", "parameters: {ä: 1, a: 0.5 per day, b: 30%}\n", "parameters: {ä: 1, a: 0.25 per day, b: 12.5%}\n"},
		{"an expression", "parameters:\n  b: 30%\n  a: (1 - b) / 2 days # why\n", "parameters:\n  b: 12.5%\n  a: 0.25 per day # why\n"},
	} {
		head, tail := "# A model.\nname: m\ntime: {unit: day, end: 2} # short\n", "population: {size: 9, start: {x: rest}}\nstates: {x: {race: [{rate: a, to: out}]}}\n# The end.\n"
		m := compiled(t, head+test.before+tail)
		got, err := m.Rewrite(population.Parameter{Name: "a", Value: "0.25 per day"}, population.Parameter{Name: "b", Value: "12.5%"})
		if err != nil || string(got) != head+test.after+tail {
			t.Errorf("%s: %v\n%s", test.name, err, got)
		}
	}
	// What cannot be replaced where it stands is written anew.
	m := compiled(t, "name: m\n# why\nparameters:\n  a: &x 0.5 per day\n  b: 3 # much\n  c: *x\ntime: {unit: day, end: 2}\npopulation: {size: 9, start: {x: rest}}\nstates: {x: {race: [{rate: a, to: out}]}}\n")
	got, err := m.Rewrite(population.Parameter{Name: "c", Value: "0.25 per day"})
	if err != nil || !strings.Contains(string(got), "c: 0.25 per day\n") || !strings.Contains(string(got), "a: &x 0.5 per day\n") || !strings.Contains(string(got), "# much") {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := m.Rewrite(population.Parameter{Name: "d", Value: "1"}); err == nil {
		t.Error("what is no parameter is written")
	}
}

// Replicas that have models of their own are run as those models are.
func TestVary(t *testing.T) {
	m := compiled(t, fitModel)
	value := func(k int) string { return fmt.Sprintf("0.%d per day", k+1) }
	o := population.Options{Seed: 6, Replicas: 5, Vary: func(k int) (*population.Model, error) {
		return m.With(population.Parameter{Name: "beta", Value: value(k)})
	}}
	r, err := m.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for k := range r.Runs {
		own, err := compiled(t, fitModel, population.Set("beta", value(k))).Run(t.Context(), population.Options{Seed: 6, First: k, Replicas: 1})
		if err != nil {
			t.Fatal(err)
		}
		last := own.Runs[0].Rows() - 1
		if got, want := r.Runs[k].Flow(last, 0), own.Runs[0].Flow(last, 0); got != want || r.Runs[k].Events != own.Runs[0].Events {
			t.Errorf("replica %d: %d, want %d", k, got, want)
		}
	}
	for _, p := range []population.Parameter{{Name: "bta", Value: "1"}, {Name: "beta", Value: "much"}, {Name: "beta", Value: "-1 per day"}} {
		if _, err := m.With(p); !errors.As(err, new(population.Problems)) {
			t.Errorf("%v: %v", p, err)
		}
	}
	o.Vary = func(int) (*population.Model, error) { return population.Load("../examples/sir.yaml") }
	if _, err := m.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "only values may differ") {
		t.Errorf("a model of another shape: %v", err)
	}
}

// Of the time that a trial with the usual examples takes, making the model is a part; this says how much.
func BenchmarkAt(b *testing.B) {
	for _, name := range []string{"sir", "tuberculosis", "covid"} {
		source, err := os.ReadFile("../examples/" + name + ".yaml")
		if err != nil {
			b.Fatal(err)
		}
		m, err := population.Compile(name, source, population.Files(population.Dir("../examples")), population.Size(1000))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.With(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/read", func(b *testing.B) {
			for b.Loop() {
				if _, err := population.Compile(name, source, population.Files(population.Dir("../examples")), population.Size(1000)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A run that is followed from time to time is the one of a trial; a fork has its past, and a future of its own, and leaves it alone.
func TestFollow(t *testing.T) {
	times := []float64{0, 1, 2.5, 7, 21, 35}
	f := fitted(t, population.FitOptions{})
	for _, x := range []float64{0.7, 0.3} {
		trial, err := f.Trials(times, population.Options{}).Run(t.Context(), []float64{x}, 5)
		if err != nil {
			t.Fatal(err)
		}
		w, err := f.Follow(t.Context(), times, []float64{x}, population.Options{Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		var fork *population.Followed
		same := true
		for row := range times {
			means, err := w.Step(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i := range means {
				if means[i] != trial.Means[i][row] {
					t.Errorf("row %d, column %d: %v, want %v", row, i, means[i], trial.Means[i][row])
				}
			}
			if row == 3 {
				if fork, err = w.Fork(1); err != nil {
					t.Fatal(err)
				}
			} else if row > 3 {
				others, err := fork.Step(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				same = same && reflect.DeepEqual(others, means)
				if row == 4 && others[1] < trial.Means[1][3] { // deaths since the start have the same past
					t.Errorf("a fork has %v deaths, after %v", others[1], trial.Means[1][3])
				}
			}
		}
		if same {
			t.Error("a fork has the same future")
		}
		if w.Events() != trial.Events || !reflect.DeepEqual(w.Seen(), trial.Seen) {
			t.Errorf("%d events, want %d", w.Events(), trial.Events)
		}
		w.Close()
		fork.Close()
	}
	if _, err := f.Follow(t.Context(), times, []float64{-1}, population.Options{}); !errors.As(err, new(population.Problems)) {
		t.Error(err)
	}
}
