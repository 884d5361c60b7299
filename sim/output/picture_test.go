package output_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/analysis"
	"github.com/almanac-sim/almanac/sim/history"
	"github.com/almanac-sim/almanac/sim/output"
	"github.com/almanac-sim/almanac/sim/replicate"
)

// files are the names of all files in a directory.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Save writes what there is, under names that are names of files, and nothing of what was not kept.
func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := output.Save(dir, shop(t), output.Pictures(".svg")); err != nil {
		t.Fatal(err)
	}
	want := []string{"courses.csv", "desk-levels.svg", "desk-the-large-one-wait.svg", "gantt.svg", "holdings.csv",
		"levels.svg", "missed.csv", "observations.csv",
		"report.csv", "utilisation.svg"}
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	s := sim.New()
	defer s.Close()
	s.NewTally("levels").Add(1)
	dir = t.TempDir()
	if err := output.Save(dir, s); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); !slices.Equal(got, []string{"report.csv"}) {
		t.Errorf("%v is written of what was not kept", got)
	}
	s.Keep(sim.Thinned(10))
	s.NewTally("levels").Add(1)
	s.NewTally("...").Add(1)
	s.NewTimeWeighted("x", 0)
	if err := output.Save(dir, s, output.Tables(), output.Pictures(".svg")); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); !slices.Equal(got, []string{"levels-2.svg", "levels.svg", "report.csv", "tally.svg"}) {
		t.Error(got)
	}
	r, runs := experiment(t)
	dir = t.TempDir()
	if err := output.SaveResults(dir, r, runs, output.Tables(output.JSON), output.Pictures(".png")); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); !slices.Equal(got, []string{"bands.png", "results.json", "summary.json"}) {
		t.Error(got)
	}
}

func svg(t *testing.T, p output.Picture) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.svg")
	if err := p.Save(file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Save(file); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(file); !bytes.Equal(again, data) {
		t.Error("another picture of the same")
	}
	return string(data)
}

// Pictures say what they are of, and are drawn of nothing, too.
func TestPictures(t *testing.T) {
	s := shop(t)
	courses, observations := s.AllTimeSeries(), s.AllObservations()
	_, runs := experiment(t)
	var x []float64
	for i := range 1000 {
		x = append(x, float64(max(0, 100-i)+i%7))
	}
	many := make([]history.Holding, 3000)
	for i := range many {
		many[i] = history.Holding{Resource: "desk", Units: 60, From: float64(i), To: float64(i) + 0.5}
	}
	for _, c := range []struct {
		name    string
		picture output.Picture
		wants   []string
	}{
		{"levels", output.TimeSeries("title", courses), []string{`"title"`, `queue"`, "dashed: capacity",
			"from least to most"}},
		{"utilisation", output.Utilization("title", courses), []string{"units in use (%)", "fiftieths"}},
		{"histogram", output.Histogram("title", observations[0], 0.5, 0.25), []string{`"median: `, `"25 %: `,
			"observations, a sample of"}},
		{"gantt", output.Gantt("title", s.AllHoldings()), []string{`one&#34; 1"`, `one&#34; 2"`, "thick edge"}},
		{"many", output.Gantt("title", many), []string{"the first 48 of 3000 who", "the first 40 units", `"desk 40"`}},
		{"huge", output.Gantt("title", []history.Holding{{Resource: "disk", Units: min(1e12, math.MaxInt), To: 1},
			{Resource: "disk", Units: 1, To: 1}}), []string{"the first 40 units", `"disk 40"`}},
		{"bands", output.Bands("title", runs.TimeSeries(8), 0.9), []string{"means of 8 runs; bands: 90 % intervals", `"n"`}},
		{"warm-up", output.WarmUp("title", x, analysis.MSER5(x)), []string{"of 1000 are left out", "MSER-5"}},
		{"too short", output.WarmUp("title", x[:90], analysis.MSER5(x[:90])), []string{"too short"}},
		{"nothing", output.TimeSeries("title", nil), []string{`"title"`}},
		{"nothing", output.Utilization("title", nil), nil},
		{"nothing", output.Histogram("title", history.Observations{}), []string{"0 observations"}},
		{"one", output.Histogram("title", history.Observations{N: 1, Batch: 1, Entries: []history.Observation{
			{Value: 3, N: 1}}}),
			[]string{`median: 3"`}},
		{"nothing", output.Gantt("title", nil), nil},
		{"nothing", output.Bands("title", nil, 0.9), nil},
		{"nothing", output.WarmUp("title", nil, analysis.WarmUp{}), nil},
	} {
		text := svg(t, c.picture)
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s", c.name, want)
			}
		}
	}
	if err := output.Gantt("", nil).Save(filepath.Join(t.TempDir(), "a.bmp")); err == nil {
		t.Error("a picture of an unknown kind is drawn")
	}
}

// Replications that were run in advance, and are not part of the results, are not part of the
// bands.
func TestRunsInAdvance(t *testing.T) {
	var runs output.Runs
	r, err := replicate.Run(context.Background(), 3, func(r *replicate.Replication) error {
		s := r.Sim()
		s.Keep(sim.Thinned(10))
		s.NewTimeWeighted("n", float64(r.Index()))
		r.Record("x", s.Stream("x").Float64())
		err := s.Run(r.Context(), 1)
		runs.Add(r.Index(), s.AllTimeSeries())
		return err
	}, replicate.ToHalfWidth("x", 1e9, 50))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range runs.TimeSeries(r.N()) {
		if c[0].Mean() != float64(i) {
			t.Errorf("run %d is %v", i, c)
		}
	}
	if n := len(runs.TimeSeries(r.N())); n != r.N() {
		t.Errorf("%d of %d", n, r.N())
	}
}

// Holdings that were too many to be kept are counted in a file and in the title of the picture, and
// nothing is said where none are missing.
func TestSaveTellsOfMissedHoldings(t *testing.T) {
	dir := t.TempDir()
	save := func(most int) (gantt string) {
		s := sim.New(sim.Name("shop"))
		defer s.Close()
		s.Keep(sim.EveryChange(most))
		for _, name := range []string{"desk", "till", "quiet"} {
			r := sim.NewResource(s, name, 1)
			for i := range len(name) * 2 {
				s.GoAt(float64(i), "customer", func(p *sim.Process) {
					if name != "quiet" {
						_ = r.Use(p, 1, func() error { return p.Wait(0.5) })
					}
				})
			}
		}
		if err := s.Run(context.Background(), 20); err != nil {
			t.Fatal(err)
		}
		if err := output.Save(dir, s, output.Tables(output.CSV, output.JSON), output.Pictures(".svg")); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "gantt.svg"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if gantt := save(5); !strings.Contains(gantt, "(6 later ones were not kept)") {
		t.Error("the picture does not tell that 3 of 8 holdings of each resource are missing")
	}
	b, err := os.ReadFile(filepath.Join(dir, "missed.csv"))
	if want := "resource,missed\ndesk,3\ntill,3\n"; err != nil || string(b) != want {
		t.Errorf("missed.csv is %q, and not %q: %v", b, want, err)
	}
	if gantt := save(8); strings.Contains(gantt, "not kept") {
		t.Error("the picture tells of missing holdings, where there are none")
	}
	if got := files(t, dir); slices.Contains(got, "missed.csv") || slices.Contains(got, "missed.json") {
		t.Errorf("what was missed before is still there: %v", got)
	}
}
