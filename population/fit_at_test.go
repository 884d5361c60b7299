package population_test

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
)

// The model at values of the unknowns is the one that is read anew with them, and what is seen
// follows them.
func TestAt(t *testing.T) {
	f := fitted(t, population.FitOptions{Unknown: []string{"rho=uniform 7%..90%", "spread=uniform 1%..20%",
		"k=uniform 1..9", "seeds=uniform 1..50", "part=beta 2 5", "stay=uniform 1..2 weeks"}})
	m, err := f.At([]float64{0.61, 7, 3, 2.5, 12, 0.07, 1.3})
	if err != nil {
		t.Fatal(err)
	}
	changes := []population.Change{population.Set("beta", "0.61 per day"), population.Set("rho", "7%"),
		population.Set("spread", "3%"), population.Set("k", "2.5"),
		population.Set("seeds", "12"), population.Set("part", "7%"), population.Set("stay", "1.3 weeks")}
	want := compiled(t, fitModel, changes...)
	if got := runOf(t, m, 9); got != runOf(t, want, 9) || got == runOf(t, compiled(t, fitModel), 9) {
		t.Error("the run is not the one of the model that is read anew")
	}
	if !reflect.DeepEqual(m.Parameters(), want.Parameters()) {
		t.Errorf("%v\n%v", m.Parameters(), want.Parameters())
	}
	seen, err := population.ObservationsOf(f, m)
	if err != nil || seen[0].Observed != 0.07 || seen[1].Arg != 2.5 ||
		seen[2] != (modelfit.Observation{Observed: 1, Error: "normal", Arg: 0.03, Relative: true}) {
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
		_, err = population.ObservationsOf(f, m)
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

// Values are written into the text of a model in the place of those that stand there, and all else
// stays.
func TestRewrite(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{"plain", "parameters:\n  a: 0.5 per day  # why\n  b: 30%\n", "parameters:\n  a: 0.25 per day  # why\n  b: 12.5%\n"},
		{"on one line", "parameters: {b: 30%, a: 0.5 per day} # both\n", "parameters: {b: 12.5%, a: 0.25 per day} # both\n"},
		{"quoted", "parameters:\n  'a': '0.5 per day'\n  b: \"30%\"\n", "parameters:\n  'a': 0.25 per day\n  b: 12.5%\n"},
		{"other letters", "parameters: {ä: 1, a: 0.5 per day, b: 30%}\n",
			"parameters: {ä: 1, a: 0.25 per day, b: 12.5%}\n"},
		{"an expression", "parameters:\n  b: 30%\n  a: (1 - b) / 2 days # why\n",
			"parameters:\n  b: 12.5%\n  a: 0.25 per day # why\n"},
	} {
		head, tail := "# A model.\nname: m\ntime: {unit: day, end: 2} # short\n",
			"population: {size: 9, start: {x: rest}}\nstates: {x: {race: [{rate: a, to: out}]}}\n# The end.\n"
		m := compiled(t, head+test.before+tail)
		got, err := m.Rewrite(population.Parameter{Name: "a", Value: "0.25 per day"}, population.Parameter{Name: "b",
			Value: "12.5%"})
		if err != nil || string(got) != head+test.after+tail {
			t.Errorf("%s: %v\n%s", test.name, err, got)
		}
	}
	// What cannot be replaced where it stands is written anew.
	m := compiled(t, "name: m\n# why\nparameters:\n  a: &x 0.5 per day\n  b: 3 # much\n  c: *x\n"+
		"time: {unit: day, end: 2}\npopulation: {size: 9, start: {x: rest}}\nstates: {x: {race: [{rate: a, to: out}]}}\n")
	got, err := m.Rewrite(population.Parameter{Name: "c", Value: "0.25 per day"})
	if err != nil || !strings.Contains(string(got), "c: 0.25 per day\n") || !strings.Contains(string(got),
		"a: &x 0.5 per day\n") || !strings.Contains(string(got), "# much") {
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
		own, err := compiled(t, fitModel, population.Set("beta", value(k))).Run(t.Context(), population.Options{
			Seed: 6, First: k, Replicas: 1})
		if err != nil {
			t.Fatal(err)
		}
		last := own.Runs[0].Rows() - 1
		if got, want := r.Runs[k].Flow(last, 0), own.Runs[0].Flow(last, 0); got != want || r.Runs[k].Events !=
			own.Runs[0].Events {
			t.Errorf("replica %d: %d, want %d", k, got, want)
		}
	}
	for _, p := range []population.Parameter{{Name: "bta", Value: "1"}, {Name: "beta", Value: "much"},
		{Name: "beta", Value: "-1 per day"}} {
		if _, err := m.With(p); !errors.As(err, new(population.Problems)) {
			t.Errorf("%v: %v", p, err)
		}
	}
	o.Vary = func(int) (*population.Model, error) { return population.Load("../examples/sir.yaml") }
	if _, err := m.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "only values may differ") {
		t.Errorf("a model of another shape: %v", err)
	}
}

// Of the time that a trial with the usual examples takes, making the model is a part; this says how
// much.
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
				if _, err := population.Compile(name, source, population.Files(population.Dir("../examples")),
					population.Size(1000)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
