package sim

import (
	"errors"
	"slices"
)

// ErrClosed is what [Gate.Visit] returns to who comes outside the opening hours.
var ErrClosed = errors.New("sim: closed")

// A Gate has opening hours: who comes outside of them is turned away. Those who are inside when it
// closes stay until they are done; the last of them may leave long after.
//
//	door := sim.NewGate(s, "bank", sim.Daily{Shifts: []sim.Shift{{From: 9, To: 17, Units: 1}}})
//	err := door.Visit(p, func() error { return desk.Work(p, 1, service()) })
//
// Who is in line when the door closes is served to the end, unless the request is for the opening
// hours only: one with Until(door.Closing()) leaves the line when it closes, with [ErrWithdrawn].
// Those who serve stay as long, if their timetable says [UntilEmpty].
//
// At the very time at which it closes it is closed, whatever else happens at that instant.
type Gate struct {
	s        *Simulation
	name     string
	hours    Timetable
	inside   TimeWeighted
	overtime Tally
	refused  occurrences // who came in vain
	opening  *Signal
	closing  *Signal
	waiting  []*schedule // of resources, until the last has left
	since    float64     // when it was closed
	open     bool        // when it was last looked at, since an event at the time of closing may come before
	late     bool        // somebody has been inside since it was closed
}

// NewGate makes a door with opening hours: it is open when the timetable has units, however many.
// It is an event at each change, of which one is pending. It panics if there is something wrong
// with the timetable. The name is for the report, as that of a resource.
func NewGate(s *Simulation, name string, hours Timetable) *Gate {
	d := &Gate{s: s, name: orElse(name, "a door"), hours: compiled(hours), inside: s.timeWeighted(0), since: s.now}
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

// change is when it opens or closes, or has other units, which makes no difference.
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

// overtimeEnds notes how long somebody was inside after closing.
func (d *Gate) overtimeEnds() {
	if d.late {
		d.late = false
		d.overtime.Add(d.s.now - d.since)
	}
}

// Open reports whether it is open.
func (d *Gate) Open() bool {
	units, _ := d.hours.At(d.s.now)
	return units > 0
}

// Opening happens when the door opens the next time, and Closing when it closes the next time. They
// are other ones after that.
func (d *Gate) Opening() *Signal { return d.opening }

// Closing happens when the door closes the next time.
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

// Enter lets somebody in, who has to Leave, and reports false if the door is closed. It is for
// models by events; processes Visit.
func (d *Gate) Enter() bool {
	if !d.Open() {
		d.refused.n++
		return false
	}
	d.inside.Add(1)
	return true
}

// Leave lets somebody out who was let in.
func (d *Gate) Leave() {
	if d.s.closed {
		return
	}
	if d.inside.Value() < 1 {
		panic("sim: somebody leaves by the door " + d.name + " who is not inside")
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

// keepsOpen reports whether a shift is not to end yet, because the door is closed and somebody is
// inside. Then it is looked at again when the last has left.
func (d *Gate) keepsOpen(sc *schedule) bool {
	if d.inside.Value() == 0 || d.Open() {
		return false
	}
	if !slices.Contains(d.waiting, sc) {
		d.waiting = append(d.waiting, sc)
	}
	return true
}

// UntilEmpty puts the end of shifts off that end when the door is closed: who serves stays until
// the last of those inside has left, or until the timetable has more units again.
func UntilEmpty(door *Gate) ShiftOption {
	if door == nil {
		panic("sim: UntilEmpty needs a door, not nil")
	}
	return untilEmpty{door}
}

type untilEmpty struct{ gate *Gate }

func (o untilEmpty) adjust(sc *schedule) { sc.gate = o.gate }

// Inside is how many are inside, over time.
func (d *Gate) Inside() *TimeWeighted { return &d.inside }

// Overtime is how long after closing the last who was inside left, one for each closing. It ends
// when the door opens again.
func (d *Gate) Overtime() *Tally { return &d.overtime }

// TurnedAway is how many came in vain.
func (d *Gate) TurnedAway() int { return int(d.refused.n) }

// Name is what the door was called when it was made, or "a door".
func (d *Gate) Name() string { return d.name }
