package engine

import (
	"math"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A shard is some of the individuals of a run by windows, with what is known of those that are due
// in the present window. Blocks of 1<<blockBits ids go to the shards in turn.
//
// A window has three steps, with a barrier after each parallel part (windows.eachShard). In a
// parallel part a shard is worked on by one goroutine, which may touch only this:
//
//	step               goroutines   may read                    may write
//	──────────────────────────────────────────────────────────────────────────────────────────
//	1 runAlone         one a shard  program, phase, totals      its shard; words, attributes and
//	                                of the run                  sparse timers of its own ids; its
//	                                                            own sources of immigration ¹
//	  ═══ barrier
//	2 resolveContacts  one          everything                  any individual, any shard
//	3 binLog           one a shard  its shard and its own ids   the same
//	  ═══ barrier
//	  mergeBins        one a shard  the bins of all shards      its own mergePart
//	  ═══ barrier
//	  commit           one          shards, merge.parts          totals of the run, free list
//	    assignSlots    one a shard  merge.parts, free list, all  its own slots, lists and sparse
//	                                entrants and their timers   table; of each entrant that gets
//	                                                            one of its slots the first word
//	  ═══ barrier
//	or, in place of commit:
//	  rollBack         one a shard  its shard                   its shard, its own ids
//	──────────────────────────────────────────────────────────────────────────────────────────
//	¹ source k is that of shard k mod the number of shards
//
// Nothing is final before commit. What an individual does in the window is kept in its shard; its
// checkpoint says where:
//
//	              beginning of                    t                           end of
//	              the window                      │                           the window
//	checkpoint        ●                           │
//	log               ├──── A→B ──────────────────┼──── B→C ─── newborn ──────────┤
//	contacts          ├────────── × ────── × ─────┼───────────── × ──── × ────────┤
//	                            kept              │            undone
//	                                              ▲ a contact changes the individual
//	checkpoint                                    ●
//	log                                           ├─ B→D ─────────── D→out ───────┤
//
// A contact at time t that changes the individual (applyContact) undoes what comes after t:
//
//  1. The original is saved, unless an earlier contact in the window did so: the checkpoint is
//     about to move, and rollBack needs the beginning of the window.
//  2. The individual's words and sparse timers are restored from the checkpoint.
//  3. Its log entries after t are marked with noID and taken out of the tallies; the newborns among
//     them are undone with all that they did (undoEntry). Its contacts after t are marked with
//     noID.
//  4. It is replayed from the checkpoint to t, without writing to the log: the draws are the same.
//  5. It is changed. The checkpoint moves to t, and the individual runs from there to the end of
//     the window.
//
// What was logged before t stays and is final, because contacts are resolved in the order of time.
//
// If the window has to be run in order, rollBack restores every individual from its original or, if
// no contact changed it, from its checkpoint. Logs, contacts and temporary ids are dropped, and the
// sources of immigration get back what windows.savedArrivals has.
//
// The embedded Run shares the arrays by id with the run, and has a clock, counts, flows, names and
// a number of events of its own, which are those of the window.
type shard struct {
	Run
	w      *windows
	number int
	lists  store.BucketLists
	until  float64 // the end of the window

	checkpoints []checkpoint
	savedWords  []uint64       // of each checkpoint: the individual's words, stride of them
	savedTimers []savedTimer   // of each checkpoint: its sparse timers
	temporaries int            // temporary ids in use
	newborn     []int32        // checkpoints of entrants that have not been run
	batch       batch          // entrants that have not been initialised
	batchEntry  *program.Entry // the entry of those
	log         []logEntry
	logNames    []int32 // of each log entry: the name that it is counted by, or −1
	contacts    []pendingContact
	originals   []original // of the individuals that a contact has changed
	numLeft     int        // individuals that left
	numEntered  int        // individuals that entered
	replaying   bool       // what happens is in the log already
	latest      float64    // the time of the last event
	eventsLeft  int        // below 0 there were too many events, and the window is rolled back

	binned        []logEntry   // the log by bins of the window
	binStarts     []uint32     // where the entries of each bin begin
	entrants      []uint32     // temporary ids of the entrants that get a slot of this shard
	entrantSlots  []uint32     // their slots
	entrantTimers []savedTimer // sparse timers of this shard's entrants; checkpoints say where
	_             [64]byte     // shards share no cache line
}

// A checkpoint is what an individual is rerun from, and where the shard keeps what it has done
// since. It is taken at the beginning of the window or when the individual enters, and moves to
// each contact that changes the individual. An individual has one if it is due in the window,
// enters in it, or is changed by a contact.
type checkpoint struct {
	id                       uint32
	timers                   uint32 // where its sparse timers begin in savedTimers
	firstLog, endLog         uint32 // its entries in the log, those of the entry of its newborns included
	firstContact, endContact uint32 // its contacts
	events                   uint32
	changed                  bool // by a contact; then there is an original, unless it is an entrant
}

// A logEntry is a change of state. An individual that enters comes from a number beyond the states,
// which tells the way in; one that leaves goes to the state NoState.
type logEntry struct {
	at       float64
	id       uint32 // noID if it was undone
	from, to uint16
}

// A pendingContact is a contact that has not been resolved.
type pendingContact struct {
	at      float64
	seed    contactSeed
	id      uint32 // of its maker; noID if it was undone
	contact int32
	name    int32
}

// A savedTimer is a timer of an individual in the sparse table.
type savedTimer struct {
	word   uint64
	column int
}

// An original is what an individual was at the beginning of the window.
type original struct {
	checkpoint int32
	timers     uint32 // where its sparse timers begin in savedTimers
	words      []uint64
}

// A savedArrival is what a source of immigration was at the beginning of the window.
type savedArrival struct {
	stream random.Stream
	at     float64 // of its next immigrant
}

// newShard returns a shard for the individuals of a run.
func newShard(w *windows, number int, r *Run) *shard {
	s := &shard{w: w, number: number, lists: store.NewBucketLists(len(w.edges))}
	// Eight more each, so that two shards do not write to the same cache line.
	s.Counts = make([]int, len(r.Program.States)+8)
	s.Flows = make([]uint64, len(r.Program.Flows)+8)
	s.Named = make([]uint64, len(r.Program.CountedNames)+8)
	return s
}

// begin prepares a shard for a window.
func (s *shard) begin(r *Run) {
	counts, flows, named := s.Counts, s.Flows, s.Named
	s.Run = *r
	s.Counts, s.Flows, s.Named = counts, flows, named
	s.Queue, s.windows, s.Peaks = nil, nil, nil
	s.alwaysBefore, s.weights, s.failed = nil, [2][]float64{}, nil
	clear(s.Counts)
	clear(s.Flows)
	clear(s.Named)
	s.Events, s.temporaries, s.numLeft, s.numEntered, s.latest = 0, 0, 0, 0, 0
	s.until = s.w.edges[s.w.now]
	s.eventsLeft = int(min(r.pace.base, 1<<30))/len(s.w.shards) + 1
	s.checkpoints, s.savedWords = s.checkpoints[:0], s.savedWords[:0]
	s.savedTimers, s.originals = s.savedTimers[:0], s.originals[:0]
	s.log, s.logNames, s.contacts = s.log[:0], s.logNames[:0], s.contacts[:0]
	s.newborn, s.batch.n, s.batchEntry = s.newborn[:0], 0, nil
}

// runAlone runs all individuals that are due in the window to its end, as if no contact changed
// them.
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
			// An id that is on the list twice has been run, and one that is due later is on another
			// list, too.
			if next := *s.nextAt(id); next <= s.until && s.status(id).state != program.NoState && s.eventsLeft >= 0 {
				s.runToEnd(s.save(id, next))
			} else if s.eventsLeft < 0 && next <= s.until && s.status(id).state != program.NoState {
				s.save(id, next) // so that rollBack puts it back on the list
			}
		}
	})
	s.runNewborn()
}

// prefetch prefetches the words of individuals. Some lie in two cache lines.
func (s *shard) prefetch(ids []uint32) {
	words, size := unsafe.Pointer(unsafe.SliceData(s.words)), uintptr(s.stride)*8
	cpu.PrefetchGather(words, size, unsafe.Pointer(unsafe.SliceData(ids)), 4, len(ids))
	if 8%s.stride != 0 {
		cpu.PrefetchGather(unsafe.Add(words, size-8), size, unsafe.Pointer(unsafe.SliceData(ids)), 4, len(ids))
	}
}

// save makes a checkpoint of an individual whose next event is due at a time, and returns its
// number.
//
// Nothing is written and then read at once in a larger piece: a processor cannot forward such a
// store, and waits until it is done. So a checkpoint is cleared where it will lie, and the words
// are copied before one of them is changed.
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

// checkpointOf returns the number of an individual's checkpoint; −1 if it has none in this window.
// The status has the low 16 bits of the number, which may be those of another window.
func (s *shard) checkpointOf(id uint32) int {
	for k := int(s.status(id).checkpoint); k < len(s.checkpoints); k += 1 << 16 {
		if s.checkpoints[k].id == id {
			return k
		}
	}
	return -1
}

// saveTimers saves the time of the next event, and the sparse timers, in a checkpoint.
func (s *shard) saveTimers(k int, next float64) {
	c := &s.checkpoints[k]
	s.savedWords[(k+1)*s.stride-1] = math.Float64bits(next)
	if c.timers = uint32(len(s.savedTimers)); s.status(c.id).sparse != 0 {
		s.savedTimers = s.sparseTimersOf(c.id, s.savedTimers)
	}
}

// savedNext returns the time of the next event at a checkpoint.
func (s *shard) savedNext(k int) float64 { return math.Float64frombits(s.savedWords[(k+1)*s.stride-1]) }

// sparseTimersOf appends the sparse timers of an individual to a list.
func (s *shard) sparseTimersOf(id uint32, list []savedTimer) []savedTimer {
	for set, column := s.status(id).sparse, 0; set != 0; set, column = set>>1, column+1 {
		if set&1 != 0 {
			list = append(list, savedTimer{s.sparseTimers.Get(id, column), column})
		}
	}
	return list
}

// runToEnd runs an individual from its checkpoint to the end of the window.
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
	c = &s.checkpoints[k] // newborns may have made the array grow
	c.endLog, c.endContact, c.events = uint32(len(s.log)), uint32(len(s.contacts)), uint32(events)
	s.Events += uint64(events)
	if events > 0 {
		s.latest = max(s.latest, s.Now)
	}
	s.scheduleNext(id, next)
}

// scheduleNext sets the time of an individual's next event, which is after the window, or the time
// at which it left.
func (s *shard) scheduleNext(id uint32, next float64) {
	if s.status(id).state == program.NoState {
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

// fireAlone fires the clock of an individual that is due now, as far as it concerns the individual
// itself, and returns when its next event is due. Contacts are recorded, to be resolved later.
func (s *shard) fireAlone(id uint32) float64 {
	state := s.status(id).state
	do := s.firedAction(id, state)
	if do == nil {
		return s.next(id, state)
	}
	switch do.Kind {
	case program.DoContact:
		seed := contactSeed(s.stream(id).Uint64())
		if !s.replaying {
			s.contacts = append(s.contacts, pendingContact{s.Now, seed, id, int32(do.Contact), int32(do.Name)})
		}
	case program.DoBirth:
		if child := s.stream(id).Split(); !s.replaying {
			s.enterAlone(do.Child, child, id, program.ByBirth, do.Name)
		}
	default:
		if do.Plain || s.acts(id, state, do) && do.To != program.SameState {
			return s.changeAlone(id, state, do.To, do.Name)
		}
	}
	return s.next(id, state)
}

// changeAlone takes an individual to another state, or out, and returns when its next event is due.
func (s *shard) changeAlone(id uint32, from, to uint16, name int) float64 {
	if !s.replaying {
		s.logChange(id, from, to, name)
	}
	p := s.status(id)
	if to == program.NoState {
		s.stopTimers(id, 0)
		p.state = program.NoState
		return math.Inf(1)
	}
	p.state = to
	if !s.phase.States[to].OnlyRates || p.sparse != 0 {
		s.startClocks(id, to)
	}
	return s.next(id, to)
}

// logChange writes a change to the log and to the tallies.
func (s *shard) logChange(id uint32, from, to uint16, name int) {
	s.log = append(s.log, logEntry{s.Now, id, from, to})
	s.logNames = append(s.logNames, int32(name))
	s.tally(from, to, name, +1)
}

// tally counts a change if sign is +1, and takes it back if it is −1.
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
	if to != program.NoState {
		s.Counts[to] += sign
	} else {
		s.numLeft += sign
	}
}

// enterAlone lets a newborn or an immigrant enter, with a temporary id; it gets a slot when the
// window is committed. Entrants that have all the same to draw wait until there is a batch of them.
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
	s.logChange(id, uint16(len(s.Program.States)+way), state, name)
}

// initialiseBatch initialises the entrants in the batch, and makes their checkpoints.
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

// temporaryID returns the temporary id with the number k. It is one of the shard's own ids, behind
// all slots.
func (s *shard) temporaryID(k int) uint32 {
	bits, shards := s.w.blockBits, len(s.w.shards)
	block := (s.capacity+1<<bits-1)>>bits + shards
	block -= block & (shards - 1) // the first that belongs to shard 0, behind all slots
	block += k>>bits*shards + s.number
	return uint32(block<<bits + k&(1<<bits-1))
}

// runNewborn runs the entrants, and theirs, to the end of the window.
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

// immigrateAlone lets the immigrants of a source in that arrive in the window.
func (s *shard) immigrateAlone(k int) {
	table, own, at := &s.phase.Immigration[k], &s.arrivals[k], s.w.arrive[k]
	for at <= s.until && s.eventsLeft >= 0 {
		s.Now = at
		s.Events++
		s.eventsLeft--
		ok := true
		if table.Varying != nil {
			_, _, ok = s.choose(own, noID, 0, table.Varying)
		}
		if ok {
			s.enterAlone(&table.In, own.Split(), noID, program.ByImmigration, table.Name)
		}
		s.latest = max(s.latest, at)
		at = s.arrivalAfter(k)
	}
	s.w.arrive[k] = at
}

// restore makes an individual what it was at its checkpoint.
func (s *shard) restore(k int) {
	c := &s.checkpoints[k]
	s.reset(c.id, s.savedWords[k*s.stride:][:s.stride], s.savedTimers[c.timers:])
}

// reset sets the words and the sparse timers of an individual.
func (s *shard) reset(id uint32, words []uint64, timers []savedTimer) {
	s.stopTimers(id, 0)
	copy(s.words[int(id)*s.stride:], words)
	for set, i := s.status(id).sparse, 0; set != 0; set, i = set&(set-1), i+1 {
		s.sparseTimers.Set(id, timers[i].column, timers[i].word)
	}
}

// rollBack makes all individuals what they were at the beginning of the window, and lists those
// again that are due in it.
func (s *shard) rollBack() {
	// The first checkpoint of an individual last: one that was on the list twice may have a second
	// checkpoint, from within the window, if there were too many events.
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
