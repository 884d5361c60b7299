package sim

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar"
)

// An Event identifies a scheduled function call. It is a small value that can be copied and
// compared. It is valid until the event has happened or was canceled, and never refers to another
// event. The zero Event refers to none.
type Event struct {
	s       *Simulation
	version uint64
	slot    uint32
}

// An EventOption adjusts an event: [Priority] and [Named].
type EventOption interface{ eventOption() }

// A ProcessOption adjusts the start of a process, or an event: [Priority].
type ProcessOption interface {
	EventOption
	processOption()
}

type (
	priorityOption int
	namedOption    string
)

func (priorityOption) eventOption()   {}
func (priorityOption) processOption() {}
func (namedOption) eventOption()      {}

// Priority decides among events that are due at the same time: the smaller goes first. It is 0 by
// default. All turns of a process have the priority that it was started with.
func Priority(p int) ProcessOption { return priorityOption(p) }

// Named gives an event a name, which a trace shows. Without it, a trace shows the name of the
// event's function.
func Named(name string) EventOption { return namedOption(name) }

// priorityOf returns the priority among options.
func priorityOf[O EventOption](opts []O) int {
	priority := 0
	for _, o := range opts {
		if p, ok := any(o).(priorityOption); ok {
			priority = int(p)
		}
	}
	return priority
}

// A slot holds a pending event. Its number is the event's id in the calendar. Slots are reused, and
// a process keeps one for all its wake-ups.
type slot struct {
	f        func()
	p        *Process // if kind is turn
	version  uint64   // what a handle must know; 0 while the slot is vacant
	seq      uint64   // what its entry among those due now must know; 0 if there is none
	priority int
	kind     kind
}

type kind uint8

const (
	once     kind = iota // a call, after which the slot is vacant
	repeated             // a call that schedules the slot again
	turn                 // of a process
)

// At schedules a call of f at time t. It panics if t is not finite or before now.
func (s *Simulation) At(t float64, f func(), opts ...EventOption) Event {
	s.checkTime(t, "At", t)
	return s.add(t, f, once, opts)
}

// After schedules a call of f after d. With a delay of 0 it comes after what is already scheduled
// for now. It panics if d is negative or not finite.
func (s *Simulation) After(d float64, f func(), opts ...EventOption) Event {
	t := s.now + d
	s.checkTime(t, "After", d)
	return s.add(t, f, once, opts)
}

func (s *Simulation) add(t float64, f func(), k kind, opts []EventOption) Event {
	needFunction(f)
	id := s.allocSlot()
	sl := &s.slots[id]
	sl.f, sl.kind, sl.version = f, k, s.number()
	if len(opts) > 0 {
		sl.priority = priorityOf(opts)
		s.label(id, opts)
	}
	version := sl.version
	s.schedule(id, t)
	return Event{s, version, id}
}

func needFunction(f func()) {
	if f == nil {
		panic("sim: an event needs a function, not nil")
	}
}

// allocSlot returns a free slot.
func (s *Simulation) allocSlot() uint32 {
	if last := len(s.freeSlots) - 1; last >= 0 {
		id := s.freeSlots[last]
		s.freeSlots = s.freeSlots[:last]
		return id
	}
	s.slots = append(s.slots, slot{})
	return uint32(len(s.slots) - 1)
}

// freeSlot frees a slot, which has no pending event.
func (s *Simulation) freeSlot(id uint32) {
	s.slots[id] = slot{}
	s.freeSlots = append(s.freeSlots, id)
	if s.trace != nil {
		delete(s.labels, id)
	}
}

// schedule makes a slot due at a time that has been checked. The slot must not be due.
func (s *Simulation) schedule(id uint32, t float64) {
	priority := s.slots[id].priority
	if priority != 0 {
		s.ranked++
	}
	if t == s.now {
		s.dueNow(id, priority)
		return
	}
	if err := s.calendar.Schedule(calendar.ID(id), t); err != nil {
		panic(fmt.Sprintf("sim: at %g, the calendar refused %g: %v", s.now, t, err)) // cannot be: times are checked
	}
}

// unschedule makes a slot no longer due, and reports whether it was.
func (s *Simulation) unschedule(id uint32) bool {
	sl := &s.slots[id]
	if sl.seq != 0 {
		sl.seq = 0
		s.due.live--
	} else if !s.calendar.Cancel(calendar.ID(id)) {
		return false
	}
	if sl.priority != 0 {
		s.ranked--
	}
	return true
}

// dueAt returns when a slot is due, if it is.
func (s *Simulation) dueAt(id uint32) (float64, bool) {
	if s.slots[id].seq != 0 {
		return s.now, true
	}
	return s.calendar.Due(calendar.ID(id))
}

// Pending reports whether the event is still to happen.
func (e Event) Pending() bool { return e.s != nil && e.s.slots[e.slot].version == e.version }

// Time returns when the event is due, and false if it is not pending.
func (e Event) Time() (float64, bool) {
	if !e.Pending() {
		return 0, false
	}
	return e.s.dueAt(e.slot)
}

// Cancel cancels the event. It reports false if the event has already happened or was canceled.
func (e Event) Cancel() bool {
	if !e.Pending() {
		return false
	}
	e.s.unschedule(e.slot)
	e.s.freeSlot(e.slot)
	return true
}

// Reschedule moves the event to time t, behind what is already scheduled for it. It reports false,
// and does nothing, if the event has already happened or was canceled. It panics if t is not finite
// or before now. A periodic event continues from its new time.
func (e Event) Reschedule(t float64) bool {
	if !e.Pending() {
		return false
	}
	e.s.checkTime(t, "Reschedule", t)
	e.s.unschedule(e.slot)
	e.s.schedule(e.slot, t)
	return true
}

// A recurring event calls its function repeatedly. Before each call it is scheduled for the next
// one, if there is one.
type recurring struct {
	s    *Simulation
	f    func()
	next func() (at float64, ok bool) // asked when it is time for a call
	slot uint32
}

func (s *Simulation) recur(at float64, next func() (float64, bool), f func(), opts []EventOption) Event {
	needFunction(f)
	r := &recurring{s: s, f: f, next: next}
	e := s.add(at, r.tick, repeated, opts)
	r.slot = e.slot
	if s.trace != nil && s.labels[e.slot] == "" {
		s.labels[e.slot] = functionName(f) // and not that of tick
	}
	return e
}

func (r *recurring) tick() {
	if at, ok := r.next(); ok {
		r.s.schedule(r.slot, at)
	} else {
		r.s.freeSlot(r.slot)
	}
	r.f()
}

// Every schedules a call of f after first, and then after every interval. Cancel ends it, also from
// within f: the next call is already scheduled then. It panics unless first is at least 0 and the
// interval above 0.
func (s *Simulation) Every(first, interval float64, f func(), opts ...EventOption) Event {
	if !(interval > 0) || math.IsInf(interval, 1) {
		panic(fmt.Sprintf("sim: Every(%g, %g): the interval must be positive and finite", first, interval))
	}
	base := s.now + first // the first time, or the one that it was rescheduled to
	s.checkTime(base, "Every", first)
	// Times are multiples of the interval after the first, and not sums, so that rounding does not
	// add up.
	due, ticks := base, 0.0
	next := func() (float64, bool) {
		if s.now != due { // it was rescheduled
			base, ticks = s.now, 0
		}
		ticks++
		due = base + float64(ticks*interval) // not fused, which some processors would do
		if !(due > s.now) {
			panic(fmt.Sprintf("sim: Every with an interval of %g does not move the clock at %g", interval, s.now))
		}
		s.checkTime(due, "Every", due)
		return due, true
	}
	return s.recur(base, next, f, opts)
}

// due is what was scheduled at this instant for this instant. It does not go through the calendar.
//
// While all priorities are 0, it is a ring in the order of scheduling, and what the calendar has
// for this instant comes first: that was scheduled earlier. As soon as another priority appears,
// everything that is due at this instant is moved into a heap by priority and order of scheduling,
// until the heap is empty.
//
// An entry is valid while its slot has its number. What is canceled or moved leaves a stale entry
// behind, which is dropped when it comes out, or when the ring is full and most entries are stale.
type due struct {
	ring []entry // its length is a power of two
	head uint    // of the first entry; taken modulo the length
	tail uint    // behind the last
	heap []rankedEntry
	live int // entries that are alive
}

type entry struct {
	seq  uint64
	slot uint32
}

type rankedEntry struct {
	priority int
	entry
}

// dueNow makes a slot due at this instant.
func (s *Simulation) dueNow(id uint32, priority int) {
	seq := s.number()
	d := &s.due
	if priority != 0 && len(d.heap) == 0 {
		s.gather()
	}
	s.slots[id].seq = seq
	d.live++
	if priority != 0 || len(d.heap) > 0 {
		s.pushHeap(rankedEntry{priority, entry{seq, id}})
		return
	}
	if int(d.tail-d.head) == len(d.ring) {
		s.makeRoom()
	}
	d.ring[d.tail&uint(len(d.ring)-1)] = entry{seq, id}
	d.tail++
}

// makeRoom drops the stale entries of the ring if they are most of it, and doubles it otherwise.
func (s *Simulation) makeRoom() {
	d := &s.due
	old, mask := d.ring, uint(len(d.ring)-1)
	if d.live > len(old)/2 || len(old) == 0 {
		d.ring = make([]entry, max(16, 2*len(old)))
	} else {
		d.ring = make([]entry, len(old))
	}
	n := uint(0)
	for i := d.head; i != d.tail; i++ {
		if e := old[i&mask]; s.slots[e.slot].seq == e.seq {
			d.ring[n] = e
			n++
		}
	}
	d.head, d.tail = 0, n
}

// gather moves everything that is due at this instant into the heap: what the calendar has first,
// since it was scheduled first. They are numbered anew in that order.
func (s *Simulation) gather() {
	d := &s.due
	if s.arrived {
		s.gatherCalendar()
	}
	for ; d.head != d.tail; d.head++ {
		if e := d.ring[d.head&uint(len(d.ring)-1)]; s.slots[e.slot].seq == e.seq {
			e.seq = s.number()
			s.slots[e.slot].seq = e.seq
			s.pushHeap(rankedEntry{s.slots[e.slot].priority, e})
		}
	}
}

// gatherCalendar moves what the calendar has for this instant into the heap.
func (s *Simulation) gatherCalendar() {
	for {
		id, _, ok := s.calendar.NextBy(s.now)
		if !ok {
			s.arrived = false
			return
		}
		s.intoHeap(uint32(id))
	}
}

// intoHeap puts a slot that has left the calendar into the heap.
func (s *Simulation) intoHeap(id uint32) {
	seq := s.number()
	s.slots[id].seq = seq
	s.due.live++
	s.pushHeap(rankedEntry{s.slots[id].priority, entry{seq, id}})
}

func (e rankedEntry) before(other rankedEntry) bool {
	if e.priority != other.priority {
		return e.priority < other.priority
	}
	return e.seq < other.seq
}

func (s *Simulation) pushHeap(e rankedEntry) {
	d := &s.due
	if len(d.heap) == cap(d.heap) && d.live < len(d.heap)/2 {
		s.sweepHeap()
	}
	d.heap = append(d.heap, e)
	i := len(d.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(d.heap[up]) {
			break
		}
		d.heap[i] = d.heap[up]
		i = up
	}
	d.heap[i] = e
}

// sweepHeap drops the stale entries of the heap.
func (s *Simulation) sweepHeap() {
	d := &s.due
	kept := d.heap[:0]
	for _, e := range d.heap {
		if s.slots[e.slot].seq == e.seq {
			kept = append(kept, e)
		}
	}
	d.heap = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		d.sink(i, kept[i])
	}
}

// sink puts e into the heap at place i, or below it.
func (d *due) sink(i int, e rankedEntry) {
	n := len(d.heap)
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && d.heap[down+1].before(d.heap[down]) {
			down++
		}
		if !d.heap[down].before(e) {
			break
		}
		d.heap[i] = d.heap[down]
		i = down
	}
	if n > 0 {
		d.heap[i] = e
	}
}

func (d *due) popHeap() entry {
	first, last := d.heap[0], len(d.heap)-1
	e := d.heap[last]
	d.heap = d.heap[:last]
	if last > 0 {
		d.sink(0, e)
	}
	return first.entry
}

// next takes out the event that is due first, if it is due by the limit, and moves the clock to it.
func (s *Simulation) next(limit float64) (uint32, bool) {
	d := &s.due
	for len(d.heap) > 0 {
		if e := d.popHeap(); s.slots[e.slot].seq == e.seq {
			s.taken(e.slot)
			return e.slot, true
		}
	}
	for d.head != d.tail {
		if s.arrived {
			if id, _, ok := s.calendar.NextBy(s.now); ok {
				return uint32(id), true // its priority is 0, or there would be a heap
			}
			s.arrived = false
		}
		e := d.ring[d.head&uint(len(d.ring)-1)]
		d.head++
		if s.slots[e.slot].seq == e.seq {
			s.taken(e.slot)
			return e.slot, true
		}
	}
	id, at, ok := s.calendar.NextBy(limit)
	if !ok {
		return 0, false
	}
	s.now, s.arrived = at, true
	if s.ranked > 0 {
		return s.nextRanked(id), true
	}
	return uint32(id), true
}

// nextRanked is next for an instant with priorities: the calendar has returned id first.
func (s *Simulation) nextRanked(id calendar.ID) uint32 {
	second, _, ok := s.calendar.NextBy(s.now)
	if !ok {
		s.arrived = false
		if s.slots[id].priority != 0 {
			s.ranked--
		}
		return uint32(id)
	}
	s.intoHeap(uint32(id))
	s.intoHeap(uint32(second))
	s.gatherCalendar()
	e := s.due.popHeap()
	s.taken(e.slot)
	return e.slot
}

// taken records that a slot is no longer due.
func (s *Simulation) taken(id uint32) {
	sl := &s.slots[id]
	sl.seq = 0
	s.due.live--
	if sl.priority != 0 {
		s.ranked--
	}
}
