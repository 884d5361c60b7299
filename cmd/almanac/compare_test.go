package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

const comparedModel = `
name: outbreak
time: {unit: day, end: 30}
population: {size: 200, start: {infectious: 5, susceptible: rest}}
parameters: {beta: 0.4 per day, stay: 5 days}
states: {susceptible: {}, infectious: {race: [{after: {exponential: {mean: stay}}, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, rate: beta, to: {susceptible: infectious}}]
record: {every: 10 days}
scenarios: {base: {}, lockdown: {beta: 0.25 per day}, worse: {beta: 0.6 per day}}
`

// tableOf reads a table by its columns.
func tableOf(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// What compare tells of the differences is what pairs.csv says: means, intervals of the means by
// Student, and the 2.5 % and 97.5 % quantiles of the pairs, which are order statistics. The course
// ends where the outputs end.
func TestCompareIsOfItsPairs(t *testing.T) {
	dir := t.TempDir()
	model, out := filepath.Join(dir, "model.yaml"), filepath.Join(dir, "out")
	if err := os.WriteFile(model, []byte(comparedModel), 0o666); err != nil {
		t.Fatal(err)
	}
	const n, student = 80, 1.990450 // R: qt(0.975, 79)
	var printed, errs bytes.Buffer
	if status := run(t.Context(), []string{"compare", model, "--replicas", "80", "--output", "final(recovered)",
		"--output", "time of peak(infectious)", "--output", "final(susceptible->infectious)", "--out", out}, &printed,
		&errs); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	type key struct{ scenario, output string }
	pairs := map[key][]float64{}
	seen := map[string]int{}
	for _, row := range tableOf(t, filepath.Join(out, "pairs.csv")) {
		k := key{row["scenario"], row["output"]}
		if row["replica"] != strconv.Itoa(len(pairs[k])) {
			t.Fatalf("%v is not the next replica of %v", row, k)
		}
		d := number(row["difference"])
		if d != number(row["value"])-number(row["baseline"]) {
			t.Errorf("%v", row)
		}
		pairs[k] = append(pairs[k], d)
		seen[row["scenario"]]++
	}
	if len(pairs) != 2*3 || seen["lockdown"] != 3*n || seen["worse"] != 3*n {
		t.Fatalf("%d, %v", len(pairs), seen)
	}
	// Independently of the program: sums, and ranks in whole numbers.
	type summary struct{ mean, low, high, runsLow, runsHigh float64 }
	of := func(x []float64) (s summary) {
		for _, v := range x {
			s.mean += v / n
		}
		variance := 0.0
		for _, v := range x {
			variance += (v - s.mean) * (v - s.mean) / (n - 1)
		}
		half := student * math.Sqrt(variance/n)
		x = slices.Sorted(slices.Values(x))
		s.low, s.high, s.runsLow, s.runsHigh = s.mean-half, s.mean+half, x[2-1], x[78-1] // 80 × 0.025 and × 0.975
		return s
	}
	same := func(what string, row map[string]string, mean string, want summary) {
		t.Helper()
		for name, x := range map[string]float64{mean: want.mean, "mean_ci_low": want.low, "mean_ci_high": want.high} {
			if math.Abs(number(row[name])-x) > 1e-6*(1+math.Abs(x)) {
				t.Errorf("%s: %s is %s, not %g", what, name, row[name], x)
			}
		}
		if number(row["runs_low"]) != want.runsLow || number(row["runs_high"]) != want.runsHigh {
			t.Errorf("%s: %s to %s, not %g to %g", what, row["runs_low"], row["runs_high"], want.runsLow, want.runsHigh)
		}
	}
	rows := tableOf(t, filepath.Join(out, "differences.csv"))
	if len(rows) != 6 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		same("differences.csv "+row["scenario"], row, "mean_difference", of(pairs[key{row["scenario"], row["output"]}]))
	}
	var told []struct {
		Name        string
		Differences []struct {
			Output string
			Mean   float64
			Low    float64 `json:"runs_low"`
			High   float64 `json:"runs_high"`
			Runs   string
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "comparison.json"))
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	if err != nil || len(told) != 3 {
		t.Fatalf("%v: %s", err, text)
	}
	for _, s := range told[1:] {
		for _, d := range s.Differences {
			want := of(pairs[key{s.Name, d.Output}])
			if d.Low != want.runsLow || d.High != want.runsHigh || math.Abs(d.Mean-want.mean) > 1e-9 ||
				d.Runs != "95 % of paired runs" {
				t.Errorf("%s: %+v, not %+v", s.Name, d, want)
			}
		}
	}
	// At the end, the course of a state is the output of its end.
	ends := 0
	for _, row := range tableOf(t, filepath.Join(out, "series-differences.csv")) {
		if row["time"] == "30" && row["kind"] == "state" && row["name"] == "recovered" {
			ends++
			same("series-differences.csv", row, "mean_difference", of(pairs[key{row["scenario"], "final(recovered)"}]))
		}
	}
	if ends != 2 {
		t.Errorf("%d ends", ends)
	}
	// Incidence adds up to what has flowed.
	sums := map[string]float64{}
	for _, row := range tableOf(t, filepath.Join(out, "series-differences.csv")) {
		if row["kind"] == "incidence" && row["name"] == "susceptible->infectious" {
			sums[row["scenario"]] += number(row["mean_difference"])
		}
	}
	for scenario, sum := range sums {
		want := of(pairs[key{scenario, "final(susceptible->infectious)"}]).mean
		if math.Abs(sum-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("%s: incidences add up to a difference of %g, not %g", scenario, sum, want)
		}
	}
	if len(sums) != 2 {
		t.Errorf("%v", sums)
	}
}
