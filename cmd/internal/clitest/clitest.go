// Package clitest tests a command by scripts, which use it as a person does: what it prints, where,
// and its exit status.
package clitest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Main is the TestMain of a command's package: its scripts find the command by that name.
func Main(m *testing.M, name string, main func()) {
	testscript.Main(emulated{m, name}, map[string]func(){name: main})
}

// Status is a command of scripts: status N COMMAND... runs a command and wants that exit status.
func Status(ts *testscript.TestScript, neg bool, args []string) {
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
}

// emulated runs the tests where the system cannot start programs of this architecture by itself:
// EMULATOR names what can, as make arm64 does. The scripts find the command as a file beside others
// in the first directory of the path; there, a line of shell takes its place that starts it in the
// emulator.
type emulated struct {
	m    *testing.M
	name string
}

func (e emulated) Run() int {
	if emulator := os.Getenv("EMULATOR"); emulator != "" {
		command := filepath.Join(filepath.SplitList(os.Getenv("PATH"))[0], e.name)
		if err := wrap(command, emulator); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return e.m.Run()
}

// wrap moves a program out of the way and puts a script in its place.
func wrap(command, emulator string) error {
	away := filepath.Join(filepath.Dir(command), "emulated")
	if err := os.Mkdir(away, 0o755); err != nil {
		return err
	}
	program := filepath.Join(away, filepath.Base(command)) // by whose name it knows what it is
	if err := os.Rename(command, program); err != nil {
		return err
	}
	return os.WriteFile(command, fmt.Appendf(nil, "#!/bin/sh\nexec %s %s \"$@\"\n", emulator, program), 0o755)
}
