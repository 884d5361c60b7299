package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// emulated runs the tests where the system cannot start programs of this architecture by itself: EMULATOR names what can, as make arm64
// does. The scripts find the command as a file beside others in the first directory of the path; there, a line of shell takes
// its place that starts it in the emulator.
type emulated struct{ m *testing.M }

func (e emulated) Run() int {
	if emulator := os.Getenv("EMULATOR"); emulator != "" {
		command := filepath.Join(filepath.SplitList(os.Getenv("PATH"))[0], "almanac")
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
