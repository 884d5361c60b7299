package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
)

// elevenFit is an outbreak among eleven people of which every second day's cases are known.
const elevenFit = `name: eleven
time: {unit: day, end: 20}
population: {size: 11, start: {infectious: 1, susceptible: rest}}
parameters: {beta: 0.5 per day, stay: 5 days}
states: {susceptible: {}, infectious: {race: [{after: {exponential: {mean: stay}}, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, rate: beta, to: {susceptible: infectious}}]
fit:
  data: cases.csv
  unknown: {beta: {uniform: {low: 0.1 per day, high: 1.5 per day}}, stay: {uniform: {low: 1 day, high: 15 days}}}
  match: [{column: cases, incidence: susceptible->infectious, observed: 80%, error: poisson}]
`

// Chains and weighted runs have the same posterior: the means of both, through the command, are
// within 4 standard errors of their difference, and the standard deviations within 4 of theirs,
// half as much again being added for tails that are not normal. Neither runs more than it may.
func TestFitMethodsAgree(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"model.yaml": elevenFit, "cases.csv": "time,cases\n2,0\n4,2\n6,4\n8,1\n" +
		"10,0\n12,0\n14,0\n16,0\n18,0\n20,0\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	type result struct {
		Exact    bool
		Runs     int
		Unknowns []struct {
			Name     string
			Mean, SD float64
		}
		Effective float64
	}
	fits := func(method string) (r result) {
		var out, errs bytes.Buffer
		if status := run(t.Context(), []string{"fit", filepath.Join(dir, "model.yaml"), "--method", method, "--population",
			"150", "--budget", "20000", "--json"}, &out, &errs); status != cli.ExitDone {
			t.Fatalf("%s: status %d: %s", method, status, errs.String())
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if !r.Exact || r.Runs > 20_000 || !(r.Effective >= 100) || len(r.Unknowns) != 2 {
			t.Fatalf("%s: %+v", method, r)
		}
		return r
	}
	chains, weighted := fits("pmmh"), fits("abc")
	for j, c := range chains.Unknowns {
		w := weighted.Unknowns[j]
		meanError := math.Sqrt(c.SD*c.SD/chains.Effective + w.SD*w.SD/weighted.Effective)
		t.Logf("%s: %.4f ± %.4f by pmmh, %.4f ± %.4f by abc, standard error of the difference %.4f", c.Name, c.Mean, c.SD,
			w.Mean, w.SD, meanError)
		if math.Abs(c.Mean-w.Mean) > 4*meanError {
			t.Errorf("%s: the mean is %.4f by pmmh and %.4f by abc, with a standard error of %.4f", c.Name, c.Mean, w.Mean,
				meanError)
		}
		if math.Abs(c.SD-w.SD) > 4*1.5*meanError/math.Sqrt2 {
			t.Errorf("%s: the standard deviation is %.4f by pmmh and %.4f by abc", c.Name, c.SD, w.SD)
		}
	}
}
