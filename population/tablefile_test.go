package population_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// TestLoadTables looks for tables beside the model file, and nowhere else.
func TestLoadTables(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"beta.csv":          "time,beta\n0,0.5\n30,0.25\n",
		"data/beta.csv":     "time,beta\n0,7\n",
		"models/model.yaml": "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	model := filepath.Join(dir, "models", "model.yaml")
	for file, want := range map[string]string{
		"../beta.csv":                  "beta: 0.5 per day, 0.25 per day from day 30 on",
		"../data/beta.csv":             "beta: 7 per day",
		filepath.Join(dir, "beta.csv"): "beta: 0.5 per day, 0.25 per day from day 30 on",
		"beta.csv":                     `model.yaml:6:24: parameters: beta: steps: file: "beta.csv": `,
		"..":                           `model.yaml:6:24: parameters: beta: steps: file: "..": it is not a file`,
		"../data":                      `model.yaml:6:24: parameters: beta: steps: file: "../data": it is not a file`,
		"/dev/zero":                    `model.yaml:6:24: parameters: beta: steps: file: "/dev/zero": it is not a file`,
		"../beta.csv/x":                `model.yaml:6:24: parameters: beta: steps: file: "../beta.csv/x": `,
		strings.Repeat("x", 5000):      `model.yaml:6:24: parameters: beta: steps: file: "xxxx`,
		"model.yaml": `model.yaml:1:1: the first column is "name: m"; expected time, in the unit of the ` +
			`model, or date`,
	} {
		source := fmt.Sprintf("name: m\ntime: {unit: day, end: 160}\npopulation: {size: 1, start: {a: 1}}\n"+
			"states: {a: {}}\nparameters:\n  beta: {steps: {file: %q, column: beta, unit: per day}}\n", file)
		if err := os.WriteFile(model, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := population.Load(model)
		said := strings.ReplaceAll(fmt.Sprint(err), filepath.Dir(model)+string(filepath.Separator), "")
		if err == nil {
			said = m.Explain()
		}
		if !strings.Contains(said, want) {
			t.Errorf("%.40s: got\n%s\nwant\n%s", file, said, want)
		}
	}
}
