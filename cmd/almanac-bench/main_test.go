package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "almanac-bench", main) }

// The scripts use the command as a person does.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": clitest.Status},
	})
}

// The reference of the command names every benchmark and every flag, and no others.
func TestCommandPage(t *testing.T) {
	clitest.Documented(t, newRoot(), "../../docs/reference/command.md")
}

// An interrupted measurement fails.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if status := cli.Run(ctx, newRoot(), []string{"calendar", "--n", "10"}, io.Discard, io.Discard); status !=
		cli.ExitWork {
		t.Errorf("status %d", status)
	}
}

// The benchmarks are compiled by the profile of almanac, so that they measure the code that users
// run. When this fails, run make pgo.
func TestProfileIsThatOfAlmanac(t *testing.T) {
	ours, err := os.ReadFile("default.pgo")
	if err != nil {
		t.Fatal(err)
	}
	almanacs, err := os.ReadFile("../almanac/default.pgo")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ours, almanacs) {
		t.Error("default.pgo differs from ../almanac/default.pgo")
	}
}
