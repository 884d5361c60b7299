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
		var together batch
		var due [batchSize]float64
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
				next := due[:min(batchSize, end-id, ends[k]-serial)]
				together.furnish(&s.replica, uint32(id), &begin[k].entrance, streams, uint64(serial), next)
				s.listAll(uint32(id), next)
				id += len(next)
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

// listAll notes when the next events of individuals are due, from an id on, and puts those who have one on the lists. Half of them have, and which is by
// chance: they are picked out without a branch.
func (s *shard) listAll(first uint32, next []float64) {
	end, last := wordOf(s.end), wordOf(s.w.last())
	var listed [batchSize]uint8
	n := 0
	for i, at := range next {
		word := wordOf(at)
		listed[n&(batchSize-1)] = uint8(i)
		if word <= min(end, last) {
			n++
		}
		if word > end {
			word = never
		}
		s.words[(int(first)+i+1)*s.stride-1] = word
	}
	for _, i := range listed[:n] {
		s.lists.add(s.w.of(next[i]), first+uint32(i))
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
