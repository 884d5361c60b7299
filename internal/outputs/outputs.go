// Package outputs reads what a study reports of each replica of a model, as one number:
// final(recovered), peak(infectious), or arithmetic with such.
//
//	final(X)                 how many at the end: in a state, events since the start
//	                         (susceptible->infectious), of total; what an outcome, such as a cost,
//	                         has accrued; what an observation has seen; a value of record
//	peak(X)                  the most at once: of a state at any time, of events in any interval
//	                         between rows, of total or of a group at the time of any row
//	time of peak(X)          when that was first so, on the model's clock; of something that never
//	                         was, there is none
//	at(X, T)                 how many at a time that is recorded; also written X at T
//	incidence(X)             events since the start; incidence(X, T..T) between two times that are
//	                         recorded
//	first time(X above L)    the first row with more than L of a state, or of events since the row
//	                         before; last time likewise, and below; L is a number, or a share of the
//	                         living: 1%, 50 per 100_000
//	F(X, region=north)       the same of a group; several attributes: F(X, region=north, age=child);
//	                         one of several values: F(X, region=north|south)
//	F(X) per 100_000         the same for so many of the living; per person
//	+ - * / ^ ( )            and min, max, exp, log, sqrt
//
// Where there is no number, as after a division by 0, the replica has none, and is left out of the
// mean.
//
// The files: outputs.go has Output and what a study does with several; count.go finds what a name
// counts, and in which group; functions.go has final, peak and the others; parse.go reads the
// expressions.
package outputs

import (
	"fmt"
	"math"
	"strings"

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

// Parse parses an output of a model, which records the groups that the output names.
func Parse(m *population.Model, text string) (*Output, error) {
	return read(&names{m: m}, text)
}

// Groups returns the attributes, or combinations of attributes, by which outputs count and the
// model does not: [population.RecordBy] makes it do so.
func Groups(m *population.Model, texts []string) (by [][]string, err error) {
	n := &names{m: m, missing: &by}
	for _, text := range texts {
		if _, err := read(n, text); err != nil {
			return nil, err
		}
	}
	return by, nil
}

// read parses an output.
func read(n *names, text string) (*Output, error) {
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case text == "":
		return nil, fmt.Errorf("an output is empty; expected one such as peak(%s)", n.m.States()[0])
	case len(text) > longest:
		return nil, fmt.Errorf("an output of more than %d letters", longest)
	}
	var of number
	var err error
	if what, when, ok := strings.Cut(text, " at "); ok && !strings.Contains(text, "(") {
		of, err = n.at(what, when, none)
	} else {
		of, err = parse(n, text)
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

// Defaults are the default outputs: final values and peaks of states, the numbers of transitions,
// and outcomes.
func Defaults(m *population.Model) (texts []string) {
	states, flows := m.Counted(), m.Flows() // also of machines
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
	for _, o := range m.Outcomes() {
		texts = append(texts, "final("+o+")")
	}
	return texts
}

// few lists some of many names.
func few(names []string) string {
	if len(names) > 12 {
		return strings.Join(names[:12], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
