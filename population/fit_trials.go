package population

import (
	"context"
	"slices"

	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// trials are [modelfit.Trials].
type trials struct {
	f      *Fit
	rows   []float64
	of     []counted
	runner *Runner
}

// counted is where the numbers of a match are recorded.
type counted struct {
	kind  string
	index int
	named bool // among the names, not the flows

	groups []int // to add up, of the model that bare returns; nil means everybody
}

// sinceBefore reports whether the number of the row before is subtracted.
func (c *counted) sinceBefore() bool { return c.kind == "incidence" || c.kind == "seen" }

// trials returns trials that observe the model at ascending times; see [modelfit.Fit].
func (f *Fit) trials(times []float64) *trials {
	t := &trials{f: f}
	for _, at := range times {
		t.rows = append(t.rows, at-f.m.program.Start)
	}
	t.of = f.counted()
	return t
}

// counted returns where the numbers of all matches are.
func (f *Fit) counted() (all []counted) {
	_, _, groups := f.groupings()
	for i, m := range f.matches {
		c := counted{kind: m.Kind, groups: groups[i]}
		switch {
		case m.Kind == "seen" || m.Kind == "survey":
			c.index = slices.Index(f.m.program.ObservationNames(), m.Of)
		case m.Kind == "value":
			c.index = slices.Index(f.m.Values(), m.Of)
		case m.Kind == "state":
			c.index = slices.Index(f.m.program.Counted, m.Of) // −1 for a value of an attribute: all of the group
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

// bare returns the model with values of the unknowns, without groups but those of columns with
// where, and how it is observed.
func (f *Fit) bare(x []float64) (*Model, []modelfit.Observation, error) {
	m, err := f.At(x)
	if err != nil {
		return nil, nil, err
	}
	bare := *m.program
	bare.Groupings, bare.Groups, _ = f.groupings()
	bare.Tree, bare.People = nil, nil
	bare.MeanChances = nil
	for _, c := range f.counted() {
		if c.kind == "survey" {
			bare.MeanChances = append(bare.MeanChances, c.index)
		}
	}
	m.program = &bare
	observed, err := f.observations(m)
	return m, observed, err
}

// Run runs the model once: it is the first replica of a run with that seed.
func (t *trials) Run(ctx context.Context, x []float64, seed uint64) (modelfit.Trial, error) {
	m, observed, err := t.f.bare(x)
	if err != nil {
		return modelfit.Trial{}, err
	}
	recorded := *m.program
	recorded.RecordTimes = t.rows
	m.program = &recorded
	if t.runner == nil {
		if t.runner, err = m.Runner(Options{}); err != nil {
			return modelfit.Trial{}, err
		}
	}
	t.runner.m, t.runner.o.Seed = m, seed
	run, err := t.runner.Run(ctx, 0)
	if err != nil {
		t.runner = nil
		return modelfit.Trial{}, err
	}
	trial := modelfit.Trial{
		Means:        make([][]float64, len(t.of)),
		Observations: observed,
		Events:       run.Events,
		Fingerprint:  func(row int) uint64 { return run.rec.Fingerprint(m.program, row) },
	}
	for i, c := range t.of {
		means, before := make([]float64, len(t.rows)), 0.0
		for row := range means {
			x := c.inRun(run, row)
			means[row] = observed[i].Observed * x
			if c.sinceBefore() {
				means[row] = observed[i].Observed * (x - before)
				before = x
			}
		}
		trial.Means[i] = means
	}
	return trial, nil
}
