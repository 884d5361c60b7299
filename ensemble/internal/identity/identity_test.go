package identity

import (
	"bytes"
	"os"
	"runtime"
	"testing"
)

// A program has the version of its copies, and none that a program of other bytes has, whether its
// identity is found or all of it is hashed.
func TestVersionOfPrograms(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	id := buildID(bytes.NewReader(program))
	if runtime.GOOS == "linux" && id == "" {
		t.Fatal("this program has no identity")
	}
	seen := map[string]string{}
	version := func(name string, program []byte) string {
		t.Helper()
		v, err := hashOf(bytes.NewReader(program))
		if err != nil || len(v) != 16 {
			t.Fatalf("%s: %q, %v", name, v, err)
		}
		return v
	}
	other := func(name string, program []byte) {
		t.Helper()
		v := version(name, program)
		if same, ok := seen[v]; ok {
			t.Errorf("%s has the version of %s", name, same)
		}
		seen[v] = name
	}
	other("this program", program)
	if v := version("a copy", program); seen[v] != "this program" || v != Program() {
		t.Errorf("a copy has version %s, not %s", v, Program())
	}
	if id != "" {
		other("something added", append(bytes.Clone(program), 0))
		// What the go command hashes changes its identity; one that somebody has chosen is no identity.
		last := bytes.Replace(program, []byte(id), []byte(id[:len(id)-4]+"wxyz"), 1)
		other("another identity", last)
		chosen := bytes.Replace(program, []byte(id), bytes.Repeat([]byte("x"), len(id)), 1)
		other("a chosen identity", chosen)
		other("a chosen identity, and another byte", append(chosen, 0))
	}
	other("no program", []byte("#!/bin/sh"))
	other("nothing", nil)
	for n := range 200 { // cut off anywhere in what is looked at
		buildID(bytes.NewReader(program[:min(len(program), n*40)]))
	}
}
