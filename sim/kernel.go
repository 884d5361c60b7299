package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/almanac-sim/almanac/calendar"
)

// Simulation is a clock and what is still to happen: events, which are function calls at a time, and processes, which are
// functions that wait.
//
// Simultaneous events happen in the order of their priority, then in the order in which they were scheduled; see the
// section on ordering guarantees in the documentation of the package.
//
// Scheduling, cancelling and dispatching an event cost amortised constant time and allocate nothing once warm; a pending
// event takes about 80 bytes, 29 of them in a [calendar.Queue]. An instant at which priorities other than 0 meet costs the
// logarithm of the number of events due at it, for each.
//
// Memory of events that have happened is used again for others. The calendar gives back what a
// burst of events took; the other 50 bytes for each event that was pending at one time are kept as
// long as the simulation.
//
// A Simulation and all that belongs to it must be used by one goroutine at a time. The goroutines of its processes
// take turns, so that the code of a model needs no locks. Different simulations are independent of each other: run as many
// at once as there are processors.
type Simulation struct {
	now      float64
	calendar *calendar.Queue // what is due later, and what was due now when the clock came here
	due      due             // what was scheduled at this instant for this instant
	arrived  bool            // the calendar may still have events for this instant
	slots    []slot
	vacant   []uint32 // slots without an event; the last one is used first
	ranked   int      // pending events of a priority other than 0
	count    uint64   // numbers handed out, to handles, to entries among what is due, and to what has happened

	current *Process  // whose turn it is; nil while an event's function runs
	live    int       // processes begun or about to begin, and not ended; each has a slot
	idle    []*worker // that have no process
	at      *seat     // where the goroutine that dispatches stands, while processes have their turns
	handed  uint32    // the slot, and 1, of an event that a process found due, for the goroutine that dispatches; 0 if there is none
	relay   *seat     // where to go for who is told to make way
	leaving *worker   // by runtime.Goexit
	born    uint64    // processes so far
	failure *ProcessPanic
	closing *Process // which is being ended by Close

	dispatched uint64
	limit      float64 // how far the clock may go on without giving the turn back; −∞ unless Run is under way
	credit     int     // events, and what processes do without giving the turn back, until the context is looked at
	running    bool
	stopped    bool
	closed     bool

	seed       uint64
	streams    map[string]*rand.Rand // by name
	name       string
	trace      func(Record)
	labels     map[uint32]string // names of events by slot, only while there is a trace
	speed      float64           // simulated time per second of the wall's; 0 if it does not matter
	inbox      *inbox            // from other goroutines, if it is tied to the wall's clock
	lag        float64           // by how many seconds the wall's clock was ahead, when it was looked at last
	requests   *request          // those that are free, by their next
	firing     int               // how deep in telling who waits that something has happened
	left       []*line           // which somebody has left, and those behind may be served
	leftServed int               // of them
	clock      func() float64    // Now, for levels
	registry   registry

	ctx        context.Context // of Run, while it is under way
	cut        *Process        // whose turn was cut short because the context was done; it goes on before all else
	unwindings int             // of the process that is being ended, which asks for something again and again

	nothing extra    // of processes that need none; it stays empty
	extras  []*extra // of processes that have ended, for others
}

// New returns a simulation in which nothing is going to happen yet. Its clock stands at 0 unless [StartAt] says otherwise.
func New(opts ...Option) *Simulation {
	s := &Simulation{limit: math.Inf(-1), count: beginning}
	s.clock = s.Now
	for _, o := range opts {
		o(s)
	}
	s.calendar = calendar.New(calendar.StartAt(s.now))
	return s
}

// Now is the simulated time.
func (s *Simulation) Now() float64 { return s.now }

// Name is what [Name] called the simulation.
func (s *Simulation) Name() string { return s.name }

// Seed is the number that the simulation's random streams come from.
func (s *Simulation) Seed() uint64 { return s.seed }

// Events is how many events have been dispatched so far: calls of functions, and turns of processes.
func (s *Simulation) Events() uint64 { return s.dispatched }

// Pending is how many events are scheduled: calls of functions, and wake-ups of processes. A process that waits for
// something without a limit of time is not among them; one whose turn was cut short because a context was done is.
func (s *Simulation) Pending() int {
	n := s.calendar.Len() + s.due.live
	if s.cut != nil {
		n++
	}
	return n
}

// Peek tells when the next event is due, if there is one.
func (s *Simulation) Peek() (at float64, ok bool) {
	if s.due.live > 0 || s.cut != nil {
		return s.now, true
	}
	_, at, ok = s.calendar.Peek()
	return at, ok
}

// Stop makes Run return after the event that is being dispatched. The clock stays where it is, and the simulation can be run
// on. Without a run under way it does nothing. It must be called from an event or a process; from another goroutine, cancel
// the context.
func (s *Simulation) Stop() {
	if s.running {
		s.stopped = true
		s.limit = math.Inf(-1)
	}
}

// WarmUp resets all statistics that are registered with the simulation at time t, so that they tell nothing of how it began.
// It happens after all else that is due at t.
func (s *Simulation) WarmUp(t float64) Event {
	return s.At(t, s.ResetStatistics, Priority(math.MaxInt), Named("warm-up"))
}

// ResetStatistics makes all statistics that are registered with the simulation begin anew, now.
func (s *Simulation) ResetStatistics() { s.registry.reset() }

// number is larger than those before, so that it can be told what came first.
func (s *Simulation) number() uint64 {
	s.count++
	return s.count
}

// checkTime panics unless something can be scheduled for time t. NaN fails the comparison.
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
