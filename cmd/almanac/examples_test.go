package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the expected output of the examples anew")

// Every example gives what examples/expected says, to the last individual. The last line is about
// time and memory, and not compared. The numbers are the same on every machine.
func TestExamples(t *testing.T) {
	models, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(models) < 4 {
		t.Fatalf("%d examples, %v", len(models), err)
	}
	for _, model := range models {
		name := strings.TrimSuffix(filepath.Base(model), ".yaml")
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(model)
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(source, []byte("\n")); lines >= 60 && name != "tuberculosis" {
				t.Errorf("%d lines, which is no longer short", lines)
			}
			var out, errs bytes.Buffer
			if status := run(context.Background(), []string{"run", model}, &out, &errs); status != 0 {
				t.Fatalf("status %d: %s", status, errs.String())
			}
			if errs.Len() > 0 {
				t.Errorf("standard error has %q", errs.String())
			}
			end := strings.LastIndex(out.String(), "\n\n")
			result, timing := out.String()[:end+1], out.String()[end+1:]
			if !strings.Contains(timing, "million events/s") {
				t.Fatalf("no closing line in %q", out.String())
			}
			file := filepath.Join("../../examples/expected", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(result), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if result != string(want) {
				t.Errorf("got\n%s\nwant\n%s", result, want)
			}
		})
	}
}
