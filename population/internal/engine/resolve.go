package engine

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/prefetch"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// contactResolution settles the contacts of a window, in the order of time. All that happened before a contact is final when its turn comes: changing
// somebody only changes what comes later.
type contactResolution struct {
	initial        []store.Due   // from the first step, in order
	added          store.DueHeap // those that were made since
	entered        []logEntry    // who enters in the window, in order, if they are listed
	entrantsListed bool
	binStarts      []uint32
	positions      map[uint32]int // where the first of the line stand, as far as anybody asked, if many places were left at one time
}

// resolveContacts lets all contacts take effect. It gives up if equal times make it matter who comes first.
func (w *windows) resolveContacts(r *Run) {
	c := &w.contacts
	c.initial, c.added, c.entrantsListed = c.initial[:0], c.added[:0], false
	clear(c.positions)
	for _, s := range w.shards {
		for i := range s.contacts {
			c.initial = append(c.initial, store.Due{At: s.contacts[i].at, Id: uint32(i), Shard: int32(s.number)})
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
		if p := w.shards[next.Shard].contacts[next.Id]; p.id != noID {
			w.resolveContact(r, p)
		}
	}
}

// prefetchContact asks for the first choice of a contact.
func (w *windows) prefetchContact(r *Run, p store.Due) {
	choices := random.Stream(w.shards[p.Shard].contacts[p.Id].seed)
	id := int(r.firstID) + int(choices.Below(uint64(r.slotCount)-uint64(r.firstID)))
	prefetch.Lines(unsafe.Pointer(&r.words[min(id*r.stride, len(r.words)-1)]), 1)
}

// resolveContact lets a contact take effect.
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
	if to := c.Becomes[state]; to != program.SameState && (c.Chance == 1 || p.seed.of(seedOfChance) < c.Chance) {
		w.applyContact(id, state, to, p.at, int(p.name))
	}
}

// occupant is who has a place at a time, and in which state it is. It reports false if nobody has.
func (w *windows) occupant(r *Run, slot uint32, at float64) (id uint32, state uint16, ok bool) {
	rank := 0 // of the entrant that takes it
	if int(slot) < r.Used {
		s := w.shardOf(slot)
		if k := s.checkpointOf(slot); k >= 0 {
			state = s.stateAt(k, at)
			return slot, state, state != program.Nobody
		}
		if state := r.status(slot).state; state != program.Nobody {
			return slot, state, true
		}
		fromFreeList := w.entrantCount() - (r.slotCount - r.Used)
		if fromFreeList <= 0 {
			return 0, 0, false
		}
		position := w.freePosition(r, slot, min(fromFreeList, r.free.N))
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
	return id, state, state != program.Nobody
}

// freePosition is where a free place stands among the first of the line; −1 if it is not there. The line is in the order of leaving.
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

// positionAmongTies is the same for a place of many that were left at one time, as when an intervention lets half of all go.
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

// entrantCount is how many enter in the window, as far as is known.
func (w *windows) entrantCount() (n int) {
	for _, s := range w.shards {
		n += s.numEntered
	}
	return n
}

// listEntrants puts those who enter into order, if that has not been done: by stretches of the window first, and then each where it belongs. Who enters because of a
// contact after that, or does not, is put in or taken out.
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

// entrantAt is where somebody who enters at a time is on the list, or would be.
func (c *contactResolution) entrantAt(at float64) (k int, found bool) {
	return slices.BinarySearchFunc(c.entered, at, func(e logEntry, at float64) int { return cmp.Compare(e.at, at) })
}

// addEntrant puts somebody on the list of those who enter, if there is one. It reports whether another enters at the same time.
func (c *contactResolution) addEntrant(e logEntry) (tied bool) {
	if !c.entrantsListed {
		return false
	}
	k, tied := c.entrantAt(e.at)
	c.entered = slices.Insert(c.entered, k, e)
	return tied
}

// removeEntrant takes somebody off the list, who does not enter after all.
func (c *contactResolution) removeEntrant(at float64) {
	if c.entrantsListed {
		k, _ := c.entrantAt(at)
		c.entered = slices.Delete(c.entered, k, k+1)
	}
}

// eachEntrant calls back with the notes of everybody who enters in the window, as far as is known.
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

// stateAt is the state of somebody at a time, of which it is known that it is there, or was.
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

// applyContact changes somebody at a time, and lets it live on from there.
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
		w.contacts.added.Push(store.Due{At: s.contacts[i].at, Id: uint32(i), Shard: int32(s.number)})
	}
	for _, e := range s.log[firstEntry:] {
		if int(e.from) >= len(s.Program.States) {
			w.tied = w.contacts.addEntrant(e) || w.tied
		}
	}
}

// saveOriginal keeps what somebody was when the window began, before that is forgotten.
func (s *shard) saveOriginal(k int) {
	c := &s.checkpoints[k]
	if !c.changed && int(c.id) < s.capacity {
		s.originals = append(s.originals, original{int32(k), c.timers, slices.Clone(s.savedWords[k*s.stride:][:s.stride])})
	}
	c.changed = true
}

// undoAfter takes back what somebody did after a time. Whose event was the last of the window so far stays as it is: that may then be too late a time, but one within
// the window, and nothing in a result depends on where in it the clock stood. Person-time is added up in whole ticks, whichever times these are added up to.
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

// undoEntry takes back all that a child did, which was not born after all.
func (s *shard) undoEntry(id uint32) {
	k := s.checkpointOf(id)
	s.undoAfter(k, -1)
	s.Events -= uint64(s.checkpoints[k].events)
	s.stopTimers(id, 0)
}
