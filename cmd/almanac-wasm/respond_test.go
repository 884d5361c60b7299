package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

const flu = `name: flu </script>
time: {unit: day, end: 30}
population: {size: 500, start: {ill: 5, well: rest}}
parameters: {beta: {steps: {file: beta.csv, column: beta, unit: per day}}}
states: {well: {}, ill: {race: [{rate: 0.2 per day, to: immune}]}, immune: {}}
transmission: [{from: ill, rate: beta, to: {well: ill}}]
record: {every: 1 day}
`

func asked(run bool) request {
	return request{document: document{Name: "flu.yaml", Model: flu, Files: map[string][]byte{
		"beta.csv": []byte("time,beta\n0,0.5\n10,0.4\n")}}, Run: run}
}

// The response has what the library records, byte for byte as the command prints it.
func TestRunInPage(t *testing.T) {
	q := asked(true)
	q.Seed, q.Replicas, q.Size, q.Until = "7", "3", "800", "20"
	var shares []float64
	r := respond(q, func(share float64) { shares = append(shares, share) })
	if r.Problems != nil {
		t.Fatal(r.Problems)
	}
	m, err := population.Compile("flu.yaml", []byte(flu), population.Size(800), population.Until("20"),
		population.Files(func(string) ([]byte, error) { return q.Files["beta.csv"], nil }))
	if err != nil {
		t.Fatal(err)
	}
	result, err := m.Run(t.Context(), population.Options{Seed: 7, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := result.WriteJSON(&want); err != nil {
		t.Fatal(err)
	}
	if r.Result != want.String()+"\n" {
		t.Errorf("the page has\n%s\nthe library\n%s", r.Result, want.String())
	}
	if !strings.Contains(r.Picture, "<svg") {
		t.Errorf("the picture is %.80q", r.Picture)
	}
	for _, share := range shares {
		if !(share >= 0 && share <= 1) {
			t.Errorf("progress of %v", share)
		}
	}
}

// A file that is no text is in the page as it is: people in a file that is compressed.
func TestCompressedFileInPage(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("id,state\nann,ill\nbøb,\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	village := strings.Replace(flu, "size: 500, start: {ill: 5, well: rest}",
		"people: {file: p.csv.gz}, start: {well: rest}", 1)
	q := request{document: document{Name: "flu.yaml", Model: village, Files: map[string][]byte{
		"beta.csv": []byte("time,beta\n0,0.5\n"), "p.csv.gz": packed.Bytes()}}}
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	var r response
	if err := json.Unmarshal([]byte(respondJSON(string(text), nil)), &r); err != nil || r.Problems != nil || r.Size != 2 {
		t.Errorf("%v, %q, size %d", err, r.Problems, r.Size)
	}
}

// JavaScript would round the largest seeds.
func TestSeedInPage(t *testing.T) {
	q := asked(true)
	q.Seed = "18446744073709551615"
	if r := respond(q, func(float64) {}); r.Seed != q.Seed {
		t.Errorf("seed %q, %q", r.Seed, r.Problems)
	}
}

func TestModelInWords(t *testing.T) {
	r := respond(asked(false), nil)
	if r.Title != "flu </script>" || r.Size != 500 || len(r.Parameters) != 1 || r.Parameters[0].Name != "beta" ||
		!strings.Contains(r.Words, "each individual that is ill") || !strings.Contains(r.Diagram, "<svg") || r.Result != "" {
		t.Errorf("%+v", r)
	}
}

// A model with more transitions than a diagram can show is explained in words alone: a browser would
// lay the diagram out for a minute.
func TestLargeModelInWords(t *testing.T) {
	for n, drawn := range map[int]bool{maxTransitions: true, maxTransitions + 1: false} {
		r := respond(request{document: document{Name: "many.yaml", Model: "name: many\ntime: {unit: day, end: 1}\n" +
			"population: {size: 9, start: {a: rest}}\nstates:\n  b: {}\n  a:\n    race:\n" +
			strings.Repeat("    - {rate: 0.1 per day, to: b}\n", n)}}, nil)
		if !strings.Contains(r.Words, "b at 0.1 per day") || (r.Diagram != "") != drawn {
			t.Errorf("%d transitions: %q, a diagram of %d bytes", n, r.Problems, len(r.Diagram))
		}
	}
}

// What is wrong has a place, and is all there at once.
func TestProblemsInPage(t *testing.T) {
	for _, c := range []struct {
		change func(*request)
		want   []string
	}{
		{func(q *request) { q.Model = strings.Replace(flu, "rate: beta", "rate: bta", 1) },
			[]string{`flu.yaml:6:34: transmission 1: rate: there is no parameter "bta"; did you mean "beta"?`}},
		{func(q *request) { q.Size, q.Replicas, q.Seed = "-1", "0", "x" },
			[]string{"size: \"-1\" is no whole number from 1 to", "replicas: \"0\"", "seed: \"x\""}},
		{func(q *request) { q.Set = map[string]string{"gamma": "1"} }, []string{`there is no parameter "gamma"`}},
		{func(q *request) { q.Files = nil }, []string{"the page does not have the table beta.csv"}},
		{func(q *request) { q.Scenario = "none" }, []string{"none"}},
	} {
		q := asked(true)
		c.change(&q)
		r := respond(q, nil)
		if len(r.Problems) < len(c.want) {
			t.Errorf("%q, expected %q", r.Problems, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(r.Problems[i], want) {
				t.Errorf("%q, expected %q", r.Problems[i], want)
			}
		}
	}
	if got := respondJSON("{", nil); !strings.Contains(got, `"problems"`) {
		t.Error(got)
	}
}
