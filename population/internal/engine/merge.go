package engine

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A merge is how all that happened in a window is put into the order of time. Each shard counts its notes by stretches of the window, and puts them there; then each
// takes as many stretches as the others, with the notes of all shards, and sorts them, a few notes each. What follows from the order is found in one
// pass: who leaves and who enters, in order, and how many there are at most in each state.
type merge struct {
	begin, scale float64 // the first stretch begins then, and there are so many in a unit of time
	bins         int
	parts        []mergePart
}

// A mergePart is the stretches that one shard sorts.
type mergePart struct {
	notes   []logEntry
	leave   []uint32
	enter   []uint32
	changes []int            // of each state, until now
	most    []int            // the most that this was
	at      []float64        // and when
	lived   [2]store.Uint128 // from then to the end of the window: by those who enter, and not any more by those who leave
	tied    bool
	_       [64]byte
}

// binEntries is how many notes are in a stretch, about: few, so that there is little to sort. Every shard counts all stretches, so with many shards
// it is more, lest the counts take more memory than the notes.
func binEntries(shards int) int { return max(2, min(shards, 12)) }

// runParallel carries a window out by all shards at once. It reports false, and leaves everything as it was, if it cannot.
func (w *windows) runParallel(r *Run) bool {
	due := w.due()
	if due > w.rule.most {
		return false
	}
	w.tied = false
	w.arrivals = w.arrivals[:0]
	for k := range r.arrivals {
		w.arrivals = append(w.arrivals, savedArrival{r.arrivals[k], w.arrive[k]})
	}
	cores, done := r.windowCores(due)
	defer done()
	w.each(cores, func(s *shard) {
		s.begin(r)
		s.runAlone()
	})
	if !w.undecided(r) {
		w.resolveContacts(r)
	}
	if w.undecided(r) || !w.mergeLogs(r, cores) {
		w.each(cores, (*shard).rollBack)
		for k, a := range w.arrivals {
			r.arrivals[k], w.arrive[k] = a.stream, a.at
		}
		w.unprofitable += 2
		return false
	}
	w.commit(r, cores)
	return true
}

// windowCores is how many cores a window is carried out by in which so many are due: the replica's own, and those that nobody else has at the time. They
// are to be returned by done.
func (r *Run) windowCores(due int) (cores int, done func()) {
	const few = 1000
	if due < few && r.cores == 0 {
		return 1, func() {}
	}
	return r.setupCores()
}

// each lets every shard do something, on so many cores.
func (w *windows) each(cores int, do func(*shard)) {
	var next atomic.Int32
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(w.shards) {
				return
			}
			do(w.shards[i])
		}
	}
	var group sync.WaitGroup
	for range min(cores, len(w.shards)) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
}

// undecided reports whether something may have happened in the window that has to be carried out in order. What is asked is whether it could have happened,
// whatever the order.
func (w *windows) undecided(r *Run) bool {
	came := 0
	events := uint64(0)
	w.latest = r.Now
	for _, s := range w.shards {
		came, events, w.latest = came+s.came, events+s.Events, max(w.latest, s.latest)
		if s.budget < 0 || s.failed != nil {
			return true
		}
	}
	fresh := r.slotCount - r.Used
	return w.tied ||
		r.Alive+came > r.limit || // too many
		came > fresh+r.free.N || // somebody finds no place, and there will be more of them
		r.Used+min(came, fresh)+1 >= r.capacity || // the arrays are too small
		w.tooFew(r) ||
		events >= r.pace.base/2 || // the clock may stand still
		w.latest > w.edges[w.now]-2*r.Program.Slack // after the time of a row, which is r.now otherwise
}

// tooFew reports whether so few may be left that contacts find nobody, or that those who live are listed.
func (w *windows) tooFew(r *Run) bool {
	alive := r.Alive
	for _, s := range w.shards {
		alive -= s.left
	}
	return alive < 2 || r.Program.PlainMixing && 2*alive < r.slotCount-int(r.firstID)
}

// mergeLogs puts all notes into order, and reports whether that is the only one.
func (w *windows) mergeLogs(r *Run, cores int) bool {
	o := &w.merge
	notes := w.sum(func(s *shard) int { return len(s.log) })
	o.divide(w, notes/binEntries(len(w.shards)))
	if len(o.parts) < len(w.shards) {
		o.parts = make([]mergePart, len(w.shards))
	}
	w.each(cores, (*shard).binLog)
	w.each(cores, (*shard).mergeBins)
	for i := range o.parts {
		if o.parts[i].tied {
			return false
		}
		if i > 0 && len(o.parts[i].notes) > 0 { // the last before
			for k := i - 1; k >= 0; k-- {
				if before := o.parts[k].notes; len(before) > 0 {
					if before[len(before)-1].at == o.parts[i].notes[0].at {
						return false
					}
					break
				}
			}
		}
	}
	return true
}

// divide cuts the present window into so many stretches, or one for each shard.
func (o *merge) divide(w *windows, stretches int) {
	o.bins = max(len(w.shards), stretches)
	// What is due at the end of the window before, after an intervention, is in the first stretch.
	o.begin = 0
	if w.now > 0 {
		o.begin = w.edges[w.now-1]
	}
	o.scale = float64(o.bins) / (w.edges[w.now] - o.begin)
}

// bin is the stretch of a time.
func (o *merge) bin(at float64) int {
	return max(0, min(o.bins-1, int((at-o.begin)*o.scale)))
}

// binLog puts the notes of a shard into stretches. Who enters takes its timers along. It has an array of its own for them: two cores that write to the same lines of
// the cache wait for each other.
func (s *shard) binLog() {
	o := &s.w.merge
	s.starts = slices.Grow(s.starts[:0], o.bins+2)[:o.bins+2]
	clear(s.starts)
	for i := range s.log {
		if n := &s.log[i]; n.who != noID {
			s.starts[o.bin(n.at)+2]++
		}
	}
	for i := 2; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	s.sorted = slices.Grow(s.sorted[:0], len(s.log))[:len(s.log)]
	for i := range s.log {
		if n := &s.log[i]; n.who != noID {
			at := &s.starts[o.bin(n.at)+1]
			s.sorted[*at] = *n
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
		p.notes = shards[0].sorted[:shards[0].starts[to]]
		return
	}
	n := 0
	for _, s := range shards {
		n += int(s.starts[to] - s.starts[from])
	}
	p.notes = slices.Grow(p.notes[:0], n)[:n]
	i := 0
	for k := from; k < to; k++ {
		for _, s := range shards {
			for j := s.starts[k]; j < s.starts[k+1]; j++ { // a few: copy would be a call
				p.notes[i] = s.sorted[j]
				i++
			}
		}
	}
}

// sortLog puts notes, which are in order but for a few neighbours, into order. If all that happens does so in a small part of the window, there are many in a stretch,
// and moving each past those would take the square of their number: then it sorts in another way, and reports false.
func sortLog(notes []logEntry) (near bool) {
	moves := 16 * len(notes)
	for i := 1; i < len(notes); i++ {
		n, j := notes[i], i
		for ; j > 0 && notes[j-1].at > n.at; j-- {
			notes[j] = notes[j-1]
		}
		notes[j] = n
		if moves -= i - j; moves < 0 {
			slices.SortFunc(notes, func(a, b logEntry) int { return cmp.Compare(a.at, b.at) })
			return false
		}
	}
	return true
}

// mergeBins sorts the stretches that are the shard's, and finds out what follows.
func (s *shard) mergeBins() {
	o := &s.w.merge
	p := &o.parts[s.number]
	p.gather(s.w.shards, o.bins*s.number/len(s.w.shards), o.bins*(s.number+1)/len(s.w.shards))
	p.leave, p.enter, p.tied = p.leave[:0], p.enter[:0], false
	p.lived = [2]store.Uint128{}
	if len(p.changes) != len(s.Program.States) {
		p.changes, p.most, p.at = make([]int, len(s.Program.States)), make([]int, len(s.Program.States)), make([]float64, len(s.Program.States))
	}
	clear(p.changes)
	clear(p.most)
	sortLog(p.notes)
	states, end := uint16(len(s.Program.States)), uint64(s.w.latest*s.personTime.Ticks)
	last := -1.0
	for i := range p.notes {
		n := &p.notes[i]
		p.tied = p.tied || n.at == last
		last = n.at
		if n.from < states {
			p.changes[n.from]--
		} else {
			p.enter = append(p.enter, n.who)
			p.lived[0].Add(store.Uint128{Low: end - uint64(n.at*s.personTime.Ticks)})
		}
		if n.to == program.Nobody {
			p.leave = append(p.leave, n.who)
			p.lived[1].Add(store.Uint128{Low: end - uint64(n.at*s.personTime.Ticks)})
			continue
		}
		p.changes[n.to]++
		if c := p.changes[n.to]; c > p.most[n.to] {
			p.most[n.to], p.at[n.to] = c, n.at
		}
	}
}

// commit makes what happened in the window everybody's.
func (w *windows) commit(r *Run, cores int) {
	o := &w.merge
	r.Now = w.latest
	r.personTime.Until(r.Now, r.Alive)
	came, meets, events := 0, 0, uint64(0)
	for i := range o.parts {
		p := &o.parts[i]
		for state, most := range p.most {
			if c := r.Counts[state] + most; most > 0 && c > r.Peaks[state].Count {
				r.Peaks[state] = Peak{c, r.Program.Start + p.at[state]}
			}
			r.Counts[state] += p.changes[state]
		}
		r.personTime.Sum.Add(p.lived[0])
		r.personTime.Sum.Subtract(p.lived[1])
		came += len(p.enter)
	}
	for _, s := range w.shards {
		for k := range r.Flows {
			r.Flows[k] += s.Flows[k]
		}
		for k := range r.Named {
			r.Named[k] += s.Named[k]
		}
		r.Events += s.Events
		r.Alive += s.came - s.left
		meets, events = meets+len(s.contacts), events+s.Events
	}
	r.entered += uint64(came)
	fresh := min(came, r.slotCount-r.Used)
	w.each(cores, func(s *shard) { s.assignSlots(r, fresh) })
	r.Used += fresh
	for range came - fresh {
		r.free.Take()
	}
	for i := range o.parts {
		for _, id := range o.parts[i].leave {
			// One who entered in the same window has left its place where its words were.
			if int(id) >= r.capacity {
				id = uint32(r.words[int(id)*r.stride])
			}
			r.free.Put(id)
		}
	}
	r.beginPace(r.Now)
	if w.unprofitable++; uint64(meets)*contactShare < events {
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
		for _, temp := range s.w.merge.parts[i].enter {
			place := uint32(r.Used + rank)
			if rank >= fresh {
				place = r.free.At(rank - fresh)
			}
			rank++
			if s.w.shardOf(place) == s {
				s.entrants, s.entrantSlots = append(s.entrants, temp), append(s.entrantSlots, place)
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
		s.moveIn(temp, s.entrantSlots[i])
	}
}

// moveIn moves somebody to a place.
func (s *shard) moveIn(temp, place uint32) {
	words := s.words[int(temp)*s.stride:][:s.stride]
	copy(s.words[int(place)*s.stride:], words)
	words[0] = uint64(place) // for whoever asks where it went
	for a := range s.attributes {
		s.attributes[a].Set(place, s.attributes[a].Of(temp))
	}
	if p := s.status(place); p.state != program.Nobody {
		if p.sparse != 0 {
			from := s.w.shardOf(temp)
			timers := from.entrantTimers[from.checkpoints[from.checkpointOf(temp)].timers:]
			for set, i := p.sparse, 0; set != 0; set, i = set&(set-1), i+1 {
				s.sparseTimers.Set(place, timers[i].column, timers[i].word)
			}
		}
		if next := *s.nextAt(place); next <= s.w.last() {
			s.lists.Add(s.w.of(next), place)
		}
	}
}
