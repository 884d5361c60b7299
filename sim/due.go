package sim

import "github.com/almanac-sim/almanac/calendar"

// due is what was scheduled at this instant for this instant. It does not go through the calendar.
//
// As long as all priorities are 0, it is a ring in the order of scheduling, and what the calendar has for this instant comes
// before it: that was scheduled earlier, when the instant was still to come. As soon as another priority is met, all that is
// due at this instant is put into a heap by priority and order of scheduling, until the heap is empty.
//
// An entry is alive while its slot knows its number. What is cancelled or moved away stays behind as a dead entry until it
// comes out, or until there is no room and most are dead.
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

// makeRoom drops the dead entries of the ring if they are most of it, and doubles it otherwise.
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

// gather puts all that is due at this instant into the heap: what the calendar has first, since it was scheduled first.
// There they are numbered again in that order.
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

// sweepHeap drops the dead entries of the heap.
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

// nextRanked is next when the clock has come to a time for which the calendar has id first, and there are priorities.
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

// taken notes that a slot has left what is due.
func (s *Simulation) taken(id uint32) {
	sl := &s.slots[id]
	sl.seq = 0
	s.due.live--
	if sl.priority != 0 {
		s.ranked--
	}
}
