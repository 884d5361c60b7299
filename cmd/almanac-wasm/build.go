//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/population"
)

//go:embed page.html
var pageHTML string

//go:embed page.js
var pageJS string

//go:embed worker.js
var workerJS string

func main() {
	if err := build(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(os.Stderr, "almanac-wasm: %v\n", err)
		}
		os.Exit(2)
	}
}

// build is the command.
func build(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("almanac-wasm", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "Write a web page that contains a model and runs it in the browser.\n\n"+
			"Usage:\n  almanac-wasm [--out FILE.html] [--replicas N] [--program FILE.wasm] MODEL.yaml\n\nFlags:")
		flags.PrintDefaults()
	}
	out := flags.String("out", "",
		"`file` for the page, or a directory for it (default: the name of the model with .html)")
	replicas := flags.Int("replicas", 20, "initial number of replicas in the form")
	program := flags.String("program", "",
		"compiled program `file` (default: compile it now, which needs Go and the repository)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || flags.Arg(0) == "" {
		flags.Usage()
		return errors.New("name one model file")
	}
	if *replicas < 1 || *replicas > mostReplicas {
		return fmt.Errorf("--replicas %d: expected 1 to %d", *replicas, mostReplicas)
	}
	d, m, err := open(flags.Arg(0))
	if err != nil {
		return err
	}
	if info, err := os.Stat(*out); *out == "" || err == nil && info.IsDir() {
		*out = filepath.Join(*out, strings.TrimSuffix(d.Name, filepath.Ext(d.Name))+".html")
	}
	if isFile(*out, flags.Arg(0)) || *program != "" && isFile(*out, *program) {
		return fmt.Errorf("--out %s: the page would replace what it is made from; name another file", *out)
	}
	if *program == "" {
		dir, err := os.MkdirTemp("", "almanac-wasm")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		*program = filepath.Join(dir, "almanac.wasm")
		if err := compile(*program, stderr); err != nil {
			return err
		}
	}
	binary, err := os.ReadFile(*program)
	if err != nil {
		return err
	}
	glue, err := wasmExec()
	if err != nil {
		return err
	}
	page, err := render(m.Name(), d, *replicas, binary, glue)
	if err != nil {
		return err
	}
	if err := os.WriteFile(*out, page, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: %.1f MB; open it in a browser\n", *out, float64(len(page))/1e6)
	return err
}

// open reads a model and the tables that it uses, which must be right.
func open(path string) (document, *population.Model, error) {
	d := document{Name: filepath.Base(path)}
	m, err := population.Load(path)
	if err != nil {
		return d, nil, err
	}
	d.Model = string(m.Source())
	for name, table := range m.Files() {
		if d.Files == nil {
			d.Files = map[string][]byte{}
		}
		d.Files[name] = table
	}
	return d, m, nil
}

// isFile reports whether two names are those of one file.
func isFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// compile compiles the program of the page, which is this package for another machine.
func compile(out string, stderr io.Writer) error {
	c := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out,
		"github.com/almanac-sim/almanac/cmd/almanac-wasm")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	c.Stderr = stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("the program of the page cannot be compiled; this needs Go and a clone of the repository: %w", err)
	}
	return nil
}

// wasmExec is Go's glue between a program and JavaScript, of the Go that compiles.
func wasmExec() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	return string(glue), err
}

// render puts the parts into the page.
func render(title string, d document, replicas int, program []byte, glue string) ([]byte, error) {
	model, err := json.Marshal(d) // which writes < as \u003c, so that it does not end its element
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	worker := glue + "\n" + workerJS
	for _, script := range []string{worker, pageJS} {
		if strings.Contains(strings.ToLower(script), "</script") {
			return nil, errors.New("a script would end its element in the page")
		}
	}
	return []byte(strings.NewReplacer(
		"{{.Title}}", html.EscapeString(title), "{{.Replicas}}", strconv.Itoa(replicas),
		"{{.Version}}", html.EscapeString(population.Version()),
		"{{.Document}}", string(model), "{{.Program}}", base64.StdEncoding.EncodeToString(packed.Bytes()),
		"{{.Worker}}", worker, "{{.Script}}", pageJS).Replace(pageHTML)), nil
}
