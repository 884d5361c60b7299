package proxy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// read reads a file and flags, as the command does.
func read(t *testing.T, text string, args ...string) (Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "proxy.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	shown := Defaults()
	given := shown.Flags()
	if err := given.Parse(args); err != nil {
		t.Fatal(err)
	}
	c, err := Read(file, given)
	if err != nil {
		err = errorText(strings.TrimPrefix(err.Error(), filepath.Dir(file)+"/"))
	}
	return c, err
}

type errorText string

func (e errorText) Error() string { return string(e) }

// Every setting can be in a file, and flags win.
func TestFile(t *testing.T) {
	c, err := read(t, "# a comment\nbackend:\n  - http://127.0.0.1:1\n  - http://127.0.0.1:2/path\ncapacity: 8\nmax-body: 1.5MB\nbackend-h2c: true\nmax-wait: 3s\nfail-on: [502, 503]\ntrust: 10.0.0.0/8\n",
		"--capacity", "9", "--fail-on", "504")
	if err != nil || len(c.Backends) != 2 || c.Capacity != 9 || c.MaxBody != 1.5e6 || !c.BackendH2C || c.MaxWait != 3*time.Second || len(c.FailOn) != 1 || c.FailOn[0] != 504 || len(c.Trust) != 1 {
		t.Errorf("%+v %v", c, err)
	}
	if c, err := read(t, "", "--backend", "http://127.0.0.1:1", "--backend", "http://127.0.0.1:2"); err != nil || len(c.Backends) != 2 {
		t.Errorf("%+v %v", c, err)
	}
	if c, err := read(t, "backend: http://127.0.0.1:1", "--backend", "http://127.0.0.1:2"); err != nil || len(c.Backends) != 1 || c.Backends[0] != "http://127.0.0.1:2" {
		t.Errorf("%+v %v", c, err)
	}
	// What a flag shows as its default is what a file can say.
	var all strings.Builder
	defaults := Defaults()
	defaults.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "backend" && f.Value.String() != "[]" && f.Value.String() != "" {
			all.WriteString(f.Name + ": " + f.Value.String() + "\n")
		}
	})
	got, err := read(t, all.String()+"backend: [http://127.0.0.1:1]\n")
	defaults.Backends = []string{"http://127.0.0.1:1"}
	if names := got.differs(&defaults); err != nil || len(names) > 0 {
		t.Errorf("%v %v", names, err)
	}
}

// What is wrong is told with the file and the line, or with the flag, and with what would be right.
func TestWrongSettings(t *testing.T) {
	const b = "backend: http://127.0.0.1:1\n"
	for text, want := range map[string]string{
		b + "capacity: 0":                       "proxy.yaml:2: capacity: 0: a backend must have room for 1 request",
		b + "capacity: 2.5":                     `proxy.yaml:2: capacity: "2.5" is not a whole number`,
		b + "capcity: 2":                        "proxy.yaml:2: capcity: there is no such setting; did you mean capacity?",
		b + "zzz: 2":                            "proxy.yaml:2: zzz: there is no such setting; the settings are the flags",
		b + "capacity: 2\ncapacity: 3":          "proxy.yaml:3: capacity: is there twice; it is in line 2 already",
		b + "max-wait: soon":                    `proxy.yaml:2: max-wait: "soon" is not a time; wanted is one like 500ms`,
		b + "max-wait: 0s":                      "proxy.yaml:2: max-wait: 0s: wanted is a time from 1ms to 24h",
		b + "max-body: much":                    `proxy.yaml:2: max-body: "much" is not a number of bytes`,
		b + "max-body: 1.0001kB":                `proxy.yaml:2: max-body: "1.0001kB" is not a number of bytes`,
		b + "max-body: -5":                      `proxy.yaml:2: max-body: "-5" is not a number of bytes`,
		b + "max-body: NaN":                     `proxy.yaml:2: max-body: "NaN" is not a number of bytes`,
		b + "send-birth: perhaps":               `proxy.yaml:2: send-birth: "perhaps" is neither true nor false`,
		b + "fail-on: [200]":                    "proxy.yaml:2: fail-on: 200: a failure has a status from 400 to 599",
		b + "capacity: [1, 2]":                  "proxy.yaml:2: capacity: expected a single value",
		b + "trust: {a: b}":                     "proxy.yaml:2: trust: expected a value, or a list of values",
		b + "capacity:":                         "proxy.yaml:2: capacity: has no value",
		b + "trust: [10.0.0.0/8, 10.0.0.1]":     `proxy.yaml:2: trust: "10.0.0.1" is not a network; wanted is one like 10.0.0.0/8`,
		b + "listen: :8080":                     `proxy.yaml:2: listen: ":8080" has no host: say 127.0.0.1:8080 for this machine alone, or 0.0.0.0:8080`,
		b + "listen: here":                      `proxy.yaml:2: listen: "here": HOST:PORT is right`,
		b + "listen: 127.0.0.1:http":            `proxy.yaml:2: listen: "127.0.0.1:http": the port is a number up to 65535`,
		b + "admin: 0.0.0.0:8081":               `proxy.yaml:2: admin: "0.0.0.0:8081" is beyond this machine, where who looks must have a token`,
		b + "admin: 127.0.0.1:8080":             `proxy.yaml:2: admin: "127.0.0.1:8080" is where clients come; give it another port`,
		b + "cert: a.pem":                       "proxy.yaml:2: cert: a certificate needs its key",
		b + "health: healthy":                   `proxy.yaml:2: health: "healthy": a path begins with /`,
		b + "longest-rest: 1m":                  "proxy.yaml:2: longest-rest: 1m0s: wanted is at most 30s",
		b + "max-header: 1kB":                   "proxy.yaml:2: max-header: 1kB: wanted is from 4kB to 16MB",
		b + "- a":                               "proxy.yaml:",
		"- a":                                   "proxy.yaml:1: expected settings by their names",
		"capacity: 3":                           "--backend: name at least one backend",
		"\nbackend: [http://a, ftp://b]":        `proxy.yaml:2: backend: "ftp://b" must be a URL like http://127.0.0.1:9000`,
		"backend: [http://a, http://a/]":        `proxy.yaml:1: backend: "http://a/" is there twice`,
		"backend: http://user:secret@a":         `proxy.yaml:1: backend: "http://user:xxxxx@a" must have a scheme, a host and perhaps a path`,
		"backend: http://a/?x":                  `proxy.yaml:1: backend: "http://a/?x" must have a scheme`,
		"backend: http://127.0.0.1:8080":        `proxy.yaml:1: backend: "http://127.0.0.1:8080" is where the proxy itself listens`,
		"backend: \"http://user:secret@ a%zz\"": `proxy.yaml:1: backend: "…@ a%zz" must be a URL`,
	} {
		_, err := read(t, text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	shown := Defaults()
	if _, err := Read("/nowhere/proxy.yaml", shown.Flags()); err == nil || !strings.Contains(err.Error(), "--config: open /nowhere/proxy.yaml") {
		t.Error(err)
	}
	if _, err := read(t, "backend: http://a", "--capacity", "0"); err == nil || err.Error() != "--capacity: 0: a backend must have room for 1 request, or more, up to a million" {
		t.Error(err)
	}
}

func FuzzFile(f *testing.F) {
	f.Add([]byte("backend: [http://127.0.0.1:1]\ncapacity: 3\nmax-body: 1MB\n"))
	f.Add([]byte("a: &a [*a]\nbackend: {"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c := Defaults()
		given := pflag.NewFlagSet("", pflag.ContinueOnError)
		if err := parse("proxy.yaml", text, c.Flags(), given, map[string]int{}); err != nil {
			if !strings.HasPrefix(err.Error(), "proxy.yaml:") {
				t.Errorf("%v does not say where", err)
			}
			return
		}
		c.Check() // does not panic
	})
}

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{"0": 0, "512": 512, "512B": 512, "1.5kB": 1500, "64 kB": 64e3, "2GB": 2e9} {
		var s, again Size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%s: %d %v", text, s, err)
		}
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%s: %s is %d, %v", text, s, again, err)
		}
	}
}
