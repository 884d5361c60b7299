package engine

import (
	"context"
	"iter"
	"math"
	"sort"
	"sync/atomic"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// Setting everybody up. What an individual draws at the start depends on its own stream alone, and all that is its own lies where nobody else's
// does; so a large population is set up in blocks, by all cores, each of which touches the memory that it fills first. The calendar
// takes their events a block at a time (calendar.Queue.ScheduleAll). What is everybody's is added up afterwards, in the order of ids, so that it
// is as if one had come in after the other, to the last bit.

// setupFrom is from how many individuals on it is worth it; below, they are let in one by one.
const setupFrom = 1 << 14

// populate lets all of those in who are there at the start. Each has the stream of its number.
func (r *Run) populate(ctx context.Context, streams random.Stream) error {
	from := setupFrom
	if r.setupFrom > 0 {
		from = r.setupFrom
	}
	if r.Program.Size >= from || r.windows != nil {
		return r.populateInBlocks(ctx, streams)
	}
	serial := uint64(0)
	for i := range r.Program.StartGroups {
		g := &r.Program.StartGroups[i]
		for range g.Count {
			id := r.admit(&g.Entry, streams.At(serial), noID)
			if r.OnEvent != nil {
				r.notify(Event{Kind: Started, State: g.To, Name: -1}, id, noID)
			}
			serial++
		}
	}
	return ctx.Err() // so few need no more memory than was asked about
}

// populateInBlocks does so by several cores.
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

// initialiseAll gives everybody what is its own. If more timers lie aside than may, because the sample by which they were laid out was misleading, it begins anew
// with none.
func (r *Run) initialiseAll(ctx context.Context, streams random.Stream) error {
	cores, done := r.setupCores()
	defer done()
	fits, err := r.initialiseBlocks(ctx, streams, cores)
	if err == nil && !fits {
		if err = r.layOutPacked(); err == nil {
			_, err = r.initialiseBlocks(ctx, streams, cores)
		}
	}
	return err
}

// initialiseBlocks does it in blocks, and counts everybody by state. When the context ends, or as soon as too many timers lie aside, all blocks that have not
// begun are left out, and nothing may be made of the others.
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
	// Each has a replica of its own in which only the arrays by id are the same, a core's lines of the cache away from the next.
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
	var sparse atomic.Int64 // timers of all helpers
	err = r.Queue.ScheduleAll(ctx, calendar.ID(r.firstID), r.Program.Size, cores, func(worker int, first calendar.ID, at []float64) error {
		if r.tooMany(int(sparse.Load())) {
			return nil // they have no events: less is to be done after that than after an error
		}
		h, b := &workers[worker].Run, &workers[worker].batch
		before := h.sparseTimers.Size()
		all.initialise(h, b, int(first), int(first)+len(at), func() {
			for i, next := range b.next[:b.n] {
				if next := timeOf(next); next <= h.end {
					at[i] = next
				}
			}
			at = at[b.n:]
		})
		workers[worker].first.record(h.failed, int(first))
		sparse.Add(int64(h.sparseTimers.Size() - before))
		return nil
	})
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

// A startPopulation is those who are there at the start: in which ways they come in, and before which number each way ends.
type startPopulation struct {
	streams random.Stream
	groups  []program.StartGroup
	ends    []int
}

// initialise furnishes those with ids from one up to another in batches, and calls back after each.
func (p *startPopulation) initialise(r *Run, b *batch, from, to int, each func()) {
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

// A firstError is the first error of those who were set up by one core: that of the block with the lowest ids. Which core got there first is left out of it.
type firstError struct {
	err   error
	block int
}

// record takes the error of a core down, if it has one by the end of a block.
func (f *firstError) record(err error, block int) { f.join(firstError{err, block}) }

// join makes b the first of two.
func (f *firstError) join(o firstError) {
	if o.err != nil && (f.err == nil || o.block < f.block) {
		*f = o
	}
}

// of is the error, which is the replica's from then on, as if it had set everybody up itself.
func (f *firstError) of(r *Run) error {
	if f.err != nil {
		r.failed, r.limit = f.err, -1
	}
	return f.err
}

// registerAll puts everybody who was set up on the lists that there are: those of groups, of what is recorded, and of whoever listens.
func (r *Run) registerAll(ctx context.Context) error {
	mixes := false
	for _, g := range r.groups {
		mixes = mixes || g != nil
	}
	if !mixes && r.ByGroup == nil && r.OnEvent == nil {
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
		if r.OnEvent != nil {
			r.numbers[id] = uint64(id-r.firstID) + 1
			r.notify(Event{Kind: Started, State: state, Name: -1}, id, noID)
		}
		if id%housekeepingInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// initialiseShards is furnishBlocks for a run by windows: each shard furnishes its own, and puts them on its lists. Shards begin far apart (see rounds), and
// each leaves it to the others to find the memory of their parts.
func (r *Run) initialiseShards(ctx context.Context, all *startPopulation, cores int) (fits bool, err error) {
	w := r.windows
	block := 1 << w.blockBits
	var sparse atomic.Int64 // timers of all shards
	firsts := make([]firstError, len(w.shards))
	w.eachShard(cores, func(s *shard) {
		s.begin(r)
		s.until = math.Inf(-1) // all is to come
		for from := range s.blocks(r.Used) {
			if ctx.Err() != nil || r.tooMany(int(sparse.Load())) {
				return
			}
			before := s.sparseCount()
			first := max(from, int(r.firstID))
			all.initialise(&s.Run, &s.batch, first, min(from+block, r.Used), s.listBatch)
			firsts[s.number].record(s.failed, first)
			s.failed = nil // a block with lower ids may come
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

// blocks are the first ids of the shard's blocks. The first shard begins with the first of its blocks, and each of the others as much further on as its part of them;
// what is before comes last. If all began with the first, two cores would come to a new page of memory at the same time, and the system would clear
// a huge page for each of them, of which it keeps one: of 60 million individuals a quarter to a half were cleared twice.
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

// listBatch notes when the next events of a batch are due, and puts those who have one on the lists. About half of them have, and which is by chance: they are
// picked out without a branch.
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

// sparseCount is how many timers of the shard lie aside.
func (s *shard) sparseCount() int {
	if s.sparseTimers == nil {
		return 0
	}
	return s.sparseTimers.Tables[s.number].Count
}

// clearLists takes everybody off the lists.
func (w *windows) clearLists() {
	for _, s := range w.shards {
		s.lists = store.NewBucketLists(len(w.edges))
		s.words, s.sparseTimers = nil, nil // which may be about to be replaced
	}
}
