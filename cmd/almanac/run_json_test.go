package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/population/results"
)

// Tables in JSON are read again, and replaced by those of the next run in another format.
func TestRunFormatJSON(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	rows := map[string]int{}
	for _, format := range []string{"json", "csv", "json"} {
		args := []string{"run", "../../examples/sir.yaml", "--size", "100", "--until", "9", "--replicas", "2", "--events",
			"--out", dir, "--format", format}
		if status := run(t.Context(), args, t.Output(), t.Output()); status != cli.ExitDone {
			t.Fatalf("status %d", status)
		}
		for _, name := range []string{"series", "flows", "events"} {
			for _, ending := range []string{"json", "csv"} {
				_, err := os.Stat(filepath.Join(dir, name+"."+ending))
				if there := err == nil; there != (ending == format) {
					t.Errorf("--format %s: %s.%s is there: %t", format, name, ending, there)
				}
			}
		}
		d, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range d.Series() {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		for _, err := range d.Events() {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		rows[format] = n
	}
	if rows["json"] != rows["csv"] || rows["csv"] < 60+200 {
		t.Errorf("rows: %v", rows)
	}
	// A file of that name that is not from a run stays, and the run does not begin.
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "series.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "../../examples/sir.yaml", "--size", "100", "--until", "9", "--out", dir}
	if status := run(t.Context(), args, t.Output(), t.Output()); status == cli.ExitDone {
		t.Error("a file of somebody else was replaced")
	}
}
