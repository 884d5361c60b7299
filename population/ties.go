package population

import (
	"slices"

	"github.com/almanac-sim/almanac/calendar"
)

// Ties. Fixed durations let many clocks strike at the same instant, and the calendar has them in the order in which they were
// planned, of which nobody should have to know. They are put into an order that follows from the model alone:
//
//   - sources of immigration, in the order of the file, then individuals by their place (places.go) let their clocks strike;
//   - the contacts among that take effect after all of these, in the same order: one's own clock comes before what others do to one;
//   - what comes to be due at the same instant meanwhile waits for the next round, which goes the same way.
//
// Then come interventions, and then the row that is recorded.
//
// Whoever is called for a round has no event in the calendar until its turn. If something else happens to it before that, its
// clocks are planned anew, and it is no longer called.
type ties struct {
	called   []uint32
	turn     int // of those called, the next
	contacts []tiedContact
	done     int // of the contacts
}

type tiedContact struct {
	id   uint32
	do   *action
	luck luck
}

// busy tells whether somebody is still to have a turn.
func (t *ties) busy() bool { return t.turn < len(t.called) || t.done < len(t.contacts) }

// call begins a round with all who are due at an instant.
func (r *replica) call(first calendar.ID, at float64) {
	t := &r.ties
	t.called, t.turn = append(t.called[:0], uint32(first)), 0
	for {
		id, _, ok := r.queue.NextBy(at)
		if !ok {
			break
		}
		t.called = append(t.called, uint32(id))
	}
	if !slices.IsSorted(t.called) {
		slices.Sort(t.called)
	}
	for _, id := range t.called {
		if id >= r.first {
			r.person(id).called = true
		}
	}
}

// nextCalled is the next of a round whose clock strikes, if there is one left. The contacts of the round come behind all clocks.
func (r *replica) nextCalled() (uint32, bool) {
	t := &r.ties
	for t.turn < len(t.called) {
		id := t.called[t.turn]
		t.turn++
		if id < r.first {
			return id, true
		}
		if p := r.person(id); p.called {
			p.called = false
			return id, true
		}
	}
	for t.done < len(t.contacts) {
		c := t.contacts[t.done]
		t.done++
		if r.person(c.id).state != nobody { // unless another contact took it away
			r.contact(c.id, c.do, c.luck)
		}
		if r.watch.on && t.done < len(t.contacts) {
			return 0, false // what waits for this comes before the next
		}
	}
	t.called, t.turn, t.contacts, t.done = t.called[:0], 0, t.contacts[:0], 0
	return 0, false
}
