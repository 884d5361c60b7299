package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/population"
)

// Every model of the documentation and of the examples that reads a table can be run again from its
// results, with the same numbers: also one that reads people.csv, which is the name of a result.
func TestRunAgainFromResults(t *testing.T) {
	dirs := []string{t.TempDir()}
	if err := os.CopyFS(dirs[0], os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir("../../docs", func(page string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(page) != ".md" {
			return err
		}
		source, err := os.ReadFile(page)
		dir := t.TempDir()
		dirs = append(dirs, dir)
		for _, part := range fence().FindAllStringSubmatch(string(source), -1) {
			if language, name := part[1], part[2]; err == nil && name != "" && (language == "yaml" || language == "csv") {
				err = os.WriteFile(filepath.Join(dir, name), []byte(part[3]), 0o644)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, dir := range dirs {
		models, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, model := range models {
			m, err := population.Load(model)
			if err != nil || len(m.Files()) == 0 {
				continue // one without a table is the text alone
			}
			tried++
			first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
			for _, args := range [][]string{
				{"run", model, "--out", first}, {"run", filepath.Join(first, "model.yaml"), "--out", second},
			} {
				var out, errs bytes.Buffer
				if status := run(t.Context(), args, &out, &errs); status != cli.ExitDone {
					t.Fatalf("%s: status %d: %s", filepath.Base(model), status, errs.String())
				}
			}
			want, err := os.ReadFile(filepath.Join(first, "series.csv"))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(second, "series.csv")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: the series are others: %v", filepath.Base(model), err)
			}
		}
	}
	if tried < 4 {
		t.Errorf("only %d models read a table", tried)
	}
}
