package engine

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/prefetch"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// encounters settles the contacts of a window, in the order of time. All that happened before a contact is final when its turn comes: changing
// somebody only changes what comes later.
type encounters struct {
	planned []dueAt // from the first step, in order
	later   dueHeap // those that were made since
	entered []note  // who enters in the window, in order, if they are listed
	listed  bool
	starts  []uint32
	waiting map[uint32]int // where the first of the line stand, as far as anybody asked, if many places were left at one time
}

// settle lets all contacts take effect. It gives up if equal times make it matter who comes first.
func (w *windows) settle(r *Run) {
	e := &w.meeting
	e.planned, e.later, e.listed = e.planned[:0], e.later[:0], false
	clear(e.waiting)
	for _, s := range w.shards {
		for i := range s.meets {
			e.planned = append(e.planned, dueAt{s.meets[i].at, uint32(i), int32(s.number)})
		}
	}
	slices.SortFunc(e.planned, func(a, b dueAt) int { return cmp.Compare(a.at, b.at) })
	const far = 8
	last := -1.0
	for i := 0; !w.tied; {
		var next dueAt
		switch {
		case len(e.later) > 0 && (i == len(e.planned) || e.later[0].at < e.planned[i].at):
			next = e.later.pop()
		case i < len(e.planned):
			next = e.planned[i]
			if i++; i+far < len(e.planned) {
				w.foresee(r, e.planned[i+far])
			}
		default:
			return
		}
		if next.at == last {
			w.tied = true
			return
		}
		last = next.at
		if w.few(r) {
			w.tied = true
			return
		}
		if m := w.shards[next.shard].meets[next.id]; m.id != nobodyElse {
			w.encounter(r, m)
		}
	}
}

// foresee asks for the first choice of a contact.
func (w *windows) foresee(r *Run, p dueAt) {
	choices := random.Stream(w.shards[p.shard].meets[p.id].luck)
	id := int(r.first) + int(choices.Below(uint64(r.places)-uint64(r.first)))
	prefetch.Lines(unsafe.Pointer(&r.words[min(id*r.stride, len(r.words)-1)]), 1)
}

// encounter lets a contact take effect.
func (w *windows) encounter(r *Run, m meeting) {
	n := uint64(r.places) - uint64(r.first)
	choices := random.Stream(m.luck)
	var id uint32
	var state uint16
	for {
		var ok bool
		id, state, ok = w.holder(r, r.first+uint32(choices.Below(n)), m.at)
		if w.tied {
			return
		}
		if ok && id != m.id {
			break
		}
	}
	c := &r.t.Contacts[m.contact]
	if to := c.Becomes[state]; to != program.SameState && (c.Chance == 1 || m.luck.of(luckOfChance) < c.Chance) {
		w.affect(id, state, to, m.at, int(m.name))
	}
}

// holder is who has a place at a time, and in which state it is. It reports false if nobody has.
func (w *windows) holder(r *Run, place uint32, at float64) (id uint32, state uint16, ok bool) {
	rank := 0 // of the entrant that takes it
	if int(place) < r.Ids {
		s := w.shardOf(place)
		if k := s.lifeOf(place); k >= 0 {
			state = s.stateAt(k, at)
			return place, state, state != program.Nobody
		}
		if state := r.person(place).state; state != program.Nobody {
			return place, state, true
		}
		inLine := w.came() - (r.places - r.Ids)
		if inLine <= 0 {
			return 0, 0, false
		}
		position := w.inLine(r, place, min(inLine, r.free.n))
		if position < 0 {
			return 0, 0, false
		}
		rank = r.places - r.Ids + position
	} else if rank = int(place) - r.Ids; rank >= w.came() {
		return 0, 0, false
	}
	w.listEntrants()
	entered := w.meeting.entered
	if rank >= len(entered) || entered[rank].at > at {
		return 0, 0, false
	}
	w.tied = w.tied || entered[rank].at == at
	id = entered[rank].who
	s := w.shardOf(id)
	state = s.stateAt(s.lifeOf(id), at)
	return id, state, state != program.Nobody
}

// inLine is where a free place stands among the first of the line; −1 if it is not there. The line is in the order of leaving.
func (w *windows) inLine(r *Run, place uint32, first int) int {
	left := *r.nextAt(place)
	low, high := 0, first
	for low < high {
		middle := (low + high) / 2
		if *r.nextAt(r.free.at(middle)) < left {
			low = middle + 1
		} else {
			high = middle
		}
	}
	const few = 8
	for k := low; k < first && *r.nextAt(r.free.at(k)) == left; k++ {
		if r.free.at(k) == place {
			return k
		}
		if k == low+few {
			return w.meeting.inCrowd(r, place, first)
		}
	}
	return -1
}

// inCrowd is the same for a place of many that were left at one time, as when an intervention lets half of all go.
func (e *encounters) inCrowd(r *Run, place uint32, first int) int {
	if e.waiting == nil {
		e.waiting = map[uint32]int{}
	}
	for k := len(e.waiting); k < first; k++ {
		e.waiting[r.free.at(k)] = k
	}
	if k, ok := e.waiting[place]; ok && k < first {
		return k
	}
	return -1
}

// came is how many enter in the window, as far as is known.
func (w *windows) came() (n int) {
	for _, s := range w.shards {
		n += s.came
	}
	return n
}

// listEntrants puts those who enter into order, if that has not been done: by stretches of the window first, and then each where it belongs. Who enters because of a
// contact after that, or does not, is put in or taken out.
func (w *windows) listEntrants() {
	e := &w.meeting
	if e.listed {
		return
	}
	e.listed = true
	n := w.came()
	var o sequence
	o.divide(w, n/4)
	e.starts = append(e.starts[:0], make([]uint32, o.stretches+1)...)
	w.eachEntrant(func(n *note) { e.starts[o.stretch(n.at)+1]++ })
	for i := 1; i < len(e.starts); i++ {
		e.starts[i] += e.starts[i-1]
	}
	e.entered = append(e.entered[:0], make([]note, n)...)
	w.eachEntrant(func(n *note) {
		k := &e.starts[o.stretch(n.at)]
		e.entered[*k] = *n
		*k++
	})
	sortNotes(e.entered)
	for i := 1; i < n; i++ {
		w.tied = w.tied || e.entered[i-1].at == e.entered[i].at
	}
}

// find is where somebody who enters at a time is on the list, or would be.
func (e *encounters) find(at float64) (k int, found bool) {
	return slices.BinarySearchFunc(e.entered, at, func(n note, at float64) int { return cmp.Compare(n.at, at) })
}

// enters puts somebody on the list of those who enter, if there is one. It reports whether another enters at the same time.
func (e *encounters) enters(n note) (tied bool) {
	if !e.listed {
		return false
	}
	k, tied := e.find(n.at)
	e.entered = slices.Insert(e.entered, k, n)
	return tied
}

// stays takes somebody off the list, who does not enter after all.
func (e *encounters) stays(at float64) {
	if e.listed {
		k, _ := e.find(at)
		e.entered = slices.Delete(e.entered, k, k+1)
	}
}

// eachEntrant calls back with the notes of everybody who enters in the window, as far as is known.
func (w *windows) eachEntrant(each func(*note)) {
	for _, s := range w.shards {
		states := uint16(len(s.M.States))
		for i := range s.notes {
			if n := &s.notes[i]; n.from >= states && n.who != nobodyElse {
				each(n)
			}
		}
	}
}

// stateAt is the state of somebody at a time, of which it is known that it is there, or was.
func (s *shard) stateAt(k int, at float64) uint16 {
	l := &s.lives[k]
	state := (*person)(unsafe.Pointer(&s.copies[k*s.stride+1])).state
	for _, n := range s.notes[l.notes:l.end] {
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

// affect changes somebody at a time, and lets it live on from there.
func (w *windows) affect(id uint32, state, to uint16, at float64, name int) {
	s := w.shardOf(id)
	k := s.lifeOf(id)
	if k < 0 {
		k = s.enroll(id, *s.nextAt(id))
		s.keepFirst(k)
		s.lives[k].notes, s.lives[k].end = uint32(len(s.notes)), uint32(len(s.notes))
	} else {
		s.keepFirst(k)
		s.restore(k)
		s.takeBack(k, at)
		next, events := s.nextOf(k), uint32(0)
		s.mute = true
		for next < at {
			s.Now = next
			events++
			next = s.strikeAlone(id)
		}
		s.mute = false
		w.tied = w.tied || next == at
		s.Events -= uint64(s.lives[k].events - events)
	}
	if w.tied {
		return
	}
	s.Now = at
	meets, notes := len(s.meets), len(s.notes)
	next := s.becomeAlone(id, state, to, name)
	copy(s.copies[k*s.stride:], s.words[int(id)*s.stride:][:s.stride])
	s.keep(k, next)
	s.live(k)
	s.rearChildren()
	for i := meets; i < len(s.meets); i++ {
		w.meeting.later.push(dueAt{s.meets[i].at, uint32(i), int32(s.number)})
	}
	for _, n := range s.notes[notes:] {
		if int(n.from) >= len(s.M.States) {
			w.tied = w.meeting.enters(n) || w.tied
		}
	}
}

// keepFirst keeps what somebody was when the window began, before that is forgotten.
func (s *shard) keepFirst(k int) {
	l := &s.lives[k]
	if !l.changed && int(l.id) < s.room {
		s.undone = append(s.undone, undo{int32(k), l.timers, slices.Clone(s.copies[k*s.stride:][:s.stride])})
	}
	l.changed = true
}

// takeBack takes back what somebody did after a time. Whose event was the last of the window so far stays as it is: that may then be too late a time, but one within
// the window, and nothing in a result depends on where in it the clock stood. Person-time is added up in whole ticks, whichever times these are added up to.
func (s *shard) takeBack(k int, after float64) {
	l := s.lives[k]
	for i := l.notes; i < l.end; i++ {
		n := &s.notes[i]
		if n.at <= after || n.who == nobodyElse {
			continue
		}
		s.tally(n.from, n.to, int(s.names[i]), -1)
		if int(n.from) >= len(s.M.States) {
			s.w.meeting.stays(n.at)
			s.unbear(n.who)
		}
		n.who = nobodyElse
	}
	for i := l.meets; i < l.ended; i++ {
		if m := &s.meets[i]; m.at > after {
			m.id = nobodyElse
		}
	}
}

// unbear takes back all that a child did, which was not born after all.
func (s *shard) unbear(id uint32) {
	k := s.lifeOf(id)
	s.takeBack(k, -1)
	s.Events -= uint64(s.lives[k].events)
	s.stopTimers(id, 0)
}
