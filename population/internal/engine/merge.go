package engine

import (
	"cmp"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A merge is how all that happened in a window is put into the order of time. Each shard counts its notes by stretches of the window, and puts them there; then each
// takes as many stretches as the others, with the notes of all shards, and sorts them, a few notes each. What follows from the order is found in one
// pass: who leaves and who enters, in order, and how many there are at most in each state.
type merge struct {
	start, scale float64 // the first stretch begins then, and there are so many in a unit of time
	bins         int
	parts        []mergePart
}

// A mergePart is the stretches that one shard sorts.
type mergePart struct {
	entries    []logEntry
	left       []uint32
	entered    []uint32
	changes    []int            // of each state, until now
	peak       []int            // the most that this was
	peakAt     []float64        // and when
	personTime [2]store.Uint128 // from then to the end of the window: by those who enter, and not any more by those who leave
	tied       bool
	_          [64]byte
}

// entriesPerBin is how many notes are in a stretch, about: few, so that there is little to sort. Every shard counts all stretches, so with many shards
// it is more, lest the counts take more memory than the notes.
func entriesPerBin(shards int) int { return max(2, min(shards, 12)) }

// mergeLogs puts all notes into order, and reports whether that is the only one.
func (w *windows) mergeLogs(r *Run, cores int) bool {
	m := &w.merge
	entries := w.sum(func(s *shard) int { return len(s.log) })
	m.setBins(w, entries/entriesPerBin(len(w.shards)))
	if len(m.parts) < len(w.shards) {
		m.parts = make([]mergePart, len(w.shards))
	}
	w.eachShard(cores, (*shard).binLog)
	w.eachShard(cores, (*shard).mergeBins)
	for i := range m.parts {
		if m.parts[i].tied {
			return false
		}
		if i > 0 && len(m.parts[i].entries) > 0 { // the last before
			for k := i - 1; k >= 0; k-- {
				if before := m.parts[k].entries; len(before) > 0 {
					if before[len(before)-1].at == m.parts[i].entries[0].at {
						return false
					}
					break
				}
			}
		}
	}
	return true
}

// setBins cuts the present window into so many stretches, or one for each shard.
func (m *merge) setBins(w *windows, bins int) {
	m.bins = max(len(w.shards), bins)
	// What is due at the end of the window before, after an intervention, is in the first stretch.
	m.start = 0
	if w.now > 0 {
		m.start = w.edges[w.now-1]
	}
	m.scale = float64(m.bins) / (w.edges[w.now] - m.start)
}

// bin is the stretch of a time.
func (m *merge) bin(at float64) int {
	return max(0, min(m.bins-1, int((at-m.start)*m.scale)))
}

// binLog puts the notes of a shard into stretches. Who enters takes its timers along. It has an array of its own for them: two cores that write to the same lines of
// the cache wait for each other.
func (s *shard) binLog() {
	m := &s.w.merge
	s.binStarts = slices.Grow(s.binStarts[:0], m.bins+2)[:m.bins+2]
	clear(s.binStarts)
	for i := range s.log {
		if e := &s.log[i]; e.id != noID {
			s.binStarts[m.bin(e.at)+2]++
		}
	}
	for i := 2; i < len(s.binStarts); i++ {
		s.binStarts[i] += s.binStarts[i-1]
	}
	s.binned = slices.Grow(s.binned[:0], len(s.log))[:len(s.log)]
	for i := range s.log {
		if e := &s.log[i]; e.id != noID {
			at := &s.binStarts[m.bin(e.at)+1]
			s.binned[*at] = *e
			*at++
		}
	}
	s.collectTimers()
}

// collectTimers takes the timers that lie aside of those who enter out of the shard's table: their places are others'. A life has them
// where those of its beginning were.
func (s *shard) collectTimers() {
	s.entrantTimers = s.entrantTimers[:0]
	for t := range s.temporaries {
		id := s.temporaryID(t)
		set := s.status(id).sparse
		if set == 0 {
			continue
		}
		s.checkpoints[s.checkpointOf(id)].timers = uint32(len(s.entrantTimers))
		s.entrantTimers = s.sparseTimersOf(id, s.entrantTimers)
		s.stopTimers(id, 0)
		s.status(id).sparse = set
	}
}

// gather takes the notes of some stretches from all shards. If there is one, they stay where they are.
func (p *mergePart) gather(shards []*shard, from, to int) {
	if len(shards) == 1 {
		p.entries = shards[0].binned[:shards[0].binStarts[to]]
		return
	}
	n := 0
	for _, s := range shards {
		n += int(s.binStarts[to] - s.binStarts[from])
	}
	p.entries = slices.Grow(p.entries[:0], n)[:n]
	i := 0
	for k := from; k < to; k++ {
		for _, s := range shards {
			for j := s.binStarts[k]; j < s.binStarts[k+1]; j++ { // a few: copy would be a call
				p.entries[i] = s.binned[j]
				i++
			}
		}
	}
}

// sortLog puts notes, which are in order but for a few neighbours, into order. If all that happens does so in a small part of the window, there are many in a stretch,
// and moving each past those would take the square of their number: then it sorts in another way, and reports false.
func sortLog(entries []logEntry) (nearlySorted bool) {
	moves := 16 * len(entries)
	for i := 1; i < len(entries); i++ {
		e, j := entries[i], i
		for ; j > 0 && entries[j-1].at > e.at; j-- {
			entries[j] = entries[j-1]
		}
		entries[j] = e
		if moves -= i - j; moves < 0 {
			slices.SortFunc(entries, func(a, b logEntry) int { return cmp.Compare(a.at, b.at) })
			return false
		}
	}
	return true
}

// mergeBins sorts the stretches that are the shard's, and finds out what follows.
func (s *shard) mergeBins() {
	m := &s.w.merge
	p := &m.parts[s.number]
	p.gather(s.w.shards, m.bins*s.number/len(s.w.shards), m.bins*(s.number+1)/len(s.w.shards))
	p.left, p.entered, p.tied = p.left[:0], p.entered[:0], false
	p.personTime = [2]store.Uint128{}
	if len(p.changes) != len(s.Program.States) {
		p.changes, p.peak, p.peakAt = make([]int, len(s.Program.States)), make([]int, len(s.Program.States)), make([]float64, len(s.Program.States))
	}
	clear(p.changes)
	clear(p.peak)
	sortLog(p.entries)
	states, end := uint16(len(s.Program.States)), uint64(s.w.latest*s.personTime.Ticks)
	last := -1.0
	for i := range p.entries {
		e := &p.entries[i]
		p.tied = p.tied || e.at == last
		last = e.at
		if e.from < states {
			p.changes[e.from]--
		} else {
			p.entered = append(p.entered, e.id)
			p.personTime[0].Add(store.Uint128{Low: end - uint64(e.at*s.personTime.Ticks)})
		}
		if e.to == program.Nobody {
			p.left = append(p.left, e.id)
			p.personTime[1].Add(store.Uint128{Low: end - uint64(e.at*s.personTime.Ticks)})
			continue
		}
		p.changes[e.to]++
		if c := p.changes[e.to]; c > p.peak[e.to] {
			p.peak[e.to], p.peakAt[e.to] = c, e.at
		}
	}
}

// commit makes what happened in the window everybody's.
func (w *windows) commit(r *Run, cores int) {
	m := &w.merge
	r.Now = w.latest
	r.personTime.Until(r.Now, r.Alive)
	entered, contacts, events := 0, 0, uint64(0)
	for i := range m.parts {
		p := &m.parts[i]
		for state, most := range p.peak {
			if c := r.Counts[state] + most; most > 0 && c > r.Peaks[state].Count {
				r.Peaks[state] = Peak{c, r.Program.Start + p.peakAt[state]}
			}
			r.Counts[state] += p.changes[state]
		}
		r.personTime.Sum.Add(p.personTime[0])
		r.personTime.Sum.Subtract(p.personTime[1])
		entered += len(p.entered)
	}
	for _, s := range w.shards {
		for k := range r.Flows {
			r.Flows[k] += s.Flows[k]
		}
		for k := range r.Named {
			r.Named[k] += s.Named[k]
		}
		r.Events += s.Events
		r.Alive += s.numEntered - s.numLeft
		contacts, events = contacts+len(s.contacts), events+s.Events
	}
	r.entered += uint64(entered)
	fresh := min(entered, r.slotCount-r.Used)
	w.eachShard(cores, func(s *shard) { s.assignSlots(r, fresh) })
	r.Used += fresh
	for range entered - fresh {
		r.free.Take()
	}
	for i := range m.parts {
		for _, id := range m.parts[i].left {
			// One who entered in the same window has left its place where its words were.
			if int(id) >= r.capacity {
				id = uint32(r.words[int(id)*r.stride])
			}
			r.free.Put(id)
		}
	}
	r.beginPace(r.Now)
	if w.unprofitable++; uint64(contacts)*contactShare < events {
		w.unprofitable = max(0, w.unprofitable-2)
	}
	r.Windows++
}

// contactShare: if more than one in so many events is a contact, windows do not pay, because one core settles them.
const contactShare = 4

// assignSlots gives those who enter their places, if these belong to the shard: first those that nobody has had yet, and then the line.
func (s *shard) assignSlots(r *Run, fresh int) {
	s.entrants, s.entrantSlots = s.entrants[:0], s.entrantSlots[:0]
	rank := 0
	for i := range s.w.merge.parts {
		for _, temp := range s.w.merge.parts[i].entered {
			slot := uint32(r.Used + rank)
			if rank >= fresh {
				slot = r.free.At(rank - fresh)
			}
			rank++
			if s.w.shardOf(slot) == s {
				s.entrants, s.entrantSlots = append(s.entrants, temp), append(s.entrantSlots, slot)
			}
		}
	}
	const far = 16
	s.prefetch(s.entrantSlots[:min(far, len(s.entrantSlots))])
	s.prefetch(s.entrants[:min(far, len(s.entrants))])
	for i, temp := range s.entrants {
		if i%8 == 0 && i+far < len(s.entrantSlots) {
			s.prefetch(s.entrantSlots[i+far : min(i+far+8, len(s.entrantSlots))])
			s.prefetch(s.entrants[i+far : min(i+far+8, len(s.entrantSlots))])
		}
		s.moveToSlot(temp, s.entrantSlots[i])
	}
}

// moveToSlot moves somebody to a place.
func (s *shard) moveToSlot(temp, slot uint32) {
	words := s.words[int(temp)*s.stride:][:s.stride]
	copy(s.words[int(slot)*s.stride:], words)
	words[0] = uint64(slot) // for whoever asks where it went
	for a := range s.attributes {
		s.attributes[a].Set(slot, s.attributes[a].Of(temp))
	}
	if p := s.status(slot); p.state != program.Nobody {
		if p.sparse != 0 {
			from := s.w.shardOf(temp)
			timers := from.entrantTimers[from.checkpoints[from.checkpointOf(temp)].timers:]
			for set, i := p.sparse, 0; set != 0; set, i = set&(set-1), i+1 {
				s.sparseTimers.Set(slot, timers[i].column, timers[i].word)
			}
		}
		if next := *s.nextAt(slot); next <= s.w.lastEdge() {
			s.lists.Add(s.w.windowAt(next), slot)
		}
	}
}
