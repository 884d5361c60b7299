package examples_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"

	// The programs are built while the test runs. Imports make go test see that an earlier result
	// is no longer good.
	_ "github.com/almanac-sim/almanac/calendar"
	_ "github.com/almanac-sim/almanac/calendar/timers"
	_ "github.com/almanac-sim/almanac/capped"
	_ "github.com/almanac-sim/almanac/dispatch"
	_ "github.com/almanac-sim/almanac/dispatch/dispatchhttp"
	_ "github.com/almanac-sim/almanac/ensemble"
	_ "github.com/almanac-sim/almanac/experiment"
	_ "github.com/almanac-sim/almanac/fit"
	_ "github.com/almanac-sim/almanac/population"
	_ "github.com/almanac-sim/almanac/relaxed/relaxedtest"
	_ "github.com/almanac-sim/almanac/sim"
	_ "github.com/almanac-sim/almanac/sim/analysis"
	_ "github.com/almanac-sim/almanac/sim/output"
	_ "github.com/almanac-sim/almanac/spray"
)

var update = flag.Bool("update", false, "write the expected output of the programs anew")

// programs are those with recorded output, each with command lines that it must refuse.
var programs = map[string][][]string{
	"bank-study": {{}, {"sweep"}, {"sweep", "--vary", "clerks=1,2"}, {"sweep", "--vary", "tellers=1..2"},
		{"compare", "--scenario", "one=tellers=1"},
		{"compare", "--scenario", "a=tellers=1", "--scenario", "b=tellers=many"}, {"worker", "now"}, {"walk"}},
	"bank-best": {{"now"}, {"-hub", "nats://a", "-worker", "nats://b"}, {"-clerks", "3"}},
	"bank-fit":  {{"now"}, {"-budget", "99"}, {"-seed", "-1"}, {"-clerks", "3"}},
	"bank": {{"-days", "1"}, {"-tellers", "0"}, {"-patience", "-1"}, {"-patience", "NaN"}, {"now"},
		{"-clerks", "3"}},
	"workshop":     {{"-weeks", "0"}, {"-weeks", "many"}, {"now"}},
	"clinic":       {{"now"}, {"-rate", "1"}},
	"machine-shop": {{"-machines", "0"}, {"-machines", "many"}, {"now"}},
	"movie":        {{"-tickets", "1"}, {"-tickets", "many"}, {"now"}},
	"gas-station":  {{"-call", "0"}, {"-call", "101"}, {"-call", "NaN"}, {"now"}},
	"phold": {{"-processes", "0"}, {"-messages", "0"}, {"-remote", "0"}, {"-lookahead", "1"}, {"-until", "NaN"},
		{"now"}},
	"sessions":   {{"-sessions", "0"}, {"-hours", "0"}, {"-hours", "NaN"}, {"now"}},
	"deadlines":  {{"-workers", "0"}, {"-workers", "many"}, {"now"}},
	"balancer":   {{"-servers", "1"}, {"-load", "1"}, {"-load", "NaN"}, {"-buffer", "0"}, {"now"}},
	"dispatcher": {{"-printers", "1"}, {"-tray", "0"}, {"-jobs", "0"}, {"-jobs", "many"}, {"now"}},
	"proxy":      {{"-backends", "1"}, {"-backends", "many"}, {"-capacity", "0"}, {"-capacity", "6"}, {"now"}},
	"weekdays":   {{}, {"sweep", "--vary", "weekend=many"}, {"walk"}},
	"measures":   {{"-size", "1"}, {"-replicas", "1"}, {"now"}},
	"atm-capped": {{"-servers", "0"}, {"-buffers", "0"}, {"-rate", "1"}, {"-rate", "NaN"}, {"-slots", "0"}, {"now"}},
}

// arguments are those of programs that want some.
var arguments = map[string][]string{
	"bank-study": {"compare", "--scenario", "two=tellers=2", "--scenario", "three=tellers=3", "--scenario",
		"patient=tellers=2, patience=10"},
	"weekdays": {"sweep", "--vary", "weekend=0, 0.5, 1", "--replicas", "10"},
}

// short are arguments with which a program that takes seconds takes less. What it prints without
// them is compared if there is time.
var short = map[string][]string{
	"bank-fit":   {"-budget", "2000"},
	"bank":       {"-days", "50"},
	"phold":      {"-until", "25"},
	"atm-capped": {"-slots", "200"},
}

// Every program prints what expected has, on every machine, and explains a wrong command line with
// status 2.
func TestPrograms(t *testing.T) {
	bin := build(t)
	for name, wrong := range programs {
		program := filepath.Join(bin, name)
		t.Run(name, func(t *testing.T) {
			if args := short[name]; args != nil {
				compare(t, filepath.Join("expected", name+"-short.txt"), run(t, program, 0, args...))
			}
			if short[name] == nil || testscale.On || *update {
				compare(t, filepath.Join("expected", name+".txt"), run(t, program, 0, arguments[name]...))
			}
			for _, args := range wrong {
				if out := run(t, program, 2, args...); out != "" {
					t.Errorf("%v: standard output has %q", args, out)
				}
			}
			source, err := os.ReadFile(filepath.Join(name, "main.go"))
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(string(source), "\n"); lines > 110 {
				t.Errorf("%d lines, which is no longer short", lines)
			}
		})
	}
}

// compare compares what a program printed with a file, or writes the file anew.
func compare(t *testing.T, file, out string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if out != string(want) {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

// build builds all programs as one, because linking eighteen takes longer than running them, and
// returns a directory in which it has the name of each. An overlay makes a package of each program
// and calls its main by name. That each is a program by itself is shown by go vet.
func build(t *testing.T) (bin string) {
	t.Helper()
	bin = t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	replace := func(file, text string) {
		file, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(bin, fmt.Sprint(len(overlay.Replace), ".go"))
		if err := os.WriteFile(copied, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[file] = copied
	}
	var imports, calls strings.Builder
	for i, name := range slices.Sorted(maps.Keys(programs)) {
		files, err := filepath.Glob(filepath.Join(name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			library := strings.Replace("\n"+string(text), "\npackage main\n", "\npackage program\n", 1)
			replace(file, strings.Replace(library, "\nfunc main() {\n", "\nfunc Main() {\n", 1))
		}
		fmt.Fprintf(&imports, "import p%d %q\n", i, "github.com/almanac-sim/almanac/examples/"+name)
		fmt.Fprintf(&calls, "case %q: p%d.Main()\n", name, i)
	}
	replace("all/main.go", "package main\nimport \"os\"\nimport \"path/filepath\"\n"+imports.String()+
		"func main() {\nswitch filepath.Base(os.Args[0]) {\n"+calls.String()+"default: os.Exit(3)\n}\n}\n")
	list, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "overlay.json"), list, 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(bin, "all")
	c := exec.Command("go", "build", "-ldflags=-w", "-overlay", filepath.Join(bin, "overlay.json"), "-o", program, "./all")
	if out, err := c.CombinedOutput(); err != nil { // nobody debugs them: without DWARF
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for name := range programs {
		if err := os.Link(program, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// run runs a program in the module's directory, checks its exit status, and returns its standard
// output.
func run(t *testing.T, program string, status int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	c := exec.CommandContext(t.Context(), program, args...)
	if emulator := os.Getenv("EMULATOR"); emulator != "" { // for programs of another architecture, as make arm64 has them
		c = exec.CommandContext(t.Context(), emulator, append([]string{program}, args...)...)
	}
	c.Dir = ".." // where go run ./examples/… is called
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := c.ProcessState.ExitCode(); got != status {
		t.Errorf("%v: status %d, want %d: %s", args, got, status, errs.String())
	}
	if status != 0 && !strings.Contains(errs.String(), "-") {
		t.Errorf("%v: standard error has %q, which names no flag", args, errs.String())
	}
	return out.String()
}
