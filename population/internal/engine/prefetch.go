package engine

import (
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// contactPrefetch prefetches the individuals that contacts are with. A contact is with anybody, and
// in a large population anybody is out of the cache: an epidemic would wait for memory most of the
// time. But the first choice is known some events in advance: it depends on the stream of the
// individual that makes the contact, which the calendar has prefetched already. It is worked out
// from a copy of the stream. If something else happens first, or the slot is free, the prefetch was
// useless and harmless.
//
// The events that the calendar has sorted are looked at all at once, ten or so, and one step after
// the other: those near an individual, which are in a list; the one of them that it will choose;
// and what that one needs if it changes its state. So the processor waits for the memory of all of
// them together, and not for that of one after the other.
//
// SIR epidemics, by turns in one process, best of several, with and without: 187 and 233 ns an
// event with 5 million individuals, 143 and 210 with a million, 128 and 139 with 300,000, and 106
// and 98 with 100,000, which fit into the cache and do without (BenchmarkSIRPrefetch).
type contactPrefetch struct {
	prefetchAhead int // how many events at once, at most; 0 for not at all
	foreseen      int // how many of the next events have been looked at
	contactsSeen  int // contacts among the events looked at in this interval
	intervalsLeft int // intervals until adaptPrefetch decides again
}

const (
	prefetchContactsFrom  = 1 << 17 // individuals
	prefetchContactsAhead = 16      // events; the calendar rarely has more
	// leastContacts: one in so many events must be a contact. Looking takes about 3 ns, and a
	// contact that was not prefetched waits 50 or more.
	leastContacts = 32
)

// resetPrefetch is called when a run begins or goes on, and when the windows end.
func (r *Run) resetPrefetch() {
	r.contactPrefetch = contactPrefetch{prefetchAhead: r.prefetchDistance(), intervalsLeft: 1}
}

// prefetchDistance returns how many events are looked at at once; 0 for none.
func (r *Run) prefetchDistance() int {
	from := prefetchContactsFrom
	if r.prefetchFrom > 0 {
		from = r.prefetchFrom
	}
	if !r.Program.MixesFreely && len(r.Program.Near) == 0 || r.Program.Size < from || r.windows != nil {
		return 0
	}
	return prefetchContactsAhead
}

// adaptPrefetch switches prefetching off for fifteen intervals if few of the events looked at were
// contacts, and then tries again.
func (r *Run) adaptPrefetch() {
	if r.intervalsLeft--; r.intervalsLeft > 0 {
		return
	}
	far := r.prefetchDistance()
	if r.intervalsLeft = 1; r.prefetchAhead > 0 && r.contactsSeen < housekeepingInterval/leastContacts {
		far, r.intervalsLeft = 0, 15
	}
	r.prefetchAhead, r.contactsSeen = far, 0
}

// prefetchContacts prefetches the others of the next events, unless that was done already.
func (r *Run) prefetchContacts() {
	if r.foreseen--; r.foreseen >= 0 {
		return
	}
	n := 0
	for ; n < prefetchContactsAhead; n++ {
		id, ok := r.Queue.Ahead(n)
		if !ok {
			break
		}
		if len(r.Program.Near) > 0 {
			r.prefetchNear(uint32(id))
		}
	}
	r.foreseen = n
	var met [prefetchContactsAhead]struct {
		id      uint32
		contact *program.Contact
	}
	contacts := 0
	for k := range n {
		id, _ := r.Queue.Ahead(k)
		other, c := r.nextContact(uint32(id))
		if c == nil {
			continue
		}
		r.contactsSeen++
		if int(other) < len(r.stateCache) {
			cpu.PrefetchLines(unsafe.Pointer(&r.stateCache[other]), 1)
			met[contacts].id, met[contacts].contact = other, c
			contacts++
		} else {
			r.Queue.PrefetchID(eventqueue.ID(other))
		}
	}
	for _, o := range met[:contacts] {
		if state := r.stateSeen(o.id); state != program.NoState && o.contact.Becomes[state] != program.SameState {
			r.Queue.PrefetchID(eventqueue.ID(o.id))
		}
	}
}

// prefetchNear prefetches the lists of those near an individual.
func (r *Run) prefetchNear(id uint32) {
	if r.places != nil {
		for _, s := range r.places.kinds {
			s.Prefetch(id)
		}
	}
	for k := range r.networks {
		r.networks[k].links.Prefetch(id)
	}
}

// nextContact returns whom an individual will meet first at its next event, and in which contact, if it
// is a contact. It takes for granted that a clock at a rate comes next, and of those whose rates
// change the last contact.
func (r *Run) nextContact(id uint32) (uint32, *program.Contact) {
	if id < r.firstID {
		return 0, nil
	}
	state := r.status(id).state
	if state == program.NoState {
		return 0, nil
	}
	st := r.stateOf(id, state)
	if !st.Meets && st.VaryingContact == nil {
		return 0, nil
	}
	s := *r.stream(id)
	do := st.VaryingContact
	switch {
	case st.Varying == nil && len(st.Rates) == 1:
		do = &st.Rates[0].Do
	case st.Varying == nil:
		do = st.PickByRate(s.Float64() * st.TotalRate)
	default:
		u := s.Float64()
		if st.Meets { // otherwise it does not matter which of the others it is
			if u *= r.boundOf(r.individual(id, id), st.TotalRate, st.Varying); u < st.TotalRate {
				do = st.PickByRate(u)
			}
		}
	}
	if do == nil || do.Kind != program.DoContact {
		return 0, nil
	}
	c := &r.phase.Contacts[do.Contact]
	l := contactSeed(s.Uint64())
	if c.Near >= 0 {
		if other, ok := r.neighbour(id, c, l); ok {
			return other, c
		}
	} else if c.Attribute < 0 {
		choices := random.Stream(l)
		return r.firstID + uint32(choices.Below(uint64(r.slotCount)-uint64(r.firstID))), c
	}
	return 0, nil
}
