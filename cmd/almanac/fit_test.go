package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// enduringFit is a model of which a fit takes a second or two.
const enduringFit = `name: enduring
time: {unit: day, end: 60}
population: {size: 500, start: {infectious: 5, susceptible: rest}}
parameters: {beta: 0.4 per day, rho: 30%}
states: {susceptible: {}, infectious: {race: [{rate: 0.2 per day, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, rate: beta, to: {susceptible: infectious}}]
fit:
  data: cases.csv
  unknown: {beta: {uniform: {low: 0.2 per day, high: 1 per day}}, rho: {uniform: {low: 5%, high: 95%}}}
  match: [{column: cases, incidence: susceptible->infectious, observed: rho, error: poisson}]
`

// A fit that is killed, and then interrupted, goes on, and ends with the files of one that was not.
func TestFitKilledHere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows no process can be told by a signal to end in order")
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "model.yaml")
	for name, text := range map[string]string{"model.yaml": enduringFit, "cases.csv": "time,cases\n10,20\n20,60\n" +
		"30,70\n40,30\n50,10\n60,4\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := func(out string) []string {
		return []string{"fit", model, "--budget", testscale.Size("1500", "3000"), "--population",
			testscale.Size("100", "200"), "--workers", "2", "--out", filepath.Join(dir, out)}
	}
	stopTwice(t, args("cut"), filepath.Join(dir, "cut", ".state"), 40_000, syscall.SIGTERM,
		"; the same command goes on from there: what is done is kept in ")
	var out, errs bytes.Buffer
	// Another command is refused there.
	if status := run(t.Context(), append(args("cut"), "--seed", "2"), &out, &errs); status != cli.ExitUsage ||
		!strings.Contains(errs.String(), "there is a study that is not done") {
		t.Errorf("status %d: %s", status, errs.String())
	}
	errs.Reset()
	if status := run(t.Context(), args("cut"), &out, &errs); status != cli.ExitDone || !strings.Contains(errs.String(),
		"going on with this study where it was, from ") {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	if status := run(t.Context(), args("whole"), &out, &errs); status != cli.ExitDone {
		t.Fatal(errs.String())
	}
	for _, name := range []string{"posterior.csv", "fit.json", "best.yaml"} {
		want, err := os.ReadFile(filepath.Join(dir, "whole", name))
		if err != nil {
			t.Fatal(err)
		}
		// in the command
		want = bytes.Replace(want, []byte(filepath.Join(dir, "whole")), []byte(filepath.Join(dir, "cut")), 1)
		if got, err := os.ReadFile(filepath.Join(dir, "cut", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another: %v", name, err)
		}
	}
}
