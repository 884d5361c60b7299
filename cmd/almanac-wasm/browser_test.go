//go:build soak

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A page is built with Go's compiler and opened as a file in a browser, without a server. Its
// numbers are those of the command, byte for byte.

// run fills in the form, runs the model and returns the JSON, or what is wrong.
func (v *tab) run(form map[string]string) (result, problems string) {
	v.t.Helper()
	for id, value := range form {
		v.eval(fmt.Sprintf("(document.querySelector(%q) ?? document.querySelector(%q)).value = %q", "#"+id,
			"#parameters input[name="+id+"]", value))
	}
	v.eval(`(document.getElementById("result").textContent = "", document.getElementById("run").click())`)
	v.until(`document.body.dataset.state === "idle"`)
	return v.eval(`document.getElementById("result").textContent`),
		v.eval(`document.getElementById("problems").textContent`)
}

var version = regexp.MustCompile(`"version":"[^"]*"`)

func TestBrowser(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := compile(at("a.wasm"), os.Stderr); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "build", "-pgo=off", "-o", at("almanac"), "../almanac").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	v := openBrowser(t)
	type shown struct {
		model string
		form  map[string]string
		flags []string
	}
	cases := []shown{
		{"sir", map[string]string{"size": "3000", "replicas": "5", "seed": "11", "beta": "0.4 per day"},
			[]string{"--size", "3000", "--replicas", "5", "--seed", "11", "--set", "beta=0.4 per day"}},
		{"seir-regions", map[string]string{"size": "2000", "replicas": "3"}, []string{"--size", "2000", "--replicas", "3"}},
		// dates, ages, thinning, conditions
		{"covid", map[string]string{"size": "5000", "replicas": "2", "scenario": "always open"},
			[]string{"--size", "5000", "--replicas", "2", "--scenario", "always open"}},
		// births, a season, gamma and Weibull clocks
		{"measles", map[string]string{"size": "20000", "replicas": "2", "until": "8"},
			[]string{"--size", "20000", "--replicas", "2", "--until", "8"}},
		{"outbreak", map[string]string{"replicas": "4"}, []string{"--replicas", "4"}}, // with a table
		{"predator-prey", map[string]string{"replicas": "1"}, nil},
		{"hospital", map[string]string{"replicas": "2"}, []string{"--replicas", "2"}}, // has as many as beds
		{"patches", map[string]string{"replicas": "2"}, []string{"--replicas", "2"}},  // and as its groups
		{"colds", map[string]string{"size": "500", "replicas": "60", "seed": "18446744073709551615"},
			[]string{"--size", "500", "--replicas", "60", "--seed", "18446744073709551615"}},
	}
	// All other examples, small.
	examples, err := filepath.Glob(filepath.Join("..", "..", "examples", "*.yaml"))
	if err != nil || len(examples) < 10 {
		t.Fatalf("%v, %q", err, examples)
	}
	for _, path := range examples {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		if !slices.ContainsFunc(cases, func(c shown) bool { return c.model == name }) {
			cases = append(cases, shown{name, map[string]string{"size": "1000", "replicas": "2", "seed": "3"},
				[]string{"--size", "1000", "--replicas", "2", "--seed", "3"}})
		}
	}
	for _, c := range cases {
		t.Run(c.model, func(t *testing.T) {
			v.t = t
			model := filepath.Join("..", "..", "examples", c.model+".yaml")
			page := at(c.model + ".html")
			if err := build([]string{"--program", at("a.wasm"), "--out", page, model}, t.Output(), t.Output()); err != nil {
				t.Fatal(err)
			}
			v.open(page)
			got, problems := v.run(c.form)
			if problems != "" {
				t.Fatal(problems)
			}
			want, err := exec.Command(at("almanac"), append([]string{"run", model, "--json"}, c.flags...)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			one, other := version.ReplaceAllString(got, ""), version.ReplaceAll(want, nil)
			if !bytes.Equal([]byte(one), other) {
				t.Errorf("the page has\n%.600s\nand the command\n%.600s", one, other)
			}
			if v.eval(`document.querySelectorAll("#picture svg path").length > 3`) != "true" {
				t.Error("there is no picture")
			}
			scenarios := map[string]string{"sir": "true", "covid": "false"} // whether the field is hidden
			if want := scenarios[c.model]; want != "" &&
				v.eval(`getComputedStyle(document.getElementById("of-scenario")).display === "none"`) != want {
				t.Errorf("the field of the scenario is hidden: not %s", want)
			}
			if rows := v.eval(`document.querySelectorAll("#table tr").length`); rows == "0" || rows == "1" {
				t.Error("there is no table")
			}
		})
	}

	v.t = t
	v.open(at("sir.html"))
	if _, problems := v.run(map[string]string{"beta": "0.4 per dya"}); !strings.Contains(problems, `did you mean "day"?`) {
		t.Errorf("a wrong value: %q", problems)
	}
	// More individuals than the memory of a page holds.
	if _, problems := v.run(map[string]string{"beta": "0.5 per day", "size": "400000000"}); !strings.Contains(problems,
		"not enough memory: the run needs about") {
		t.Errorf("a model that is too large: %q", problems)
	}
	// Another model in the same page.
	v.eval(`(model => model.value = model.value.replace("name: sir", "name: mine"))(document.getElementById("model"))`)
	v.eval(`document.getElementById("explain").click()`)
	v.until(`document.getElementById("title").textContent === "mine"`)
	// A run that would take hours is stopped, and the next one runs.
	v.eval(`(document.getElementById("size").value = "20000", document.getElementById("replicas").value = "100000", ` +
		`document.getElementById("run").click())`)
	v.until(`document.body.dataset.state === "busy" && document.getElementById("progress").value > 0`)
	v.eval(`document.getElementById("stop").click()`)
	v.until(`document.body.dataset.state === "idle"`)
	got, problems := v.run(map[string]string{"size": "1000", "replicas": "1"})
	if problems != "" || !strings.Contains(got, `"mine"`) {
		t.Errorf("after a stop: %q, %.200s", problems, got)
	}
}
