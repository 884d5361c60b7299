package sim

import "fmt"

// unwinding is what a process panics with when the simulation is closed, so that its deferred calls run.
type unwinding struct{}

// String is for those who recover from it and print it.
func (unwinding) String() string { return "sim: the simulation is closed, and the process ends" }

const (
	// mostUnwindings is how many times one Close ends a process by a panic. The process may recover from
	// it and wait again, as deferred calls that wait do.
	mostUnwindings = 2000

	// mostLastSteps is how many calls that do not wait a process may make in its deferred calls, such as
	// TryRequest. After these, each one panics as a wait does.
	mostLastSteps = 1 << 18
)

// Close ends all processes that have not ended, in the order in which they were started: their waits do not return, and their
// deferred calls run. No goroutine of the simulation is left afterwards. A closed simulation can still be asked for its
// statistics, which closing does not change, but not be run: what is scheduled on it never happens.
//
// A process is ended by a panic of its wait. If it recovers and waits again, that wait panics too.
// Go has no other way to end a goroutine from outside. So after 2,000 panics Close gives up: it
// leaves the process and its goroutine suspended, ends all others, and panics with the name of the
// process. Another Close tries again. To avoid this, a process that recovers should panic again with
// values that it does not know. Close does not return while a process runs for ever without a call
// to the simulation, or blocks outside it.
//
// Closing again does nothing if all processes have ended, also in a deferred call of a process that
// is being ended. Close panics if it is called from within the simulation, where [Simulation.Stop]
// is meant, and with a *[ProcessPanic], after all have ended, if a process panics while it ends.
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
	var stubborn *Process
	for all := s.Live(); len(all) > 0; all = s.liveFrom(all[len(all)-1].number + 1) { // they may start others while they end
		for _, p := range all {
			if p.state == unborn {
				p.finish()
				continue
			}
			s.closing, s.unwindings, s.credit = p, 0, mostLastSteps
			s.turn(p)
			s.closing = nil
			if p.state != dead && stubborn == nil {
				stubborn = p
			}
		}
	}
	s.dismiss(0)
	done = true
	if stubborn != nil {
		panic(fmt.Sprintf("sim: Close cannot end process %s: it recovered from %d panics that were to end it, and waited again",
			stubborn.name, mostUnwindings))
	}
	if s.failure != nil {
		s.surface()
	}
}

// unwind panics in a process that Close is ending and that calls the simulation again. After too many
// panics it returns to Close first, which leaves the process suspended. The caller is the process
// that is being ended, even if it wants another one to wait.
func (s *Simulation) unwind() {
	if s.unwindings++; s.unwindings >= mostUnwindings {
		s.stand(&s.closing.at, s.at)
	}
	panic(unwinding{})
}
