package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/sim/trace"
)

// Interrupted is the error of a wait that ended because [Process.Interrupt] was called, or because
// units of a resource were taken from the process; then Cause is a *[Preempted].
type Interrupted struct {
	Cause     any      // what Interrupt was called with
	By        *Process // that called it; nil if it was an event
	At        float64  // when it was called
	Remaining float64  // what was left of the time to wait; 0 if the wait had no limit
}

// Error names the caller and the cause.
func (i *Interrupted) Error() string {
	by := "an event"
	if i.By != nil {
		by = i.By.name
	}
	return fmt.Sprintf("sim: interrupted by %s at %g: %v", by, i.At, i.Cause)
}

// Unwrap returns the cause, if that is an error.
func (i *Interrupted) Unwrap() error {
	err, _ := i.Cause.(error)
	return err
}

// Interrupt ends the wait of a process: it wakes at this instant, and its wait returns an
// *[Interrupted]. A waiting request leaves its queue. If units were granted at this very instant
// and the turn of the process has yet to come, they go back, and the request returns the interrupt.
// A process that is not waiting, or whose wait for something else is over but whose turn has yet to
// come, gets the interrupt at its next wait; several are kept, one for each wait. On a process that
// has ended it does nothing.
func (p *Process) Interrupt(cause any) { p.interrupt(cause) }

// interrupt is Interrupt, and returns the error that the process will get, or nil if it never will.
func (p *Process) interrupt(cause any) *Interrupted {
	s := p.s
	if p.state == ended || s.closed {
		return nil
	}
	i := &Interrupted{Cause: cause, By: s.current, At: s.now}
	if s.trace != nil {
		s.record(trace.Record{Kind: trace.Interrupt, Who: s.who(), What: fmt.Sprintf("%s: %v", p.traced(), cause)})
	}
	e := p.ensureWaitState()
	e.interrupts = append(e.interrupts, i)
	switch {
	case p.state == waiting:
		if t, ok := s.dueAt(p.slot); ok {
			i.Remaining = t - s.now
		} else if g := p.works; g != nil {
			i.Remaining = g.job.left // its work is stopped
		}
		p.wake(interrupted)
		p.sub.unsubscribe()
		if r := p.request; r != nil {
			p.request = nil
			r.withdraw()
		} else if p.awaits != nil && p.awaits.requester() != nil {
			p.awaits.requester().settle(true, interrupted)
		}
	case p.state == waking && p.why == happened && p.returnUnits():
		p.request, p.why = nil, interrupted
	}
	s.serveLeft()
	return i
}

// returnUnits gives back units that were granted and that the process has not seen yet, and reports
// whether there were any.
func (p *Process) returnUnits() bool {
	if r := p.request; r != nil {
		return r.grant != nil && r.grant.giveBack()
	}
	return p.awaits != nil && p.awaits.requester() != nil && p.awaits.requester().settle(true, interrupted)
}

// dropInterrupt drops an interrupt that the process has not got, and reports whether there was one.
// An interrupt that has ended a wait stays, since that wait has nothing else to return; it is the
// first, because no wait begins while there are others.
func (p *Process) dropInterrupt(i *Interrupted) bool {
	k := slices.Index(p.interrupts, i)
	if k < 0 || k == 0 && p.state == waking && p.why == interrupted {
		return false
	}
	p.interrupts = slices.Delete(p.interrupts, k, k+1)
	return true
}

// Remaining returns what was left of the time to wait when a wait was interrupted, and 0 if err is
// not an *[Interrupted].
func Remaining(err error) float64 {
	var i *Interrupted
	if errors.As(err, &i) {
		return i.Remaining
	}
	return 0
}

// interruption takes the first pending interrupt. If it came before the wait began, the whole wait
// d is left.
func (p *Process) interruption(d float64) error {
	i := p.interrupts[0]
	p.interrupts = p.interrupts[1:]
	if p.why != interrupted && !math.IsInf(d, 1) {
		i.Remaining = d
	}
	p.why = elapsed
	p.s.countStep() // since it may not have waited at all
	return i
}
