package engine

import (
	"context"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// ties are the events of one instant. Fixed durations let many clocks fire at the same time, and
// the calendar has them in the order in which they were scheduled, on which results must not
// depend. They are handled in rounds, in an order that follows from the model alone:
//
//   - sources of immigration in the order of the file, then the clocks of individuals by slot
//     (individuals.go);
//   - then the contacts among these, in the same order: an individual's own clock comes before what
//     others do to it, and an individual that one of these contacts has changed is not changed by a
//     contact of its own;
//   - what becomes due at the same instant meanwhile is handled in the next round, in the same way.
//
// Interventions come after that, and then the row that is recorded.
//
// An individual of a round has no event in the calendar until its turn. If something else happens
// to it first, its clocks are rescheduled, and it leaves the round.
type ties struct {
	ids      []uint32
	next     int // index into ids
	contacts []tiedContact
	resolved int // how many of the contacts are done
}

type tiedContact struct {
	id    uint32
	state uint16 // of the maker, when its clock fired
	do    *program.Action
	seed  contactSeed
}

// busy reports whether a round is under way.
func (t *ties) busy() bool { return len(t.ids) > 0 }

// beginTies begins a round with everything that is due now. The first event has been taken from the
// calendar. It reports false if there is no other.
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
		if len(t.ids) == cap(t.ids) { // doubling, so that less garbage is left
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
	if r.errandsID != noID {
		if i := slices.Index(t.ids, r.errandsID); i >= 0 { // errands come after the clocks, too
			t.ids = append(slices.Delete(t.ids, i, i+1), r.errandsID)
		}
	}
	if r.Program.WaitsForTime {
		if i := slices.Index(t.ids, r.watchID()); i >= 0 { // conditions are looked at after the clocks
			t.ids = append(slices.Delete(t.ids, i, i+1), r.watchID())
		}
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

// deferContact puts a contact off until all clocks of the round have fired.
//
//go:noinline
func (r *Run) deferContact(id uint32, state uint16, do *program.Action, l contactSeed) {
	r.ties.contacts = append(r.ties.contacts, tiedContact{id, state, do, l})
}

// nextTiedFire returns the next id of the round whose clock fires, if there is one.
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

// resolveTiedContacts carries out the contacts of the round, and ends it.
func (r *Run) resolveTiedContacts(ctx context.Context) error {
	t := &r.ties
	for t.resolved < len(t.contacts) {
		c := t.contacts[t.resolved]
		t.resolved++
		if r.status(c.id).state == program.NoState { // it left by another contact
			continue
		}
		r.contact(c.id, c.state, c.do, c.seed)
		if err := r.finish(ctx); err != nil {
			return err
		}
		if r.failed != nil {
			return r.failed
		}
		if r.waiting.mayChange() { // interventions that wait for this come before the next contact
			if err := r.Settle(ctx); err != nil {
				return err
			}
		}
	}
	t.ids, t.next, t.contacts, t.resolved = t.ids[:0], 0, t.contacts[:0], 0
	return nil
}
