//go:build !js

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Nothing in a model ends the element that it is in, and all parts are there.
func TestPageIsWhole(t *testing.T) {
	q := asked(false)
	page, err := render(`a <b> & "c"`, q.document, 20, []byte("a program"), "const glue = 1;")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if strings.Contains(text, "{{") {
		t.Error("a part is missing")
	}
	if n := strings.Count(text, "</script>"); n != 4 {
		t.Errorf("%d elements of scripts end, expected 4", n)
	}
	for _, want := range []string{"<title>a &lt;b&gt; &amp; &#34;c&#34;</title>", "const glue = 1;", "new Worker(",
		"onmessage ="} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	_, rest, _ := strings.Cut(text, `id="document">`)
	inside, _, _ := strings.Cut(rest, "</script>")
	var d document
	if err := json.Unmarshal([]byte(inside), &d); err != nil || d.Model != flu ||
		!bytes.Equal(d.Files["beta.csv"], q.Files["beta.csv"]) {
		t.Errorf("%v, %+v", err, d)
	}
	if _, err := render("t", q.document, 1, nil, "'</script>'"); err == nil {
		t.Error("a script that ends its element was taken")
	}
}

func TestBuild(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"flu.yaml": flu, "beta.csv": "time,beta\n0,0.5\n", "p.wasm": "program",
		"bad.yaml": "name: [\n"} {
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out, log bytes.Buffer
	if err := build([]string{"--program", at("p.wasm"), "--out", at("flu.html"), at("flu.yaml")}, &out, &log); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(at("flu.html"))
	if err != nil || !bytes.Contains(page, []byte(`"beta.csv":"dGltZSxiZXRh`)) ||
		!strings.Contains(out.String(), "flu.html: 0.0 MB") {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := build([]string{"--program", at("p.wasm"), "--out", dir, at("flu.yaml")}, &out, &log); err != nil ||
		!strings.HasSuffix(out.String(), at("flu.html")+": 0.0 MB; open it in a browser\n") {
		t.Errorf("into a directory: %v, %q", err, out.String())
	}
	for _, args := range [][]string{{}, {at("none.yaml")}, {at("bad.yaml")}, {"--no"}, {""},
		{"--replicas", "0", at("flu.yaml")},
		{"--replicas", "100001", "--program", at("p.wasm"), at("flu.yaml")},
		{"--program", at("p.wasm"), "--out", at("flu.yaml"), at("flu.yaml")}, // would lose the model
		{"--program", at("none.wasm"), at("flu.yaml")}} {
		if err := build(args, &out, &log); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
	if text, err := os.ReadFile(at("flu.yaml")); err != nil || string(text) != flu {
		t.Errorf("the model is now %.80q, %v", text, err)
	}
}
