package engine

import (
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
// Those in the same place or linked with an individual are in a list, which is prefetched as well.
//
// SIR epidemics, by turns in one process, best of several, with and without: 187 and 233 ns an
// event with 5 million individuals, 143 and 210 with a million, 128 and 139 with 300,000, and 106
// and 98 with 100,000, which fit into the cache and do without (BenchmarkSIRForesight).
type contactPrefetch struct {
	prefetchAhead int  // how many events ahead; 0 for not at all
	prefetching   bool // the next prefetchAhead events have been looked at
	contactsSeen  int  // contacts among the events looked at in this interval
	intervalsLeft int  // intervals until adaptPrefetch decides again
}

const (
	prefetchContactsFrom  = 1 << 17 // individuals
	prefetchContactsAhead = 4       // events ahead; 2 is as good up to a million, and 8 is worse
	// leastContacts: one in so many events must be a contact. Looking takes about 3 ns, and a
	// contact that was not prefetched waits 50 or more.
	leastContacts = 32
)

// prefetchDistance returns how many events ahead contacts are prefetched; 0 for not at all.
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
	r.prefetchAhead, r.contactsSeen, r.prefetching = far, 0, false
}

// prefetchContacts prefetches the other individual of the event that is prefetchAhead away.
func (r *Run) prefetchContacts() {
	id, ok := r.Queue.Ahead(r.prefetchAhead)
	if !ok {
		r.prefetching = false
		return
	}
	if !r.prefetching { // the calendar had nothing near before
		r.prefetching = true
		for k := range r.prefetchAhead {
			if id, ok := r.Queue.Ahead(k); ok {
				r.prefetchContact(uint32(id))
			}
		}
	}
	r.prefetchContact(uint32(id))
}

// prefetchContact prefetches the individual that id will meet at its next event.
func (r *Run) prefetchContact(id uint32) {
	if other, ok := r.firstChoice(id); ok {
		r.contactsSeen++
		r.Queue.PrefetchID(eventqueue.ID(other))
	}
	if len(r.Program.Near) > 0 {
		r.prefetchNear(id)
	}
}

// prefetchNear prefetches the lists of those near an individual. Which of them it will meet is not
// worked out: that takes longer than it saves.
func (r *Run) prefetchNear(id uint32) {
	r.contactsSeen++
	if r.places != nil {
		for _, s := range r.places.kinds {
			s.Prefetch(id)
		}
	}
	for k := range r.networks {
		r.networks[k].links.Prefetch(id)
	}
}

// firstChoice returns the first choice of id at its next event, if that is a contact with anybody.
func (r *Run) firstChoice(id uint32) (uint32, bool) {
	if id < r.firstID {
		return 0, false
	}
	state := r.status(id).state
	if state == program.NoState {
		return 0, false
	}
	st := &r.phase.States[state]
	if !st.MixesFreely {
		return 0, false
	}
	s := *r.stream(id)
	do := &st.Rates[0].Do
	if len(st.Rates) > 1 {
		do = st.PickByRate(s.Float64() * st.TotalRate)
	}
	if do.Kind != program.DoContact {
		return 0, false
	}
	choices := random.Stream(s.Uint64())
	return r.firstID + uint32(choices.Below(uint64(r.slotCount)-uint64(r.firstID))), true
}
