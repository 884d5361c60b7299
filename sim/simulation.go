package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/sim/trace"
)

// Simulation is a clock and the events that are still to happen: function calls at a time, and
// turns of processes.
//
// Simultaneous events are ordered by priority, then by the order of scheduling; see the ordering
// guarantees in the documentation of the package.
//
// Scheduling, canceling and dispatching an event cost amortized constant time and allocate nothing
// once warm. A pending event takes about 80 bytes, 29 of them in a [calendar.Queue]. At an instant
// with priorities other than 0, each event costs O(log n) for n events due at it.
//
// The memory of past events is reused. The calendar gives back what a burst of events took; the
// other 50 bytes for each event that was pending at one time are kept as long as the simulation.
//
// A Simulation and everything that belongs to it must be used by one goroutine at a time. The
// goroutines of its processes take turns, so the code of a model needs no locks. Different
// simulations are independent and can run in parallel.
type Simulation struct {
	now       float64
	calendar  *calendar.Queue // what is due later, and what was due now when the clock came here
	due       due             // what was scheduled at this instant for this instant
	arrived   bool            // the calendar may still have events for this instant
	slots     []slot
	freeSlots []uint32 // slots without an event; the last one is used first
	ranked    int      // pending events of a priority other than 0
	count     uint64   // the last number: of handles, due entries and moments

	current    *Process   // the running process; nil while an event's function runs
	live       int        // processes begun or about to begin, and not ended; each has a slot
	idle       []*worker  // without a process
	co         *coroutine // where the dispatching goroutine is parked while processes run
	handed     uint32     // 1 + the slot of an event that a process took out for the dispatching goroutine; 0 if none
	relocateTo *coroutine // where a goroutine that has to move is parked next
	leaving    *worker    // by runtime.Goexit
	created    uint64     // processes so far
	failure    *PanicError
	closing    *Process // that Close is ending

	dispatched uint64
	limit      float64 // how far processes may advance the clock by themselves; −∞ outside Run
	credit     int     // events and steps until the next check of the context
	running    bool
	stopped    bool
	closed     bool

	seed        uint64
	streams     map[string]*rand.Rand // by name
	name        string
	trace       func(trace.Record)
	tracedNames tracedNames
	labels      map[uint32]string // names of events by slot, only while there is a trace
	speed       float64           // simulated time per second of the wall clock; 0 if not in real time
	inbox       *inbox            // calls of other goroutines, in real time
	lag         float64           // seconds that the last event was late
	requests    *request          // free list, by next
	firing      int               // nesting depth of notifying subscribers
	left        []*queue          // that a request has left, so that those behind may be granted
	leftServed  int               // of them
	clock       func() float64    // Now, for statistics
	registry    registry

	ctx        context.Context // of Run, during a run
	cutShort   *Process        // its turn was cut short because the context was done; it goes on first
	unwindings int             // panics so far of the process that Close is ending

	noWaitState    waitState    // shared by processes that need none; it stays empty
	freeWaitStates []*waitState // free list
}

// New returns a simulation without events. Its clock is at 0 unless [StartAt] says otherwise.
func New(opts ...Option) *Simulation {
	s := &Simulation{limit: math.Inf(-1), count: beginning}
	s.clock = s.Now
	for _, o := range opts {
		o.apply(s)
	}
	s.calendar = calendar.New(calendar.StartAt(s.now))
	return s
}

// maxTime is the largest time.
const maxTime = math.MaxFloat64

// An Option adjusts a new [Simulation].
type Option interface{ apply(*Simulation) }

type optionFunc func(*Simulation)

func (f optionFunc) apply(s *Simulation) { f(s) }

// Seed sets the seed of the random numbers. It is 0 by default.
func Seed(seed uint64) Option { return optionFunc(func(s *Simulation) { s.seed = seed }) }

// StartAt sets the first time of the clock, which is 0 by default. The time must be finite.
func StartAt(t float64) Option {
	if math.IsNaN(t) || math.IsInf(t, 0) {
		panic("sim: StartAt needs a finite time")
	}
	return optionFunc(func(s *Simulation) { s.now = t + 0 }) // minus zero becomes zero
}

// Name gives the simulation a name, for reports.
func Name(name string) Option { return optionFunc(func(s *Simulation) { s.name = name }) }

// TraceTo calls a function for everything that happens. [trace.Text], [trace.JSON] and [trace.Log]
// make such functions. The function must not change anything in the simulation.
func TraceTo(f func(trace.Record)) Option {
	return optionFunc(func(s *Simulation) { s.trace, s.labels = f, map[uint32]string{} })
}

// Now is the simulated time.
func (s *Simulation) Now() float64 { return s.now }

// Name is the name given by the option [Name].
func (s *Simulation) Name() string { return s.name }

// Seed is the seed of the random streams.
func (s *Simulation) Seed() uint64 { return s.seed }

// Events is the number of events dispatched so far: function calls and turns of processes.
func (s *Simulation) Events() uint64 { return s.dispatched }

// PendingEvents is the number of scheduled events: function calls and wake-ups of processes. A
// process that waits for something without a time limit is not counted; one whose turn was cut
// short because a context was done is.
func (s *Simulation) PendingEvents() int {
	n := s.calendar.Len() + s.due.live
	if s.cutShort != nil {
		n++
	}
	return n
}

// Peek returns when the next event is due, if there is one.
func (s *Simulation) Peek() (at float64, ok bool) {
	if s.due.live > 0 || s.cutShort != nil {
		return s.now, true
	}
	_, at, ok = s.calendar.Peek()
	return at, ok
}

// Stop makes Run return after the event that is being dispatched. The clock stays there, and the
// simulation can be run on. Outside a run it does nothing. It must be called from an event or a
// process; from another goroutine, cancel the context.
func (s *Simulation) Stop() {
	if s.running {
		s.stopped = true
		s.limit = math.Inf(-1)
	}
}

// WarmUp resets all statistics of the simulation at time t, so that they do not include the
// beginning of the run. It happens after everything else that is due at t.
func (s *Simulation) WarmUp(t float64) Event {
	return s.At(t, s.ResetStatistics, Priority(math.MaxInt), Named("warm-up"))
}

// ResetStatistics resets all statistics of the simulation now.
func (s *Simulation) ResetStatistics() { s.registry.reset() }

// number returns a number larger than those before, which orders what has happened.
func (s *Simulation) number() uint64 {
	s.count++
	return s.count
}

// checkTime panics unless an event can be scheduled for time t. NaN fails the comparison.
func (s *Simulation) checkTime(t float64, call string, argument float64) {
	if !(t >= s.now && t <= math.MaxFloat64) {
		s.refuseTime(t, call, argument)
	}
}

func (s *Simulation) refuseTime(t float64, call string, argument float64) {
	switch {
	case math.IsNaN(argument):
		panic(fmt.Sprintf("sim: %s(NaN): a time must be a number", call))
	case t < s.now && slices.Contains([]string{"At", "GoAt", "Reschedule", "WaitUntil"}, call):
		panic(fmt.Sprintf("sim: %s(%g) is before now, %g", call, argument, s.now))
	case t < s.now:
		panic(fmt.Sprintf("sim: %s(%g): a delay must not be negative", call, argument))
	default:
		panic(fmt.Sprintf("sim: %s(%g) at %g: a time must be finite", call, argument, s.now))
	}
}

// ErrIdle is returned by [Simulation.RunUntil] if no event is left, and what it waits for has not
// happened.
var ErrIdle = errors.New("sim: nothing is left to happen")

// batch is how many events pass between two checks of the context. What a process does without
// switching counts as well.
const batch = 256

// Run dispatches all events up to and including time until, also those that are scheduled
// meanwhile; then the clock is at until. If until is +∞, Run goes on until no event is left, and
// the clock is at the last one.
//
// It returns an error only if the context is done, which it checks every 256 events; a wait that is
// over at once, and a request, count as events here. Then, and after [Simulation.Stop], the clock
// is at the last event dispatched, and Run can be called again to go on from there, even in the
// middle of a process's turn: the events do not depend on where a run was cut. A function that
// loops forever without such a call cannot be stopped.
//
// It panics if until is before now or NaN, if it is called from within the simulation, and with a
// *[PanicError] if a process panics.
func (s *Simulation) Run(ctx context.Context, until float64) error {
	if !(until >= s.now) {
		panic(fmt.Sprintf("sim: Run until %g is before now, %g", until, s.now))
	}
	s.enter("Run")
	defer s.leave()
	idle, err := s.run(ctx, until)
	if idle && !math.IsInf(until, 1) {
		s.now = until + 0 // minus zero becomes zero
	}
	return err
}

// RunUntil dispatches events until w has happened, and returns nil right after the event that made
// it happen: the processes that wait for w have not had their turns yet. It returns [ErrIdle] if no
// event is left, the error of the context if that is done, and nil after [Simulation.Stop].
//
// To limit the time, wait for AnyOf(w, s.Timeout(d)). It panics as [Simulation.Run] does, and if w
// belongs to another simulation.
func (s *Simulation) RunUntil(ctx context.Context, w Waitable) error {
	s.checkOwn(w, "RunUntil")
	if w.requester() != nil {
		panic("sim: RunUntil " + w.label() + ": there is a request in it, for which only its process can wait")
	}
	if w.Happened() {
		cancelUnused(w)
		return nil
	}
	s.enter("RunUntil")
	defer s.leave()
	var sub subscription
	sub.who = s
	w.subscribe(&sub)
	defer sub.unsubscribe()
	idle, err := s.run(ctx, math.Inf(1))
	if idle && !w.Happened() {
		return ErrIdle
	}
	return err
}

// notify ends RunUntil.
func (s *Simulation) notify(*subscription) { s.Stop() }

// Step dispatches the next event, and reports false if there is none. It has no context, and
// returns when the event is over.
func (s *Simulation) Step() bool {
	s.enter("Step")
	defer func() {
		s.running, s.current = false, nil
		if s.live == 0 && s.PendingEvents() == 0 {
			s.stopIdle(0)
		}
	}()
	if s.cutShort != nil {
		s.proceed()
		return true
	}
	id, ok := s.next(math.Inf(1))
	if ok {
		s.dispatch(id)
	}
	return ok
}

// run dispatches events up to the limit, and reports whether none was left.
func (s *Simulation) run(ctx context.Context, limit float64) (idle bool, err error) {
	s.ctx = ctx
	if s.speed > 0 {
		return s.runReal(ctx, limit)
	}
	if s.trace == nil {
		s.limit = limit
	}
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		s.credit = batch
		if s.cutShort != nil {
			if s.proceed(); s.stopped {
				return false, nil
			}
		}
		for ; s.credit > 0; s.credit-- {
			id, ok := s.next(limit)
			if !ok {
				return true, nil
			}
			s.dispatch(id)
			if s.stopped {
				return false, nil
			}
		}
	}
}

// dispatch executes the event of a slot, which is no longer pending.
func (s *Simulation) dispatch(id uint32) {
	s.dispatched++
	sl := &s.slots[id]
	switch f := sl.f; sl.kind {
	case turn:
		s.resume(sl.p)
		return
	case once:
		if s.trace != nil {
			s.traceEvent(id)
		}
		*sl = slot{}
		s.freeSlots = append(s.freeSlots, id)
		f()
	case repeated:
		if s.trace != nil {
			s.traceEvent(id)
		}
		f()
	}
}

// countStep counts an operation that does not switch.
func (s *Simulation) countStep() {
	if s.credit--; s.credit <= 0 {
		s.checkContext()
	}
}

// checkContext checks the context in the middle of an event. If it is done, Run checks it after
// this event, and a process does not go on with its turn until the next run.
func (s *Simulation) checkContext() {
	if s.closing != nil {
		s.unwind()
	}
	s.credit = batch
	if s.ctx == nil || s.ctx.Err() == nil {
		return
	}
	s.credit = 0
	if p := s.current; p != nil {
		s.cutShort = p
		s.switchTo(&p.co, s.co)
		if s.closed {
			panic(unwinding{})
		}
	}
}

// proceed continues the process whose turn was cut short.
func (s *Simulation) proceed() {
	p := s.cutShort
	s.cutShort = nil
	s.resume(p)
}

// enter begins to dispatch.
func (s *Simulation) enter(call string) {
	switch {
	case s.closed:
		panic("sim: " + call + " of a closed simulation")
	case s.running && s.current != nil:
		panic("sim: " + call + " called from within process " + s.current.name + "; wait instead")
	case s.running:
		panic("sim: " + call + " called from within an event; schedule instead")
	}
	s.running, s.stopped = true, false
}

// leave ends a run, however it ended.
func (s *Simulation) leave() {
	s.running, s.current, s.ctx, s.limit = false, nil, nil, math.Inf(-1)
	if s.live == 0 {
		s.stopIdle(0)
	}
}

// unwinding is the value by which Close makes a process panic, so that its deferred calls run.
type unwinding struct{}

// String is for code that recovers from it and prints it.
func (unwinding) String() string { return "sim: the simulation is closed, and the process ends" }

const (
	// mostUnwindings is how many times one Close ends a process by a panic. The process may recover
	// from it and wait again, as deferred calls that wait do.
	mostUnwindings = 2000

	// mostLastSteps is how many calls that do not wait a process may make in its deferred calls,
	// such as TryRequest. After these, each one panics as a wait does.
	mostLastSteps = 1 << 18
)

// Close ends all processes that have not ended, in the order in which they were started: their
// waits do not return, and their deferred calls run. No goroutine of the simulation is left
// afterwards. The statistics of a closed simulation can still be read, and closing does not change
// them, but it cannot be run.
//
// A process is ended by a panic of its wait. If it recovers and waits again, that wait panics too.
// Go has no other way to end a goroutine from outside. So after 2,000 panics Close gives up: it
// leaves the process and its goroutine suspended, ends all others, and panics with the name of the
// process. Another Close tries again. To avoid this, a process that recovers should panic again
// with values that it does not know. Close does not return while a process runs forever without a
// call to the simulation, or blocks outside it.
//
// Closing again does nothing if all processes have ended, also in a deferred call of a process that
// is being ended. Close panics if it is called from within the simulation, where [Simulation.Stop]
// is meant, and with a *[PanicError], after all have ended, if a process panics while it ends.
func (s *Simulation) Close() {
	switch {
	case s.running:
		panic("sim: Close called from within the simulation; call Stop, and Close when Run has returned")
	case s.closing != nil:
		return // it is called by the process that is being ended
	}
	s.closed, s.cutShort = true, nil
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
	// they may start others while they end
	for all := s.Live(); len(all) > 0; all = s.liveFrom(all[len(all)-1].number + 1) {
		for _, p := range all {
			if p.state == notStarted {
				p.finish()
				continue
			}
			s.closing, s.unwindings, s.credit = p, 0, mostLastSteps
			s.turn(p)
			s.closing = nil
			if p.state != ended && stubborn == nil {
				stubborn = p
			}
		}
	}
	s.stopIdle(0)
	done = true
	if stubborn != nil {
		panic(fmt.Sprintf("sim: Close cannot end process %s: it recovered from %d panics that were to end it, and "+
			"waited again",
			stubborn.name, mostUnwindings))
	}
	if s.failure != nil {
		s.rethrow()
	}
}

// unwind panics in a process that Close is ending and that calls the simulation again. After too
// many panics it switches to Close first, which leaves the process suspended. The caller is the
// process that is being ended, even if the call is for another one.
func (s *Simulation) unwind() {
	if s.unwindings++; s.unwindings >= mostUnwindings {
		s.switchTo(&s.closing.co, s.co)
	}
	panic(unwinding{})
}
