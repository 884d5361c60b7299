package population_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// What is wrong in the values of a model is refused, with the line and the column of it; what is
// still valid can be run. Neither panics. Each of many models has one value after the other broken
// that stands in a list, a table or a mapping: in every way in turn, in a random order.
func TestBrokenValues(t *testing.T) {
	models := append(goodModels(t), modelsOfDocs(t)...)
	rng := rand.New(rand.NewPCG(1, 6))
	tried, refused, ran := 0, 0, 0
	for _, source := range models {
		if _, err := compileBroken(source); err != nil {
			continue // what it needs is not there
		}
		ways := waysToBreak(source)
		rng.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		for _, way := range ways[:min(len(ways), testscale.Size(10, 2500))] {
			broken, what := breakValue(t, source, way, rng.IntN(1<<20))
			tried++
			switch valid, does := runBroken(t, broken, what); {
			case does:
				ran++
			case !valid:
				refused++
			}
			if t.Failed() {
				t.Fatalf("%s in\n%s", what, broken)
			}
		}
	}
	if tried < 500 || refused < tried/4 || ran < tried/20 {
		t.Errorf("%d models, of which %d are refused and %d run", tried, refused, ran)
	}
}

// A row of a matrix that is too short or too long is refused, wherever it stands.
func TestRowsOfAMatrix(t *testing.T) {
	const model = `
name: rows
time: {unit: day, start: 0, end: 10}
population: {size: 100, start: {i: 1, s: rest}}
attributes: {region: {north: 40%%, south: 40%%, east: 20%%}}
states: {s: {}, i: {}}
transmission:
  - {from: i, rate: 1 per day, to: {s: i}, mixing: {by: region, matrix: [%s, %s, %s]}}
`
	for _, row := range []string{"[]", "[1]", "[0.5, 0.5]", "[0.25, 0.25, 0.25, 0.25]"} {
		for k := range 3 {
			rows := []any{"[1, 0, 0]", "[1, 0, 0]", "[1, 0, 0]"}
			rows[k] = row
			_, err := population.Compile("model.yaml", fmt.Appendf(nil, model, rows...))
			if want := fmt.Sprintf("matrix: row %d has ", k+1); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: error %v", rows, err)
			}
		}
	}
}

// A table in a matrix is refused, also if it is wrong itself: whether numbers look like contacts is
// asked before they are worked out, and that must not count as a report.
func TestTableInAMatrix(t *testing.T) {
	const model = `
name: table
time: {unit: day, start: 0, end: 10}
population: {size: 100, start: {i: 1, s: rest}}
attributes: {sex: {f: 40%%, m: 60%%}}
states: {s: {}, i: {}}
transmission:
  - {from: i, rate: 1 per day, to: {s: i}, mixing: {by: sex, matrix: [[%s, 0.1], [0.1, 0.9]]}}
`
	for cell, want := range map[string]string{
		"{by: sex, f: 0.9, m: 0.4}":     "a table by sex is read for an individual",
		"{by: sex, f: 0.9}":             "there is nothing for sex m",
		"{by: age, f: 0.9, other: 0.4}": "by: there is no attribute \"age\"",
		"{by: sex, f: 0.9, other: {uniform: {low: 1 day, high: 2 days}}}": "expected the same kind of value for all",
	} {
		_, err := population.Compile("model.yaml", fmt.Appendf(nil, model, cell))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected %s", cell, err, want)
		}
	}
}

// Places that are made of nothing are refused.
func TestMadeOfNothing(t *testing.T) {
	const want = "model.yaml:6:38: places: family: made of: expected what places consist of, such as [{share: 30%"
	if _, err := population.Compile("model.yaml", []byte(`
name: nothing
time: {unit: day, start: 0, end: 1}
population: {size: 10, start: {s: rest}}
attributes: {role: {first: 20%, other: 80%}}
places: {family: {by: role, made of: [], join: none}}
states: {s: {}}
`)); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, expected %s", err, want)
	}
}

// modelsOfDocs are the models that the documentation shows.
func modelsOfDocs(t *testing.T) (all [][]byte) {
	pages, err := filepath.Glob("../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range bytes.Split(text, []byte("\n```yaml"))[1:] {
			_, block, _ = bytes.Cut(block, []byte("\n"))
			block, _, _ = bytes.Cut(block, []byte("\n```"))
			if bytes.Contains(block, []byte("\nstates:")) {
				all = append(all, append(block, '\n'))
			}
		}
	}
	if len(all) < 5 {
		t.Fatalf("the documentation shows %d models", len(all))
	}
	return all
}

// compileBroken compiles a model of a few individuals that may read the files of the examples.
func compileBroken(source []byte) (*population.Model, error) {
	m, err := population.Compile("../examples/broken.yaml", source)
	if err == nil && m.Size() > 50 {
		if small, err := population.Compile("../examples/broken.yaml", source, population.Size(50)); err == nil {
			return small, nil
		}
	}
	return m, err
}

// runBroken compiles a model, and runs it for some events if it is valid and small.
func runBroken(t *testing.T, source []byte, what string) (valid, ran bool) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v: %s in\n%s", p, what, source)
			panic(p) // with its stack
		}
	}()
	m, err := compileBroken(source)
	if err != nil {
		refusedWell(t, m, err)
		for _, p := range err.(population.Problems) {
			if p.Line < 1 || p.Column < 1 {
				t.Errorf("a refusal without a line and a column: %v", p)
			}
		}
		return false, false
	}
	if m.Size() > 2000 || len(m.Times()) > 1000 {
		return true, false
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events := 0
	p, err := m.Begin(ctx, population.Options{Seed: 1, Memory: 1 << 28, OnEvent: func(population.Event) {
		if events++; events > m.Size()+500 {
			cancel()
		}
	}}, 0)
	if err != nil {
		return true, true
	}
	defer p.Close()
	for _, at := range m.Times() {
		if p.Advance(ctx, at) != nil || p.Events() > 2000 {
			break
		}
	}
	return true, true
}

// A wayToBreak is a value in a file, by the places of those around it, and what becomes of it.
type wayToBreak struct {
	path []int // in Content, from the root on
	how  int
}

// replacements are what values become.
var replacements = []string{"0", "-1", "1e300", "a text", "[]", "{}", "~", "1 day", "100%", "{by: sex, f: 1}", "NaN"}

const (
	dropIt   = iota // with its key
	repeatIt        // with its key
	swapIt          // with the one after it
	renameIt        // its key
	copyIt          // from anywhere else
	replaceIt
)

// waysToBreak returns all that can be broken in a model.
func waysToBreak(source []byte) (all []wayToBreak) {
	var root yaml.Node
	if yaml.Unmarshal(source, &root) != nil {
		return nil
	}
	var walk func(n *yaml.Node, path []int)
	walk = func(n *yaml.Node, path []int) {
		for i, c := range n.Content {
			at := append(append([]int{}, path...), i)
			if n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode && i%2 == 1 {
				for how := range replaceIt + len(replacements) {
					all = append(all, wayToBreak{at, how})
				}
			}
			walk(c, at)
		}
	}
	walk(&root, nil)
	return all
}

// cloned returns a copy of a value, which may be one around the place where it is put.
func cloned(n *yaml.Node) *yaml.Node {
	c := *n
	c.Anchor, c.Content = "", make([]*yaml.Node, len(n.Content))
	for i := range n.Content {
		c.Content[i] = cloned(n.Content[i])
	}
	return &c
}

// breakValue returns a model with a broken value, and what is broken.
func breakValue(t *testing.T, source []byte, way wayToBreak, random int) ([]byte, string) {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal(source, &root); err != nil {
		t.Fatal(err)
	}
	var nodes []*yaml.Node // all that could be copied
	var list func(n *yaml.Node)
	list = func(n *yaml.Node) {
		nodes = append(nodes, n)
		for _, c := range n.Content {
			list(c)
		}
	}
	list(root.Content[0])
	n := &root
	for _, i := range way.path[:len(way.path)-1] {
		n = n.Content[i]
	}
	i, width := way.path[len(way.path)-1], 1
	from := i
	if n.Kind == yaml.MappingNode {
		width, from = 2, i-1
	}
	what := fmt.Sprintf("line %d, column %d: ", n.Content[i].Line, n.Content[i].Column)
	switch item := n.Content[from : from+width : from+width]; way.how {
	case dropIt:
		what += "dropped"
		n.Content = append(n.Content[:from:from], n.Content[from+width:]...)
	case repeatIt:
		what += "repeated"
		n.Content = append(n.Content[:from:from], append(item, n.Content[from:]...)...)
	case swapIt:
		what += "swapped"
		if j := i + width; j < len(n.Content) {
			n.Content[i], n.Content[j] = n.Content[j], n.Content[i]
		}
	case renameIt:
		what += "renamed"
		key := *n.Content[from]
		key.Value += "x"
		n.Content[from] = &key
	case copyIt:
		what += "copied"
		n.Content[i] = cloned(nodes[random%len(nodes)])
	default:
		what += "replaced"
		var value yaml.Node
		if err := yaml.Unmarshal([]byte(replacements[way.how-replaceIt]), &value); err != nil {
			t.Fatal(err)
		}
		n.Content[i] = value.Content[0]
	}
	var broken bytes.Buffer
	if err := yaml.NewEncoder(&broken).Encode(&root); err != nil {
		t.Fatal(err)
	}
	return broken.Bytes(), what
}
