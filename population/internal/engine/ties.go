package engine

import (
	"context"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// Ties. Fixed durations let many clocks strike at the same instant, and the calendar has them in the order in which they were
// planned, of which nobody should have to know. They are put into an order that follows from the model alone:
//
//   - sources of immigration, in the order of the file, then individuals by their place (places.go) let their clocks strike;
//   - the contacts among that take effect after all of these, in the same order: one's own clock comes before what others do to one, and
//     whoever was made another by one of these contacts is not changed by one of its own;
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
	id    uint32
	state uint16 // of the maker, when its clock struck
	do    *program.Action
	luck  luck
}

// busy tells whether there is a round under way.
func (t *ties) busy() bool { return len(t.called) > 0 }

// call begins a round with all who are due now, of whom one has been taken from the calendar. It reports false if there is no other.
func (r *Run) call(first uint32) bool {
	t := &r.ties
	for {
		id, ok := r.nextTied()
		if !ok {
			break
		}
		if len(t.called) == 0 {
			t.called = append(t.called, first)
		}
		if len(t.called) == cap(t.called) { // by twice as much, so that less is left behind
			t.called = slices.Grow(t.called, len(t.called))
		}
		t.called = append(t.called, id)
	}
	if len(t.called) == 0 {
		return false
	}
	if !slices.IsSorted(t.called) {
		slices.Sort(t.called)
	}
	for _, id := range t.called {
		if id >= r.first {
			r.person(id).mark(isCalled)
		}
	}
	return true
}

// nextTied takes another event that is due now.
func (r *Run) nextTied() (uint32, bool) {
	if r.win != nil {
		id, _, ok := r.nextNear(r.Now)
		return id, ok
	}
	id, _, ok := r.Queue.NextBy(r.Now)
	return uint32(id), ok
}

// later puts a contact of a round off until all clocks of the round have struck.
//
//go:noinline
func (r *Run) later(id uint32, state uint16, do *program.Action, l luck) {
	r.ties.contacts = append(r.ties.contacts, tiedContact{id, state, do, l})
}

// nextCalled is the next of a round whose clock strikes, if there is one left.
func (r *Run) nextCalled() (uint32, bool) {
	t := &r.ties
	for t.turn < len(t.called) {
		id := t.called[t.turn]
		t.turn++
		if id < r.first {
			return id, true
		}
		if p := r.person(id); p.is(isCalled) {
			p.unmark(isCalled)
			return id, true
		}
	}
	return 0, false
}

// meetCalled lets the contacts of a round take effect, and ends it.
func (r *Run) meetCalled(ctx context.Context) error {
	t := &r.ties
	for t.done < len(t.contacts) {
		c := t.contacts[t.done]
		t.done++
		if r.person(c.id).state == program.Nobody { // another contact took it away
			continue
		}
		r.contact(c.id, c.state, c.do, c.luck)
		if r.broke != nil {
			return r.broke
		}
		if r.watch.on { // what waits for this comes before the next
			if err := r.Settle(ctx); err != nil {
				return err
			}
		}
	}
	t.called, t.turn, t.contacts, t.done = t.called[:0], 0, t.contacts[:0], 0
	return nil
}
