package sim

import (
	"bytes"
	"runtime"
)

// unwinding is what a process panics with when the simulation is closed, so that its deferred calls run.
type unwinding struct{}

// String is for those who recover from it and print it.
func (unwinding) String() string { return "sim: the simulation is closed, and the process ends" }

const (
	// mostUnwindings is how often a process is ended by a panic, which it may recover from, before it is ended by runtime.Goexit.
	// Deferred calls that wait need one for each.
	mostUnwindings = 100

	// mostLastSteps is how many things that do not wait a process may ask for in its deferred calls. Nobody tidies up so much.
	mostLastSteps = 1 << 18
)

// Close ends all processes that have not ended, in the order in which they were started: their waits do not return, and their
// deferred calls run. No goroutine of the simulation is left afterwards. A closed simulation can still be asked for its
// statistics, which closing does not change, but not be run: what is scheduled on it never happens.
//
// A process is ended by a panic. One that recovers from it and waits again is ended by [runtime.Goexit], from which nobody recovers.
// So it does not matter what a process does, as long as it does not go on for ever without asking anything of the simulation, or
// block outside it.
//
// Closing again does nothing, also in a deferred call of a process that is being ended. Close panics if it is called from within
// the simulation, where [Simulation.Stop] is meant, and with a *[ProcessPanic], after all have ended, if a process panics while it
// ends. A goroutine that is locked to its thread ([runtime.LockOSThread]) cannot end another by runtime.Goexit: there, Close panics
// with the name of a process that always recovers, after the others have ended, and leaves it for another Close.
func (s *Simulation) Close() {
	switch {
	case s.running:
		panic("sim: Close called from within the simulation; call Stop, and Close when Run has returned")
	case s.closing != nil:
		return // it is called by the process that is being ended
	}
	s.closed, s.cut = true, nil
	if s.inbox != nil {
		s.inbox.close()
	}
	done := false
	defer func() {
		if !done {
			s.closing = nil
			s.Close() // a process called runtime.Goexit, which goes on here when the others have ended
		}
	}()
	var left *Process
	for all := s.Live(); len(all) > 0; all = s.liveFrom(all[len(all)-1].number + 1) { // they may start others while they end
		for _, p := range all {
			if p.state == unborn {
				p.finish()
			} else if !s.unseat(p) && left == nil {
				left = p
			}
		}
	}
	s.dismiss(0)
	done = true
	if left != nil {
		panic("sim: process " + left.name + " recovers whenever Close ends it, and stays: the goroutine that closes is locked to " +
			"its thread, and cannot end it otherwise")
	}
	if s.failure != nil {
		s.surface()
	}
}

// unseat ends a process that has begun, and reports false if it cannot.
func (s *Simulation) unseat(p *Process) bool {
	s.closing, s.unwindings, s.credit = p, 0, mostLastSteps
	s.turn(p)
	if p.state != dead && !lockedToThread() {
		// It comes back only to be ended by runtime.Goexit, which goes on in the goroutine that gives it the turn.
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.turn(p)
		}()
		<-ended
	}
	s.closing = nil
	return p.state == dead
}

// unwind ends a process from within, which has been ended already and asks for something. What runs is the process that is being
// ended, even if it wants another to wait. It does not return.
func (s *Simulation) unwind() {
	s.unwindings++
	if s.unwindings == mostUnwindings {
		s.stand(&s.closing.at, s.at) // to a goroutine that may be lost
	}
	if s.unwindings >= mostUnwindings {
		runtime.Goexit()
	}
	panic(unwinding{})
}

// lockedToThread tells whether this goroutine is. A coroutine that was made by such a one cannot be given the turn by another. The
// runtime says so only in the first line of a stack's dump.
func lockedToThread() bool {
	dump := make([]byte, 256)
	header, _, _ := bytes.Cut(dump[:runtime.Stack(dump, false)], []byte("\n"))
	return bytes.Contains(header, []byte("locked to thread"))
}
