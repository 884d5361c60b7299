// Package outputs reads what a study is to tell of each replica of a model, as one number:
// final(recovered), peak(infectious), or arithmetic with such.
//
//	final(X)           how many at the end: in a state, by a way since the start (susceptible->infectious), or of total
//	peak(X)            the most at once: of a state at any time, of a way in any interval between rows, of total at the time of any row
//	time of peak(X)    when that was first so, on the model's clock; of something that never was, there is none
//	at(X, T)           how many at a time that is recorded; also written X at T
//	+ - * / ^ ( )      and min, max, exp, log, sqrt
//
// Where there is no number, as after a division by 0, the replica has none, and is left out of the
// mean.
package outputs

import (
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// An Output is a number computed from a replica.
type Output struct {
	Text string // the expression
	of   func(*population.Run) float64
}

// Of is the value for a replica; NaN if there is none.
func (o *Output) Of(run *population.Run) float64 {
	if x := o.of(run); !math.IsInf(x, 0) {
		return x
	}
	return math.NaN()
}

// Most is how many outputs a study may have, and how long the text of one may be.
const (
	Most    = 256
	longest = 1000
)

// Parse parses an output of a model.
func Parse(m *population.Model, text string) (*Output, error) {
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case text == "":
		return nil, fmt.Errorf("an output is empty; expected one such as peak(%s)", m.States()[0])
	case len(text) > longest:
		return nil, fmt.Errorf("an output of more than %d letters", longest)
	}
	var of number
	var err error
	if what, when, ok := strings.Cut(text, " at "); ok && !strings.Contains(text, "(") {
		of, err = at(m, what, when)
	} else {
		of, err = parse(m, text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return &Output{text, of}, nil
}

// All parses several outputs; without any, it returns those of Defaults.
func All(m *population.Model, texts []string) ([]*Output, error) {
	if len(texts) == 0 {
		texts = Defaults(m)
	}
	if len(texts) > Most {
		return nil, fmt.Errorf("there are %d outputs; %d are the most", len(texts), Most)
	}
	var all []*Output
	seen := map[string]bool{}
	for _, text := range texts {
		o, err := Parse(m, text)
		if err != nil {
			return nil, err
		}
		if seen[o.Text] {
			return nil, fmt.Errorf("%s stands there twice", o.Text)
		}
		seen[o.Text] = true
		all = append(all, o)
	}
	return all, nil
}

// Up to so many states and ways all of them are told if nobody says which; of more, only the ends
// of states, up to the last number.
const (
	fewStates = 12
	fewFlows  = 24
	someEnds  = 60
)

// Defaults are the default outputs: final values and peaks of states, and the numbers of
// transitions.
func Defaults(m *population.Model) (texts []string) {
	states, flows := m.States(), m.Flows()
	for _, s := range states[:min(len(states), someEnds)] {
		texts = append(texts, "final("+s+")")
	}
	texts = append(texts, "final(total)")
	if len(states) <= fewStates {
		for _, s := range states {
			texts = append(texts, "peak("+s+")", "time of peak("+s+")")
		}
	}
	if len(flows) <= fewFlows {
		for _, f := range flows {
			texts = append(texts, "final("+f.String()+")")
		}
	}
	return texts
}

// A thing is what can be counted.
type thing struct {
	count func(run *population.Run, row int) float64
	peak  func(run *population.Run) (float64, float64)
}

// find finds what a name means.
func find(m *population.Model, name string) (*thing, error) {
	name = strings.TrimSpace(name)
	if q := strings.Trim(name, `"`); len(q) == len(name)-2 {
		name = q
	}
	times := m.Times()
	// highest is the row with the most.
	highest := func(count func(*population.Run, int) float64) func(*population.Run) (float64, float64) {
		return func(run *population.Run) (float64, float64) {
			most, when := 0.0, math.NaN()
			for row := range run.Rows() {
				if x := count(run, row); x > most {
					most, when = x, times[row]
				}
			}
			return most, when
		}
	}
	var known []string
	if name == "total" {
		count := func(run *population.Run, row int) float64 { return float64(run.Total(row)) }
		return &thing{count, highest(count)}, nil
	}
	for i, state := range m.States() {
		if known = append(known, state); state == name {
			return &thing{
				func(run *population.Run, row int) float64 { return float64(run.Count(row, i)) },
				func(run *population.Run) (float64, float64) {
					if run.Peaks[i].Count == 0 {
						return 0, math.NaN()
					}
					return float64(run.Peaks[i].Count), run.Peaks[i].Time
				},
			}, nil
		}
	}
	bare := strings.ReplaceAll(strings.ReplaceAll(name, " -> ", "->"), " → ", "->")
	for i, flow := range m.Flows() {
		if known = append(known, flow.String()); flow.String() == bare {
			return &thing{
				func(run *population.Run, row int) float64 { return float64(run.Flow(row, i)) },
				highest(func(run *population.Run, row int) float64 { return float64(run.Incidence(row, i)) }),
			}, nil
		}
	}
	for i, other := range m.Names() {
		if known = append(known, other); other == name || "["+other+"]" == name {
			return &thing{
				func(run *population.Run, row int) float64 { return float64(run.Named(row, i)) },
				highest(func(run *population.Run, row int) float64 { return float64(run.NamedIncidence(row, i)) }),
			}, nil
		}
	}
	if near := suggest.Name(name, append(known, "total")); near != "" {
		return nil, fmt.Errorf("there is no %q; did you mean %q?", name, near)
	}
	return nil, fmt.Errorf("there is no %q; there are %s", name, few(append(known, "total")))
}

// few lists some of many names.
func few(names []string) string {
	if len(names) > 12 {
		return strings.Join(names[:12], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
