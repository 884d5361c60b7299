package population

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// A Process is a replica that is run step by step: the caller decides how far it advances, and can
// inspect it in between. It is for comparing a model with data during a run, or for decisions that
// depend on what has happened.
//
// Where it stops changes nothing: at every time it equals the replica of the same number of
// [Model.Run], to the last bit. The times at which the file asks for rows have no meaning for it.
//
// A Process must not be used from several goroutines at once; several processes may.
type Process struct {
	m    *Model
	r    *engine.Run
	time float64 // on the model's clock
	err  error   // why it cannot go on
}

// Begin starts a replica: everybody of the start is there. Interventions at the start time have not
// happened yet, except those that wait for a condition that is true from the start; Advance to the
// model's start carries out the rest.
//
// A model that goes on with a saved state begins with that: it stands at the time of the state.
//
// Of the options, Seed, Memory, Redraw and OnEvent are used. As with [Model.Run], it is an error if
// there is not enough memory.
func (m *Model) Begin(ctx context.Context, o Options, replica int) (*Process, error) {
	if replica < 0 {
		panic("population: the number of a replica cannot be negative")
	}
	o.Workers, o.Replicas, o.forks = 1, 1, true
	options := o.engine(m)
	options.OnEvent = oneAtATime(o.listener(m, replica))
	if m.state != nil {
		return m.beginSaved(ctx, &o, options, replica)
	}
	r, err := engine.Begin(ctx, m.program, options, replica)
	if err != nil {
		return nil, m.replicaError(ctx, replica, err)
	}
	return &Process{m: m, r: r, time: m.program.Start}, nil
}

// oneAtATime returns a function that forks may call at the same time; nil for nil.
func oneAtATime(call func(*engine.Event)) func(*engine.Event) {
	if call == nil {
		return nil
	}
	var mu sync.Mutex
	return func(h *engine.Event) {
		mu.Lock()
		defer mu.Unlock()
		call(h)
	}
}

// Advance carries out everything up to and including a time on the model's clock, interventions
// too. It is an error if the process is past that time, or if the model ends before it.
//
// If the run cannot go on, as described at [Model.Run], or if the context ends, the process stays
// where it is and cannot be advanced any more.
func (p *Process) Advance(ctx context.Context, time float64) error {
	switch {
	case p.r == nil:
		panic("population: Advance after Close")
	case p.err != nil:
		return p.err
	}
	m := p.m.program
	switch {
	case math.IsNaN(time) || time > m.End+m.TimeTolerance:
		return fmt.Errorf("%s: a process cannot go to time %.12g: the model ends at %.12g", m.Name, time, m.End)
	case time < p.time-m.TimeTolerance:
		return fmt.Errorf("%s: a process cannot go back to time %.12g: it is at %.12g", m.Name, time, p.time)
	}
	to := max(p.time, min(time, m.End))
	err := p.r.Advance(ctx, to-m.Start, nil)
	if err != nil {
		p.time = max(p.time, m.Start+p.r.Now)
		p.err = p.m.replicaError(ctx, p.r.Index, err)
		return p.err
	}
	p.time = to
	if to == m.End {
		p.err = p.m.replicaError(ctx, p.r.Index, p.r.Verify())
	}
	return p.err
}

// Close ends the process and releases its memory. It may be called more than once; no other method
// may be called after it.
func (p *Process) Close() {
	if p.r != nil {
		p.r.Retire()
		p.r = nil
	}
}

// Time is where the process stands, on the model's clock.
func (p *Process) Time() float64 { return p.time }

// Events is the number of events since the start: everything that clocks, contacts, births,
// arrivals and interventions did or tried.
func (p *Process) Events() uint64 { return p.r.Events }

// Total is the number of the living.
func (p *Process) Total() int { return p.r.Alive }

// Count is the number of individuals in a state, in the order of [Model.Counted].
func (p *Process) Count(state int) int { return p.r.Counts[state] }

// Flow is the number of individuals that took a flow since the start, in the order of
// [Model.Flows].
func (p *Process) Flow(flow int) uint64 { return p.r.Flows[flow] }

// Named is how often a name happened since the start, in the order of [Model.Names].
func (p *Process) Named(name int) uint64 { return p.r.Named[name] }

// Fork returns a second process with the same past: it stands where this one does, with everybody
// in the same state for the same time. Its future is drawn again, from seed and from this process:
// given the past, it has the law that it has in a model that has come so far, and is independent of
// the future of this process and of forks with another seed. This process does not change.
//
// All running clocks are drawn again given how long they have been running, those of states and
// those of always; so are the next immigrants, the contacts and the choices of interventions. The
// branch of a split is drawn again too, unless its chances, or what they depend on, vary with time
// or have changed. Of all that was drawn already, a fork shares only such branches with its
// original.
//
// The events of a fork go to the OnEvent of [Model.Begin], as those of this process: one call after
// the other, also if both go on at the same time. OnEvent must then not advance another of them.
//
// The same process at the same time with the same seed gives the same fork. Give every fork of a
// process another seed, at whatever time.
//
// It is an error if there is not enough memory, or if this process cannot go on. A fork takes half
// a microsecond, 7 ns for each individual and about 50 ns for each that has an event to come, or
// 170 if its law is gamma or lognormal; see BenchmarkFork. Close processes that are no longer
// needed: the next ones use their memory.
func (p *Process) Fork(seed uint64) (*Process, error) {
	f, err := p.fork()
	if err != nil {
		return nil, err
	}
	f.r.Redraw(seed)
	return f, nil
}

// fork returns a copy whose calendar is empty.
func (p *Process) fork() (*Process, error) {
	switch {
	case p.r == nil:
		panic("population: Fork after Close")
	case p.err != nil:
		return nil, p.err
	}
	r, err := p.r.Fork()
	if err != nil {
		return nil, fmt.Errorf("%s, replica %d: %w", p.m.program.Name, p.r.Index, err)
	}
	return &Process{m: p.m, r: r, time: p.time}, nil
}
