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
	ids      []uint32
	next     int // of those called, the next
	contacts []tiedContact
	resolved int // of the contacts
}

type tiedContact struct {
	id    uint32
	state uint16 // of the maker, when its clock struck
	do    *program.Action
	luck  contactSeed
}

// busy tells whether there is a round under way.
func (t *ties) busy() bool { return len(t.ids) > 0 }

// beginTies begins a round with all who are due now, of whom one has been taken from the calendar. It reports false if there is no other.
func (r *Run) beginTies(first uint32) bool {
	t := &r.ties
	for {
		id, ok := r.nextTied()
		if !ok {
			break
		}
		if len(t.ids) == 0 {
			t.ids = append(t.ids, first)
		}
		if len(t.ids) == cap(t.ids) { // by twice as much, so that less is left behind
			t.ids = slices.Grow(t.ids, len(t.ids))
		}
		t.ids = append(t.ids, id)
	}
	if len(t.ids) == 0 {
		return false
	}
	if !slices.IsSorted(t.ids) {
		slices.Sort(t.ids)
	}
	for _, id := range t.ids {
		if id >= r.firstID {
			r.status(id).mark(isTied)
		}
	}
	return true
}

// nextTied takes another event that is due now.
func (r *Run) nextTied() (uint32, bool) {
	if r.windows != nil {
		id, _, ok := r.nextInHeap(r.Now)
		return id, ok
	}
	id, _, ok := r.Queue.NextBy(r.Now)
	return uint32(id), ok
}

// deferContact puts a contact of a round off until all clocks of the round have struck.
//
//go:noinline
func (r *Run) deferContact(id uint32, state uint16, do *program.Action, l contactSeed) {
	r.ties.contacts = append(r.ties.contacts, tiedContact{id, state, do, l})
}

// nextTiedFire is the next of a round whose clock strikes, if there is one left.
func (r *Run) nextTiedFire() (uint32, bool) {
	t := &r.ties
	for t.next < len(t.ids) {
		id := t.ids[t.next]
		t.next++
		if id < r.firstID {
			return id, true
		}
		if p := r.status(id); p.is(isTied) {
			p.unmark(isTied)
			return id, true
		}
	}
	return 0, false
}

// resolveTiedContacts lets the contacts of a round take effect, and ends it.
func (r *Run) resolveTiedContacts(ctx context.Context) error {
	t := &r.ties
	for t.resolved < len(t.contacts) {
		c := t.contacts[t.resolved]
		t.resolved++
		if r.status(c.id).state == program.Nobody { // another contact took it away
			continue
		}
		r.contact(c.id, c.state, c.do, c.luck)
		if r.failed != nil {
			return r.failed
		}
		if r.waiting.on { // what waits for this comes before the next
			if err := r.Settle(ctx); err != nil {
				return err
			}
		}
	}
	t.ids, t.next, t.contacts, t.resolved = t.ids[:0], 0, t.contacts[:0], 0
	return nil
}
