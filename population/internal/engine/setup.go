package engine

import (
	"context"
	"iter"
	"math"
	"sort"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// The initial population is set up in blocks of ids, by all cores. What an individual draws at the
// start depends on its own stream alone, and all that is its own lies apart from that of the
// others; each core is the first to touch the memory that it fills. The calendar takes the events
// of a block at a time (eventqueue.Queue.ScheduleAll). What concerns all individuals is added up
// afterwards, in the order of ids, so that the result is that of admitting one after the other, to
// the last bit.

// setupFrom is the smallest population for which blocks are worth it. Smaller ones are admitted one
// by one.
const setupFrom = 1 << 14

// populate sets up the initial population. Each individual has the stream with its number.
func (r *Run) populate(ctx context.Context, streams random.Stream) error {
	from := setupFrom
	if r.setupFrom > 0 {
		from = r.setupFrom
	}
	if r.Program.Size >= from || r.windows != nil {
		return r.populateInBlocks(ctx, streams)
	}
	r.eachStart(func(serial int, in *program.Entry) {
		id := r.admit(in, streams.At(uint64(serial)), noID)
		if r.OnEvent != nil && r.places == nil { // see tellStart
			r.notify(Event{Kind: Started, State: in.To, Name: -1}, id, noID)
		}
	})
	return ctx.Err() // so few take no more memory than the budget has granted
}

// populateInBlocks is populate by several cores.
func (r *Run) populateInBlocks(ctx context.Context, streams random.Stream) error {
	if err := r.initialiseAll(ctx, streams); err != nil {
		return err
	}
	r.Alive, r.entered = r.Program.Size, uint64(r.Program.Size)
	for state, n := range r.Counts {
		r.Peaks[state].Count = n
	}
	if err := r.registerAll(ctx); err != nil {
		return err
	}
	return r.housekeep(ctx, 0)
}

// initialiseAll initialises all individuals. If there are more sparse timers than allowed, because
// the sample by which the columns were laid out was misleading, it begins anew without sparse
// columns.
func (r *Run) initialiseAll(ctx context.Context, streams random.Stream) error {
	cores, done := r.borrowCores()
	defer done()
	fits, err := r.initialiseBlocks(ctx, streams, cores)
	if err == nil && !fits {
		if err = r.layOutPacked(); err == nil {
			_, err = r.initialiseBlocks(ctx, streams, cores)
		}
	}
	return err
}

// initialiseBlocks initialises all individuals in blocks, and counts them by state. It reports
// false as soon as there are too many sparse timers, and returns an error when the context ends.
// Blocks that have not begun are then left out, and the others must not be used.
func (r *Run) initialiseBlocks(ctx context.Context, streams random.Stream, cores int) (fits bool, err error) {
	all := startPopulation{streams: streams, groups: r.Program.StartGroups}
	n := 0
	for i := range all.groups {
		n += all.groups[i].Count
		all.ends = append(all.ends, n)
	}
	r.Used = int(r.firstID) + r.Program.Size
	if r.windows != nil {
		return r.initialiseShards(ctx, &all, cores)
	}
	// Each worker has a Run of its own that shares only the arrays by id, and no cache line with
	// another.
	type worker struct {
		Run
		first firstError
		batch batch
		_     [64]byte
	}
	workers := make([]*worker, cores)
	for w := range workers {
		h := new(worker)
		h.Run = *r
		h.Counts = make([]int, len(r.Counts)+8)
		if r.sparseTimers != nil {
			h.sparseTimers = store.NewSparseTables(1, 0)
		}
		workers[w] = h
	}
	var sparse atomic.Int64 // sparse timers of all workers
	block := func(worker int, first eventqueue.ID, at []float64) error {
		if r.tooMany(int(sparse.Load())) {
			return nil // without events, which takes less time to clean up than an error
		}
		h, b := &workers[worker].Run, &workers[worker].batch
		before := h.sparseTimers.Count()
		all.initialise(h, b, int(first), int(first)+len(at), func() {
			for i, next := range b.next[:b.n] {
				if next := timeOf(next); next <= h.end {
					at[i] = next
				}
			}
			at = at[b.n:]
		})
		workers[worker].first.record(h.failed, int(first))
		sparse.Add(int64(h.sparseTimers.Count() - before))
		return nil
	}
	err = r.Queue.ScheduleAll(ctx, eventqueue.ID(r.firstID), r.Program.Size, cores, block)
	if fits = !r.tooMany(int(sparse.Load())); err != nil || !fits {
		return false, err
	}
	var first firstError
	for _, h := range workers {
		first.join(h.first)
		for state := range r.Counts {
			r.Counts[state] += h.Counts[state]
		}
		if r.sparseTimers != nil {
			r.sparseTimers.Tables[0].Join(h.sparseTimers.Tables[0])
		}
	}
	return true, first.of(r)
}

// A startPopulation is the initial population: its groups, each with an entry of its own, and the
// number of the first individual after each group.
type startPopulation struct {
	streams random.Stream
	groups  []program.StartGroup
	ends    []int
}

// initialise initialises the individuals with ids in [from, to), in batches, and calls each after
// every batch.
func (p *startPopulation) initialise(r *Run, b *batch, from, to int, each func()) {
	if r.Program.People != nil {
		p.initialisePeople(r, b, from, to, each)
		return
	}
	k := sort.SearchInts(p.ends, from-int(r.firstID)+1)
	for id := from; id < to; id += b.n {
		serial := id - int(r.firstID)
		for serial >= p.ends[k] {
			k++
		}
		b.fill(uint32(id), p.streams, uint64(serial), min(batchSize, to-id, p.ends[k]-serial))
		b.initialiseAndCount(r, &p.groups[k].Entry)
		each()
	}
}

// A firstError is the error of the block with the lowest ids among those that one core set up. So
// the error of a run does not depend on which core got there first.
type firstError struct {
	err   error
	block int
}

// record records the error of a block, if it has one.
func (f *firstError) record(err error, block int) { f.join(firstError{err, block}) }

// join makes f the first of two.
func (f *firstError) join(o firstError) {
	if o.err != nil && (f.err == nil || o.block < f.block) {
		*f = o
	}
}

// of returns the error, and makes the run fail with it, as if the run had set up all individuals
// itself.
func (f *firstError) of(r *Run) error {
	if f.err != nil {
		r.failed, r.limit = f.err, -1
	}
	return f.err
}

// registerAll adds the initial population to the groups and to the tallies by group, and calls
// OnEvent for each individual.
func (r *Run) registerAll(ctx context.Context) error {
	mixes := false
	for _, g := range r.groups {
		mixes = mixes || g != nil
	}
	numbered := r.numbered()
	if !mixes && r.ByGroup == nil && !numbered && r.outcomes == nil && r.observers == nil {
		return nil
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		for a, g := range r.groups {
			if g != nil {
				g.Add(id, int(r.attributes[a].Of(id)))
			}
		}
		state := r.status(id).state
		if r.ByGroup != nil {
			r.ByGroup.present(r, id, int(state), +1)
		}
		if r.outcomes != nil {
			r.enterSums(id)
		}
		if numbered {
			r.numbers[id] = uint64(id-r.firstID) + 1
		}
		if r.observers != nil {
			r.observers.present(r, id)
		}
		if r.OnEvent != nil && r.places == nil { // see tellStart
			r.notify(Event{Kind: Started, State: state, Name: -1}, id, noID)
		}
		if id%housekeepingInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// initialiseShards is initialiseBlocks for a run by windows: each shard initialises its own
// individuals, and lists their events. Shards begin far apart (see blocks), so that each is the
// first to touch the memory of its part.
func (r *Run) initialiseShards(ctx context.Context, all *startPopulation, cores int) (fits bool, err error) {
	w := r.windows
	block := 1 << w.blockBits
	var sparse atomic.Int64 // sparse timers of all shards
	firsts := make([]firstError, len(w.shards))
	w.eachShard(cores, func(s *shard) {
		s.begin(r)
		s.until = math.Inf(-1) // no window is over
		for from := range s.blocks(r.Used) {
			if ctx.Err() != nil || r.tooMany(int(sparse.Load())) {
				return
			}
			before := s.sparseCount()
			first := max(from, int(r.firstID))
			all.initialise(&s.Run, &s.batch, first, min(from+block, r.Used), s.listBatch)
			firsts[s.number].record(s.failed, first)
			s.failed = nil // a block with lower ids may follow
			sparse.Add(int64(s.sparseCount() - before))
		}
	})
	if fits = !r.tooMany(int(sparse.Load())); ctx.Err() != nil || !fits {
		return false, ctx.Err()
	}
	var first firstError
	for i, s := range w.shards {
		first.join(firsts[i])
		for state := range r.Counts {
			r.Counts[state] += s.Counts[state]
		}
	}
	return true, first.of(r)
}

// blocks yields the first id of each of the shard's blocks. The first shard begins with the first
// of its blocks, and each of the others as much further on as its part of them; the blocks before
// come last. If all began with the first, two cores would come to a new page of memory at the same
// time, and the system would clear a huge page for each of them, of which it keeps one: of 60
// million individuals a quarter to a half were cleared twice.
func (s *shard) blocks(ids int) iter.Seq[int] {
	return func(yield func(int) bool) {
		shards, bits := len(s.w.shards), s.w.blockBits
		blocks := (ids + 1<<bits - 1) >> bits
		own := (blocks - s.number + shards - 1) / shards
		for i := range own {
			k := (i + own*s.number/shards) % own
			if !yield((k*shards + s.number) << bits) {
				return
			}
		}
	}
}

// listBatch sets the times of the next events of a batch, and lists the individuals that have one.
// About half of them have, at random: they are selected without a branch.
func (s *shard) listBatch() {
	b, n := &s.batch, 0
	end := wordOf(s.end)
	last := min(end, wordOf(s.w.lastEdge()))
	for i, id := range b.ids[:b.n] {
		at := b.next[i]
		b.selected[n&(batchSize-1)] = uint8(i)
		if at <= last {
			n++
		}
		if at > end {
			at = never
		}
		s.words[(int(id)+1)*s.stride-1] = at
	}
	for _, i := range b.selected[:n] {
		s.lists.Add(s.w.windowAt(timeOf(b.next[i])), b.ids[i])
	}
}

// sparseCount returns how many timers are in the shard's sparse table.
func (s *shard) sparseCount() int {
	if s.sparseTimers == nil {
		return 0
	}
	return s.sparseTimers.Tables[s.number].Count
}

// clearLists empties all lists.
func (w *windows) clearLists() {
	for _, s := range w.shards {
		s.lists = store.NewBucketLists(len(w.edges))
		s.words, s.sparseTimers = nil, nil // they may be about to be replaced
	}
}
