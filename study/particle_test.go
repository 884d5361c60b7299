package study

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/semaphore"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/population"
)

// A cramped simulator has memory for so many particles, of all estimates together.
type cramped struct {
	*simulator
	most              int64
	particles, failed atomic.Int64
}

func (c *cramped) enter() error {
	n := c.particles.Add(1)
	if n > c.most {
		c.particles.Add(-1)
		c.failed.Add(1)
		return fmt.Errorf("%d particles: %w", c.most, population.ErrMemory)
	}
	if n%16 == 0 { // so that others have particles at the same time, also with one processor
		runtime.Gosched()
	}
	return nil
}

func (c *cramped) Start(ctx context.Context, x []float64, seed uint64) (fit.Particle, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	p, err := c.simulator.Start(ctx, x, seed)
	if err != nil {
		c.particles.Add(-1)
		return nil, err
	}
	return &crampedParticle{p, c}, nil
}

type crampedParticle struct {
	fit.Particle
	owner *cramped
}

func (p *crampedParticle) Fork(seed uint64) (fit.Particle, error) {
	if err := p.owner.enter(); err != nil {
		return nil, err
	}
	fork, err := p.Particle.Fork(seed)
	return &crampedParticle{fork, p.owner}, err
}

func (p *crampedParticle) Check() uint64 { return p.Particle.(*particle).Check() }

func (p *crampedParticle) Close() {
	p.owner.particles.Add(-1)
	p.Particle.Close()
}

// Estimates for whose particles there is no memory beside others wait until they are alone, and
// begin anew: the fit is the one that it would have been. Where one alone has not enough, the fit
// ends, and says of how many particles.
func TestParticlesWaitForRoom(t *testing.T) {
	e := immigrationDeath()
	o := fit.Options{Method: "pmmh", Seed: 1, Population: 50, Budget: 12_000}
	want := e.fit(t, e.data, o)
	fits := func(most int64) (*cramped, *fit.Result, error) {
		opened, payload := e.open(t, e.data)
		c := &cramped{simulator: opened.Simulator.(*simulator), most: most}
		c.room = &memoryGate{semaphore.NewWeighted(gateCapacity)}
		o.Kind, o.Registry = "cramped", new(ensemble.Registry)
		o.Registry.AddKind(fit.NewKind(o.Kind, "1", func([]byte) (*fit.Problem, fit.Simulator, error) {
			return opened.Problem,
				c, nil
		}))
		o.Executor = ensemble.InMemory{Slots: 4}
		r, err := fit.Run(t.Context(), opened.Problem, payload, o)
		if c.particles.Load() != 0 {
			t.Errorf("%d particles were not closed", c.particles.Load())
		}
		return c, r, err
	}
	c, got, err := fits(40) // of 16 each at first
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("there was no room %d times", c.failed.Load())
	if c.failed.Load() == 0 {
		t.Error("there was always room: nothing is shown")
	}
	if !reflect.DeepEqual(got.Posterior, want.Posterior) || got.Runs != want.Runs || got.BestScore != want.BestScore {
		t.Errorf("with little room there are %d runs and the best is %v; with much, %d and %v", got.Runs, got.BestScore,
			want.Runs, want.BestScore)
	}
	const says = "particle 5 of 16 that are there at once: 4 particles: not enough memory"
	if _, _, err := fits(4); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, which should say %q", err, says)
	}
}
