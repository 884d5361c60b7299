package engine

import (
	"runtime/debug"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// individuals are the arrays indexed by id.
//
// An individual has stride words next to each other in one array, because an event that needs one
// of them needs the others: its random stream, its status, its packed timers (timers.go) and, in a
// run by windows, the time of its next event. The time of what happens at a rate is not stored: it
// is drawn again whenever it is needed, which is exact because such a clock has no memory.
//
// Invariants: an id from firstID on is either free, with the state NoState, or alive; numbers are
// distinct and at most entered; stateCache[id] is the state of id plus 1.
type individuals struct {
	capacity   int // ids that the arrays have room for
	words      []uint64
	stride     int
	attributes []store.Column // the values of each attribute
	entered    uint64         // how many individuals there have been
	numbers    []uint64       // the order of entering, from 1 on; kept only if numbered

	// stateCache has one byte for each individual: its state plus 1, or 0 for a free slot. Most
	// events of an epidemic are contacts, most contacts change nothing, and that is known from the
	// state of the other alone. The words of 10⁵ individuals and their records in the calendar are
	// larger than a second-level cache; their states take a twentieth of it. Larger populations
	// prefetch instead (prefetch.go); at a million the two make no measurable difference. Contacts
	// among neighbours cannot be prefetched, and use the cache at any size.
	caching    bool
	stateCache []uint8
}

// A status is the second word of an individual.
type status struct {
	state      uint16 // NoState for a free slot
	sparse     uint8  // a bit for each timer column that is in the sparse table
	branch     uint8  // the branch of the split that was drawn, if the state has one
	held       uint8  // 1 + the column whose timer is in the shared word; 0 for none
	flags      uint8
	checkpoint uint16 // the low bits of the number of its checkpoint in a window (shard.go)
}

// Flags of a status.
const (
	isTied      uint8 = 1 << iota // its clock fires at this instant and has not been handled (ties.go)
	branchIsOld                   // the branch was drawn by other tables than its clocks go by now
)

func (p *status) is(flag uint8) bool { return p.flags&flag != 0 }

func (p *status) mark(flag uint8) { p.flags |= flag }

func (p *status) unmark(flag uint8) { p.flags &^= flag }

// status returns the status of an individual.
func (r *individuals) status(id uint32) *status {
	return (*status)(unsafe.Pointer(&r.words[int(id)*r.stride+1]))
}

// stream returns the random stream of an individual.
func (r *individuals) stream(id uint32) *random.Stream {
	return (*random.Stream)(&r.words[int(id)*r.stride])
}

// nextAt is the time of an individual's next event in a run by windows, +Inf if it has none. For a
// free slot it is the time at which it was left.
func (r *individuals) nextAt(id uint32) *float64 {
	return (*float64)(unsafe.Pointer(&r.words[int(id)*r.stride+r.stride-1]))
}

// cachesStates reports whether a program profits from the state cache. A run by windows does not
// use it: there the state of the other depends on the time of the contact (resolve.go).
func cachesStates(m *program.Program) bool {
	return len(m.States) < 255 && (m.MixesFreely && m.Size < prefetchContactsFrom || len(m.Near) > 0)
}

// cacheState stores the present state of an individual in the cache.
func (r *individuals) cacheState(id uint32, state uint16) {
	if int(id) < len(r.stateCache) {
		r.stateCache[id] = uint8(state + 1) // NoState + 1 is 0
	}
}

// stateSeen returns the state of an individual, by the cache if there is one.
func (r *individuals) stateSeen(id uint32) uint16 {
	if int(id) < len(r.stateCache) {
		return uint16(r.stateCache[id]) - 1
	}
	return r.status(id).state
}

// columnBytes is how many bytes the attributes of an individual take.
func columnBytes(m *program.Program) int {
	n := 0
	for i := range m.Attributes {
		c := store.NewColumn(len(m.Attributes[i].Values))
		n += c.Bytes()
	}
	return n
}

// branchBytes is how many bytes the branches of machines take, of an individual.
func branchBytes(m *program.Program) int {
	n := 0
	for i := range m.Machines {
		if k := m.Machines[i].Branches; k > 0 {
			c := store.NewColumn(2 * k)
			n += c.Bytes()
		}
	}
	return n
}

// slots are the ids of individuals. Everybody alive has a slot: an id, which is also the index of
// its words. Which one follows from what happened before, not from how the run is carried out, so
// that ties are ordered by it (ties.go).
//
// A slot that is left goes to the end of the free list, and an entrant takes the first. At the
// start there are a twentieth more slots than individuals; when an entrant finds the free list
// empty, a twentieth more are added. Slots that were never used come before those that were left,
// because new ones are added only when the list is empty: they are not in the list, and their
// memory is not touched before they are used.
//
// The list is first in, first out, so that a slot is not used again for as long as possible: who
// enters within a short time does not depend on who left within it.
//
// Invariants: firstID ≤ Used ≤ slotCount; the free list has each free id below Used exactly once.
type slots struct {
	firstID   uint32 // the first id of an individual; those below are sources of immigration
	Used      int    // ids below this are, or have been, in use
	slotCount int    // ids below this can be chosen for a contact
	free      store.FreeList
}

// slotMargin is the number of individuals for each extra slot.
const slotMargin = 20

// extraSlots is how many slots are added to those of so many individuals.
func extraSlots(individuals int) int { return (individuals + slotMargin - 1) / slotMargin }

// slotsAhead is how many entrants in advance the memory of a slot is prefetched.
const slotsAhead = 4

// takeSlot returns the slot of an entrant.
func (r *Run) takeSlot() uint32 {
	if r.Used == r.slotCount {
		if r.free.Len() > 0 {
			// In a large population the memory of a slot was last touched long ago.
			if r.free.Len() > slotsAhead && r.Queue != nil {
				r.Queue.PrefetchID(eventqueue.ID(r.free.At(slotsAhead)))
			}
			return r.free.Take()
		}
		r.slotCount += max(1, extraSlots(r.Alive))
		r.releaseMemory()
	}
	if r.Used+1 == r.capacity {
		r.enlarge()
	}
	r.Used++
	return uint32(r.Used - 1)
}

// releaseMemory returns free memory to the system before much more is taken. The calendar of a
// large population keeps what it held at the start and needs less and less of it as the end comes
// closer, which the garbage collector does not notice. The peak of 60 million individuals falls
// from 3.3 to 3.1 GB. It takes some milliseconds for each ten million.
func (r *Run) releaseMemory() {
	if r.Alive >= 1<<20 {
		if r.Queue != nil {
			r.Queue.Trim()
		}
		debug.FreeOSMemory()
	}
}
