package engine

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// A sequence is how all that happened in a window is put into the order of time. Each shard counts its notes by stretches of the window, and puts them there; then each
// takes as many stretches as the others, with the notes of all shards, and sorts them, a few notes each. What follows from the order is found in one
// pass: who leaves and who enters, in order, and how many there are at most in each state.
type sequence struct {
	begin, scale float64 // the first stretch begins then, and there are so many in a unit of time
	stretches    int
	parts        []part
}

// A part is the stretches that one shard sorts.
type part struct {
	notes   []note
	leave   []uint32
	enter   []uint32
	changes []int     // of each state, until now
	most    []int     // the most that this was
	at      []float64 // and when
	lived   [2]wide   // from then to the end of the window: by those who enter, and not any more by those who leave
	tied    bool
	_       [64]byte
}

// stretchNotes is how many notes are in a stretch, about: few, so that there is little to sort. Every shard counts all stretches, so with many shards
// it is more, lest the counts take more memory than the notes.
func stretchNotes(shards int) int { return max(2, min(shards, 12)) }

// atOnce carries a window out by all shards at once. It reports false, and leaves everything as it was, if it cannot.
func (w *windows) atOnce(r *Run) bool {
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
		s.alone()
	})
	if !w.doubtful(r) {
		w.settle(r)
	}
	if w.doubtful(r) || !w.sort(r, cores) {
		w.each(cores, (*shard).giveUp)
		for k, a := range w.arrivals {
			r.arrivals[k], w.arrive[k] = a.stream, a.at
		}
		w.misses += 2
		return false
	}
	w.conclude(r, cores)
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

// doubtful reports whether something may have happened in the window that has to be carried out in order. What is asked is whether it could have happened,
// whatever the order.
func (w *windows) doubtful(r *Run) bool {
	came := 0
	events := uint64(0)
	w.latest = r.Now
	for _, s := range w.shards {
		came, events, w.latest = came+s.came, events+s.Events, max(w.latest, s.latest)
		if s.budget < 0 || s.broke != nil {
			return true
		}
	}
	fresh := r.places - r.Ids
	return w.tied ||
		r.Alive+came > r.most || // too many
		came > fresh+r.free.n || // somebody finds no place, and there will be more of them
		r.Ids+min(came, fresh)+1 >= r.room || // the arrays are too small
		w.few(r) ||
		events >= r.pace.base/2 || // the clock may stand still
		w.latest > w.edges[w.now]-2*r.M.Slack // after the time of a row, which is r.now otherwise
}

// few reports whether so few may be left that contacts find nobody, or that those who live are listed.
func (w *windows) few(r *Run) bool {
	alive := r.Alive
	for _, s := range w.shards {
		alive -= s.left
	}
	return alive < 2 || r.M.PlainMixing && 2*alive < r.places-int(r.first)
}

// sort puts all notes into order, and reports whether that is the only one.
func (w *windows) sort(r *Run, cores int) bool {
	o := &w.order
	notes := w.sum(func(s *shard) int { return len(s.notes) })
	o.divide(w, notes/stretchNotes(len(w.shards)))
	if len(o.parts) < len(w.shards) {
		o.parts = make([]part, len(w.shards))
	}
	w.each(cores, (*shard).cut)
	w.each(cores, (*shard).order)
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
func (o *sequence) divide(w *windows, stretches int) {
	o.stretches = max(len(w.shards), stretches)
	// What is due at the end of the window before, after an intervention, is in the first stretch.
	o.begin = 0
	if w.now > 0 {
		o.begin = w.edges[w.now-1]
	}
	o.scale = float64(o.stretches) / (w.edges[w.now] - o.begin)
}

// stretch is the stretch of a time.
func (o *sequence) stretch(at float64) int {
	return max(0, min(o.stretches-1, int((at-o.begin)*o.scale)))
}

// cut puts the notes of a shard into stretches. Who enters takes its timers along. It has an array of its own for them: two cores that write to the same lines of
// the cache wait for each other.
func (s *shard) cut() {
	o := &s.w.order
	s.starts = slices.Grow(s.starts[:0], o.stretches+2)[:o.stretches+2]
	clear(s.starts)
	for i := range s.notes {
		if n := &s.notes[i]; n.who != nobodyElse {
			s.starts[o.stretch(n.at)+2]++
		}
	}
	for i := 2; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	s.sorted = slices.Grow(s.sorted[:0], len(s.notes))[:len(s.notes)]
	for i := range s.notes {
		if n := &s.notes[i]; n.who != nobodyElse {
			at := &s.starts[o.stretch(n.at)+1]
			s.sorted[*at] = *n
			*at++
		}
	}
	s.gatherTimers()
}

// gatherTimers takes the timers that lie aside of those who enter out of the shard's table: their places are others'. A life has them
// where those of its beginning were.
func (s *shard) gatherTimers() {
	s.bornAt = s.bornAt[:0]
	for t := range s.temps {
		id := s.temp(t)
		set := s.person(id).aside
		if set == 0 {
			continue
		}
		s.lives[s.lifeOf(id)].timers = uint32(len(s.bornAt))
		s.bornAt = s.timersOf(id, s.bornAt)
		s.stopTimers(id, 0)
		s.person(id).aside = set
	}
}

// gather takes the notes of some stretches from all shards. If there is one, they stay where they are.
func (p *part) gather(shards []*shard, from, to int) {
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

// sortNotes puts notes, which are in order but for a few neighbours, into order. If all that happens does so in a small part of the window, there are many in a stretch,
// and moving each past those would take the square of their number: then it sorts in another way, and reports false.
func sortNotes(notes []note) (near bool) {
	moves := 16 * len(notes)
	for i := 1; i < len(notes); i++ {
		n, j := notes[i], i
		for ; j > 0 && notes[j-1].at > n.at; j-- {
			notes[j] = notes[j-1]
		}
		notes[j] = n
		if moves -= i - j; moves < 0 {
			slices.SortFunc(notes, func(a, b note) int { return cmp.Compare(a.at, b.at) })
			return false
		}
	}
	return true
}

// order sorts the stretches that are the shard's, and finds out what follows.
func (s *shard) order() {
	o := &s.w.order
	p := &o.parts[s.number]
	p.gather(s.w.shards, o.stretches*s.number/len(s.w.shards), o.stretches*(s.number+1)/len(s.w.shards))
	p.leave, p.enter, p.tied = p.leave[:0], p.enter[:0], false
	p.lived = [2]wide{}
	if len(p.changes) != len(s.M.States) {
		p.changes, p.most, p.at = make([]int, len(s.M.States)), make([]int, len(s.M.States)), make([]float64, len(s.M.States))
	}
	clear(p.changes)
	clear(p.most)
	sortNotes(p.notes)
	states, end := uint16(len(s.M.States)), uint64(s.w.latest*s.lived.ticks)
	last := -1.0
	for i := range p.notes {
		n := &p.notes[i]
		p.tied = p.tied || n.at == last
		last = n.at
		if n.from < states {
			p.changes[n.from]--
		} else {
			p.enter = append(p.enter, n.who)
			p.lived[0].add(wide{low: end - uint64(n.at*s.lived.ticks)})
		}
		if n.to == program.Nobody {
			p.leave = append(p.leave, n.who)
			p.lived[1].add(wide{low: end - uint64(n.at*s.lived.ticks)})
			continue
		}
		p.changes[n.to]++
		if c := p.changes[n.to]; c > p.most[n.to] {
			p.most[n.to], p.at[n.to] = c, n.at
		}
	}
}

// conclude makes what happened in the window everybody's.
func (w *windows) conclude(r *Run, cores int) {
	o := &w.order
	r.Now = w.latest
	r.lived.until(r.Now, r.Alive)
	came, meets, events := 0, 0, uint64(0)
	for i := range o.parts {
		p := &o.parts[i]
		for state, most := range p.most {
			if c := r.Counts[state] + most; most > 0 && c > r.Peaks[state].Count {
				r.Peaks[state] = Peak{c, r.M.Start + p.at[state]}
			}
			r.Counts[state] += p.changes[state]
		}
		r.lived.sum.add(p.lived[0])
		r.lived.sum.subtract(p.lived[1])
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
		meets, events = meets+len(s.meets), events+s.Events
	}
	r.entered += uint64(came)
	fresh := min(came, r.places-r.Ids)
	w.each(cores, func(s *shard) { s.house(r, fresh) })
	r.Ids += fresh
	for range came - fresh {
		r.free.take()
	}
	for i := range o.parts {
		for _, id := range o.parts[i].leave {
			// One who entered in the same window has left its place where its words were.
			if int(id) >= r.room {
				id = uint32(r.words[int(id)*r.stride])
			}
			r.free.put(id)
		}
	}
	r.pass(r.Now)
	if w.misses++; uint64(meets)*contactShare < events {
		w.misses = max(0, w.misses-2)
	}
	r.Windows++
}

// contactShare: if more than one in so many events is a contact, windows do not pay, because one core settles them.
const contactShare = 4

// house gives those who enter their places, if these belong to the shard: first those that nobody has had yet, and then the line.
func (s *shard) house(r *Run, fresh int) {
	s.movers, s.goals = s.movers[:0], s.goals[:0]
	rank := 0
	for i := range s.w.order.parts {
		for _, temp := range s.w.order.parts[i].enter {
			place := uint32(r.Ids + rank)
			if rank >= fresh {
				place = r.free.at(rank - fresh)
			}
			rank++
			if s.w.shardOf(place) == s {
				s.movers, s.goals = append(s.movers, temp), append(s.goals, place)
			}
		}
	}
	const far = 16
	s.ask(s.goals[:min(far, len(s.goals))])
	s.ask(s.movers[:min(far, len(s.movers))])
	for i, temp := range s.movers {
		if i%8 == 0 && i+far < len(s.goals) {
			s.ask(s.goals[i+far : min(i+far+8, len(s.goals))])
			s.ask(s.movers[i+far : min(i+far+8, len(s.goals))])
		}
		s.settleIn(temp, s.goals[i])
	}
}

// settleIn moves somebody to a place.
func (s *shard) settleIn(temp, place uint32) {
	words := s.words[int(temp)*s.stride:][:s.stride]
	copy(s.words[int(place)*s.stride:], words)
	words[0] = uint64(place) // for whoever asks where it went
	for a := range s.values {
		s.values[a].set(place, s.values[a].of(temp))
	}
	if p := s.person(place); p.state != program.Nobody {
		if p.aside != 0 {
			from := s.w.shardOf(temp)
			timers := from.bornAt[from.lives[from.lifeOf(temp)].timers:]
			for set, i := p.aside, 0; set != 0; set, i = set&(set-1), i+1 {
				s.aside.set(place, timers[i].column, timers[i].word)
			}
		}
		if next := *s.nextAt(place); next <= s.w.last() {
			s.lists.add(s.w.of(next), place)
		}
	}
}
