//go:build soak

package models

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/random"
)

// tuberculosis is the example for ten years, with names for what is to be found: contacts, reactivation, how long it takes until somebody is found, and
// which part of those is reported. Seen are yearly reports, deaths, and a survey of recent infections.
func tuberculosis(t *testing.T) *Fit {
	source, err := os.ReadFile("../../../../examples/tuberculosis.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, change := range [][2]string{
		{"delay: {gamma: {mean: 4 months, shape: 2}}", "delay: {gamma: {mean: wait, shape: 2}}"},
		{"parameters:\n", "parameters:\n  wait: 4 months\n  reactivation: 0.0006 per year\n  reported: 80%\n"},
		{"{rate: 0.0006 per year, to: infectious", "{rate: reactivation, to: infectious"},
		{"{rate: 0.0003 per year, to: extrapulmonary", "{rate: reactivation / 2, to: extrapulmonary"},
	} {
		if strings.Count(text, change[0]) != 1 {
			t.Fatalf("the example has no %q", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	text += `
fit:
  data: data.csv
  unknown:
    contacts: {uniform: {low: 2 per year, high: 20 per year}}
    reactivation: {log-uniform: {low: 0.0001 per year, high: 0.003 per year}}
    wait: {uniform: {low: 1 month, high: 12 months}}
    reported: {beta: {a: 4, b: 2}}
  match:
    - {column: reports, incidence: report, observed: reported, error: poisson}
    - {column: deaths, incidence: death of tuberculosis, error: poisson}
    - {column: recent, state: latent_recent, error: {normal: {sd: 15%}}}
`
	until := "1991"
	return &Fit{Study: Study{Sort: "fit", Name: "tuberculosis.yaml", Source: []byte(text), Until: &until}, DataName: "data.csv", Data: []byte("time,reports,deaths,recent\n1982,1,1,1\n")}
}

// Four parameters of the tuberculosis example are found again from synthetic reports of 600,000 people, with one and with two runs at once, which give the
// same; and annealing finds a better point than random search with as many runs. TUBERCULOSIS_RUNS and TUBERCULOSIS_SIZE in the environment change how many these are.
func TestSoakTuberculosis(t *testing.T) {
	runs, size := 1500, 600_000
	for name, number := range map[string]*int{"TUBERCULOSIS_RUNS": &runs, "TUBERCULOSIS_SIZE": &size} {
		if text := os.Getenv(name); text != "" {
			if _, err := fmt.Sscan(text, number); err != nil {
				t.Fatal(err)
			}
		}
	}
	f := tuberculosis(t)
	f.Size = &size
	truth := []float64{9, 0.0006, 4, 0.8}
	// The data: the model's own reports of the years, by a run with the true values.
	var table strings.Builder
	table.WriteString("time,reports,deaths,recent\n")
	for year := 1982; year <= 1991; year++ {
		fmt.Fprintf(&table, "%d,0,0,1\n", year)
	}
	f.Data = []byte(table.String())
	o, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	course, err := o.Simulator.Simulate(t.Context(), truth, 11)
	if err != nil {
		t.Fatal(err)
	}
	luck := random.New(12)
	seen := course.Draw(&luck)
	table.Reset()
	table.WriteString("time,reports,deaths,recent\n")
	for row, year := range o.Data.Times {
		fmt.Fprintf(&table, "%v,%v,%v,%v\n", year, seen[0][row], seen[1][row], seen[2][row])
	}
	f.Data = []byte(table.String())
	t.Logf("the data:\n%s", table.String())
	if o, err = f.Open(); err != nil {
		t.Fatal(err)
	}
	payload, err := f.Payload()
	if err != nil {
		t.Fatal(err)
	}
	do := func(method string, slots, budget int) *fit.Result {
		began := time.Now()
		registry := Registry()
		r, err := fit.Run(t.Context(), o.Problem, payload, fit.Options{Kind: FitKind, Registry: registry, Run: fit.InMemory(registry, slots), Method: method, Seed: 1, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, %d at once: %.0f s, %d runs, %d events, best %.4g with %s %.2f ± %.2f", method, slots, time.Since(began).Seconds(), r.Runs, r.Events, r.Best, r.ScoreName, r.BestScore, r.BestError)
		return r
	}
	one := do("abc", 1, runs)
	t.Logf("\n%s", one.Text())
	two := do("abc", 2, runs)
	if one.Text() != two.Text() {
		t.Errorf("two at once give something else:\n%s", two.Text())
	}
	for j, m := range two.Marginals() {
		// 95 % intervals of four unknowns all have the truth in them with a probability of at least 80 % if they are exact, and more if they are too wide, as
		// these are. Those of the prior have it, too: what was learnt is that they are shorter.
		if low, high := m.Quantiles[0], m.Quantiles[6]; !(truth[j] >= low && truth[j] <= high) {
			t.Errorf("%s is from %v to %v, and %v was true", m.Name, low, high, truth[j])
		}
		t.Logf("%s: from %.4g to %.4g, %.4g was true; contraction %.2f", m.Name, m.Quantiles[0], m.Quantiles[6], truth[j], m.Contraction)
		if !(m.Contraction > 0.3) && m.Name == "contacts" { // the others are told apart badly by ten years
			t.Errorf("little was learnt about %s: contraction %.2f", m.Name, m.Contraction)
		}
	}
	annealed, random := do("anneal", 2, 2*runs/3), do("random", 2, 2*runs/3)
	if !(annealed.BestScore < random.BestScore) {
		t.Errorf("annealing is left with a misfit of %v, random search with %v", annealed.BestScore, random.BestScore)
	}
}
