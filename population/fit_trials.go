package population

import (
	"context"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// Trials run a model with values of the unknowns and return what would be observed at given times,
// on average. They reuse the memory of one run for the next. They must not be used from several
// goroutines at once; several Trials may.
type Trials struct {
	f      *Fit
	rows   []float64
	o      Options
	of     []counted
	runner *Runner
}

// counted is where the numbers of a match are recorded.
type counted struct {
	kind  string
	index int
	named bool // among the names, not the flows
}

// Trials returns trials that observe the model at ascending times on its clock; a run ends with the
// last. The section record of the file is ignored. Of the options, Memory is used.
func (f *Fit) Trials(times []float64, o Options) *Trials {
	t := &Trials{f: f, o: Options{Memory: o.Memory, patience: o.patience}}
	for _, at := range times {
		t.rows = append(t.rows, at-f.m.program.Start)
	}
	t.of = f.counted()
	return t
}

// counted returns where the numbers of all matches are.
func (f *Fit) counted() (all []counted) {
	for _, m := range f.Matches {
		c := counted{kind: m.Kind}
		switch {
		case m.Kind == "state":
			c.index = slices.Index(f.m.program.States, m.Of)
		default:
			c.index = slices.IndexFunc(f.m.program.Flows, func(flow program.Flow) bool { return flow.String() == m.Of })
			if c.index < 0 {
				c.index, c.named = slices.Index(f.m.program.CountedNames, m.Of), true
			}
		}
		all = append(all, c)
	}
	return all
}

// bare returns the model with values of the unknowns, without groups, and how it is observed.
func (f *Fit) bare(x []float64) (*Model, []Seen, error) {
	m, err := f.At(x)
	if err != nil {
		return nil, nil, err
	}
	bare := *m.program
	bare.Groups, bare.Groupings = nil, nil
	m.program = &bare
	seen, err := f.Seen(m)
	return m, seen, err
}

// A Trial is the outcome of one run.
type Trial struct {
	Means  [][]float64 // by column and time: the probability of being observed times the count
	Seen   []Seen      // by column
	Events uint64
}

// Run runs the model once. The trial depends on the values and the seed alone: it is the first
// replica of a run with that seed. If there is no model with these values, the error is of type
// [Problems].
func (t *Trials) Run(ctx context.Context, x []float64, seed uint64) (Trial, error) {
	m, seen, err := t.f.bare(x)
	if err != nil {
		return Trial{}, err
	}
	recorded := *m.program
	recorded.RecordTimes = t.rows
	m.program = &recorded
	if t.runner == nil {
		if t.runner, err = m.Runner(t.o); err != nil {
			return Trial{}, err
		}
	}
	t.runner.m, t.runner.o.Seed = m, seed
	run, err := t.runner.Run(ctx, 0)
	if err != nil {
		t.runner = nil
		return Trial{}, err
	}
	trial := Trial{Means: make([][]float64, len(t.of)), Seen: seen, Events: run.Events}
	for i, c := range t.of {
		means, before := make([]float64, len(t.rows)), 0.0
		for row := range means {
			x := 0.0
			switch {
			case c.kind == "state":
				x = float64(run.Count(row, c.index))
			case c.named:
				x = float64(run.Named(row, c.index))
			default:
				x = float64(run.Flow(row, c.index))
			}
			means[row] = seen[i].Observed * x
			if c.kind == "incidence" {
				means[row] = seen[i].Observed * (x - before)
				before = x
			}
		}
		trial.Means[i] = means
	}
	return trial, nil
}
