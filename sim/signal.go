package sim

// A Waitable is something that happens once, and that processes can wait for: a [Signal], a [SignalOf], the end of a [Process], the
// [Outcome] of one, a [Request], or a [Condition] made of others.
type Waitable interface {
	// Happened tells whether it has happened.
	Happened() bool

	// moment is when it happened, and not valid before.
	moment() moment
	// subscribe has the subscriber notified, once, when it happens. It must not have happened yet. If it is a request, it may
	// happen in the call.
	subscribe(sub *subscription)
	// asker is itself, if there is a request in it, and else nil.
	asker() asker
	// owner is the simulation that it belongs to.
	owner() *Simulation
	// label says what it is, in a trace.
	label() string
}

// A moment tells what came first: the time, and of what happened at the same time, the number.
type moment struct {
	time   float64
	number uint64 // 0 if it is none
}

// beginning is the number of what has happened from the beginning.
const beginning = 1

func (m moment) valid() bool { return m.number != 0 }

func (m moment) before(other moment) bool {
	return m.time < other.time || m.time == other.time && m.number < other.number
}

// happening is the moment of something that happens now.
func (s *Simulation) happening() moment { return moment{s.now, s.number()} }

// A Signal is something that happens when it is triggered, once and for all. It may carry a value.
//
// Those who wait for it wake at the instant of triggering, as events of their own, in the order in which they began to wait.
// A signal takes 80 bytes; waiting for it allocates nothing.
type Signal struct {
	s       *Simulation
	name    string
	value   any
	as      moment
	waiters subscribers
}

// Signal makes a signal. The name is for traces.
func (s *Simulation) Signal(name string) *Signal { return &Signal{s: s, name: name} }

// Trigger makes the signal happen. It panics if that was done before; see TryTrigger.
func (g *Signal) Trigger() { g.TriggerWith(nil) }

// TriggerWith makes the signal happen, with a value for those who wait. It panics if that was done before.
func (g *Signal) TriggerWith(value any) {
	if g.Happened() {
		g.refuseAgain()
	}
	g.value = value
	g.trigger()
}

func (g *Signal) refuseAgain() {
	panic("sim: signal " + g.name + " was triggered before; use TryTrigger, or a new signal for each occasion")
}

// TryTrigger makes the signal happen, or reports false if that was done before.
func (g *Signal) TryTrigger() bool {
	if g.Happened() {
		return false
	}
	g.trigger()
	return true
}

func (g *Signal) trigger() {
	if t := g.timeout(); t != nil {
		t.event.Cancel() // somebody may be faster than the time
	}
	g.as = g.s.happening()
	if g.s.trace != nil {
		g.s.record(Record{Kind: TraceTrigger, Who: g.s.who(), What: g.name})
	}
	g.waiters.fire(g.s)
}

// Name is what the signal was called when it was made.
func (g *Signal) Name() string { return g.name }

// Happened tells whether the signal was triggered.
func (g *Signal) Happened() bool { return g.moment().valid() }

// Value is what the signal was triggered with, and nil before.
func (g *Signal) Value() any { return g.value }

// Waiting is how many wait for the signal: processes, conditions that are waited for, and runs.
func (g *Signal) Waiting() int { return g.waiters.count() }

func (g *Signal) moment() moment {
	if t := g.timeout(); t != nil && !g.as.valid() && t.passed() {
		return moment{t.time, t.number}
	}
	return g.as
}

func (g *Signal) subscribe(sub *subscription) {
	if t := g.timeout(); t != nil && !t.void && !t.event.Pending() {
		t.begin() // somebody has waited before, and left
	}
	g.waiters.add(sub)
}

func (g *Signal) asker() asker       { return nil }
func (g *Signal) owner() *Simulation { return g.s }
func (g *Signal) label() string      { return g.name }
