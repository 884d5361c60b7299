package sim

// A timeout is a signal that is triggered at a time. It is among what is pending from when it is made until the last who waits for it
// has left, and again while somebody waits. Meanwhile the clock tells whether it has happened.
type timeout struct {
	Signal
	event  Event // its time, while it is pending
	time   float64
	number uint64 // when it was made, which decides what came first if it was not pending at its time
	void   bool   // it was cancelled
}

// Timeout makes a signal that is triggered when d has passed. It panics if d is negative or not finite.
//
// When those who waited for it have left, because something else happened first, it is no longer among what is pending: a condition
// such as AnyOf(g, s.Timeout(1e9)) leaves nothing behind. It happens at its time all the same, and can be waited for again; then
// it comes behind what was scheduled for the same time until then. [Signal.Cancel] takes it back for good.
func (s *Simulation) Timeout(d float64) *Signal {
	s.checkTime(s.now+d, "Timeout", d)
	t := &timeout{Signal: Signal{s: s, name: "timeout"}, time: s.now + d, number: s.number()}
	t.waiters.of = t
	t.begin()
	return &t.Signal
}

func (t *timeout) begin() { t.event = t.s.add(t.time, t.trigger, once, nil) }

// forsake is called when nobody waits any more.
func (t *timeout) forsake() { t.event.Cancel() }

// passed tells whether its time has come while it was not pending.
func (t *timeout) passed() bool { return t.s.now >= t.time && !t.void && !t.event.Pending() }

// forgo takes those timeouts out of what is pending that nobody waits for, in a condition that has happened.
func forgo(w Waitable) {
	switch w := w.(type) {
	case *Condition:
		for _, one := range w.of {
			forgo(one)
		}
	case *Signal:
		if t := w.timeout(); t != nil && w.waiters.first == nil {
			t.forsake()
		}
	}
}

// Cancel takes the time of a [Simulation.Timeout] back: it does not happen, unless somebody triggers it. It reports false if it has
// happened already, was cancelled before, or is a signal without a time.
func (g *Signal) Cancel() bool {
	t := g.timeout()
	if t == nil || t.void || g.Happened() {
		return false
	}
	t.void = true
	t.event.Cancel()
	return true
}

// timeout is that which the signal is part of, or nil.
func (g *Signal) timeout() *timeout {
	if g.waiters.of == nil {
		return nil
	}
	return g.waiters.of.(*timeout)
}
