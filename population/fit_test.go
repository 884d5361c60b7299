package population_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
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
		{"beta", "uniform 0.1..1 per day", "{uniform: {low: 0.1 per day, high: 1 per day}}", "uniform", []float64{0.1, 1},
			"per day", 0, inf, false, "0.25 per day"},
		{"beta", "uniform 1 per week .. 1 per day", "{uniform: {low: 1 per week, high: 1 per day}}", "uniform",
			[]float64{1, 7}, "per week", 0, inf, false, "0.25 per week"},
		{"beta", "log-uniform 0.01..1 per day", "{log-uniform: {low: 0.01 per day, high: 1 per day}}", "log-uniform",
			[]float64{0.01, 1}, "per day", 0, inf, false, "0.25 per day"},
		{"beta", "normal 0.5 sd 0.1 per day", "{normal: {mean: 0.5 per day, sd: 0.1 per day}}", "normal", []float64{0.5, 0.1},
			"per day", 0, inf, false, "0.25 per day"},
		{"stay", "lognormal mean 5 sd 2 days", "{lognormal: {mean: 5 days, sd: 2 days}}", "lognormal", []float64{5, 2},
			"days", 0, inf, false, "0.25 days"},
		{"stay", "gamma 1 week shape 2", "{gamma: {mean: 1 week, shape: 2}}", "gamma", []float64{1, 2}, "weeks", 0, inf,
			false, "0.25 weeks"},
		{"stay", "gamma 5, shape 2 days", "{gamma: {mean: 5 days, shape: 2}}", "gamma", []float64{5, 2}, "days", 0, inf,
			false, "0.25 days"},
		{"stay", "exponential 5 days", "{exponential: {mean: 5 days}}", "exponential", []float64{5}, "days", 0, inf, false,
			"0.25 days"},
		{"stay", "weibull 5 days 2", "{weibull: {scale: 5 days, shape: 2}}", "weibull", []float64{5, 2}, "days", 0, inf,
			false, "0.25 days"},
		{"stay", "{weibull: {scale: 5 days, shape: 2}}", "{weibull: {scale: stay, shape: 2}}", "weibull", []float64{5, 2},
			"days", 0, inf, false, "0.25 days"},
		{"chance", "beta 2 5", "{beta: {a: 2, b: 5}}", "beta", []float64{2, 5}, "", 0, 1, false, "0.25"},
		{"chance", "uniform 10..90%", "{uniform: {low: 10%, high: 90%}}", "uniform", []float64{10, 90}, "%", 0, 100, false,
			"0.25%"},
		{"rho", "uniform 7%..90%", "{uniform: {low: 7%, high: 90%}}", "uniform", []float64{7, 90}, "%", 0, 100, false,
			"0.25%"},
		{"rho", "beta 2 5", "{beta: {a: 2, b: 5}}", "beta", []float64{2, 5}, "", 0, 1, false, "25%"},
		{"ratio", "normal 2 sd 1", "{normal: {mean: 2, sd: 1}}", "normal", []float64{2, 1}, "", 0, inf, false, "0.25"},
		{"seeds", "uniform 1..50", "{uniform: {low: 1, high: 50}}", "uniform", []float64{1, 50}, "", 0, inf, true, "0.25"},
		{"more", "uniform 0..5", "{uniform: {low: 0, high: 5}}", "uniform", []float64{0, 5}, "", 0, inf, true, "0.25"},
		{"part", "uniform 0..20%", "{uniform: {low: 0, high: 20%}}", "uniform", []float64{0, 20}, "%", 0, inf, false,
			"0.25%"},
		{"spread", "exponential 10%", "{exponential: {mean: 10%}}", "exponential", []float64{10}, "%", 0, inf, false,
			"0.25%"},
		{"k", "exponential 5", "{exponential: {mean: 5}}", "exponential", []float64{5}, "", 0, inf, false, "0.25"},
		{"slope", "normal -0.1 sd 0.1 per day", "{normal: {mean: -0.1 per day, sd: 0.1 per day}}", "normal",
			[]float64{-0.1, 0.1}, "per day", -inf, inf, false, "0.25 per day"},
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
			m := compiled(t, strings.Replace(fitModel, "beta: {uniform: {low: 0.1 per day, high: 1 per day}}",
				test.name+": "+test.yaml, 1))
			if err := m.Check(t.Context()); err != nil {
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
	for words, want := range map[string]modelfit.Match{
		"cases = incidence well->ill observed 30% poisson": {Column: "cases", Kind: "incidence", Of: "well->ill",
			Error: "poisson"},
		"deaths=flow death negative binomial dispersion 5": {Column: "deaths", Kind: "flow", Of: "death",
			Error: "negative binomial"},
		"my deaths = flow  death negative binomial k": {Column: "my deaths", Kind: "flow", Of: "death",
			Error: "negative binomial"},
		"ill = state ill normal 12": {Column: "ill", Kind: "state", Of: "ill", Error: "normal"},
	} {
		f := fitted(t, population.FitOptions{Match: []string{words}})
		matches := modelfit.Of(f).Matches()
		if got := matches[len(matches)-1]; !reflect.DeepEqual(got, want) || f.Columns[len(f.Columns)-1] != want.Column {
			t.Errorf("%s: %+v", words, got)
		}
		if n := map[bool]int{true: 4, false: 3}[want.Column == "my deaths"]; len(matches) != n || len(f.Columns) != n {
			t.Errorf("%s: %d columns, want %d", words, len(matches), n)
		}
	}
	f := fitted(t, population.FitOptions{Match: []string{"ill = state ill normal 12",
		"deaths=flow death negative binomial 5"}})
	m, err := f.At([]float64{0.4})
	if err != nil {
		t.Fatal(err)
	}
	got, err := population.ObservationsOf(f, m)
	want := []modelfit.Observation{{Observed: 0.3, Error: "poisson"}, {Observed: 1, Error: "normal", Arg: 12},
		{Observed: 1, Error: "negative binomial", Arg: 5}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// Tables as programs write them give the same numbers; what one should know of them is noted.
func TestReadData(t *testing.T) {
	plain := "time,cases,deaths,ill\n7,3,0,5\n14,,1,5.5\n21,8,NA,-2\n"
	nan := math.NaN()
	want := [][]float64{{3, nan, 8}, {0, 1, nan}, {5, 5.5, -2}}
	gaps := []string{"d.csv: column cases has 1 gap in line 3, which has no say",
		"d.csv: column deaths has 1 gap in line 4, which has no say"}
	f := fitted(t, population.FitOptions{})
	for name, test := range map[string]struct {
		text  string
		notes []string
	}{
		"plain": {plain, gaps},
		"mark":  {"\ufeff" + plain, gaps},
		"crlf":  {strings.ReplaceAll(plain, "\n", "\r\n"), gaps},
		"comment": {strings.Replace(plain, "7,3", "# first\n7,3", 1),
			[]string{strings.Replace(gaps[0], "line 3", "line 4", 1), strings.Replace(gaps[1], "line 4", "line 5", 1)}},
		"semicolon": {strings.ReplaceAll(plain, ",", ";"), append([]string{"d.csv: its columns are separated by semicolons"},
			gaps...)},
		"tab": {strings.ReplaceAll(plain, ",", "\t"), append([]string{"d.csv: its columns are separated by tabs"},
			gaps...)},
		"spaces": {strings.ReplaceAll(plain, ",", " , "), gaps},
		"other":  {"time,x,ill,deaths,cases\n7,?,5,0,3\n14,?,5.5,1,n/a\n21,?,-2,nan,8\n", gaps},
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
	notes := []string{"d.csv: rows are missing before line 5, where most are 2 days apart; an incidence is what " +
		"happened since the row before",
		"d.csv: the first row, of line 2, is 14 days after the start of the run, and the others are 2 days apart; an " +
			"incidence of the first row is what happened since the start"}
	if err != nil || !reflect.DeepEqual(d.Notes, notes) {
		t.Errorf("%q, %v", d.Notes, err)
	}
}

// How many a supply is given, and keeps at most, are whole numbers, as is the count of an
// intervention.
func TestUnknownSupply(t *testing.T) {
	const model = `name: vaccine
time: {unit: day, end: 10}
population: {size: 200, start: {a: rest}}
parameters: {doses: 5, shelf: 8}
supplies: {k: {at: 0 days, every: 1 day, count: doses, keep: shelf}}
states: {a: {race: [{rate: 0.1 per day, to: b, uses: k, name: dose}]}, b: {}}
record: {every: 1 day}
fit:
  data: doses.csv
  unknown: {doses: {uniform: {low: 1, high: 20}}, shelf: {uniform: {low: 0, high: 20}}}
  match: [{column: dose, incidence: dose, error: poisson}]
`
	f, err := compiled(t, model).Fit(population.FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range f.Unknowns {
		if !u.Whole || u.Low != 0 || !math.IsInf(u.High, 1) {
			t.Errorf("%s: whole %v, between %v and %v", u.Name, u.Whole, u.Low, u.High)
		}
	}
}
