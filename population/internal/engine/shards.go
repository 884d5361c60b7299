package engine

import (
	"math"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/prefetch"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// A shard is some of the individuals of a run by windows, and what is noted of those who are due in the present window. Only one goroutine at a time
// works on a shard, and nothing of an individual is touched but by its own.
//
// Its replica has the arrays by id that all have, but a clock and counts of its own; counts, flows, names and events are those of the window.
type shard struct {
	Run
	w      *windows
	number int
	lists  lists
	until  float64 // the end of the window

	lives  []life
	copies []uint64       // the words of each life at its beginning, a stride each
	timers []savedTimer   // those that lay aside then
	temps  int            // how many ids for those without a place are taken
	unborn []int32        // lives of children that have not been lived
	batch  batch          // children, or immigrants, that have not been furnished
	way    *program.Entry // by which they come in
	notes  []note
	names  []int32 // that the notes go by
	meets  []meeting
	undone []undo  // what those were at the beginning of the window who have been changed by a contact since
	left   int     // how many left
	came   int     // how many entered
	mute   bool    // what happens has been noted before
	latest float64 // the time of the last event
	budget int     // how many events there may be; below 0 the window is given up

	sorted []note       // the notes by stretches of the window
	starts []uint32     // where those of each begin
	movers []uint32     // who enter and get a place of the shard
	goals  []uint32     // which
	bornAt []savedTimer // the timers aside of those who enter, by their lives
	_      [64]byte
}

// A life is what is known of an individual that is due in the window, or is met in it: what it was at the beginning, and what it did since. The beginning is that of the
// window, of the individual, or the last contact that changed it.
type life struct {
	id           uint32
	timers       uint32 // where those that lay aside are
	notes, end   uint32 // its notes
	meets, ended uint32 // its contacts
	events       uint32
	changed      bool // by a contact
}

// A note is a change of state. Who enters comes from beyond the states, and who leaves goes to nobody.
type note struct {
	at       float64
	who      uint32 // nobodyElse if it is taken back
	from, to uint16
}

// A meeting is a contact that has not taken effect.
type meeting struct {
	at      float64
	luck    luck
	id      uint32 // nobodyElse if it is taken back
	contact int32
	name    int32
}

type savedTimer struct {
	word   uint64
	column int
}

// An undo is a life as it was before the first contact changed it.
type undo struct {
	life   int32
	timers uint32
	words  []uint64
}

type savedArrival struct {
	stream random.Stream
	at     float64
}

func newShard(w *windows, number int, r *Run) *shard {
	s := &shard{w: w, number: number, lists: newLists(len(w.edges))}
	s.Counts, s.Flows, s.Named = make([]int, len(r.M.States)+8), make([]uint64, len(r.M.Flows)+8), make([]uint64, len(r.M.Names)+8)
	return s
}

// begin prepares a shard for a window.
func (s *shard) begin(r *Run) {
	counts, flows, named := s.Counts, s.Flows, s.Named
	s.Run = *r
	s.Counts, s.Flows, s.Named = counts, flows, named
	s.Queue, s.win, s.Peaks, s.lifelongs, s.weights, s.broke = nil, nil, nil, nil, [2][]float64{}, nil
	clear(s.Counts)
	clear(s.Flows)
	clear(s.Named)
	s.Events, s.temps, s.left, s.came, s.latest = 0, 0, 0, 0, 0
	s.until = s.w.edges[s.w.now]
	s.budget = int(min(r.pace.base, 1<<30))/len(s.w.shards) + 1
	s.lives, s.copies, s.timers, s.undone = s.lives[:0], s.copies[:0], s.timers[:0], s.undone[:0]
	s.notes, s.names, s.meets = s.notes[:0], s.names[:0], s.meets[:0]
	s.unborn, s.batch.n, s.way = s.unborn[:0], 0, nil
}

// alone lets everybody live to the end of the window who is due in it.
func (s *shard) alone() {
	for k := s.number; k < int(s.first); k += len(s.w.shards) {
		s.arriveAlone(k)
	}
	const far = 16
	s.lists.take(s.w.now, func(ids []uint32) {
		s.ask(ids[:min(far, len(ids))])
		for i, id := range ids {
			if i%8 == 0 && i+far < len(ids) {
				s.ask(ids[i+far : min(i+far+8, len(ids))])
			}
			// Somebody who is on the list twice has had its turn, and one that is due later is on another list, too.
			if next := *s.nextAt(id); next <= s.until && s.person(id).state != program.Nobody && s.budget >= 0 {
				s.live(s.enroll(id, next))
			} else if s.budget < 0 && next <= s.until && s.person(id).state != program.Nobody {
				s.enroll(id, next) // so that it is not forgotten
			}
		}
	})
	s.rearChildren()
}

// ask asks for the memory of individuals. Some lie in two lines of the cache.
func (s *shard) ask(ids []uint32) {
	words, size := unsafe.Pointer(unsafe.SliceData(s.words)), uintptr(s.stride)*8
	prefetch.Gather(words, size, unsafe.Pointer(unsafe.SliceData(ids)), 4, len(ids))
	if 8%s.stride != 0 {
		prefetch.Gather(unsafe.Add(words, size-8), size, unsafe.Pointer(unsafe.SliceData(ids)), 4, len(ids))
	}
}

// enroll begins the life of an individual whose next event is due at a time. Nothing is written and then read at once in a larger piece, for which a processor
// waits until the writing is done: a life is cleared where it will be, and the words are copied before one of them is changed.
func (s *shard) enroll(id uint32, next float64) int {
	k := len(s.lives)
	s.lives = append(s.lives, life{})
	s.lives[k].id = id
	s.copies = append(s.copies, s.words[int(id)*s.stride:][:s.stride]...)
	s.person(id).life = uint16(k)
	(*person)(unsafe.Pointer(&s.copies[k*s.stride+1])).life = uint16(k)
	s.keep(k, next)
	return k
}

// lifeOf is the life of an individual; −1 if it has none in this window. What the individual says is enough to find it among 65,536, or to see that it is of
// another window.
func (s *shard) lifeOf(id uint32) int {
	for k := int(s.person(id).life); k < len(s.lives); k += 1 << 16 {
		if s.lives[k].id == id {
			return k
		}
	}
	return -1
}

// keep notes when the next event is due, and the timers that lie aside.
func (s *shard) keep(k int, next float64) {
	l := &s.lives[k]
	s.copies[(k+1)*s.stride-1] = math.Float64bits(next)
	if l.timers = uint32(len(s.timers)); s.person(l.id).aside != 0 {
		s.timers = s.timersOf(l.id, s.timers)
	}
}

// nextOf is when the next event of a life was due at its beginning.
func (s *shard) nextOf(k int) float64 { return math.Float64frombits(s.copies[(k+1)*s.stride-1]) }

// timersOf adds the timers of an individual that lie aside to a list.
func (s *shard) timersOf(id uint32, list []savedTimer) []savedTimer {
	for set, column := s.person(id).aside, 0; set != 0; set, column = set>>1, column+1 {
		if set&1 != 0 {
			list = append(list, savedTimer{s.aside.get(id, column), column})
		}
	}
	return list
}

// live lets an individual live to the end of the window from the beginning of its life on.
func (s *shard) live(k int) {
	l := &s.lives[k]
	id, next := l.id, s.nextOf(k)
	l.notes, l.meets = uint32(len(s.notes)), uint32(len(s.meets))
	events := 0
	for next <= s.until && s.budget >= 0 {
		s.Now = next
		events++
		s.budget--
		next = s.strikeAlone(id)
	}
	l = &s.lives[k] // there may be children
	l.end, l.ended, l.events = uint32(len(s.notes)), uint32(len(s.meets)), uint32(events)
	s.Events += uint64(events)
	if events > 0 {
		s.latest = max(s.latest, s.Now)
	}
	s.settleNext(id, next)
}

// settleNext notes when the next event of an individual is due, which is behind the window; or when it left.
func (s *shard) settleNext(id uint32, next float64) {
	if s.person(id).state == program.Nobody {
		*s.nextAt(id) = s.Now
		return
	}
	if !(next <= s.end) {
		next = math.Inf(1)
	}
	*s.nextAt(id) = next
	if next <= s.w.last() && int(id) < s.room && next > s.until {
		s.lists.add(s.w.of(next), id)
	}
}

// strikeAlone lets the clock of an individual do what it does, as far as it concerns itself, and returns when the next of its events is due.
func (s *shard) strikeAlone(id uint32) float64 {
	state := s.person(id).state
	do := s.struck(id, state)
	if do == nil {
		return s.next(id, state)
	}
	switch do.Verb {
	case program.DoContact:
		l := luck(s.stream(id).Uint64())
		if !s.mute {
			s.meets = append(s.meets, meeting{s.Now, l, id, int32(do.Contact), int32(do.Name)})
		}
	case program.DoBirth:
		if child := s.stream(id).Split(); !s.mute {
			s.bear(do.In, child, id, program.ByBirth, do.Name)
		}
	default:
		if s.acts(id, state, do) && do.To != program.SameState {
			return s.becomeAlone(id, state, do.To, do.Name)
		}
	}
	return s.next(id, state)
}

// becomeAlone takes an individual to another state, or out, and returns when the next of its events is due.
func (s *shard) becomeAlone(id uint32, from, to uint16, name int) float64 {
	if !s.mute {
		s.note(id, from, to, name, +1)
	}
	p := s.person(id)
	if to == program.Nobody {
		s.stopTimers(id, 0)
		p.state = program.Nobody
		return math.Inf(1)
	}
	p.state = to
	if !s.t.States[to].OnlyRates || p.aside != 0 {
		s.wind(id, to)
	}
	return s.next(id, to)
}

// note notes a change.
func (s *shard) note(id uint32, from, to uint16, name, sign int) {
	s.notes = append(s.notes, note{s.Now, id, from, to})
	s.names = append(s.names, int32(name))
	s.tally(from, to, name, sign)
}

// tally counts a change, or takes it back.
func (s *shard) tally(from, to uint16, name, sign int) {
	s.Flows[s.M.FlowOf(int(from), to)] += uint64(sign)
	if name >= 0 {
		s.Named[name] += uint64(sign)
	}
	if int(from) < len(s.M.States) {
		s.Counts[from] -= sign
	} else {
		s.came += sign
	}
	if to != program.Nobody {
		s.Counts[to] += sign
	} else {
		s.left += sign
	}
}

// bear lets a child, or an immigrant, enter. It gets a place when the window is over. Those who have all the same to draw wait until there is a batch of them.
func (s *shard) bear(in *program.Entry, stream random.Stream, parent uint32, way, name int) {
	if s.temps == s.w.rule.temps {
		s.budget = -1
		return
	}
	id := s.temp(s.temps)
	s.temps++
	state := in.To
	if s.alikeIn(in) {
		if in != s.way || s.batch.n == batchSize {
			s.furnishBatch()
			s.way = in
		}
		s.batch.add(id, stream, s.Now)
	} else {
		state = s.furnish(id, in, stream, parent)
		s.unborn = append(s.unborn, int32(s.enroll(id, s.next(id, state))))
	}
	s.note(id, uint16(len(s.M.States)+way), state, name, +1)
}

// furnishBatch furnishes the children that have not been.
func (s *shard) furnishBatch() {
	b := &s.batch
	if b.n == 0 {
		return
	}
	b.furnish(&s.Run, s.way)
	for i, id := range b.ids[:b.n] {
		s.unborn = append(s.unborn, int32(s.enroll(id, timeOf(b.next[i]))))
	}
	b.n = 0
}

// temp is an id for somebody without a place, one of the shard's own.
func (s *shard) temp(k int) uint32 {
	bits, shards := s.w.bits, len(s.w.shards)
	block := (s.room+1<<bits-1)>>bits + shards
	block -= block & (shards - 1) // the first that belongs to shard 0, behind all places
	block += k>>bits*shards + s.number
	return uint32(block<<bits + k&(1<<bits-1))
}

// rearChildren lets the children live that were born, and theirs.
func (s *shard) rearChildren() {
	for len(s.unborn) > 0 || s.batch.n > 0 {
		s.furnishBatch()
		for len(s.unborn) > 0 {
			k := s.unborn[len(s.unborn)-1]
			s.unborn = s.unborn[:len(s.unborn)-1]
			s.live(int(k))
		}
	}
}

// arriveAlone lets the immigrants of a source in.
func (s *shard) arriveAlone(k int) {
	table, own, at := &s.t.Immigration[k], &s.arrivals[k], s.w.arrive[k]
	for at <= s.until && s.budget >= 0 {
		s.Now = at
		s.Events++
		s.budget--
		ok := true
		if table.Varying != nil {
			_, _, ok = s.choose(own, 0, table.Varying)
		}
		if ok {
			s.bear(&table.In, own.Split(), nobodyElse, program.ByImmigration, table.Name)
		}
		s.latest = max(s.latest, at)
		at = s.arrivalAfter(k)
	}
	s.w.arrive[k] = at
}

// restore makes an individual what it was at the beginning of its life.
func (s *shard) restore(k int) {
	l := &s.lives[k]
	s.reset(l.id, s.copies[k*s.stride:][:s.stride], s.timers[l.timers:])
}

// reset gives an individual its words, and the timers that lie aside.
func (s *shard) reset(id uint32, words []uint64, timers []savedTimer) {
	s.stopTimers(id, 0)
	copy(s.words[int(id)*s.stride:], words)
	for set, i := s.person(id).aside, 0; set != 0; set, i = set&(set-1), i+1 {
		s.aside.set(id, timers[i].column, timers[i].word)
	}
}

// giveUp makes everybody what it was when the window began.
func (s *shard) giveUp() {
	// The first life last: whoever was on the list twice when there was too much to do may have a second one that began in the window.
	for k := len(s.lives) - 1; k >= 0; k-- {
		if id := s.lives[k].id; int(id) >= s.room {
			s.stopTimers(id, 0)
		} else if !s.lives[k].changed {
			s.restore(k)
		}
	}
	for i := range s.undone {
		u := &s.undone[i]
		s.reset(s.lives[u.life].id, u.words, s.timers[u.timers:])
	}
	for k := range s.lives {
		if id := s.lives[k].id; int(id) < s.room && *s.nextAt(id) <= s.until {
			s.lists.add(s.w.now, id)
		}
	}
}
