package sim

import (
	"cmp"
	"fmt"
	"slices"
)

// Live lists the processes that have been started and have not ended, in the order in which they were started. After a run in
// which nothing was left to happen, these are the ones that wait for something that will never come; [Process.Status] says
// for what.
func (s *Simulation) Live() []*Process {
	return s.liveFrom(0)
}

// liveFrom lists those from a number on.
func (s *Simulation) liveFrom(number uint64) []*Process {
	all := make([]*Process, 0, s.live)
	for i := range s.slots {
		if p := s.slots[i].p; p != nil && p.number >= number {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *Process) int { return cmp.Compare(a.number, b.number) })
	return all
}

// Status says in words what the process is doing: what it waits for, and until when.
func (p *Process) Status() string {
	switch p.state {
	case unborn:
		if t, ok := p.s.dueAt(p.slot); ok && !p.s.closed {
			return fmt.Sprintf("starts at %g", t)
		}
		return "never starts"
	case running:
		return "has its turn"
	case waking:
		return "is about to have its turn"
	case dead:
		return "has ended"
	}
	status := "waits"
	switch {
	case p.request != nil:
		status += fmt.Sprintf(" in line for %s since %g", p.request.line.name, p.request.since)
	case p.works != nil:
		g := p.works
		if status = "works with " + g.r.name; g.stopped {
			status = fmt.Sprintf("cannot go on with %s, %g left", g.r.name, g.job.left)
		}
	case p.awaits != nil:
		status += " for " + p.awaits.label()
	}
	if t, ok := p.s.dueAt(p.slot); ok {
		status += fmt.Sprintf(" until %g", t)
	}
	return status
}
