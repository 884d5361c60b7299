package engine

import (
	"cmp"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A merge puts the logs of all shards into the order of time. The window is cut into bins, some for
// each shard:
//
//	shard 0  log ─▶ [ bin 0 | bin 1 | bin 2 | bin 3 ]   binLog: each shard bins its own log
//	shard 1  log ─▶ [ bin 0 | bin 1 | bin 2 | bin 3 ]   (a counting sort)
//	                  └─ part 0 ──┘   └─ part 1 ──┘     mergeBins: each shard sorts its part,
//	                                                    with the entries of all shards
//
// A bin has a few entries, so that sorting a part takes linear time. What follows from the order is
// found in one pass over each part: who leaves and who enters, in order, and the peak of each
// state. Only the sums over the parts and the free list are serial.
type merge struct {
	start, scale float64 // where the first bin begins, and how many there are in a unit of time
	bins         int
	parts        []mergePart
}

// A mergePart is the bins that one shard sorts, and what follows from their order.
type mergePart struct {
	entries []logEntry
	left    []uint32  // individuals that leave, in order
	entered []uint32  // individuals that enter, in order
	changes []int     // by state: the net change so far
	peak    []int     // by state: the largest net change
	peakAt  []float64 // by state: when that was first reached

	gained store.Uint128 // person-time of those that enter, from then to the end of the window, in ticks
	lost   store.Uint128 // the same of those that leave, which they do not live
	tied   bool          // two entries have equal times
	_      [64]byte      // parts share no cache line
}

// entriesPerBin returns about how many log entries a bin has: few, so that there is little to sort.
// Every shard counts its entries in all bins, so with many shards there are fewer bins, lest the
// counts take more memory than the entries.
func entriesPerBin(shards int) int { return max(2, min(shards, 12)) }

// mergeLogs puts all log entries into the order of time, and reports whether no two times are
// equal.
func (w *windows) mergeLogs(cores int) bool {
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
		if i > 0 && len(m.parts[i].entries) > 0 { // compare with the last entry before it
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

// setBins cuts the present window into the given number of bins, or one for each shard if that is
// more.
func (m *merge) setBins(w *windows, bins int) {
	m.bins = max(len(w.shards), bins)
	// What an intervention made due at the end of the window before is in the first bin.
	m.start = 0
	if w.now > 0 {
		m.start = w.edges[w.now-1]
	}
	m.scale = float64(m.bins) / (w.edges[w.now] - m.start)
}

// bin returns the bin of a time.
func (m *merge) bin(at float64) int {
	return max(0, min(m.bins-1, int((at-m.start)*m.scale)))
}

// binLog sorts the log of a shard by bins, without the entries that were undone. Each shard has an
// array of its own for them: two cores that write to the same cache lines wait for each other.
func (s *shard) binLog() {
	m := &s.w.merge
	s.binStarts = slices.Grow(s.binStarts[:0], m.bins+2)[:m.bins+2]
	clear(s.binStarts)
	for i := range s.log {
		if e := &s.log[i]; e.id != noID {
			s.binStarts[m.bin(e.at)+2]++
		}
	}
	// While the bins are filled, binStarts[k+1] is where the next entry of bin k goes; afterwards
	// it is where bin k+1 begins.
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

// collectTimers moves the sparse timers of entrants from the shard's table to entrantTimers: the
// slots that they get may belong to other shards. The checkpoint of an entrant says where they are.
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
		s.status(id).sparse = set // moveToSlot needs it
	}
}

// gather collects the entries of some bins from all shards. If there is only one shard, they are
// used where they are.
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

// sortLog sorts entries that are in order but for a few neighbours, by insertion. If all that
// happens does so in a small part of the window, a bin has many entries, and insertion would take
// the square of their number: then it uses another sort, and reports false.
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

// mergeBins sorts the bins of the shard's part, and finds what follows from the order.
func (s *shard) mergeBins() {
	m := &s.w.merge
	p := &m.parts[s.number]
	p.gather(s.w.shards, m.bins*s.number/len(s.w.shards), m.bins*(s.number+1)/len(s.w.shards))
	p.left, p.entered, p.tied = p.left[:0], p.entered[:0], false
	p.gained, p.lost = store.Uint128{}, store.Uint128{}
	if len(p.changes) != len(s.Program.States) {
		n := len(s.Program.States)
		p.changes, p.peak, p.peakAt = make([]int, n), make([]int, n), make([]float64, n)
	}
	clear(p.changes)
	clear(p.peak)
	sortLog(p.entries)
	states, end := uint16(len(s.Program.States)), s.personTime.Ticks(s.w.latest)
	last := -1.0
	for i := range p.entries {
		e := &p.entries[i]
		p.tied = p.tied || e.at == last
		last = e.at
		if e.from < states {
			p.changes[e.from]--
		} else {
			p.entered = append(p.entered, e.id)
			p.gained.AddUint64(end - s.personTime.Ticks(e.at))
		}
		if e.to == program.NoState {
			p.left = append(p.left, e.id)
			p.lost.AddUint64(end - s.personTime.Ticks(e.at))
			continue
		}
		p.changes[e.to]++
		if c := p.changes[e.to]; c > p.peak[e.to] {
			p.peak[e.to], p.peakAt[e.to] = c, e.at
		}
	}
}

// commit adds what happened in the window to the run: peaks, counts, flows, person-time, the slots
// of entrants, and the slots that were left.
func (w *windows) commit(r *Run, cores int) {
	m := &w.merge
	r.Now = w.latest
	r.personTime.AdvanceTo(r.Now, r.Alive)
	entered, contacts, events := 0, 0, uint64(0)
	for i := range m.parts {
		p := &m.parts[i]
		for state, most := range p.peak {
			if c := r.Counts[state] + most; most > 0 && c > r.Peaks[state].Count {
				r.Peaks[state] = Peak{c, r.Program.Start + p.peakAt[state]}
			}
			r.Counts[state] += p.changes[state]
		}
		r.personTime.Sum.Add(p.gained)
		r.personTime.Sum.Subtract(p.lost)
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
			// The first word of an entrant that left again is its slot (moveToSlot).
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

// contactShare is the number of events per contact below which a window does not pay, because one
// core resolves all contacts.
const contactShare = 4

// assignSlots moves the entrants of the window whose slots belong to the shard there: first come
// the slots that were never used, and then those of the free list.
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

// moveToSlot moves an entrant from its temporary id to its slot, and lists its next event.
func (s *shard) moveToSlot(temp, slot uint32) {
	words := s.words[int(temp)*s.stride:][:s.stride]
	copy(s.words[int(slot)*s.stride:], words)
	words[0] = uint64(slot) // so that commit finds the slot of an entrant that left again
	for a := range s.attributes {
		s.attributes[a].Set(slot, s.attributes[a].Of(temp))
	}
	if p := s.status(slot); p.state != program.NoState {
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
