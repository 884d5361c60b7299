package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// stays is one person who stays for 2 or 3 years, at 500 and 0.8 per year.
const stays = `name: stays
time: {unit: year, end: 5}
population: {size: 1, start: {here: rest}}
parameters: {stay: 2 years}
states: {here: {race: [{after: stay, to: out}]}}
outcomes:
  cost: {time: 500 per year, discount: DISCOUNT}
  qalys: {time: 0.8 per year, discount: DISCOUNT}
scenarios: {short: {}, long: {stay: 3 years}}
record: {every: 1 year}
`

// The ratio of two deterministic scenarios is 500/0.8 with any discount.
func TestICERWithAnyDiscount(t *testing.T) {
	for _, discount := range []string{"0% per year", "50% per year"} {
		dir := t.TempDir()
		model, out := filepath.Join(dir, "stays.yaml"), filepath.Join(dir, "out")
		if err := os.WriteFile(model, []byte(strings.ReplaceAll(stays, "DISCOUNT", discount)), 0o644); err != nil {
			t.Fatal(err)
		}
		var told, errs bytes.Buffer
		if status := run(context.Background(), []string{"compare", model, "--replicas", "3", "--icer", "cost/qalys", "--out",
			out}, &told, &errs); status != 0 {
			t.Fatalf("status %d: %s", status, errs.String())
		}
		rows := table(t, filepath.Join(out, "icer.csv"))
		if want := []string{"scenario", "cost", "effect", "icer", "low", "high"}; !slices.Equal(rows[0], want) {
			t.Fatalf("columns %v, want %v", rows[0], want)
		}
		for _, cell := range rows[1][3:] {
			if x, err := strconv.ParseFloat(cell, 64); err != nil || math.Abs(x-625) > 1e-6 {
				t.Errorf("%s: %v, expected 625 as ratio and interval", discount, rows[1])
			}
		}
		if !strings.Contains(told.String(), "cost per qalys") || !strings.Contains(told.String(), "625") {
			t.Errorf("the ratio is not printed:\n%s", told.String())
		}
		for _, file := range []string{"plane.svg", "plane.png", "acceptability.svg", "acceptability.png",
			"acceptability.csv"} {
			if _, err := os.Stat(filepath.Join(out, file)); err != nil {
				t.Error(err)
			}
		}
		outputs := map[string]bool{}
		for _, row := range table(t, filepath.Join(out, "pairs.csv"))[1:] {
			outputs[row[2]] = true
		}
		if !outputs["final(cost)"] || !outputs["final(qalys)"] {
			t.Errorf("pairs.csv has %v, and not both outcomes", outputs)
		}
	}
}

// What --icer refuses.
func TestICERProblems(t *testing.T) {
	dir := t.TempDir()
	model, plain := filepath.Join(dir, "stays.yaml"), filepath.Join(dir, "plain.yaml")
	source := strings.ReplaceAll(stays, "DISCOUNT", "3% per year")
	without := source[:strings.Index(source, "outcomes")] + source[strings.Index(source, "scenarios"):]
	for file, text := range map[string]string{model: source, plain: without} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ model, icer, want string }{
		{model, "cost", `--icer: "cost" is not two outcomes; write --icer cost/qalys, for example`},
		{model, "cost/qaly", `--icer: there is no "qaly"; did you mean "qalys"?`},
		{plain, "cost/qalys", "--icer: the model has no outcomes"},
	} {
		var out, errs bytes.Buffer
		status := run(context.Background(), []string{"compare", c.model, "--icer", c.icer}, &out, &errs)
		if status == 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: status %d, %q; expected %q", c.icer, status, errs.String(), c.want)
		}
	}
	var out, errs bytes.Buffer // of the living, an outcome that the dead have a part in is nonsense
	if status := run(context.Background(), []string{"compare", model, "--output", "final(cost) per person"}, &out,
		&errs); status == 0 || !strings.Contains(errs.String(), "write incidence(cost) per person") {
		t.Errorf("status %d, %q", status, errs.String())
	}
}

// Outcomes are outputs of a sweep, and a run has a table of them in both formats.
func TestOutcomesOfRunsAndSweeps(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "stays.yaml")
	if err := os.WriteFile(model, []byte(strings.ReplaceAll(stays, "DISCOUNT", "0% per year")), 0o644); err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if status := run(context.Background(), args, &out, &errs); status != 0 {
			t.Fatalf("%v: status %d: %s", args, status, errs.String())
		}
		return out.String()
	}
	swept := filepath.Join(dir, "swept")
	do("sweep", model, "--vary", "stay=2,3 years", "--replicas", "2", "--output", "final(cost)",
		"--output", "at(cost, 1 year)", "--output", "incidence(qalys, 1..2 years)", "--out", swept)
	got := map[string]string{}
	for _, row := range table(t, filepath.Join(swept, "points.csv"))[1:] {
		got[row[0]+" "+row[2]] = row[3]
	}
	for key, want := range map[string]string{"2 final(cost)": "1000", "3 final(cost)": "1500", "2 at(cost, 1 year)": "500",
		"3 incidence(qalys, 1..2 years)": "0.8"} {
		if x, err := strconv.ParseFloat(got[key], 64); err != nil || math.Abs(x-number(want)) > 1e-9 {
			t.Errorf("%s is %q, expected %s; of %v", key, got[key], want, got)
		}
	}
	for _, format := range []string{"csv", "parquet"} {
		out := filepath.Join(dir, format)
		text := do("run", model, "--out", out, "--format", format)
		if !strings.Contains(text, "outcome") || !strings.Contains(text, "1000") {
			t.Errorf("the outcomes are not printed:\n%s", text)
		}
		if _, err := os.Stat(filepath.Join(out, "outcomes."+format)); err != nil {
			t.Error(err)
		}
	}
	rows := table(t, filepath.Join(dir, "csv", "outcomes.csv"))
	if want := []string{"replica", "time", "outcome", "value"}; !slices.Equal(rows[0], want) {
		t.Errorf("columns %v, want %v", rows[0], want)
	}
	if want := []string{"0", "5", "cost", "1000"}; !slices.Equal(rows[len(rows)-2], want) {
		t.Errorf("the last row of cost is %v, want %v", rows[len(rows)-2], want)
	}
}

func number(text string) float64 { x, _ := strconv.ParseFloat(text, 64); return x }

// table reads a CSV file.
func table(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
