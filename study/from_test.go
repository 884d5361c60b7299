package study

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A late end does not make the check of the rows of a sample slow: 1,000 models with a row a day
// for 100,000 days take gigabytes, one after the other.
func TestRowsAreCheckedWithoutALateEnd(t *testing.T) {
	dir := t.TempDir()
	var sample strings.Builder
	sample.WriteString("rate,weight\n")
	for k := range 1000 {
		fmt.Fprintf(&sample, "%g,1\n", 0.1+float64(k)/1e4)
	}
	path := filepath.Join(dir, "sample.csv")
	if err := os.WriteFile(path, []byte(sample.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	source := []byte(`
name: leaving
time: {unit: day, end: 10}
population: {size: 5, start: {here: rest}}
parameters: {rate: 0.1 per day}
states: {here: {race: [{rate: rate, to: out}]}}
record: {every: 1 day}
scenarios: {usual: {}, slow: {rate: 0.01 per day}}
`)
	for _, kind := range []string{Run, Compare} {
		r := &Request{Kind: kind, Model: "model.yaml", Source: source, Until: "100_000 days", From: path, Replicas: 2}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := r.Open()
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if s.Plain.End() != 100_000 {
			t.Errorf("%s: the model ends at %g", kind, s.Plain.End())
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 200<<20 {
			t.Errorf("%s: %d MB were allocated", kind, took>>20)
		}
	}
}
