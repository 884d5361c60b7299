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
	planned   []store.Due   // from the first step, in order
	later     store.DueHeap // those that were made since
	entered   []logEntry    // who enters in the window, in order, if they are listed
	listed    bool
	starts    []uint32
	positions map[uint32]int // where the first of the line stand, as far as anybody asked, if many places were left at one time
}

// resolveContacts lets all contacts take effect. It gives up if equal times make it matter who comes first.
func (w *windows) resolveContacts(r *Run) {
	e := &w.contacts
	e.planned, e.later, e.listed = e.planned[:0], e.later[:0], false
	clear(e.positions)
	for _, s := range w.shards {
		for i := range s.contacts {
			e.planned = append(e.planned, store.Due{At: s.contacts[i].at, Id: uint32(i), Shard: int32(s.number)})
		}
	}
	slices.SortFunc(e.planned, func(a, b store.Due) int { return cmp.Compare(a.At, b.At) })
	const far = 8
	last := -1.0
	for i := 0; !w.tied; {
		var next store.Due
		switch {
		case len(e.later) > 0 && (i == len(e.planned) || e.later[0].At < e.planned[i].At):
			next = e.later.Pop()
		case i < len(e.planned):
			next = e.planned[i]
			if i++; i+far < len(e.planned) {
				w.prefetchContact(r, e.planned[i+far])
			}
		default:
			return
		}
		if next.At == last {
			w.tied = true
			return
		}
		last = next.At
		if w.tooFew(r) {
			w.tied = true
			return
		}
		if m := w.shards[next.Shard].contacts[next.Id]; m.id != noID {
			w.resolveContact(r, m)
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
func (w *windows) resolveContact(r *Run, m pendingContact) {
	n := uint64(r.slotCount) - uint64(r.firstID)
	choices := random.Stream(m.seed)
	var id uint32
	var state uint16
	for {
		var ok bool
		id, state, ok = w.occupant(r, r.firstID+uint32(choices.Below(n)), m.at)
		if w.tied {
			return
		}
		if ok && id != m.id {
			break
		}
	}
	c := &r.phase.Contacts[m.contact]
	if to := c.Becomes[state]; to != program.SameState && (c.Chance == 1 || m.seed.of(seedOfChance) < c.Chance) {
		w.applyContact(id, state, to, m.at, int(m.name))
	}
}

// occupant is who has a place at a time, and in which state it is. It reports false if nobody has.
func (w *windows) occupant(r *Run, place uint32, at float64) (id uint32, state uint16, ok bool) {
	rank := 0 // of the entrant that takes it
	if int(place) < r.Used {
		s := w.shardOf(place)
		if k := s.checkpointOf(place); k >= 0 {
			state = s.stateAt(k, at)
			return place, state, state != program.Nobody
		}
		if state := r.status(place).state; state != program.Nobody {
			return place, state, true
		}
		inLine := w.entrants() - (r.slotCount - r.Used)
		if inLine <= 0 {
			return 0, 0, false
		}
		position := w.freePosition(r, place, min(inLine, r.free.N))
		if position < 0 {
			return 0, 0, false
		}
		rank = r.slotCount - r.Used + position
	} else if rank = int(place) - r.Used; rank >= w.entrants() {
		return 0, 0, false
	}
	w.listEntrants()
	entered := w.contacts.entered
	if rank >= len(entered) || entered[rank].at > at {
		return 0, 0, false
	}
	w.tied = w.tied || entered[rank].at == at
	id = entered[rank].who
	s := w.shardOf(id)
	state = s.stateAt(s.checkpointOf(id), at)
	return id, state, state != program.Nobody
}

// freePosition is where a free place stands among the first of the line; −1 if it is not there. The line is in the order of leaving.
func (w *windows) freePosition(r *Run, place uint32, first int) int {
	left := *r.nextAt(place)
	low, high := 0, first
	for low < high {
		middle := (low + high) / 2
		if *r.nextAt(r.free.At(middle)) < left {
			low = middle + 1
		} else {
			high = middle
		}
	}
	const few = 8
	for k := low; k < first && *r.nextAt(r.free.At(k)) == left; k++ {
		if r.free.At(k) == place {
			return k
		}
		if k == low+few {
			return w.contacts.slotAmongTies(r, place, first)
		}
	}
	return -1
}

// slotAmongTies is the same for a place of many that were left at one time, as when an intervention lets half of all go.
func (e *contactResolution) slotAmongTies(r *Run, place uint32, first int) int {
	if e.positions == nil {
		e.positions = map[uint32]int{}
	}
	for k := len(e.positions); k < first; k++ {
		e.positions[r.free.At(k)] = k
	}
	if k, ok := e.positions[place]; ok && k < first {
		return k
	}
	return -1
}

// entrants is how many enter in the window, as far as is known.
func (w *windows) entrants() (n int) {
	for _, s := range w.shards {
		n += s.came
	}
	return n
}

// listEntrants puts those who enter into order, if that has not been done: by stretches of the window first, and then each where it belongs. Who enters because of a
// contact after that, or does not, is put in or taken out.
func (w *windows) listEntrants() {
	e := &w.contacts
	if e.listed {
		return
	}
	e.listed = true
	n := w.entrants()
	var o merge
	o.divide(w, n/4)
	e.starts = append(e.starts[:0], make([]uint32, o.bins+1)...)
	w.eachEntrant(func(n *logEntry) { e.starts[o.bin(n.at)+1]++ })
	for i := 1; i < len(e.starts); i++ {
		e.starts[i] += e.starts[i-1]
	}
	e.entered = append(e.entered[:0], make([]logEntry, n)...)
	w.eachEntrant(func(n *logEntry) {
		k := &e.starts[o.bin(n.at)]
		e.entered[*k] = *n
		*k++
	})
	sortLog(e.entered)
	for i := 1; i < n; i++ {
		w.tied = w.tied || e.entered[i-1].at == e.entered[i].at
	}
}

// find is where somebody who enters at a time is on the list, or would be.
func (e *contactResolution) find(at float64) (k int, found bool) {
	return slices.BinarySearchFunc(e.entered, at, func(n logEntry, at float64) int { return cmp.Compare(n.at, at) })
}

// addEntrant puts somebody on the list of those who enter, if there is one. It reports whether another enters at the same time.
func (e *contactResolution) addEntrant(n logEntry) (tied bool) {
	if !e.listed {
		return false
	}
	k, tied := e.find(n.at)
	e.entered = slices.Insert(e.entered, k, n)
	return tied
}

// removeEntrant takes somebody off the list, who does not enter after all.
func (e *contactResolution) removeEntrant(at float64) {
	if e.listed {
		k, _ := e.find(at)
		e.entered = slices.Delete(e.entered, k, k+1)
	}
}

// eachEntrant calls back with the notes of everybody who enters in the window, as far as is known.
func (w *windows) eachEntrant(each func(*logEntry)) {
	for _, s := range w.shards {
		states := uint16(len(s.Program.States))
		for i := range s.log {
			if n := &s.log[i]; n.from >= states && n.who != noID {
				each(n)
			}
		}
	}
}

// stateAt is the state of somebody at a time, of which it is known that it is there, or was.
func (s *shard) stateAt(k int, at float64) uint16 {
	l := &s.checkpoints[k]
	state := (*status)(unsafe.Pointer(&s.savedWords[k*s.stride+1])).state
	for _, n := range s.log[l.firstLog:l.endLog] {
		if n.at >= at {
			s.w.tied = s.w.tied || n.at == at
			break
		}
		if n.who == l.id {
			state = n.to
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
		s.mute = true
		for next < at {
			s.Now = next
			events++
			next = s.fireAlone(id)
		}
		s.mute = false
		w.tied = w.tied || next == at
		s.Events -= uint64(s.checkpoints[k].events - events)
	}
	if w.tied {
		return
	}
	s.Now = at
	meets, notes := len(s.contacts), len(s.log)
	next := s.changeAlone(id, state, to, name)
	copy(s.savedWords[k*s.stride:], s.words[int(id)*s.stride:][:s.stride])
	s.saveTimers(k, next)
	s.runToEnd(k)
	s.runNewborn()
	for i := meets; i < len(s.contacts); i++ {
		w.contacts.later.Push(store.Due{At: s.contacts[i].at, Id: uint32(i), Shard: int32(s.number)})
	}
	for _, n := range s.log[notes:] {
		if int(n.from) >= len(s.Program.States) {
			w.tied = w.contacts.addEntrant(n) || w.tied
		}
	}
}

// saveOriginal keeps what somebody was when the window began, before that is forgotten.
func (s *shard) saveOriginal(k int) {
	l := &s.checkpoints[k]
	if !l.changed && int(l.id) < s.capacity {
		s.originals = append(s.originals, original{int32(k), l.timers, slices.Clone(s.savedWords[k*s.stride:][:s.stride])})
	}
	l.changed = true
}

// undoAfter takes back what somebody did after a time. Whose event was the last of the window so far stays as it is: that may then be too late a time, but one within
// the window, and nothing in a result depends on where in it the clock stood. Person-time is added up in whole ticks, whichever times these are added up to.
func (s *shard) undoAfter(k int, after float64) {
	l := s.checkpoints[k]
	for i := l.firstLog; i < l.endLog; i++ {
		n := &s.log[i]
		if n.at <= after || n.who == noID {
			continue
		}
		s.tally(n.from, n.to, int(s.logNames[i]), -1)
		if int(n.from) >= len(s.Program.States) {
			s.w.contacts.removeEntrant(n.at)
			s.undoEntry(n.who)
		}
		n.who = noID
	}
	for i := l.firstContact; i < l.endContact; i++ {
		if m := &s.contacts[i]; m.at > after {
			m.id = noID
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
