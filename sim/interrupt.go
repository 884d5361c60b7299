package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Interrupted is the error of a wait that ended because [Process.Interrupt] was called, or because a resource that the
// process held was taken from it, in which case Cause is a [Preempted].
type Interrupted struct {
	Cause     any     // what Interrupt was called with
	By        string  // the name of the process that called it; empty if it was an event
	At        float64 // when it was called
	Remaining float64 // what was left of the time to wait; 0 if the wait had no limit
}

// Error says by whom and why.
func (i *Interrupted) Error() string {
	by := i.By
	if by == "" {
		by = "an event"
	}
	return fmt.Sprintf("sim: interrupted by %s at %g: %v", by, i.At, i.Cause)
}

// Unwrap is the cause, if that is an error.
func (i *Interrupted) Unwrap() error {
	err, _ := i.Cause.(error)
	return err
}

// Interrupt ends the wait of a process: it wakes at this instant, and its wait returns an *[Interrupted]. It gives up its
// place in line if it waits for a resource. If it was granted units at this very instant and its turn has yet to come, they go
// back, and the request returns the interrupt. A process that is not waiting, or whose wait for something else is over but
// whose turn has yet to come, gets the interrupt at its next wait; several are kept, one for each wait. On a process that has
// ended it does nothing.
func (p *Process) Interrupt(cause any) { p.interrupt(cause) }

// interrupt is Interrupt, and returns what the process will be told, or nil if it never will.
func (p *Process) interrupt(cause any) *Interrupted {
	s := p.s
	if p.state == dead || s.closed {
		return nil
	}
	i := &Interrupted{Cause: cause, At: s.now}
	if s.current != nil {
		i.By = s.current.name
	}
	if s.trace != nil {
		s.record(Record{Kind: TraceInterrupt, Who: i.By, What: fmt.Sprintf("%s: %v", p.name, cause)})
	}
	e := p.own()
	e.interrupts = append(e.interrupts, i)
	switch {
	case p.state == waiting:
		if t, ok := s.dueAt(p.slot); ok {
			i.Remaining = t - s.now
		} else if g := p.works; g != nil {
			i.Remaining = g.job.left // its work is stopped
		}
		p.wake(interrupted)
		p.sub.leave()
		if r := p.request; r != nil {
			p.request = nil
			r.withdraw()
		} else if p.awaits != nil && p.awaits.asker() != nil {
			p.awaits.asker().settle(true, interrupted)
		}
	case p.state == waking && p.why == happened && p.returnUnits():
		p.request, p.why = nil, interrupted
	}
	s.serveLeft()
	return i
}

// returnUnits gives back what the process was granted and does not know of yet, and reports whether that was units.
func (p *Process) returnUnits() bool {
	if r := p.request; r != nil {
		return r.grant != nil && r.grant.giveBack()
	}
	return p.awaits != nil && p.awaits.asker() != nil && p.awaits.asker().settle(true, interrupted)
}

// forget takes back an interrupt that the process has not been told of, and reports whether there was one. One that has ended a
// wait stays, since that wait has nothing else to return; it is the first, because no wait begins while there are others.
func (p *Process) forget(i *Interrupted) bool {
	k := slices.Index(p.interrupts, i)
	if k < 0 || k == 0 && p.state == waking && p.why == interrupted {
		return false
	}
	p.interrupts = slices.Delete(p.interrupts, k, k+1)
	return true
}

// Remaining is what was left of the time to wait when a wait was interrupted, and 0 if err is not an *[Interrupted].
func Remaining(err error) float64 {
	var i *Interrupted
	if errors.As(err, &i) {
		return i.Remaining
	}
	return 0
}

// interruption takes the first interrupt that the process has not been told of. If it came before the wait began, that was to
// last for d.
func (p *Process) interruption(d float64) error {
	i := p.interrupts[0]
	p.interrupts = p.interrupts[1:]
	if p.why != interrupted && !math.IsInf(d, 1) {
		i.Remaining = d
	}
	p.why = elapsed
	p.s.step() // since it may not have waited at all
	return i
}
