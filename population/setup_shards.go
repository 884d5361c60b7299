package population

import (
	"context"
	"math"
	"sort"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/random"
)

// furnishShards is furnishBlocks for a run by windows: each shard furnishes its own, and puts them on its lists.
func (r *replica) furnishShards(ctx context.Context, streams random.Stream, begin []beginning, ends []int, cores int) (fits bool, err error) {
	w := r.win
	block := 1 << w.bits
	var aside atomic.Int64 // timers of all shards
	breaches := make([]breach, len(w.shards))
	w.each(cores, func(s *shard) {
		b := &s.batch
		s.begin(r)
		s.until = math.Inf(-1) // all is to come
		for from := s.number * block; from < r.ids; from += len(w.shards) * block {
			if ctx.Err() != nil || r.tooMany(int(aside.Load())) {
				return
			}
			before := s.ownAside()
			first := max(from, int(r.first))
			k := sort.SearchInts(ends, first-int(r.first)+1)
			for id, end := first, min(from+block, r.ids); id < end; {
				serial := id - int(r.first)
				for serial >= ends[k] {
					k++
				}
				b.fill(uint32(id), streams, uint64(serial), min(batchSize, end-id, ends[k]-serial))
				b.begin(&s.replica, &begin[k].entrance)
				s.listAll()
				id += b.n
			}
			breaches[s.number].note(s.broke, first)
			aside.Add(int64(s.ownAside() - before))
		}
	})
	if fits = !r.tooMany(int(aside.Load())); ctx.Err() != nil || !fits {
		return false, ctx.Err()
	}
	var first breach
	for i, s := range w.shards {
		first.join(breaches[i])
		for state := range r.counts {
			r.counts[state] += s.counts[state]
		}
	}
	return true, first.of(r)
}

// listAll notes when the next events of a batch are due, and puts those who have one on the lists. About half of them have, and which is by chance: they are
// picked out without a branch.
func (s *shard) listAll() {
	b, n := &s.batch, 0
	end := wordOf(s.end)
	last := min(end, wordOf(s.w.last()))
	for i, id := range b.ids[:b.n] {
		at := b.next[i]
		b.some[n&(batchSize-1)] = uint8(i)
		if at <= last {
			n++
		}
		if at > end {
			at = never
		}
		s.words[(int(id)+1)*s.stride-1] = at
	}
	for _, i := range b.some[:n] {
		s.lists.add(s.w.of(timeOf(b.next[i])), b.ids[i])
	}
}

// ownAside is how many timers of the shard lie aside.
func (s *shard) ownAside() int {
	if s.aside == nil {
		return 0
	}
	return s.aside.tables[s.number].count
}

// forget takes everybody off the lists.
func (w *windows) forget() {
	for _, s := range w.shards {
		s.lists = newLists(len(w.edges))
		s.words, s.aside = nil, nil // which may be about to be replaced
	}
}
