//go:build soak

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// smallFit is a model of few people whose single runs are hardly ever near its data, so that the
// default method goes on to particles if its budget is 30,000 runs.
const smallFit = `name: small
time: {unit: day, end: 12}
population: {size: 60, start: {infectious: 2, susceptible: rest}}
parameters: {beta: 0.8 per day, rho: 60%}
states:
  susceptible: {}
  infectious: {race: [{after: {gamma: {mean: 3 days, shape: 2}}, to: recovered}]}
  recovered: {}
transmission: [{from: infectious, rate: beta, to: {susceptible: infectious}}]
fit:
  data: cases.csv
  unknown: {beta: {uniform: {low: 0.1 per day, high: 3 per day}}, rho: {beta: {a: 4, b: 3}}}
  match: [{column: cases, incidence: susceptible->infectious, observed: rho, error: poisson}]
`

const smallCases = "time,cases\n1,0\n2,2\n3,1\n4,3\n5,7\n6,4\n7,8\n8,3\n9,4\n10,1\n11,2\n12,0\n"

// smallDir is a directory that has the small model and its data.
func smallDir(t *testing.T) (dir, model string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"model.yaml": smallFit, "cases.csv": smallCases} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, filepath.Join(dir, "model.yaml")
}

// fitResults are the files of a fit that must be the same.
var fitResults = []string{"posterior.csv", "fit.json", "best.yaml"}

// sameFiles compares files of two fits; the command that is written down differs in the directory
// alone.
func sameFiles(t *testing.T, dir, got, want string, names []string) {
	t.Helper()
	for _, name := range names {
		w, err := os.ReadFile(filepath.Join(dir, want, name))
		if err != nil {
			t.Fatal(err)
		}
		w = bytes.ReplaceAll(w, []byte(filepath.Join(dir, want)), []byte(filepath.Join(dir, got)))
		if g, err := os.ReadFile(filepath.Join(dir, got, name)); err != nil || !bytes.Equal(g, w) {
			t.Errorf("%s of %s is another than that of %s: %v", name, got, want, err)
		}
	}
}
