package sim

// serving is what resources, stores and containers have in common: those who asked them for something.
type serving struct {
	s       *Simulation
	name    string
	waits   Tally
	refused counters
}

func (v *serving) counts() *counters { return &v.refused }

// Name is what it was called when it was made, or what it is, such as "a store".
func (v *serving) Name() string { return v.name }

// Waits is how long those waited who got something, those who did not have to among them.
func (v *serving) Waits() *Tally { return &v.waits }

// Balked is how many requests were given up because the line was too long.
func (v *serving) Balked() int { return v.refused.balked }

// Reneged is how many requests were given up because their patience ran out.
func (v *serving) Reneged() int { return v.refused.reneged }

// Withdrawn is how many requests were given up because something else happened first: what they were to last until ([Until]),
// another part of the condition ([AnyOf]), or [Ticket.Cancel].
func (v *serving) Withdrawn() int { return v.refused.withdrawn }

// counters are of requests that did not go well.
type counters struct{ balked, reneged, preempted, withdrawn, stopped int }

// Reset makes them 0.
func (c *counters) Reset() { *c = counters{} }

// An exchange is what stores and containers have in common: a line of those who take something out, and one of those who put something in.
type exchange struct {
	serving
	getters  line
	putters  line
	contents Level
}

func (x *exchange) init(s *Simulation, name string, initial float64, of server) {
	x.s, x.name, x.contents = s, name, s.level(initial)
	x.getters, x.putters = newLine(s, name, of), newLine(s, name, of)
}

func (x *exchange) statistics(f func(string, resetter)) {
	f("contents", &x.contents)
	f("getters", &x.getters.queue)
	f("putters", &x.putters.queue)
	f("wait", &x.waits)
	f("", &x.refused)
}

// Getting is how many wait to take something out.
func (x *exchange) Getting() int { return x.getters.length }

// Putting is how many wait to put something in.
func (x *exchange) Putting() int { return x.putters.length }

// Getters is how many wait to take something out, over time.
func (x *exchange) Getters() *Level { return &x.getters.queue }

// Putters is how many wait to put something in, over time.
func (x *exchange) Putters() *Level { return &x.putters.queue }

// Keep makes it keep its past from now on, as [Simulation.Keep] does for all: the courses of what is in it, of Getters and of Putters, and the
// observations of Waits.
func (x *exchange) Keep(k Keeping) { keepAll(x, k, x.s.clock) }
