package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/population"
)

// The form takes so many replicas at most.
const mostReplicas = 100_000

// A document is a model with the tables that it reads, as they are in the page.
type document struct {
	Name  string            `json:"name"`            // of the file
	Model string            `json:"model"`           // its text
	Files map[string][]byte `json:"files,omitempty"` // JSON has bytes in base64: some files are compressed
}

// A request is what the page asks for. Texts are as on the command line, and empty if not given.
type request struct {
	document
	Run      bool              `json:"run"` // or only explain
	Set      map[string]string `json:"set"`
	Scenario string            `json:"scenario"`
	Size     string            `json:"size"`
	Until    string            `json:"until"`
	Seed     string            `json:"seed"`
	Replicas string            `json:"replicas"`
}

// A response has problems, or the model in words and, after a run, what almanac run --json prints.
type response struct {
	Problems   []string               `json:"problems,omitempty"`
	Title      string                 `json:"title,omitempty"`
	Words      string                 `json:"words,omitempty"`
	Diagram    string                 `json:"diagram,omitempty"` // SVG
	Parameters []population.Parameter `json:"parameters,omitempty"`
	Scenarios  []string               `json:"scenarios,omitempty"`
	Size       int                    `json:"size,omitempty"`
	Result     string                 `json:"result,omitempty"`  // the JSON, byte for byte
	Seed       string                 `json:"seed,omitempty"`    // JavaScript rounds large numbers
	Picture    string                 `json:"picture,omitempty"` // SVG
}

// respond does what a request asks for. It never fails: what is wrong is in the response.
func respond(q request, progress func(share float64)) response {
	model, options, err := q.compile()
	if err != nil {
		return response{Problems: problems(err)}
	}
	if !q.Run {
		return explain(model)
	}
	options.OnProgress = func(p population.Progress) { progress(p.Fraction) }
	if err := model.CheckMemory(options); err != nil {
		return response{Problems: problems(err)}
	}
	result, err := model.Run(context.Background(), options)
	if err != nil {
		return response{Problems: problems(err)}
	}
	return report(result)
}

// compile checks the model and the numbers of the form.
func (q request) compile() (*population.Model, population.Options, error) {
	o := population.Options{Seed: 1, Replicas: 1}
	changes := []population.Change{population.Files(func(name string) ([]byte, error) {
		table, ok := q.Files[name]
		if !ok {
			return nil, fmt.Errorf("the page does not have the table %s", name)
		}
		return table, nil
	})}
	if q.Scenario != "" {
		changes = append(changes, population.Scenario(q.Scenario))
	}
	for _, name := range slices.Sorted(maps.Keys(q.Set)) { // problems come in the same order each time
		changes = append(changes, population.Set(name, q.Set[name]))
	}
	if q.Until != "" {
		changes = append(changes, population.Until(q.Until))
	}
	var wrong []error
	whole := func(what, text string, least, most uint64, use func(uint64)) {
		if text == "" {
			return
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || n < least || n > most {
			wrong = append(wrong, fmt.Errorf("%s: %q is no whole number from %d to %d", what, text, least, most))
			return
		}
		use(n)
	}
	const most = 1 << 31
	whole("size", q.Size, 1, most, func(n uint64) { changes = append(changes, population.Size(int(n))) })
	whole("replicas", q.Replicas, 1, mostReplicas, func(n uint64) { o.Replicas = int(n) })
	whole("seed", q.Seed, 0, 1<<64-1, func(n uint64) { o.Seed = n })
	if len(wrong) > 0 {
		return nil, o, errors.Join(wrong...)
	}
	m, err := population.Compile(q.Name, []byte(q.Model), changes...)
	return m, o, err
}

// problems are an error's lines.
func problems(err error) (all []string) {
	var many population.Problems
	if errors.As(err, &many) {
		for _, p := range many {
			all = append(all, p.String())
		}
		return all
	}
	for _, line := range bytes.Split([]byte(err.Error()), []byte("\n")) {
		all = append(all, string(line))
	}
	return all
}

// What a diagram may have here, as on the page of almanac serve: nobody reads a larger one, and a
// browser lays it out for a minute.
const (
	maxStates      = 150
	maxTransitions = 600
)

func explain(m *population.Model) response {
	r := response{Title: m.Name(), Words: m.Explain(), Parameters: m.Parameters(), Scenarios: m.Scenarios(),
		Size: m.Size()}
	if len(m.Counted()) <= maxStates && m.Ways() <= maxTransitions {
		if diagram, err := m.Diagram(context.Background()); err == nil { // some are too large to draw
			r.Diagram = string(diagram)
		}
	}
	return r
}

func report(result *population.Result) response {
	var text bytes.Buffer
	if err := result.WriteJSON(&text); err != nil {
		return response{Problems: problems(err)}
	}
	text.WriteByte('\n') // as the command does
	r := response{Title: result.Model.Name(), Result: text.String(),
		Seed: strconv.FormatUint(result.Seed, 10)}
	if result.Rows() > 0 {
		chart, _ := pictures.States(result)
		picture, err := chart.SVG()
		if err != nil {
			return response{Problems: problems(err)}
		}
		r.Picture = string(picture)
	}
	return r
}

// respondJSON reads a request and encodes its response.
func respondJSON(text string, progress func(share float64)) string {
	var q request
	var r response
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		r.Problems = problems(err)
	} else {
		r = respond(q, progress)
	}
	out, err := json.Marshal(r)
	if err != nil {
		return `{"problems":["the response cannot be encoded"]}`
	}
	return string(out)
}
