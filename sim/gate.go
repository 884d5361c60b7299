package sim

import (
	"errors"
	"slices"
)

// ErrClosed is returned by [Gate.Visit] outside the opening hours.
var ErrClosed = errors.New("sim: closed")

// A Gate has opening hours: visitors who come outside of them are turned away. Visitors who are
// inside when it closes stay until they are done.
//
//	shop := sim.NewGate(s, "shop", sim.Daily{Shifts: []sim.Shift{{From: 9, To: 17, Units: 1}}})
//	err := shop.Visit(p, func() error { return desk.Work(p, 1, service()) })
//
// A request that is waiting when the gate closes is still served, unless it is made with
// Until(shop.Closing()): then it leaves the queue at closing time, with [ErrWithdrawn]. A timetable
// with [UntilEmpty] keeps the servers until the last visitor has left.
//
// At its closing time it is closed, whatever else happens at that instant.
type Gate struct {
	s        *Simulation
	name     string
	hours    Timetable
	inside   TimeWeighted
	overtime Tally
	refused  occurrences // visitors turned away
	opening  *Signal
	closing  *Signal
	waiting  []*schedule // of resources, until the last has left
	since    float64     // when it was closed
	open     bool        // when it was last looked at, since an event at the time of closing may come before
	late     bool        // a visitor has been inside since it closed
}

// NewGate returns a gate that is open when the timetable has units, however many. There is one
// pending event, for the next change. It panics if the timetable is invalid. The name is for the
// report, as that of a resource.
func NewGate(s *Simulation, name string, hours Timetable) *Gate {
	d := &Gate{s: s, name: orElse(name, "a gate"), hours: compiled(hours), inside: s.timeWeighted(0), since: s.now}
	d.opening, d.closing = s.Signal(d.name+" opens"), s.Signal(d.name+" closes")
	register(s, name, d)
	next := func() (float64, bool) {
		_, until := d.hours.At(s.now)
		return until, until <= maxTime
	}
	if until, ok := next(); ok {
		s.recur(until, next, d.change, []EventOption{Named("hours of " + d.name)})
	}
	d.open = d.Open()
	return d
}

func (d *Gate) statistics(f func(string, resetter)) {
	f("inside", &d.inside)
	f("overtime", &d.overtime)
	f("turned away", &d.refused)
}

// change opens or closes the gate. A change between two positive numbers of units makes no
// difference.
func (d *Gate) change() {
	s, was := d.s, d.open
	if d.open = d.Open(); d.open == was {
		return
	}
	if d.open {
		d.overtimeEnds()
		g := d.opening
		d.opening = s.Signal(d.name + " opens")
		g.Trigger()
		return
	}
	d.since, d.late = s.now, true
	if d.inside.Value() == 0 {
		d.overtimeEnds()
	}
	g := d.closing
	d.closing = s.Signal(d.name + " closes")
	g.Trigger()
}

// overtimeEnds records how long visitors were inside after closing.
func (d *Gate) overtimeEnds() {
	if d.late {
		d.late = false
		d.overtime.Add(d.s.now - d.since)
	}
}

// Open reports whether the gate is open.
func (d *Gate) Open() bool {
	units, _ := d.hours.At(d.s.now)
	return units > 0
}

// Opening is the signal that the gate opens the next time. After that it is a new one.
func (d *Gate) Opening() *Signal { return d.opening }

// Closing is the signal that the gate closes the next time. After that it is a new one.
func (d *Gate) Closing() *Signal { return d.closing }

// Visit calls f while the process is inside, and returns the error of f, or [ErrClosed] if the gate
// is closed.
func (d *Gate) Visit(p *Process, f func() error) error {
	d.s.checkTurn(p, "Visit")
	if !d.Enter() {
		return ErrClosed
	}
	defer d.Leave()
	return f()
}

// Enter lets a visitor in, who must Leave later. It reports false if the gate is closed. It is for
// models of events; processes use Visit.
func (d *Gate) Enter() bool {
	if !d.Open() {
		d.refused.n++
		return false
	}
	d.inside.Add(1)
	return true
}

// Leave lets a visitor out.
func (d *Gate) Leave() {
	if d.s.closed {
		return
	}
	if d.inside.Value() < 1 {
		panic("sim: Leave of " + d.name + ": no visitor is inside")
	}
	d.inside.Add(-1)
	if d.inside.Value() > 0 {
		return
	}
	d.overtimeEnds()
	for len(d.waiting) > 0 {
		sc := d.waiting[0]
		d.waiting = slices.Delete(d.waiting, 0, 1)
		if sc.gate == d && (sc.last || sc.event.Pending()) { // else there is another timetable, or none
			sc.apply()
		}
	}
}

// keepsOpen reports whether a shift is not to end yet, because the gate is closed and visitors are
// inside. Then it is checked again when the last one has left.
func (d *Gate) keepsOpen(sc *schedule) bool {
	if d.inside.Value() == 0 || d.Open() {
		return false
	}
	if !slices.Contains(d.waiting, sc) {
		d.waiting = append(d.waiting, sc)
	}
	return true
}

// UntilEmpty delays the end of shifts that end while the gate is closed, until the last visitor has
// left, or until the timetable has more units again.
func UntilEmpty(gate *Gate) ShiftOption {
	if gate == nil {
		panic("sim: UntilEmpty needs a gate, not nil")
	}
	return untilEmpty{gate}
}

type untilEmpty struct{ gate *Gate }

func (o untilEmpty) adjust(sc *schedule) { sc.gate = o.gate }

// Inside is the number of visitors inside, over time.
func (d *Gate) Inside() *TimeWeighted { return &d.inside }

// Overtime is how long after closing the last visitor left, one observation for each closing. It
// ends when the gate opens again.
func (d *Gate) Overtime() *Tally { return &d.overtime }

// TurnedAway counts the visitors who came while it was closed.
func (d *Gate) TurnedAway() int { return int(d.refused.n) }

// Name is the name that the gate was made with, or "a gate".
func (d *Gate) Name() string { return d.name }
