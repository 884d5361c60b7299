package sim

import "math"

// maxTime is the last time there is.
const maxTime = math.MaxFloat64

// An Option adjusts a new [Simulation].
type Option func(*Simulation)

// Seed chooses the random numbers of the simulation. It is 0 unless told.
func Seed(seed uint64) Option { return func(s *Simulation) { s.seed = seed } }

// StartAt sets the clock's first value, which is 0 unless told. The time must be finite.
func StartAt(t float64) Option {
	if math.IsNaN(t) || math.IsInf(t, 0) {
		panic("sim: StartAt needs a finite time")
	}
	return func(s *Simulation) { s.now = t + 0 } // minus zero becomes zero
}

// Name gives the simulation a name, for reports.
func Name(name string) Option { return func(s *Simulation) { s.name = name } }

// TraceTo has a function called for everything that happens. See [TextTrace], [JSONTrace] and [LogTrace] for such functions. The
// function must not change anything in the simulation.
func TraceTo(f func(Record)) Option {
	return func(s *Simulation) { s.trace, s.labels = f, map[uint32]string{} }
}

// An EventOption adjusts an event, or the start of a process.
type EventOption struct {
	priority int
	name     string
	named    bool
}

// Priority decides among events that are due at the same time: the smaller goes first. It is 0 unless told. Of a process, all
// turns have the priority that it was started with.
func Priority(p int) EventOption { return EventOption{priority: p} }

// Named gives an event a name, which a trace shows. Without it, a trace shows the name of the event's function.
func Named(name string) EventOption { return EventOption{name: name, named: true} }

// priorityOf is what a list of options says about priority.
func priorityOf(opts []EventOption) int {
	priority := 0
	for i := range opts {
		if !opts[i].named {
			priority = opts[i].priority
		}
	}
	return priority
}
