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

// Registry is what a worker of this program can run. The version includes a hash of the program, so
// that workers of another build refuse the jobs. The same program gives the same bits on every
// processor.
func Registry() *ensemble.Registry {
	g := new(ensemble.Registry)
	room := &memoryGate{semaphore.NewWeighted(gateCapacity)}
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

// A model is a study that is being run. It is compiled once, when the first point is prepared.
type model struct {
	study func() (*Study, error)
	room  *memoryGate
}

// A memoryGate limits the runs that share the memory.
type memoryGate struct{ *semaphore.Weighted }

// gateCapacity exceeds the number of concurrent runs.
const gateCapacity = 1 << 30

// run calls f concurrently with other calls. If f runs out of memory, it is called again with no
// other call active.
func (r *memoryGate) run(ctx context.Context, f func() error) error {
	if err := r.Acquire(ctx, 1); err != nil {
		return err
	}
	err := f()
	r.Release(1)
	if !errors.Is(err, population.ErrMemory) {
		return err
	}
	if err := r.Acquire(ctx, gateCapacity); err != nil {
		return err
	}
	defer r.Release(gateCapacity)
	debug.FreeOSMemory()
	return f()
}

// At prepares a point.
func (m *model) At(p ensemble.Point) (ensemble.Runner, error) {
	s, err := m.study()
	if err != nil {
		return nil, err
	}
	switch s.Kind {
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
		part := &part{room: m.room, m: s.Plain, posterior: s.Posterior, study: s}
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
	return nil, fmt.Errorf("there is no study of kind %q", s.Kind)
}

// A part is the model with some values, ready to run, and its outputs.
type part struct {
	room      *memoryGate
	m         *population.Model
	posterior *From
	study     *Study
	outputs   []*outputs.Output
	series    func(run *population.Run) []float64 // counts over time; nil if they are not recorded
	names     []string                            // of the outputs

	runner *population.Runner
	seed   uint64
	upTo   int // of a study that goes on with a saved state: the replicas that runner can run
}

func (m *model) part(s *Study, of *population.Model) (p *part, err error) {
	p = &part{room: m.room, m: of, posterior: s.Posterior, study: s}
	switch {
	case !s.Series:
	case s.Kind == Compare:
		course, err := s.course()
		if err != nil {
			return nil, err
		}
		p.series = course.Of(of)
	default:
		p.series = func(run *population.Run) []float64 { return series(of, run) }
	}
	if p.outputs, err = outputs.All(of, s.OutputNames); err != nil {
		return nil, err
	}
	for _, o := range p.outputs {
		p.names = append(p.names, o.Text)
	}
	return p, nil
}

// replica runs a replica.
func (p *part) replica(ctx context.Context, r ensemble.Replica) (run *population.Run, err error) {
	err = p.room.run(ctx, func() (err error) {
		if p.runner == nil || p.seed != r.JobSeed || p.study.state != nil && r.Number >= p.upTo {
			o := population.Options{Seed: r.JobSeed, Redraw: p.study.redraws(r.JobSeed)}
			if state := p.study.state; state != nil {
				if p.upTo = state.First() + state.Replicas(); r.Number >= p.upTo {
					p.upTo = math.MaxInt32
				}
				o.Replicas = p.upTo
			}
			if p.posterior != nil {
				if err := p.posterior.Use(p.m, &o); err != nil {
					return err
				}
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

// run runs a replica, and returns its outputs.
func (p *part) run(ctx context.Context, r ensemble.Replica) (v ensemble.Values, err error) {
	run, err := p.replica(ctx, r)
	if err != nil {
		return v, err
	}
	v = ensemble.Values{Names: p.names, Numbers: make([]float64, 0, len(p.names)), Events: run.Events}
	for _, o := range p.outputs {
		v.Numbers = append(v.Numbers, o.Of(run))
	}
	if p.series != nil {
		v.Series = p.series(run)
	}
	return v, nil
}

// compare runs a replica in every scenario with common random numbers, and returns the outputs of
// each and their differences from the first.
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

// A Column is one of a model's counts over time.
type Column struct {
	Kind string // state, total, flow, named or outcome
	Name string
	of   func(run *population.Run, row int) float64
}

// Columns returns all counts over time of a model.
func Columns(m *population.Model) (all []Column) {
	for i, name := range m.Counted() {
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
	for i, name := range m.Outcomes() {
		all = append(all, Column{"outcome", name, func(run *population.Run, row int) float64 {
			return run.Outcome(row, i)
		}})
	}
	return all
}

// series returns all counts over time of a run: a number for each column, row by row; NaN in rows
// that it did not reach.
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
