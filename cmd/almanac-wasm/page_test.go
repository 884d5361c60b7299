//go:build !js

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// glue stands for Go's, and the program behind it: the model's text says what it does.
const glue = `
globalThis.fs = { writeSync: (fd, bytes) => bytes.length };
class Go {
	async run() {
		let end;
		globalThis.almanac = (text, progress, done) => {
			const q = JSON.parse(text), what = q.run ? q.model : q.model.replace("when run", "");
			const says = (text) => fs.writeSync(2, new TextEncoder().encode(text + "\n\ngoroutine 1 [running]:\n"));
			if (what.includes("runs on")) return;
			if (what === "panics") { says("panic: oh no"); end(); return; }
			if (what === "memory") { says("panic: runtime error: makeslice: len out of range"); end(); return; }
			if (what === "throws") throw new RangeError("stack");
			if (what === "later") { setTimeout(() => { throw new Error("late"); }); return; }
			const r = { title: q.model, words: "words", diagram: "<svg></svg>", size: 5,
				parameters: [{ name: "beta", value: "1" }], scenarios: ["a", "b"] };
			if (q.run) {
				r.seed = q.seed;
				r.result = JSON.stringify({ times: [0], states: {}, peaks: {}, done: 1, replicas: 1, events: 1, set: q.set,
					scenario: q.scenario });
			}
			done(JSON.stringify(r));
		};
		almanacReady();
		return new Promise((resolve) => { end = resolve; });
	}
}`

// wasm is a WebAssembly module without anything in it.
var wasm = []byte("\x00asm\x01\x00\x00\x00")

func openPage(t *testing.T, v *tab, model string, program []byte) {
	t.Helper()
	page, err := render("t", document{Name: "m.yaml", Model: model}, 1, program, glue)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page é.html")
	if err := os.WriteFile(path, page, 0o644); err != nil {
		t.Fatal(err)
	}
	v.open(path)
}

// Whatever becomes of the program, the page says it and can be used again.
func TestPageOutlivesItsProgram(t *testing.T) {
	v := openBrowser(t)
	v.loud = true
	openPage(t, v, "good", []byte("this is no program"))
	if said := v.problems(); !strings.Contains(said, "CompileError") {
		t.Errorf("a program that cannot be compiled: %q", said)
	}
	openPage(t, v, "good", wasm)
	for _, c := range []struct{ model, want string }{
		{"panics", "the program in this page has ended: panic: oh no"},
		{"memory", "not enough memory: the browser gives a page 4 GB or less"},
		{"throws", "the program in this page has ended: RangeError: stack"},
		{"later", "the program in this page has ended: Uncaught Error: late"},
	} {
		v.edit(c.model)
		if v.click("run"); !strings.Contains(v.problems(), c.want) {
			t.Errorf("%s: %q, expected %q", c.model, v.problems(), c.want)
		}
		if v.eval(`document.getElementById("results").hidden`) != "true" {
			t.Errorf("%s: results of the run before are shown", c.model)
		}
		v.edit("good")
		if v.click("run"); v.problems() != "" || v.text("title") != "good" ||
			v.eval(`document.getElementById("results").hidden`) != "false" {
			t.Errorf("after %s: %q", c.model, v.problems())
		}
	}
}

// A run can be stopped at any time, also before the program is compiled, and only one runs at once.
func TestStopInPage(t *testing.T) {
	v := openBrowser(t)
	openPage(t, v, "good", wasm)
	v.eval(`(start(), explain(), stop(), stop())`)
	v.until(`document.body.dataset.state === "idle"`)
	v.edit("runs on")
	for range 2 {
		v.eval(`document.getElementById("explain").click()`)
		for _, button := range []string{"run", "explain"} {
			if v.eval(`document.getElementById("`+button+`").disabled`) != "true" {
				t.Errorf("%s can be clicked while the program works", button)
			}
		}
		if v.click("stop"); v.problems() != "stopped" {
			t.Errorf("after a stop: %q", v.problems())
		}
	}
	v.edit("good")
	if v.click("run"); v.problems() != "" || v.text("title") != "good" {
		t.Errorf("after two stops: %q, %q", v.problems(), v.text("title"))
	}
}

// What the reader wrote into the form stays when the model is read again, and a changed model is
// read before it is run.
func TestFormInPage(t *testing.T) {
	v := openBrowser(t)
	openPage(t, v, "good", wasm)
	v.eval(`(document.querySelector("#parameters input").value = "2", document.getElementById("scenario").value = "b",
		document.getElementById("seed").value = "18446744073709551615")`)
	v.edit("better </script><b>")
	v.click("run")
	if got := v.text("result"); !strings.Contains(got, `"set":{"beta":"2"},"scenario":"b"`) {
		t.Errorf("the program was asked for %s", got)
	}
	if v.text("title") != "better </script><b>" || v.eval("document.title") != v.text("title") {
		t.Errorf("the title is %q", v.text("title"))
	}
	if got := v.text("counted"); !strings.Contains(got, "seed 18446744073709551615,") {
		t.Errorf("counted: %q", got)
	}
}

func (v *tab) text(id string) string {
	v.t.Helper()
	return v.eval(`document.getElementById("` + id + `").textContent`)
}

func (v *tab) problems() string { v.t.Helper(); return v.text("problems") }

func (v *tab) edit(model string) {
	v.t.Helper()
	v.eval(`(document.getElementById("model").value = "` + model + `")`)
}

// click clicks a button and waits until the page is idle.
func (v *tab) click(id string) {
	v.t.Helper()
	v.eval(`document.getElementById("` + id + `").click()`)
	v.until(`document.body.dataset.state === "idle"`)
}
