package population

import (
	"fmt"

	"github.com/almanac-sim/almanac/population/internal/engine"
)

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

// fork copies all but the calendar, which is empty.
func (p *Process) fork() (*Process, error) {
	switch {
	case p.r == nil:
		panic("population: Fork after Close")
	case p.err != nil:
		return nil, p.err
	}
	f := &Process{m: p.m, r: engine.NewForkable(p.r.Budget), time: p.time}
	bytes := p.r.Bytes()
	if !p.r.Budget.Take(p.r, bytes, bytes, func() { f.r.Copy(p.r) }) {
		f.Close()
		return nil, fmt.Errorf("%s, replica %d: %w", p.r.Program.Name, p.r.Index, p.r.OutOfMemory())
	}
	p.r.Budget.Take(f.r, 0, 0, func() {})
	return f, nil
}
