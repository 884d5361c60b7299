package timers

import "sync/atomic"

// A slot is what a set keeps of a pending timer: 32 bytes.
//
// The word is changed by compare-and-swap only, because a Reset changes it without the lock:
//
//	bits 41–63  generation of the slot, which a Timer has too: equal while the slot is its own
//	bit  40     shared: the time is a reading of the shared clock, and not a deadline
//	bits 0–39   time in units, modulo 2⁴⁰; 0 while no timer is pending here; see packTime
//
// The deadline of a shared word is the end of that reading (clock.go) plus the duration of the
// slot. A slot keeps that duration for one generation, so that it is never read with the word of
// another one. It is written with the lock and read without it.
//
// The links and the function belong to the lock of the shard.
type slot struct {
	word     atomic.Uint64
	duration atomic.Int64 // of Resets that use the shared clock, in nanoseconds; 0 if there is none
	f        func()
	// From the top: bucket, 12 bits; previous and next slot of the bucket, 26 bits each. Of a free
	// slot, next is the next free one of the page.
	links uint64
}

const (
	timeBits    = 40
	timeMask    = 1<<timeBits - 1
	sharedBit   = 1 << timeBits
	genShift    = timeBits + 1
	lastGen     = 1<<(64-genShift) - 1 // a slot is not used again after it
	idBits      = 26
	idMask      = 1<<idBits - 1
	bucketShift = 2 * idBits
	pageBits    = 11 // 64 KiB, which the allocator does not round up
	pageLen     = 1 << pageBits
	maxPages    = 1 << (idBits - pageBits)
	noSlot      = idMask // the end of a free list: a place in the last page, which is never made
	sparePages  = 4      // pages without a timer that are kept in any case
)

// Times are absolute except in a word, which has the last 40 bits of one. What the others are
// follows from the time at which the word is read, since no deadline is farther off than horizon:
//
//	time − past                time                       time + horizon
//	─────┼──────────────────────┼─────────────────────────────┼──────────────┼─────▶
//	     └──── 2³⁸ units ───────┴────────────── 3·2³⁸ units ─────────────────┘
//
// The time may be that of the wheel, which is behind by lap at most while it has timers. The rest,
// of 3·2³⁶ units, is how long the process may be stopped.
const (
	never   unit = 1 << 63 // a deadline that does not come; timeMask in a word
	past         = 1 << (timeBits - 2)
	horizon      = 1 << (timeBits - 1)
	lap          = 1 << (timeBits - 4)
)

// packable reports whether the last bits of a time have no other meaning in a word.
func packable(t unit) bool { return t&timeMask != 0 && t&timeMask != timeMask }

// packTime returns what a word has of a deadline.
func packTime(t unit) uint64 {
	if t >= never {
		return timeMask
	}
	for !packable(t) {
		t++
	}
	return t & timeMask
}

// unpackTime returns the time that ends in the last bits of t and is near the given one.
func unpackTime(t, near unit) unit {
	from := near - past
	return from + (t-from)&timeMask
}

func (s *slot) next() uint32      { return uint32(s.links & idMask) }
func (s *slot) prev() uint32      { return uint32(s.links >> idBits & idMask) }
func (s *slot) bucket() uint32    { return uint32(s.links >> bucketShift) }
func (s *slot) setNext(id uint32) { s.links = s.links&^idMask | uint64(id) }
func (s *slot) setPrev(id uint32) { s.links = s.links&^(idMask<<idBits) | uint64(id)<<idBits }

// stop ends the generation of a slot, and reports whether a timer was pending. It may run beside
// Resets, and needs the lock.
func (s *slot) stop() bool {
	for {
		word := s.word.Load()
		if word&timeMask == 0 {
			return false
		}
		if s.word.CompareAndSwap(word, word>>genShift<<genShift+1<<genShift) {
			return true
		}
	}
}

// A page has slots that are allocated together. A page without a timer can be dropped. What stays
// of it is a generation, from which the slots of the next page in its place go on: an old Timer
// must not find its generation there.
type page struct {
	slots [pageLen]slot
}

// pageState is what the lock of the shard protects of a page.
type pageState struct {
	floor uint64 // no slot had a higher generation when the page was dropped
	free  uint32 // first free slot, or noSlot
	used  uint32 // slots in use, or never to be used again
	roomy bool   // it is in slots.roomy
}

// slots are the pages of a shard. Calls need the lock of the shard, except for at.
type slots struct {
	table  atomic.Pointer[[]atomic.Pointer[page]] // grows by copying; nil where a page was dropped
	states []pageState
	roomy  []uint32 // pages with free slots, and pages that were dropped; the last one is used first
	held   int      // pages there are
	empty  int      // those without a timer
}

// at returns a slot, or nil if its page was dropped. It may be called without the lock: the page
// may then be one that was dropped meanwhile, in which no slot has the generation of a Timer.
func (s *slots) at(id uint32) *slot {
	if p := (*s.table.Load())[id>>pageBits].Load(); p != nil {
		return &p.slots[id%pageLen]
	}
	return nil
}

// take returns a free slot, or false if the shard has as many as it can number.
func (s *slots) take() (id uint32, at *slot, ok bool) {
	if len(s.roomy) == 0 && !s.addPlace() {
		return 0, nil, false
	}
	p := s.roomy[len(s.roomy)-1]
	state := &s.states[p]
	table := *s.table.Load()
	if table[p].Load() == nil {
		table[p].Store(s.newPage(p))
	}
	if state.used == 0 {
		s.empty--
	}
	at = &table[p].Load().slots[state.free%pageLen]
	id = state.free
	state.free = at.next()
	state.used++
	if state.free == noSlot {
		state.roomy = false
		s.roomy = s.roomy[:len(s.roomy)-1]
	}
	return id, at, true
}

// addPlace makes room in the table for one more page.
func (s *slots) addPlace() bool {
	n := len(s.states)
	if n == maxPages-1 {
		return false
	}
	table := s.table.Load()
	if table == nil || n == len(*table) {
		larger := make([]atomic.Pointer[page], max(4, 2*n))
		for i := range n {
			larger[i].Store((*table)[i].Load())
		}
		s.table.Store(&larger)
	}
	s.states = append(s.states, pageState{free: noSlot, roomy: true})
	s.roomy = append(s.roomy, uint32(n))
	return true
}

func (s *slots) newPage(p uint32) *page {
	fresh, state := new(page), &s.states[p]
	for i := range fresh.slots {
		at := &fresh.slots[i]
		at.word.Store((state.floor + 1) << genShift)
		at.links = uint64(p<<pageBits + uint32(i) + 1)
	}
	fresh.slots[pageLen-1].links = noSlot
	state.free = p << pageBits
	s.held++
	s.empty++
	return fresh
}

// release frees a slot, whose word has its next generation already.
func (s *slots) release(id uint32, at *slot) {
	at.f = nil
	p := id >> pageBits
	state := &s.states[p]
	if at.word.Load()>>genShift == lastGen {
		return // stays in use, so that no generation repeats
	}
	at.links = uint64(state.free)
	state.free = id
	if state.used--; state.used == 0 {
		s.empty++
	}
	if !state.roomy {
		state.roomy = true
		s.roomy = append(s.roomy, p)
	}
	if state.used == 0 && s.empty > sparePages+s.held/2 {
		s.giveBack()
	}
}

// giveBack drops pages without a timer, except for a few. It takes time in proportion to the number
// of pages, half of which have become empty since the last time.
func (s *slots) giveBack() {
	for p := range s.states {
		if s.empty > sparePages && s.states[p].used == 0 && (*s.table.Load())[p].Load() != nil {
			s.drop(uint32(p))
		}
	}
}

// drop gives back a page without a timer, unless a slot of it has few generations left.
func (s *slots) drop(p uint32) {
	entry, state := &(*s.table.Load())[p], &s.states[p]
	floor, slots := state.floor, &entry.Load().slots
	for i := range slots {
		floor = max(floor, slots[i].word.Load()>>genShift)
	}
	if floor >= lastGen-1 {
		return
	}
	entry.Store(nil)
	state.floor, state.free = floor, noSlot
	s.held--
	s.empty--
}
