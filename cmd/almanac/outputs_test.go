package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"html"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// twoRegions is a model in which people are born nowhere, arrive and die, so that the living
// change. It has two scenarios and records nothing by group.
const twoRegions = `
name: two
time: {unit: day, start: 0, end: 40}
population: {size: 3000, start: {ill: 30, well: rest}}
attributes:
  region: {north: 40%, south: 60%}
  age: {child: 30%, adult: 70%}
parameters: {beta: 0.5 per day}
states:
  well: {}
  ill: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: immune}, {rate: 0.01 per day, to: out, name: death}]}
  immune: {}
transmission: [{from: ill, rate: {by: region, north: beta, south: 0.4 per day}, to: {well: ill}, name: infection}]
immigration: {rate: 20 per day, enter: well}
scenarios: {plain: {}, less: {beta: 0.3 per day}}
record: {every: 1 day}
`

// written is what almanac run wrote of one replica: counts by time, then by what is counted and in
// which region and age; "" is all of them.
type written map[int]map[[3]string]float64

// readRun reads series.csv and flows.csv of a run that was recorded by [[region, age]].
func readRun(t *testing.T, dir, replica string) written {
	t.Helper()
	all := written{}
	for _, file := range []string{"series.csv", "flows.csv"} {
		for _, row := range readTable(t, filepath.Join(dir, file)) {
			if row["replica"] != replica {
				continue
			}
			time, err := strconv.Atoi(row["time"])
			if err != nil {
				t.Fatal(err)
			}
			count, err := strconv.ParseFloat(row["count"], 64)
			if err != nil {
				t.Fatal(err)
			}
			if all[time] == nil {
				all[time] = map[[3]string]float64{}
			}
			what := row["state"] + row["flow"]
			all[time][[3]string{what, row["region"], row["age"]}] += count
			if row["region"] != "" {
				all[time][[3]string{what, row["region"], ""}] += count
				all[time][[3]string{what, "", row["age"]}] += count
			}
		}
	}
	return all
}

// living adds up the states.
func (w written) living(time int, region, age string) (sum float64) {
	for _, state := range []string{"well", "ill", "immune"} {
		sum += w[time][[3]string{state, region, age}]
	}
	return sum
}

// runCommand runs the command and returns what it printed.
func runCommand(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(context.Background(), args, &out, &errs); status != 0 {
		t.Fatalf("%q: status %d\n%s", args, status, errs.String())
	}
	return out.String()
}

// expectedOutputs are outputs and their values, computed from the tables of a run.
func expectedOutputs(w written) map[string]float64 {
	const end = 40
	at := func(time int, what, region, age string) float64 { return w[time][[3]string{what, region, age}] }
	since := func(time int, what, region, age string) float64 { // in the interval that ends then
		if time == 0 {
			return at(0, what, region, age)
		}
		return at(time, what, region, age) - at(time-1, what, region, age)
	}
	peak, share, first, last, firstShare, lastBelow := 0.0, 0.0, math.NaN(), math.NaN(), math.NaN(), math.NaN()
	for time := range end + 1 {
		peak = max(peak, at(time, "ill", "south", ""))
		share = max(share, since(time, "infection", "north", "")/w.living(max(time-1, 0), "north", ""))
		if at(time, "ill", "", "") > 200 {
			if math.IsNaN(first) {
				first = float64(time)
			}
			last = float64(time)
		}
		if math.IsNaN(firstShare) && at(time, "ill", "north", "adult") > 0.05*w.living(time, "north", "adult") {
			firstShare = float64(time)
		}
		if at(time, "ill", "", "child") < 20 {
			lastBelow = float64(time)
		}
	}
	all := map[string]float64{
		"final(immune, region=north)":                                 at(end, "immune", "north", ""),
		"final(immune, age=adult, region=south)":                      at(end, "immune", "south", "adult"),
		"final(infection, age=child)":                                 at(end, "infection", "", "child"),
		"final(region=south)":                                         w.living(end, "south", ""),
		"at(ill, 10, age=child)":                                      at(10, "ill", "", "child"),
		"incidence(infection)":                                        at(end, "infection", "", ""),
		"peak(ill, region=south)":                                     peak,
		"peak(infection, region=north) per 1e3":                       share * 1e3,
		"first time(ill above 200)":                                   first,
		"last time(ill above 200)":                                    last,
		"first time(ill above 5%, region=north,age=adult)":            firstShare,
		"first time(ill, region=north, age=adult above 50 per 1_000)": firstShare,
		"last time(ill below 20, age=child)":                          lastBelow,
		"first time(ill above 3000)":                                  math.NaN(),
	}
	all["final(ill, region=north) per 100_000"] = at(end, "ill", "north", "") / w.living(end, "north", "") * 1e5
	all["at(ill, region=north, 10 days) per person"] = at(10, "ill", "north", "") / w.living(10, "north", "")
	all["incidence(infection) per 100_000"] = at(end, "infection", "", "") / w.living(0, "", "") * 1e5
	all["incidence(well->ill, region=south) per 1000"] =
		at(end, "well->ill", "south", "") / w.living(0, "south", "") * 1e3
	all["incidence(infection, 10..20 days, region=north)"] =
		at(20, "infection", "north", "") - at(10, "infection", "north", "")
	all["incidence(infection, 10..20) per person"] =
		(at(20, "infection", "", "") - at(10, "infection", "", "")) / w.living(10, "", "")
	all["2 * incidence(infection) per 1000 - incidence(death) / final(total, region=north)"] =
		2*1000*at(end, "infection", "", "")/w.living(0, "", "") -
			at(end, "death", "", "")/w.living(end, "north", "")
	return all
}

// Outputs by group, per person and by level are those that the tables of the same run give.
func TestOutputsAgreeWithTables(t *testing.T) {
	dir := t.TempDir()
	plain, grouped := filepath.Join(dir, "plain.yaml"), filepath.Join(dir, "grouped.yaml")
	for path, text := range map[string]string{plain: twoRegions,
		grouped: strings.Replace(twoRegions, "every: 1 day}", "every: 1 day, by: [[region, age]]}", 1)} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]map[string]float64{} // means over two replicas, of those that have a value
	for _, scenario := range []string{"plain", "less"} {
		out := filepath.Join(dir, "run-"+scenario)
		runCommand(t, "run", grouped, "--scenario", scenario, "--seed", "5", "--replicas", "2", "--out", out)
		first, second := expectedOutputs(readRun(t, out, "0")), expectedOutputs(readRun(t, out, "1"))
		want[scenario] = map[string]float64{}
		for output, x := range first {
			switch y := second[output]; {
			case math.IsNaN(x):
				want[scenario][output] = y
			case math.IsNaN(y):
				want[scenario][output] = x
			default:
				want[scenario][output] = (x + y) / 2
			}
		}
	}
	var flags, texts []string
	for text := range want["plain"] {
		flags, texts = append(flags, "--output", text), append(texts, text)
	}
	check := func(where, scenario, output, mean string) {
		t.Helper()
		x, ok := want[scenario][output]
		if !ok {
			t.Errorf("%s: %s was not asked for", where, output)
		}
		if got, err := strconv.ParseFloat(mean, 64); err != nil && !math.IsNaN(x) || math.Abs(got-x) > 1e-9*math.Abs(x) {
			t.Errorf("%s, %s: %s is %s, want %v", where, scenario, output, mean, x)
		}
	}
	// Without groups the page sweeps below, and compares what it gives with the command.
	swept := filepath.Join(dir, "swept")
	runCommand(t, append([]string{"sweep", grouped, "--vary", "beta=0.5, 0.3 per day", "--replicas", "2", "--seed", "5",
		"--series=false", "--out", swept}, flags...)...)
	rows := readTable(t, filepath.Join(swept, "points.csv"))
	if len(rows) != 2*len(texts) {
		t.Fatalf("%d rows of %d outputs", len(rows), len(texts))
	}
	for i, row := range rows {
		check("sweep", []string{"plain", "less"}[i/len(texts)], row["output"], row["mean"])
	}
	for _, model := range []string{plain, grouped} {
		compared := filepath.Join(dir, "compared-"+filepath.Base(model))
		runCommand(t, append([]string{"compare", model, "--replicas", "2", "--seed", "5", "--series=false", "--out",
			compared}, flags...)...)
		for _, row := range readTable(t, filepath.Join(compared, "scenarios.csv")) {
			check("compare "+filepath.Base(model), row["scenario"], row["output"], row["mean"])
		}
	}

	u := openPage(t, dir)
	started, command := u.start("/sweeps", url.Values{"path": {"plain.yaml"}, "vary": {"beta"},
		"values": {"0.5, 0.3 per day"}, "seed": {"5"}, "replicas": {"2"}, "outputs": {strings.Join(texts, "\n")}})
	points := u.get(started + "/files/points.csv")
	sameFile(t, points, filepath.Join(again(t, command), "points.csv"))
	lines, err := csv.NewReader(strings.NewReader(points)).ReadAll()
	if err != nil || len(lines) != 1+2*len(texts) {
		t.Fatalf("%v, %d lines", err, len(lines))
	}
	for i, line := range lines[1:] {
		check("the page's sweep", []string{"plain", "less"}[i/len(texts)], line[2], line[3])
	}
	started, _ = u.start("/compare", url.Values{"path": {"plain.yaml"}, "scenarios": {"plain", "less"}, "seed": {"5"},
		"replicas": {"2"}, "outputs": {"final(immune, region=north)\nincidence(infection) per 100_000"}})
	body := html.UnescapeString(u.get(started))
	for _, text := range []string{"final(immune, region=north)", "incidence(infection) per 100_000"} {
		if !strings.Contains(body, text) {
			t.Errorf("the page's comparison has no %s", text)
		}
	}
}
