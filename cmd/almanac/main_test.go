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
// incomplete.
func TestInterruptedRun(t *testing.T) {
	for _, after := range []time.Duration{0, 300 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		defer cancel()
		dir := t.TempDir()
		var out, errs bytes.Buffer
		// Without the interrupt it would take hours.
		args := []string{"run", "../../examples/sir.yaml", "--replicas", "100000", "--out", dir, "--events"}
		if status := run(ctx, args, &out, &errs); status != cli.ExitWork {
			t.Errorf("status %d: %s", status, errs.String())
		}
		if !strings.Contains(out.String(), "INCOMPLETE: interrupted") || !strings.Contains(errs.String(),
			"almanac: interrupted") {
			t.Errorf("printed %q and %q", out.String(), errs.String())
		}
		summary, err := os.ReadFile(filepath.Join(dir, "summary.json"))
		if err != nil || !bytes.Contains(summary, []byte(`"incomplete":true,"stopped":"interrupted"`)) {
			t.Errorf("summary.json is not marked as incomplete: %v", err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "events.csv*"))
		if err != nil || len(files) != 1 {
			t.Errorf("events are left in %v, %v", files, err)
		}
	}
}
