package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// A disk that is full is said once. What reads the files again, as the drawing of trees does, is
// not tried after that: it would say that a file is not whole.
func TestFullDiskIsSaidOnce(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("there is no " + full)
	}
	const model = `
name: tree
time: {unit: day, end: 5}
population: {size: 50, start: {ill: 5, well: rest}}
states: {well: {}, ill: {}}
transmission: [{from: ill, rate: 0.5 per day, to: {well: ill}, name: infection}]
record: {every: 1 day, tree: {of: infection}}
`
	r := &study.Request{Kind: study.Run, Model: "tree.yaml", Source: []byte(model), Replicas: 1, Seed: 1, Format: "csv"}
	s, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Plain.Run(t.Context(), population.Options{Seed: 1, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(full, filepath.Join(dir, "summary.json")); err != nil {
		t.Fatal(err)
	}
	err = writeRun(dir, s, result)
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("got %v", err)
	}
}
