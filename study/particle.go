package study

import (
	"context"
	"errors"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
)

// Start makes a run ready that stops at each row of the data, and can be forked there.
func (s *simulator) Start(ctx context.Context, x []float64, seed uint64) (fit.Particle, error) {
	run, err := s.fit.Follow(ctx, s.times, x, seed)
	if err != nil {
		return nil, impossible(err)
	}
	p := &particle{run: run}
	for _, o := range run.Observations() {
		p.laws = append(p.laws, law(o))
	}
	return p, nil
}

// Share lets f run beside others, or alone if there is no memory for that.
func (s *simulator) Share(ctx context.Context, f func() error) error {
	try := func() error {
		err := f()
		if errors.Is(err, population.ErrMemory) {
			s.clear()
		}
		return err
	}
	if s.room == nil {
		return try()
	}
	return s.room.alone(ctx, try)
}

// A particle is a run that is followed.
type particle struct {
	run    modelfit.Followed
	laws   []fit.Law
	before uint64 // events that have been told
}

// Step goes on to the next row. Events are those since the step before.
func (p *particle) Step(ctx context.Context) ([]float64, uint64, error) {
	means, err := p.run.Step(ctx)
	events := p.run.Events() - p.before
	p.before += events
	return means, events, err
}

// Fork is a second one with the same past.
func (p *particle) Fork(seed uint64) (fit.Particle, error) {
	run, err := p.run.Fork(seed)
	if err != nil {
		return nil, err
	}
	return &particle{run, p.laws, p.before}, nil
}

func (p *particle) Laws() []fit.Law { return p.laws }
func (p *particle) Close()          { p.run.Close() }
