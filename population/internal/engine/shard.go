package engine

import (
	"math"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/prefetch"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A shard is some of the individuals of a run by windows, and what is noted of those who are due in the present window. Only one goroutine at a time
// works on a shard, and nothing of an individual is touched but by its own.
//
// Its replica has the arrays by id that all have, but a clock and counts of its own; counts, flows, names and events are those of the window.
type shard struct {
	Run
	w      *windows
	number int
	lists  store.BucketLists
	until  float64 // the end of the window

	checkpoints []checkpoint
	savedWords  []uint64       // the words of each life at its beginning, a stride each
	savedTimers []savedTimer   // those that lay aside then
	temporaries int            // how many ids for those without a place are taken
	newborn     []int32        // lives of children that have not been lived
	batch       batch          // children, or immigrants, that have not been furnished
	batchEntry  *program.Entry // by which they come in
	log         []logEntry
	logNames    []int32 // that the notes go by
	contacts    []pendingContact
	originals   []original // what those were at the beginning of the window who have been changed by a contact since
	numLeft     int        // how many left
	numEntered  int        // how many entered
	replaying   bool       // what happens has been noted before
	latest      float64    // the time of the last event
	eventsLeft  int        // how many events there may be; below 0 the window is given up

	binned        []logEntry   // the notes by stretches of the window
	binStarts     []uint32     // where those of each begin
	entrants      []uint32     // who enter and get a place of the shard
	entrantSlots  []uint32     // which
	entrantTimers []savedTimer // the timers aside of those who enter, by their lives
	_             [64]byte
}

// A checkpoint is what is known of an individual that is due in the window, or is met in it: what it was at the beginning, and what it did since. The beginning is that of the
// window, of the individual, or the last contact that changed it.
type checkpoint struct {
	id                       uint32
	timers                   uint32 // where those that lay aside are
	firstLog, endLog         uint32 // its notes
	firstContact, endContact uint32 // its contacts
	events                   uint32
	changed                  bool // by a contact
}

// A logEntry is a change of state. Who enters comes from beyond the states, and who leaves goes to nobody.
type logEntry struct {
	at       float64
	id       uint32 // nobodyElse if it is taken back
	from, to uint16
}

// A pendingContact is a contact that has not taken effect.
type pendingContact struct {
	at      float64
	seed    contactSeed
	id      uint32 // nobodyElse if it is taken back
	contact int32
	name    int32
}

type savedTimer struct {
	word   uint64
	column int
}

// An original is a life as it was before the first contact changed it.
type original struct {
	checkpoint int32
	timers     uint32
	words      []uint64
}

type savedArrival struct {
	stream random.Stream
	at     float64
}

func newShard(w *windows, number int, r *Run) *shard {
	s := &shard{w: w, number: number, lists: store.NewBucketLists(len(w.edges))}
	s.Counts, s.Flows, s.Named = make([]int, len(r.Program.States)+8), make([]uint64, len(r.Program.Flows)+8), make([]uint64, len(r.Program.Names)+8)
	return s
}

// begin prepares a shard for a window.
func (s *shard) begin(r *Run) {
	counts, flows, named := s.Counts, s.Flows, s.Named
	s.Run = *r
	s.Counts, s.Flows, s.Named = counts, flows, named
	s.Queue, s.windows, s.Peaks, s.lifelongBefore, s.weights, s.failed = nil, nil, nil, nil, [2][]float64{}, nil
	clear(s.Counts)
	clear(s.Flows)
	clear(s.Named)
	s.Events, s.temporaries, s.numLeft, s.numEntered, s.latest = 0, 0, 0, 0, 0
	s.until = s.w.edges[s.w.now]
	s.eventsLeft = int(min(r.pace.base, 1<<30))/len(s.w.shards) + 1
	s.checkpoints, s.savedWords, s.savedTimers, s.originals = s.checkpoints[:0], s.savedWords[:0], s.savedTimers[:0], s.originals[:0]
	s.log, s.logNames, s.contacts = s.log[:0], s.logNames[:0], s.contacts[:0]
	s.newborn, s.batch.n, s.batchEntry = s.newborn[:0], 0, nil
}

// runAlone lets everybody live to the end of the window who is due in it.
func (s *shard) runAlone() {
	for k := s.number; k < int(s.firstID); k += len(s.w.shards) {
		s.immigrateAlone(k)
	}
	const far = 16
	s.lists.Take(s.w.now, func(ids []uint32) {
		s.prefetch(ids[:min(far, len(ids))])
		for i, id := range ids {
			if i%8 == 0 && i+far < len(ids) {
				s.prefetch(ids[i+far : min(i+far+8, len(ids))])
			}
			// Somebody who is on the list twice has had its turn, and one that is due later is on another list, too.
			if next := *s.nextAt(id); next <= s.until && s.status(id).state != program.Nobody && s.eventsLeft >= 0 {
				s.runToEnd(s.save(id, next))
			} else if s.eventsLeft < 0 && next <= s.until && s.status(id).state != program.Nobody {
				s.save(id, next) // so that it is not forgotten
			}
		}
	})
	s.runNewborn()
}

// prefetch asks for the memory of individuals. Some lie in two lines of the cache.
func (s *shard) prefetch(ids []uint32) {
	words, size := unsafe.Pointer(unsafe.SliceData(s.words)), uintptr(s.stride)*8
	prefetch.Gather(words, size, unsafe.Pointer(unsafe.SliceData(ids)), 4, len(ids))
	if 8%s.stride != 0 {
		prefetch.Gather(unsafe.Add(words, size-8), size, unsafe.Pointer(unsafe.SliceData(ids)), 4, len(ids))
	}
}

// save begins the life of an individual whose next event is due at a time. Nothing is written and then read at once in a larger piece, for which a processor
// waits until the writing is done: a life is cleared where it will be, and the words are copied before one of them is changed.
func (s *shard) save(id uint32, next float64) int {
	k := len(s.checkpoints)
	s.checkpoints = append(s.checkpoints, checkpoint{})
	s.checkpoints[k].id = id
	s.savedWords = append(s.savedWords, s.words[int(id)*s.stride:][:s.stride]...)
	s.status(id).checkpoint = uint16(k)
	(*status)(unsafe.Pointer(&s.savedWords[k*s.stride+1])).checkpoint = uint16(k)
	s.saveTimers(k, next)
	return k
}

// checkpointOf is the life of an individual; −1 if it has none in this window. What the individual says is enough to find it among 65,536, or to see that it is of
// another window.
func (s *shard) checkpointOf(id uint32) int {
	for k := int(s.status(id).checkpoint); k < len(s.checkpoints); k += 1 << 16 {
		if s.checkpoints[k].id == id {
			return k
		}
	}
	return -1
}

// saveTimers notes when the next event is due, and the timers that lie aside.
func (s *shard) saveTimers(k int, next float64) {
	c := &s.checkpoints[k]
	s.savedWords[(k+1)*s.stride-1] = math.Float64bits(next)
	if c.timers = uint32(len(s.savedTimers)); s.status(c.id).sparse != 0 {
		s.savedTimers = s.sparseTimersOf(c.id, s.savedTimers)
	}
}

// savedNext is when the next event of a life was due at its beginning.
func (s *shard) savedNext(k int) float64 { return math.Float64frombits(s.savedWords[(k+1)*s.stride-1]) }

// sparseTimersOf adds the timers of an individual that lie aside to a list.
func (s *shard) sparseTimersOf(id uint32, list []savedTimer) []savedTimer {
	for set, column := s.status(id).sparse, 0; set != 0; set, column = set>>1, column+1 {
		if set&1 != 0 {
			list = append(list, savedTimer{s.sparseTimers.Get(id, column), column})
		}
	}
	return list
}

// runToEnd lets an individual live to the end of the window from the beginning of its life on.
func (s *shard) runToEnd(k int) {
	c := &s.checkpoints[k]
	id, next := c.id, s.savedNext(k)
	c.firstLog, c.firstContact = uint32(len(s.log)), uint32(len(s.contacts))
	events := 0
	for next <= s.until && s.eventsLeft >= 0 {
		s.Now = next
		events++
		s.eventsLeft--
		next = s.fireAlone(id)
	}
	c = &s.checkpoints[k] // there may be children
	c.endLog, c.endContact, c.events = uint32(len(s.log)), uint32(len(s.contacts)), uint32(events)
	s.Events += uint64(events)
	if events > 0 {
		s.latest = max(s.latest, s.Now)
	}
	s.scheduleNext(id, next)
}

// scheduleNext notes when the next event of an individual is due, which is behind the window; or when it left.
func (s *shard) scheduleNext(id uint32, next float64) {
	if s.status(id).state == program.Nobody {
		*s.nextAt(id) = s.Now
		return
	}
	if !(next <= s.end) {
		next = math.Inf(1)
	}
	*s.nextAt(id) = next
	if next <= s.w.lastEdge() && int(id) < s.capacity && next > s.until {
		s.lists.Add(s.w.windowAt(next), id)
	}
}

// fireAlone lets the clock of an individual do what it does, as far as it concerns itself, and returns when the next of its events is due.
func (s *shard) fireAlone(id uint32) float64 {
	state := s.status(id).state
	do := s.firedAction(id, state)
	if do == nil {
		return s.next(id, state)
	}
	switch do.Verb {
	case program.DoContact:
		seed := contactSeed(s.stream(id).Uint64())
		if !s.replaying {
			s.contacts = append(s.contacts, pendingContact{s.Now, seed, id, int32(do.Contact), int32(do.Name)})
		}
	case program.DoBirth:
		if child := s.stream(id).Split(); !s.replaying {
			s.enterAlone(do.In, child, id, program.ByBirth, do.Name)
		}
	default:
		if s.acts(id, state, do) && do.To != program.SameState {
			return s.changeAlone(id, state, do.To, do.Name)
		}
	}
	return s.next(id, state)
}

// changeAlone takes an individual to another state, or out, and returns when the next of its events is due.
func (s *shard) changeAlone(id uint32, from, to uint16, name int) float64 {
	if !s.replaying {
		s.logChange(id, from, to, name, +1)
	}
	p := s.status(id)
	if to == program.Nobody {
		s.stopTimers(id, 0)
		p.state = program.Nobody
		return math.Inf(1)
	}
	p.state = to
	if !s.phase.States[to].OnlyRates || p.sparse != 0 {
		s.startClocks(id, to)
	}
	return s.next(id, to)
}

// logChange notes a change.
func (s *shard) logChange(id uint32, from, to uint16, name, sign int) {
	s.log = append(s.log, logEntry{s.Now, id, from, to})
	s.logNames = append(s.logNames, int32(name))
	s.tally(from, to, name, sign)
}

// tally counts a change, or takes it back.
func (s *shard) tally(from, to uint16, name, sign int) {
	s.Flows[s.Program.FlowOf(int(from), to)] += uint64(sign)
	if name >= 0 {
		s.Named[name] += uint64(sign)
	}
	if int(from) < len(s.Program.States) {
		s.Counts[from] -= sign
	} else {
		s.numEntered += sign
	}
	if to != program.Nobody {
		s.Counts[to] += sign
	} else {
		s.numLeft += sign
	}
}

// enterAlone lets a child, or an immigrant, enter. It gets a place when the window is over. Those who have all the same to draw wait until there is a batch of them.
func (s *shard) enterAlone(in *program.Entry, stream random.Stream, parent uint32, way, name int) {
	if s.temporaries == s.w.rule.maxEntrants {
		s.eventsLeft = -1
		return
	}
	id := s.temporaryID(s.temporaries)
	s.temporaries++
	state := in.To
	if s.batchable(in) {
		if in != s.batchEntry || s.batch.n == batchSize {
			s.initialiseBatch()
			s.batchEntry = in
		}
		s.batch.add(id, stream, s.Now)
	} else {
		state = s.initialise(id, in, stream, parent)
		s.newborn = append(s.newborn, int32(s.save(id, s.next(id, state))))
	}
	s.logChange(id, uint16(len(s.Program.States)+way), state, name, +1)
}

// initialiseBatch furnishes the children that have not been.
func (s *shard) initialiseBatch() {
	b := &s.batch
	if b.n == 0 {
		return
	}
	b.initialise(&s.Run, s.batchEntry)
	for i, id := range b.ids[:b.n] {
		s.newborn = append(s.newborn, int32(s.save(id, timeOf(b.next[i]))))
	}
	b.n = 0
}

// temporaryID is an id for somebody without a place, one of the shard's own.
func (s *shard) temporaryID(k int) uint32 {
	bits, shards := s.w.blockBits, len(s.w.shards)
	block := (s.capacity+1<<bits-1)>>bits + shards
	block -= block & (shards - 1) // the first that belongs to shard 0, behind all places
	block += k>>bits*shards + s.number
	return uint32(block<<bits + k&(1<<bits-1))
}

// runNewborn lets the children live that were born, and theirs.
func (s *shard) runNewborn() {
	for len(s.newborn) > 0 || s.batch.n > 0 {
		s.initialiseBatch()
		for len(s.newborn) > 0 {
			k := s.newborn[len(s.newborn)-1]
			s.newborn = s.newborn[:len(s.newborn)-1]
			s.runToEnd(int(k))
		}
	}
}

// immigrateAlone lets the immigrants of a source in.
func (s *shard) immigrateAlone(k int) {
	table, own, at := &s.phase.Immigration[k], &s.arrivals[k], s.w.arrive[k]
	for at <= s.until && s.eventsLeft >= 0 {
		s.Now = at
		s.Events++
		s.eventsLeft--
		ok := true
		if table.Varying != nil {
			_, _, ok = s.choose(own, 0, table.Varying)
		}
		if ok {
			s.enterAlone(&table.In, own.Split(), noID, program.ByImmigration, table.Name)
		}
		s.latest = max(s.latest, at)
		at = s.arrivalAfter(k)
	}
	s.w.arrive[k] = at
}

// restore makes an individual what it was at the beginning of its life.
func (s *shard) restore(k int) {
	c := &s.checkpoints[k]
	s.reset(c.id, s.savedWords[k*s.stride:][:s.stride], s.savedTimers[c.timers:])
}

// reset gives an individual its words, and the timers that lie aside.
func (s *shard) reset(id uint32, words []uint64, timers []savedTimer) {
	s.stopTimers(id, 0)
	copy(s.words[int(id)*s.stride:], words)
	for set, i := s.status(id).sparse, 0; set != 0; set, i = set&(set-1), i+1 {
		s.sparseTimers.Set(id, timers[i].column, timers[i].word)
	}
}

// rollBack makes everybody what it was when the window began.
func (s *shard) rollBack() {
	// The first life last: whoever was on the list twice when there was too much to do may have a second one that began in the window.
	for k := len(s.checkpoints) - 1; k >= 0; k-- {
		if id := s.checkpoints[k].id; int(id) >= s.capacity {
			s.stopTimers(id, 0)
		} else if !s.checkpoints[k].changed {
			s.restore(k)
		}
	}
	for i := range s.originals {
		u := &s.originals[i]
		s.reset(s.checkpoints[u.checkpoint].id, u.words, s.savedTimers[u.timers:])
	}
	for k := range s.checkpoints {
		if id := s.checkpoints[k].id; int(id) < s.capacity && *s.nextAt(id) <= s.until {
			s.lists.Add(s.w.now, id)
		}
	}
}
