package population

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

// A Process is a replica that is run piece by piece: whoever has it says how far it goes, and looks at it whenever it stands still. It is for those
// who compare a model with data as they go, or who decide what to do next by what has happened.
//
// Where it stops changes nothing: at every time the process is as [Model.Run] has the replica of the same number at that time, to the last bit. The
// times at which the model's file asks for rows have no meaning for it.
//
// A Process must not be used from several goroutines at once; several processes may.
type Process struct {
	m    *Model
	r    *engine.Run
	time float64 // on the model's clock
	err  error   // why it cannot go on
}

// Begin starts the replica of a number, and stops it at once: everybody is there, and what an intervention does at the start has not happened
// yet, unless it waited for what is so from the start on. Advance to the model's start has the rest.
//
// Of the options, Seed, Memory and OnEvent are looked at. As with [Model.Run], it is an error if there is not enough memory.
func (m *Model) Begin(ctx context.Context, o Options, replica int) (*Process, error) {
	if replica < 0 {
		panic("population: the number of a replica cannot be negative")
	}
	o.Workers, o.Replicas, o.forks = 1, 1, true
	options := o.engine()
	options.OnEvent = o.listener(m, replica)
	r, err := engine.Begin(ctx, m.program, options, replica)
	if err != nil {
		return nil, m.replicaError(ctx, replica, err)
	}
	return &Process{m: m, r: r, time: m.program.Start}, nil
}

// Advance lets everything happen up to and including a time on the model's clock, interventions too. It is an error if the process is past the
// time already, or if the model ends before it.
//
// If a run could not go on, as [Model.Run] says it, or if the context ends first, the process stays where it then is, and does not go on any more.
func (p *Process) Advance(ctx context.Context, time float64) error {
	switch {
	case p.r == nil:
		panic("population: Advance after Close")
	case p.err != nil:
		return p.err
	}
	m := p.m.program
	switch {
	case math.IsNaN(time) || time > m.End+m.Slack:
		return fmt.Errorf("%s: a process cannot go to time %.12g: the model ends at %.12g", m.Name, time, m.End)
	case time < p.time-m.Slack:
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
	return nil
}

// Close ends the process and lets others have its memory. It may be called more than once; nothing else may be called after it.
func (p *Process) Close() {
	if p.r != nil {
		p.r.Retire()
		p.r = nil
	}
}

// Time is where the process stands, on the model's clock.
func (p *Process) Time() float64 { return p.time }

// Events is how much has happened since the start: everything that clocks, contacts, births, arrivals and interventions did or tried.
func (p *Process) Events() uint64 { return p.r.Events }

// Total is how many are alive.
func (p *Process) Total() int { return p.r.Alive }

// Count is how many are in a state. States are numbered as [Model.States] lists them.
func (p *Process) Count(state int) int { return p.r.Counts[state] }

// Flow is how many have gone a way since the start. Flows are numbered as [Model.Flows] lists them.
func (p *Process) Flow(flow int) uint64 { return p.r.Flows[flow] }

// Named is how often that which goes by a name has happened since the start. Names are numbered as [Model.Names] lists them.
func (p *Process) Named(name int) uint64 { return p.r.Named[name] }

// Fork returns a second process with the same past: it stands where this one does, with everybody in the same state, for as long. What is to come is
// drawn anew, from the luck that is given, and from that of this process: given the past, the future of a fork has the law that it has in a model
// that has come so far, and is independent of the future of this process and of those of forks with another luck. Nothing of this one changes.
//
// All clocks that are running are drawn anew, given how long they have been running: those of states and those of always, when the next immigrant
// comes, whom contacts are with and whom interventions pick; and the branch of a split, unless its chances, or something that they
// depend on, change with time or have changed. Of what is drawn already, a fork has those branches in common with its original, and nothing else.
//
// The same process at the same time and the same luck make the same fork. Give every fork of a process another luck, at whatever time.
//
// It is an error if there is no memory for another one, or if this one cannot go on. A fork takes half a microsecond, 7 nanoseconds for each individual and some
// 50 for each of those to whom something is to happen, or 170 if how long that takes is gamma or lognormal; see BenchmarkFork. Closing processes that are
// no longer needed lets the next ones have their memory.
func (p *Process) Fork(luck uint64) (*Process, error) {
	f, err := p.fork()
	if err != nil {
		return nil, err
	}
	f.r.Redraw(luck)
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
