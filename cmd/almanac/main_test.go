package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(emulated{m}, map[string]func(){
		"almanac": main,
	})
}

// The scripts use the command as a person does: what it prints, where, and its exit status.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"freeport": scriptFreePort, "reach": scriptReach, "jobkey": scriptJobKey,
			// status N COMMAND... runs a command and wants that exit status.
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: status N command args...")
				}
				got := 0
				if err := ts.Exec(args[1], args[2:]...); err != nil {
					var exit *exec.ExitError
					if !errors.As(err, &exit) {
						ts.Fatalf("%v", err)
					}
					got = exit.ExitCode()
				}
				if strconv.Itoa(got) != args[0] {
					ts.Fatalf("status %d, want %s", got, args[0])
				}
			},
		},
	})
}

// An interrupted run fails and says so.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if status := run(ctx, []string{"bench", "--n", "10"}, out, out); status != cli.ExitWork {
		t.Errorf("status %d", status)
	}
}

// A run that is interrupted ends cleanly: what was recorded is reported and written, and marked as incomplete.
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
		if !strings.Contains(out.String(), "INCOMPLETE: interrupted") || !strings.Contains(errs.String(), "almanac: interrupted") {
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
