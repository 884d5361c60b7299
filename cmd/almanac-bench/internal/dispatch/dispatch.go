// Package dispatch compares ways to give requests to workers, in simulated time: the same requests,
// coming at the same times and asking for the same work, through each of them.
//
// It uses package sim, with two events a request: its arrival and its end.
package dispatch

import (
	"context"
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/internal/quantile"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/sim"
)

// A Setting is a cluster and a load, for which policies are compared.
type Setting struct {
	Workers  int     `json:"workers"`
	Service  string  `json:"service"` // of Services
	Load     float64 `json:"load"`    // λ: what comes, as a share of all that the workers can do
	Requests int     `json:"requests"`
	Round    float64 `json:"round"` // how long a round of CAPPED is, in mean services
	Seed     uint64  `json:"seed"`
}

// A Run is what one policy made of a setting. Times are in mean services of a worker that is not
// slow, from when a request came until its work was done.
type Run struct {
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p99.9"`
	Tries float64 `json:"tries"` // how often a request was offered to a worker
	// Middle and End are how many requests were there when half of them had come, and when all had.
	Middle int `json:"middle"`
	End    int `json:"end"`

	all int // that came, those that do not count too
}

// A cluster is workers, and requests on their way through a policy.
type cluster struct {
	sim    *sim.Simulation
	load   *load
	policy policy
	random random.Stream // of the policy's choices

	speed   []float64
	serving []int32  // which request, or none
	done    []func() // the event that a worker is done
	latency []float64

	left, there, tries int
}

const none = -1

// through runs a policy over requests that have been drawn. The result depends on its arguments
// alone.
func (l *load) through(ctx context.Context, p Policy) (Run, error) {
	c := &cluster{
		sim:     sim.New(),
		load:    l,
		random:  random.New(l.Seed, streamChoices),
		speed:   l.speeds(),
		serving: make([]int32, l.Workers),
		done:    make([]func(), l.Workers),
		latency: make([]float64, len(l.comes)),
		left:    len(l.comes),
	}
	defer c.sim.Close()
	for w := range c.done {
		c.serving[w] = none
		c.done[w] = func() { c.finish(int32(w)) }
	}
	c.policy = p.new(c)

	run := Run{all: len(l.comes)}
	next := 0
	var come func()
	come = func() {
		i := next
		next++
		if next < len(l.comes) {
			c.sim.At(l.comes[next], come)
		}
		c.there++
		c.policy.arrive(int32(i))
		switch next {
		case len(l.comes) / 2:
			run.Middle = c.there
		case len(l.comes):
			run.End = c.there
		}
	}
	c.sim.At(l.comes[0], come)
	for c.left > 0 {
		// In pieces, so that it stops soon if it is told to.
		if err := ctx.Err(); err != nil {
			return Run{}, err
		}
		for range 10_000 {
			if !c.sim.Step() {
				break
			}
		}
		if c.left > 0 && c.sim.PendingEvents() == 0 {
			return Run{}, fmt.Errorf("dispatch: %s has lost %d requests", p.Name, c.left)
		}
	}

	measured := c.latency[l.warmUp:]
	run.Tries = float64(c.tries) / float64(len(l.comes))
	for _, x := range measured {
		run.Mean += x / float64(len(measured))
	}
	slices.Sort(measured)
	run.P50, run.P99, run.P999 = quantile.Of(measured, 0.5), quantile.Of(measured, 0.99), quantile.Of(measured, 0.999)
	return run, nil
}

// begin has an idle worker work on a request.
func (c *cluster) begin(w, i int32) {
	c.serving[w] = i
	c.sim.After(c.load.work[i]/c.speed[w], c.done[w])
}

// finish is that a worker is done with its request.
func (c *cluster) finish(w int32) {
	i := c.serving[w]
	c.serving[w] = none
	c.latency[i] = c.sim.Now() - c.load.comes[i]
	c.there--
	c.left--
	c.policy.finish(w, i)
}
