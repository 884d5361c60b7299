package engine

import (
	"context"
	"iter"
	"math"
	"sync/atomic"
)

// furnishShards is furnishBlocks for a run by windows: each shard furnishes its own, and puts them on its lists. Shards begin far apart (see rounds), and
// each leaves it to the others to find the memory of their parts.
func (r *Run) furnishShards(ctx context.Context, all *crowd, cores int) (fits bool, err error) {
	w := r.win
	block := 1 << w.bits
	var aside atomic.Int64 // timers of all shards
	breaches := make([]breach, len(w.shards))
	w.each(cores, func(s *shard) {
		s.begin(r)
		s.until = math.Inf(-1) // all is to come
		for from := range s.rounds(r.Ids) {
			if ctx.Err() != nil || r.tooMany(int(aside.Load())) {
				return
			}
			before := s.ownAside()
			first := max(from, int(r.first))
			all.furnish(&s.Run, &s.batch, first, min(from+block, r.Ids), s.listAll)
			breaches[s.number].note(s.broke, first)
			s.broke = nil // a block with lower ids may come
			aside.Add(int64(s.ownAside() - before))
		}
	})
	if fits = !r.tooMany(int(aside.Load())); ctx.Err() != nil || !fits {
		return false, ctx.Err()
	}
	var first breach
	for i, s := range w.shards {
		first.join(breaches[i])
		for state := range r.Counts {
			r.Counts[state] += s.Counts[state]
		}
	}
	return true, first.of(r)
}

// rounds are the first ids of the shard's blocks. The first shard begins with the first of its blocks, and each of the others as much further on as its part of them;
// what is before comes last. If all began with the first, two cores would come to a new page of memory at the same time, and the system would clear
// a huge page for each of them, of which it keeps one: of 60 million individuals a quarter to a half were cleared twice.
func (s *shard) rounds(ids int) iter.Seq[int] {
	return func(yield func(int) bool) {
		shards, bits := len(s.w.shards), s.w.bits
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
