package engine

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// contactResolution resolves the contacts of a window, in the order of time. All that happened
// before a contact is final when its turn comes: changing an individual changes only what comes
// later.
//
// A contact picks slots, hashed from its seed, until one has an occupant at that time other than
// its maker. The occupant of a slot is one of these, or there is none:
//
//   - An individual that was in it at the beginning of the window. If it has a checkpoint, its log
//     says its state, and whether it has left.
//   - An entrant of the window, if the slot is free or was never used. Entrants take slots in the
//     order of entering, first the unused ones and then those of the free list, so the position of
//     the slot says which entrant, by its rank, takes it.
//
// A slot that is left in the window is not taken again in it: mustRunInOrder sees to that.
type contactResolution struct {
	initial        []store.Due   // contacts recorded in the first step, in order
	added          store.DueHeap // contacts recorded since, by individuals that a contact changed
	entered        []logEntry    // the entrants of the window, in order, if they are listed
	entrantsListed bool
	binStarts      []uint32       // scratch of listEntrants
	positions      map[uint32]int // in the free list, of its first slots; see positionAmongTies
}

// resolveContacts resolves all contacts of the window. It sets tied and returns if the result would
// depend on the order of two events with equal times, or if too few may be alive.
func (w *windows) resolveContacts(r *Run) {
	c := &w.contacts
	c.initial, c.added, c.entrantsListed = c.initial[:0], c.added[:0], false
	clear(c.positions)
	for _, s := range w.shards {
		for i := range s.contacts {
			c.initial = append(c.initial, store.Due{At: s.contacts[i].at, ID: uint32(i), Shard: int32(s.number)})
		}
	}
	slices.SortFunc(c.initial, func(a, b store.Due) int { return cmp.Compare(a.At, b.At) })
	const far = 8
	last := -1.0
	for i := 0; !w.tied; {
		var next store.Due
		switch {
		case len(c.added) > 0 && (i == len(c.initial) || c.added[0].At < c.initial[i].At):
			next = c.added.Pop()
		case i < len(c.initial):
			next = c.initial[i]
			if i++; i+far < len(c.initial) {
				w.prefetchContact(r, c.initial[i+far])
			}
		default:
			return
		}
		if next.At == last {
			w.tied = true
			return
		}
		last = next.At
		if w.tooFewAlive(r) {
			w.tied = true
			return
		}
		if p := w.shards[next.Shard].contacts[next.ID]; p.id != noID {
			w.resolveContact(r, p)
		}
	}
}

// prefetchContact prefetches the first slot that a contact picks.
func (w *windows) prefetchContact(r *Run, p store.Due) {
	choices := random.Stream(w.shards[p.Shard].contacts[p.ID].seed)
	id := int(r.firstID) + int(choices.Below(uint64(r.slotCount)-uint64(r.firstID)))
	cpu.PrefetchLines(unsafe.Pointer(&r.words[min(id*r.stride, len(r.words)-1)]), 1)
}

// resolveContact finds the target of a contact, and changes it if the contact does. Its draws are
// those of Run.contact.
func (w *windows) resolveContact(r *Run, p pendingContact) {
	n := uint64(r.slotCount) - uint64(r.firstID)
	choices := random.Stream(p.seed)
	var id uint32
	var state uint16
	for {
		var ok bool
		id, state, ok = w.occupant(r, r.firstID+uint32(choices.Below(n)), p.at)
		if w.tied {
			return
		}
		if ok && id != p.id {
			break
		}
	}
	c := &r.phase.Contacts[p.contact]
	if to := c.Becomes[state]; to != program.SameState && (c.Chance == 1 || p.seed.uniform(purposeChance) < c.Chance) {
		w.applyContact(id, state, to, p.at, int(p.name))
	}
}

// occupant returns the individual that has a slot at a time, and its state. It reports false if the
// slot is free then.
func (w *windows) occupant(r *Run, slot uint32, at float64) (id uint32, state uint16, ok bool) {
	rank := 0 // of the entrant that takes the slot
	if int(slot) < r.Used {
		s := w.shardOf(slot)
		if k := s.checkpointOf(slot); k >= 0 {
			state = s.stateAt(k, at)
			return slot, state, state != program.NoState
		}
		if state := r.status(slot).state; state != program.NoState {
			return slot, state, true
		}
		fromFreeList := w.entrantCount() - (r.slotCount - r.Used)
		if fromFreeList <= 0 {
			return 0, 0, false
		}
		position := w.freePosition(r, slot, min(fromFreeList, r.free.Len()))
		if position < 0 {
			return 0, 0, false
		}
		rank = r.slotCount - r.Used + position
	} else if rank = int(slot) - r.Used; rank >= w.entrantCount() {
		return 0, 0, false
	}
	w.listEntrants()
	entered := w.contacts.entered
	if rank >= len(entered) || entered[rank].at > at {
		return 0, 0, false
	}
	w.tied = w.tied || entered[rank].at == at
	id = entered[rank].id
	s := w.shardOf(id)
	state = s.stateAt(s.checkpointOf(id), at)
	return id, state, state != program.NoState
}

// freePosition returns the position of a free slot among the first limit slots of the free list; −1
// if it is not one of them. The free list is in the order of leaving, so it searches for the time
// at which the slot was left.
func (w *windows) freePosition(r *Run, slot uint32, limit int) int {
	left := *r.nextAt(slot)
	low, high := 0, limit
	for low < high {
		middle := (low + high) / 2
		if *r.nextAt(r.free.At(middle)) < left {
			low = middle + 1
		} else {
			high = middle
		}
	}
	const few = 8
	for k := low; k < limit && *r.nextAt(r.free.At(k)) == left; k++ {
		if r.free.At(k) == slot {
			return k
		}
		if k == low+few {
			return w.contacts.positionAmongTies(r, slot, limit)
		}
	}
	return -1
}

// positionAmongTies is freePosition for one of many slots that were left at the same time, as when
// an intervention removes half of the population.
func (c *contactResolution) positionAmongTies(r *Run, slot uint32, limit int) int {
	if c.positions == nil {
		c.positions = map[uint32]int{}
	}
	for k := len(c.positions); k < limit; k++ {
		c.positions[r.free.At(k)] = k
	}
	if k, ok := c.positions[slot]; ok && k < limit {
		return k
	}
	return -1
}

// entrantCount returns how many individuals enter in the window, as far as is known.
func (w *windows) entrantCount() (n int) {
	for _, s := range w.shards {
		n += s.numEntered
	}
	return n
}

// listEntrants lists the entrants of the window in the order of entering, if that has not been
// done: a counting sort by bins of the window, and then a sort in place. Later, an entrant that is
// added or undone because of a contact is inserted or deleted.
func (w *windows) listEntrants() {
	c := &w.contacts
	if c.entrantsListed {
		return
	}
	c.entrantsListed = true
	n := w.entrantCount()
	var m merge
	m.setBins(w, n/4)
	c.binStarts = append(c.binStarts[:0], make([]uint32, m.bins+1)...)
	w.eachEntrant(func(n *logEntry) { c.binStarts[m.bin(n.at)+1]++ })
	for i := 1; i < len(c.binStarts); i++ {
		c.binStarts[i] += c.binStarts[i-1]
	}
	c.entered = append(c.entered[:0], make([]logEntry, n)...)
	w.eachEntrant(func(n *logEntry) {
		k := &c.binStarts[m.bin(n.at)]
		c.entered[*k] = *n
		*k++
	})
	sortLog(c.entered)
	for i := 1; i < n; i++ {
		w.tied = w.tied || c.entered[i-1].at == c.entered[i].at
	}
}

// entrantAt returns the index in the list of the entrant that enters at a time, or where it would
// be.
func (c *contactResolution) entrantAt(at float64) (k int, found bool) {
	return slices.BinarySearchFunc(c.entered, at, func(e logEntry, at float64) int { return cmp.Compare(e.at, at) })
}

// addEntrant inserts an entrant into the list, if there is one. It reports whether another enters
// at the same time.
func (c *contactResolution) addEntrant(e logEntry) (tied bool) {
	if !c.entrantsListed {
		return false
	}
	k, tied := c.entrantAt(e.at)
	c.entered = slices.Insert(c.entered, k, e)
	return tied
}

// removeEntrant deletes an entrant that was undone from the list, if there is one.
func (c *contactResolution) removeEntrant(at float64) {
	if c.entrantsListed {
		k, _ := c.entrantAt(at)
		c.entered = slices.Delete(c.entered, k, k+1)
	}
}

// eachEntrant calls each with the log entry of every entrant of the window, as far as is known.
func (w *windows) eachEntrant(each func(*logEntry)) {
	for _, s := range w.shards {
		states := uint16(len(s.Program.States))
		for i := range s.log {
			if e := &s.log[i]; e.from >= states && e.id != noID {
				each(e)
			}
		}
	}
}

// stateAt returns the state of an individual with a checkpoint at a time, which is not before the
// checkpoint. It is NoState if the individual has left.
func (s *shard) stateAt(k int, at float64) uint16 {
	c := &s.checkpoints[k]
	state := (*status)(unsafe.Pointer(&s.savedWords[k*s.stride+1])).state
	for _, e := range s.log[c.firstLog:c.endLog] {
		if e.at >= at {
			s.w.tied = s.w.tied || e.at == at
			break
		}
		if e.id == c.id {
			state = e.to
		}
	}
	return state
}

// applyContact changes an individual at a time, and runs it from there to the end of the window.
// The steps are those listed at shard.
func (w *windows) applyContact(id uint32, state, to uint16, at float64, name int) {
	s := w.shardOf(id)
	k := s.checkpointOf(id)
	if k < 0 {
		k = s.save(id, *s.nextAt(id))
		s.saveOriginal(k)
		s.checkpoints[k].firstLog, s.checkpoints[k].endLog = uint32(len(s.log)), uint32(len(s.log))
	} else {
		s.saveOriginal(k)
		s.restore(k)
		s.undoAfter(k, at)
		next, events := s.savedNext(k), uint32(0)
		s.replaying = true
		for next < at {
			s.Now = next
			events++
			next = s.fireAlone(id)
		}
		s.replaying = false
		w.tied = w.tied || next == at
		s.Events -= uint64(s.checkpoints[k].events - events)
	}
	if w.tied {
		return
	}
	s.Now = at
	firstContact, firstEntry := len(s.contacts), len(s.log)
	next := s.changeAlone(id, state, to, name)
	copy(s.savedWords[k*s.stride:], s.words[int(id)*s.stride:][:s.stride])
	s.saveTimers(k, next)
	s.runToEnd(k)
	s.runNewborn()
	for i := firstContact; i < len(s.contacts); i++ {
		w.contacts.added.Push(store.Due{At: s.contacts[i].at, ID: uint32(i), Shard: int32(s.number)})
	}
	for _, e := range s.log[firstEntry:] {
		if int(e.from) >= len(s.Program.States) {
			w.tied = w.contacts.addEntrant(e) || w.tied
		}
	}
}

// saveOriginal keeps what an individual was at the beginning of the window, before its checkpoint
// moves. An entrant needs none: a rollback drops it.
func (s *shard) saveOriginal(k int) {
	c := &s.checkpoints[k]
	if !c.changed && int(c.id) < s.capacity {
		words := slices.Clone(s.savedWords[k*s.stride:][:s.stride])
		s.originals = append(s.originals, original{int32(k), c.timers, words})
	}
	c.changed = true
}

// undoAfter undoes what an individual did after a time, down to its newborns and theirs.
//
// s.latest is not lowered. It may then be too late, but it is within the window, and no result
// depends on where in the window the clock stood: person-time is added up in whole ticks, whatever
// the times at which it is added.
func (s *shard) undoAfter(k int, after float64) {
	c := s.checkpoints[k]
	for i := c.firstLog; i < c.endLog; i++ {
		e := &s.log[i]
		if e.at <= after || e.id == noID {
			continue
		}
		s.tally(e.from, e.to, int(s.logNames[i]), -1)
		if int(e.from) >= len(s.Program.States) {
			s.w.contacts.removeEntrant(e.at)
			s.undoEntry(e.id)
		}
		e.id = noID
	}
	for i := c.firstContact; i < c.endContact; i++ {
		if p := &s.contacts[i]; p.at > after {
			p.id = noID
		}
	}
}

// undoEntry undoes all that a newborn did whose birth was undone.
func (s *shard) undoEntry(id uint32) {
	k := s.checkpointOf(id)
	s.undoAfter(k, -1)
	s.Events -= uint64(s.checkpoints[k].events)
	s.stopTimers(id, 0)
}
