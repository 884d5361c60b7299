package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"

	"golang.org/x/sync/semaphore"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/outputs"
	"github.com/almanac-sim/almanac/population"
)

// Registry is what a worker of this program can run. Its version has a hash of the program, so that workers of another build refuse.
// The same program gives the same bits on every processor.
func Registry() *ensemble.Registry {
	g := new(ensemble.Registry)
	room := &room{semaphore.NewWeighted(everybody)}
	version := population.Version() + " " + ensemble.ProgramVersion()
	g.AddKind(ensemble.Kind{Name: Kind, Version: version, Portable: true, Open: func(payload []byte) (ensemble.Model, error) {
		s, err := Read(payload)
		if err != nil {
			return nil, err
		}
		return &model{s, room}, nil
	}})
	g.AddKind(fitKind(version, room))
	return g
}

// A model is a study that can be run.
type model struct {
	study *Study
	room  *room
}

// A room is the memory that all who run share.
type room struct{ *semaphore.Weighted }

// everybody is how many can be let in at once, which is more than there are.
const everybody = 1 << 30

// alone lets f run beside others. If there is not enough memory for that, it runs again when nobody else does; only if there is not enough
// then, there is not.
func (r *room) alone(ctx context.Context, f func() error) error {
	if err := r.Acquire(ctx, 1); err != nil {
		return err
	}
	err := f()
	r.Release(1)
	if !errors.Is(err, population.ErrMemory) {
		return err
	}
	if err := r.Acquire(ctx, everybody); err != nil {
		return err
	}
	defer r.Release(everybody)
	debug.FreeOSMemory()
	return f()
}

// At prepares a point.
func (m *model) At(p ensemble.Point) (ensemble.Runner, error) {
	switch m.study.Sort {
	case Sweep:
		part, err := m.part(p.Set, "", m.study.Series)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, r ensemble.Replica) (v ensemble.Values, err error) {
			v.Names = part.names
			v.Numbers, v.Events, err = part.run(ctx, r)
			return v, err
		}, nil
	case Compare:
		return m.compare()
	case Run:
		part, err := m.part(nil, "", false)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, r ensemble.Replica) (ensemble.Values, error) {
			run, err := part.replica(ctx, r)
			if err != nil {
				return ensemble.Values{}, err
			}
			v := ensemble.Values{Names: []string{"final(total)"}, Numbers: []float64{float64(run.Total(run.Rows() - 1))}, Events: run.Events}
			if v.Data, err = run.MarshalBinary(); err == nil && len(v.Data) > ensemble.MaxData {
				err = fmt.Errorf("what a replica records takes %d bytes, and %d can be sent; record fewer rows or groups, or run it without a hub", len(v.Data), ensemble.MaxData)
			}
			return v, err
		}, nil
	}
	return nil, fmt.Errorf("there is no study of sort %q", m.study.Sort)
}

// A part is the model with some values, ready to run, and what is told of it.
type part struct {
	owner   *model
	m       *population.Model
	outputs []*outputs.Output
	series  bool
	names   []string // of all numbers

	runner *population.Runner
	seed   uint64
}

func (m *model) part(set map[string]string, scenario string, series bool) (*part, error) {
	compiled, err := m.study.Model(set, scenario)
	if err != nil {
		return nil, err
	}
	p := &part{owner: m, m: compiled, series: series}
	if m.study.Sort != Run {
		if p.outputs, err = outputs.All(compiled, m.study.Outputs); err != nil {
			return nil, err
		}
	}
	for _, o := range p.outputs {
		p.names = append(p.names, o.Text)
	}
	if series {
		p.names = append(p.names, SeriesNames(compiled)...)
	}
	return p, nil
}

// replica runs a replica.
func (p *part) replica(ctx context.Context, r ensemble.Replica) (run *population.Run, err error) {
	err = p.owner.room.alone(ctx, func() (err error) {
		if p.runner == nil || p.seed != r.JobSeed {
			o := population.Options{Seed: r.JobSeed}
			if from := p.owner.study.From; from != nil {
				o.Vary = from.Vary(p.m, r.JobSeed)
			}
			if p.runner, err = p.m.Runner(o); err != nil {
				return err
			}
			p.seed = r.JobSeed
		}
		run, err = p.runner.Run(ctx, r.Number)
		if err != nil {
			p.runner = nil
		}
		return err
	})
	return run, err
}

// run runs a replica, and tells its numbers.
func (p *part) run(ctx context.Context, r ensemble.Replica) (numbers []float64, events uint64, err error) {
	run, err := p.replica(ctx, r)
	if err != nil {
		return nil, 0, err
	}
	numbers = make([]float64, 0, len(p.names))
	for _, o := range p.outputs {
		numbers = append(numbers, o.Of(run))
	}
	if p.series {
		numbers = appendSeries(numbers, p.m, run)
	}
	return numbers, run.Events, nil
}

// compare runs a replica in every scenario, with the same luck, and tells what each gave and how it differs from the first.
func (m *model) compare() (ensemble.Runner, error) {
	var runners []ensemble.Runner
	for _, scenario := range m.study.Scenarios {
		p, err := m.part(nil, scenario, false)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", scenario, err)
		}
		runners = append(runners, func(ctx context.Context, r ensemble.Replica) (v ensemble.Values, err error) {
			v.Names = p.names
			if v.Numbers, v.Events, err = p.run(ctx, r); err != nil {
				err = fmt.Errorf("scenario %s: %w", scenario, err)
			}
			return v, err
		})
	}
	return ensemble.Paired(runners...), nil
}

// A Column is what is told over time.
type Column struct {
	Sort string // state, total, flow or named
	Name string
	of   func(run *population.Run, row int) float64
}

// Columns are all that is told over time of a model.
func Columns(m *population.Model) (all []Column) {
	for i, name := range m.States() {
		all = append(all, Column{"state", name, func(run *population.Run, row int) float64 { return float64(run.Count(row, i)) }})
	}
	all = append(all, Column{"total", "total", func(run *population.Run, row int) float64 { return float64(run.Total(row)) }})
	for i, flow := range m.Flows() {
		all = append(all, Column{"flow", flow.String(), func(run *population.Run, row int) float64 { return float64(run.Flow(row, i)) }})
	}
	for i, name := range m.Names() {
		all = append(all, Column{"named", name, func(run *population.Run, row int) float64 { return float64(run.Named(row, i)) }})
	}
	return all
}

// SeriesName is what the number of a column at the time of a row is called.
func SeriesName(row, column int) string { return fmt.Sprintf("@%d.%d", row, column) }

// SeriesNames are the names of all numbers over time, row by row.
func SeriesNames(m *population.Model) []string {
	columns := len(Columns(m))
	names := make([]string, 0, len(m.Times())*columns)
	for row := range m.Times() {
		for k := range columns {
			names = append(names, SeriesName(row, k))
		}
	}
	return names
}

func appendSeries(numbers []float64, m *population.Model, run *population.Run) []float64 {
	columns := Columns(m)
	for row := range m.Times() {
		for _, c := range columns {
			x := math.NaN()
			if row < run.Rows() {
				x = c.of(run, row)
			}
			numbers = append(numbers, x)
		}
	}
	return numbers
}
