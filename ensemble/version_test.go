package ensemble

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
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
		v, err := versionOf(bytes.NewReader(program))
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
	if v := version("a copy", program); seen[v] != "this program" || v != programVersion() {
		t.Errorf("a copy has version %s, not %s", v, programVersion())
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

// The version of functions in Go names the arithmetic of the machine, as far as package math shows
// it; that of a portable kind does not.
func TestVersionNamesTheArithmetic(t *testing.T) {
	if os.Getenv("ARITHMETIC") != "" {
		hash := uint64(0)
		for i := range 64 {
			hash = hash*31 + math.Float64bits(math.Exp(0.1+float64(i)/7))
		}
		fmt.Printf("arithmetic %s; %x\n", arithmetic(), hash)
		return
	}
	k := Kind{Name: "k", Version: "1"}
	here := k.version()
	if k.Portable = true; here != k.version()+", "+arithmetic() {
		t.Errorf("%q is the version, and %q of a portable kind; the arithmetic is %q", here, k.version(), arithmetic())
	}
	if os.Getenv("EMULATOR") != "" {
		return // the system cannot start this program by itself
	}
	// A processor without fused multiply-add is another one if it gives other numbers.
	seen := map[string]string{}
	for _, fma := range []string{"on", "off"} {
		child := exec.Command(os.Args[0], "-test.run=^TestVersionNamesTheArithmetic$")
		child.Env = append(os.Environ(), "ARITHMETIC=1", "GODEBUG=cpu.fma="+fma)
		out, err := child.Output()
		found := regexp.MustCompile(`arithmetic (.*); (\w+)`).FindSubmatch(out)
		if err != nil || found == nil {
			t.Fatalf("%s: %v", out, err)
		}
		if as, ok := seen[string(found[2])]; ok != (len(seen) > 0 && as == string(found[1])) {
			t.Errorf("the numbers %s have the arithmetic %s and %s", found[2], found[1], as)
		}
		for numbers, as := range seen {
			if numbers != string(found[2]) && as == string(found[1]) {
				t.Errorf("the numbers %s and %s have one arithmetic, %s", numbers, found[2], as)
			}
		}
		seen[string(found[2])] = string(found[1])
	}
}
