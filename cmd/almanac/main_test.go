package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/clitest"
)

func TestMain(m *testing.M) {
	clitest.Main(m, "almanac", main)
}

// The scripts use the command as a person does: what it prints, where, and its exit status.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"freeport": scriptFreePort, "reach": scriptReach, "jobkey": scriptJobKey, "status": clitest.Status,
		},
		Setup: func(e *testscript.Env) error { // make test collects garbage less often
			if percent, ok := os.LookupEnv("GOGC"); ok {
				e.Setenv("GOGC", percent)
			}
			return nil
		},
	})
}

// A run that is interrupted ends cleanly: what was recorded is reported and written, and marked as
// incomplete. It does not replace a complete result.
func TestInterruptedRun(t *testing.T) {
	for _, before := range []bool{false, true} {
		ctx, cancel := context.WithTimeout(context.Background(), map[bool]time.Duration{true: 300 * time.Millisecond}[before])
		defer cancel()
		dir := t.TempDir()
		var out, errs bytes.Buffer
		if before {
			if status := run(t.Context(), []string{"run", "../../examples/sir.yaml", "--size", "100", "--out", dir}, &out,
				&errs); status != cli.ExitDone {
				t.Fatal(errs.String())
			}
		}
		complete, err := os.ReadFile(filepath.Join(dir, "summary.json"))
		if before != (err == nil) {
			t.Fatal(err)
		}
		// Without the interrupt it would take hours.
		args := []string{"run", "../../examples/sir.yaml", "--replicas", "100000", "--out", dir, "--events"}
		if status := run(ctx, args, &out, &errs); status != cli.ExitWork {
			t.Errorf("status %d: %s", status, errs.String())
		}
		if !strings.Contains(out.String(), "INCOMPLETE: interrupted") || !strings.Contains(errs.String(),
			"almanac: interrupted") {
			t.Errorf("printed %q and %q", out.String(), errs.String())
		}
		part := dir
		if before {
			part = filepath.Join(dir, "unfinished")
			if now, err := os.ReadFile(filepath.Join(dir, "summary.json")); err != nil || !bytes.Equal(now, complete) {
				t.Errorf("the complete result has changed: %v", err)
			}
			if want := "the complete result in " + dir + " stays; what there is of this one is in " + part; !strings.Contains(
				errs.String(), want) {
				t.Errorf("printed %q", errs.String())
			}
		}
		summary, err := os.ReadFile(filepath.Join(part, "summary.json"))
		if err != nil || !bytes.Contains(summary, []byte(`"incomplete":true,"stopped":"interrupted"`)) {
			t.Errorf("summary.json is not marked as incomplete: %v", err)
		}
		files, err := filepath.Glob(filepath.Join(part, "events.csv*"))
		if err != nil || len(files) != 1 {
			t.Errorf("events are left in %v, %v", files, err)
		}
	}
}
