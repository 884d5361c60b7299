package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/outputs"
	"github.com/almanac-sim/almanac/population"
)

// Kind is the name of the kind of job that runs, sweeps and comparisons are, and FitKind that of
// the stages of a fit.
const (
	Kind    = "population"
	FitKind = "fit"
)

// Registry is what a worker of this program can run. Its version has a hash of the program, so that
// workers of another build refuse. The same program gives the same bits on every processor.
func Registry() *ensemble.Registry {
	g := new(ensemble.Registry)
	room := &room{semaphore.NewWeighted(everybody)}
	version := population.Version() + " " + ensemble.ProgramVersion()
	g.AddKind(ensemble.Kind{Name: Kind, Version: version, Portable: true, Open: func(payload []byte) (ensemble.Model,
		error) {
		r, err := ReadPayload(payload)
		if err != nil {
			return nil, err
		}
		return &model{sync.OnceValues(r.compiled), room}, nil
	}})
	g.AddKind(fitKind(version, room))
	return g
}

// A model is a study that is run. Its file is compiled when the first point is prepared, and once.
type model struct {
	study func() (*Study, error)
	room  *room
}

// A room is the memory that all who run share.
type room struct{ *semaphore.Weighted }

// everybody is how many can be let in at once, which is more than there are.
const everybody = 1 << 30

// alone lets f run beside others. If there is not enough memory for that, it runs again when nobody
// else does; only if there is not enough then, there is not.
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
	s, err := m.study()
	if err != nil {
		return nil, err
	}
	switch s.Sort {
	case Sweep:
		var values []population.Parameter
		for _, a := range s.Axes {
			if value, ok := p.Set[a.Name]; ok {
				values = append(values, population.Parameter{Name: a.Name, Value: value})
			}
		}
		at, err := s.At(values)
		if err != nil {
			return nil, err
		}
		part, err := m.part(s, at)
		if err != nil {
			return nil, err
		}
		return part.run, nil
	case Compare:
		return m.compare(s)
	case Run:
		part := &part{room: m.room, m: s.Plain, posterior: s.Posterior}
		return func(ctx context.Context, r ensemble.Replica) (ensemble.Values, error) {
			run, err := part.replica(ctx, r)
			if err != nil {
				return ensemble.Values{}, err
			}
			v := ensemble.Values{Names: []string{"final(total)"}, Numbers: []float64{float64(run.Total(run.Rows() - 1))},
				Events: run.Events}
			if v.Data, err = run.MarshalBinary(); err == nil && len(v.Data) > ensemble.MaxData {
				err = fmt.Errorf("what a replica records takes %d bytes, and %d can be sent; record fewer rows or groups, or "+
					"run it without a hub", len(v.Data), ensemble.MaxData)
			}
			return v, err
		}, nil
	}
	return nil, fmt.Errorf("there is no study of sort %q", s.Sort)
}

// A part is the model with some values, ready to run, and what is told of it.
type part struct {
	room      *room
	m         *population.Model
	posterior *From
	outputs   []*outputs.Output
	series    bool
	names     []string // of the outputs

	runner *population.Runner
	seed   uint64
}

func (m *model) part(s *Study, of *population.Model) (p *part, err error) {
	p = &part{room: m.room, m: of, posterior: s.Posterior, series: s.Series}
	if p.outputs, err = outputs.All(of, s.Told); err != nil {
		return nil, err
	}
	for _, o := range p.outputs {
		p.names = append(p.names, o.Text)
	}
	return p, nil
}

// replica runs a replica.
func (p *part) replica(ctx context.Context, r ensemble.Replica) (run *population.Run, err error) {
	err = p.room.alone(ctx, func() (err error) {
		if p.runner == nil || p.seed != r.JobSeed {
			o := population.Options{Seed: r.JobSeed}
			if p.posterior != nil {
				o.Vary = p.posterior.Vary(p.m, r.JobSeed)
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
func (p *part) run(ctx context.Context, r ensemble.Replica) (v ensemble.Values, err error) {
	run, err := p.replica(ctx, r)
	if err != nil {
		return v, err
	}
	v = ensemble.Values{Names: p.names, Numbers: make([]float64, 0, len(p.names)), Events: run.Events}
	for _, o := range p.outputs {
		v.Numbers = append(v.Numbers, o.Of(run))
	}
	if p.series {
		v.Series = series(p.m, run)
	}
	return v, nil
}

// compare runs a replica in every scenario, with the same luck, and tells what each gave and how it
// differs from the first.
func (m *model) compare(s *Study) (ensemble.Runner, error) {
	var runners []ensemble.Runner
	for _, scenario := range s.Compared {
		of, err := s.Compile(population.Scenario(scenario))
		var p *part
		if err == nil {
			p, err = m.part(s, of)
		}
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", scenario, err)
		}
		runners = append(runners, func(ctx context.Context, r ensemble.Replica) (ensemble.Values, error) {
			v, err := p.run(ctx, r)
			if err != nil {
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
		all = append(all, Column{"state", name, func(run *population.Run, row int) float64 {
			return float64(run.Count(row, i))
		}})
	}
	all = append(all, Column{"total", "total", func(run *population.Run, row int) float64 {
		return float64(run.Total(row))
	}})
	for i, flow := range m.Flows() {
		all = append(all, Column{"flow", flow.String(), func(run *population.Run, row int) float64 {
			return float64(run.Flow(row, i))
		}})
	}
	for i, name := range m.Names() {
		all = append(all, Column{"named", name, func(run *population.Run, row int) float64 {
			return float64(run.Named(row, i))
		}})
	}
	return all
}

// series are all that is told over time of a run: a number for each column, row by row; NaN in rows
// that it did not come to.
func series(m *population.Model, run *population.Run) (numbers []float64) {
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
