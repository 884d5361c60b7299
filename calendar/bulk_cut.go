package calendar

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// Many events for an empty queue are cut into buckets at once. All of their times are known before the first entry is made, so that
// the buckets can be chosen by them, and where each entry goes is known too. That takes four steps; all but the third are done by
// several goroutines:
//
//  1. The times go into the records, block by block. The records are where they are kept until the end: nothing else is needed.
//  2. How many go into each bucket is counted, for each of several stretches of ids.
//  3. Each bucket gets as many chunks as it needs, one behind the other, and each stretch its place in them.
//  4. The entries are written there.
//
// So entries of equal times are in the order of their ids, and every entry is where it would be if one goroutine had done it all.

const (
	// taskBlocks is how many blocks a worker takes at a time, at most: their records are a huge page, which should be touched by one of
	// them only.
	taskBlocks = 8
	// stretches is how many stretches of ids there are for each worker, so that one who has less time does less.
	stretches = 4
	// sampleLen is how many times are looked at to choose the buckets, and one in tailOf of them may be left out at either end.
	sampleLen = 4096
	tailOf    = 128
)

// cutAll schedules all events of b into a queue that has none.
func (b *bulk) cutAll() error {
	q := b.q
	q.discard()
	q.bits, q.bitPages = nil, 0 // all records are written, which is told to no bit
	all := b.recordAll()
	if b.stopped() {
		return b.abandon()
	}
	if f := &b.failed; !f.none() {
		all = b.forget(f.at)
		b.end = f.at
	}
	if q.pending = all.scheduled; q.pending <= q.most {
		b.each(func(k uint64, id ID, stamp uint32) { q.place(entry{k, id, stamp}) })
		return b.failed.result()
	}
	q.counted = true
	l := b.shape(all.low, all.high)
	l.size = q.pending
	l.buckets = q.takeBuckets(l.count())
	q.divided++
	q.moved += uint64(q.pending)
	q.keepBuckets(q.levels[0].buckets)
	q.levels[0] = l
	b.cut(&q.levels[0])
	q.divideLarge(b.stopped)
	if b.stopped() {
		return b.abandon()
	}
	return b.failed.result()
}

// share has the workers do n tasks, each of which is taken by one of them, the first ones first, until all are done or the context ends.
func (b *bulk) share(n int, do func(worker, task int)) {
	var taken atomic.Int64
	together(min(b.workers, n), func(worker int) {
		for {
			task := int(taken.Add(1)) - 1
			if task >= n || b.stopped() {
				return
			}
			do(worker, task)
		}
	})
}

// A tally is what is known of the events recorded so far.
type tally struct {
	scheduled int
	grown     int    // for how many more ids there are records
	low, high uint64 // keys
}

func (t *tally) add(o tally) {
	t.scheduled += o.scheduled
	t.grown += o.grown
	t.low, t.high = min(t.low, o.low), max(t.high, o.high)
}

// recordAll is the first step. What it returns is also of the events behind a failure.
func (b *bulk) recordAll() tally {
	blocks := b.blocks()
	if last := min(b.end-1, uint64(b.q.maxID)); last >= b.first {
		b.q.pagesFor(int(last >> pageBits))
	}
	times := make([][]float64, b.workers)
	b.made = make([]bool, blocks)
	all := tally{low: pastAll}
	var mutex sync.Mutex
	each := min(max(blocks/(stretches*b.workers), 1), taskBlocks)
	b.share((blocks+each-1)/each, func(worker, task int) {
		if times[worker] == nil {
			times[worker] = make([]float64, pageLen)
		}
		sum := tally{low: pastAll}
		defer func() { // also if due ends the goroutine: the blocks before it are recorded
			mutex.Lock()
			all.add(sum)
			mutex.Unlock()
		}()
		for i := task * each; i < min((task+1)*each, blocks) && !b.failed.before(i) && !b.stopped(); i++ {
			if at, ok := b.ask(worker, i, times[worker]); ok {
				sum.add(b.recordBlock(i, at))
			}
		}
	})
	b.q.ids += all.grown
	return all
}

// recordBlock puts the times of block i, as keys, into the records of their ids.
func (b *bulk) recordBlock(i int, at []float64) tally {
	q := b.q
	from, to := b.block(i)
	sum := tally{low: pastAll}
	var page []record
	if p := int(from >> pageBits); p < len(q.pages) {
		page = q.pages[p]
	}
	for j, t := range at {
		id := from + uint64(j)
		switch {
		case math.IsInf(t, 1):
			continue
		case id > uint64(q.maxID) || !(t >= q.now && t <= math.MaxFloat64):
			b.failed.note(i, id, refusal(id, t, q.refuse(ID(id), t)), nil)
			return sum
		case int(id&pageMask) >= len(page):
			longer := q.longerPage(ID(min(to-1, uint64(q.maxID))), q.ids+int(b.end-b.first))
			sum.grown += len(longer) - len(page)
			b.made[i] = len(page) == 0
			page = longer
			q.pages[id>>pageBits] = page
		}
		k := timekey.Of(t)
		page[id&pageMask].setKey(k)
		sum.scheduled++
		sum.low, sum.high = min(sum.low, k), max(sum.high, k)
	}
	return sum
}

// records are those of block i that there are; the first is that of the id.
func (b *bulk) records(i int) (from uint64, rs []record) {
	from, to := b.block(i)
	if p := int(from >> pageBits); p < len(b.q.pages) {
		page := b.q.pages[p]
		start := min(int(from&pageMask), len(page))
		rs = page[start:min(start+int(to-from), len(page))]
	}
	return from, rs
}

// each calls do for all events, in the order of their ids.
func (b *bulk) each(do func(k uint64, id ID, stamp uint32)) {
	for i := range b.blocks() {
		from, rs := b.records(i)
		for j := range rs {
			if k := rs[j].key(); k != noKey {
				do(k, ID(from)+ID(j), rs[j].stamp)
			}
		}
	}
}

// forget takes back what was recorded of ids from the given one on, and returns what is known of those before. How far the workers had come beyond
// it is a matter of timing, so that nothing may be left of it: neither in the span of the times nor in pages that were made.
func (b *bulk) forget(id uint64) tally {
	before := tally{low: pastAll}
	for i := range b.blocks() {
		from, rs := b.records(i)
		if from > id && b.made[i] {
			p := from >> pageBits
			b.q.ids -= len(b.q.pages[p])
			b.q.pages[p] = nil
			continue
		}
		for j := range rs {
			switch k := rs[j].key(); {
			case k == noKey:
			case from+uint64(j) >= id:
				rs[j].setKey(noKey)
			default:
				before.scheduled++
				before.low, before.high = min(before.low, k), max(before.high, k)
			}
		}
	}
	return before
}

// shape chooses the buckets: those of a level for the future, for keys from low to high. If a few that are far from the others would make all
// buckets more than twice as wide, they are left out: the first or the last bucket has them.
func (b *bulk) shape(low, high uint64) (l level) {
	var sample []uint64
	step := max((b.end-b.first)/sampleLen, 1)
	for id := b.first; id < b.end; id += step {
		if r := b.q.record(ID(id)); r != nil && r.key() != noKey {
			sample = append(sample, r.key())
		}
	}
	if tail := len(sample) / tailOf; tail > 0 {
		slices.Sort(sample)
		from, to := sample[tail], sample[len(sample)-1-tail]
		if from-low > to-from {
			low = from
		}
		if high-to > to-from {
			high = to
		}
	}
	l.to = pastAll
	l.shape(low, high, b.q.futureFan())
	return l
}

// cut is the last three steps: it makes an entry of each record, in the bucket of l where it belongs.
func (b *bulk) cut(l *level) {
	blocks := b.blocks()
	n := min(stretches*b.workers, blocks)
	stretch := func(i int) (from, to int) { return blocks * i / n, blocks * (i + 1) / n }

	slots := make([][]uint32, n) // how many entries each stretch has for each bucket, then where the next of them goes
	b.share(n, func(_, s int) {
		slots[s] = make([]uint32, l.count())
		for i, to := stretch(s); i < to && !b.stopped(); i++ {
			b.countBlock(l, i, slots[s])
		}
	})

	if b.stopped() { // not all are counted
		return
	}
	p := &b.q.pool
	if len(p.slabs) == 0 {
		p.grow()
	}
	free := p.fresh
	for i := range l.buckets[:l.count()] {
		at := uint32(0) // entries so far
		for s := range slots {
			here := slots[s][i]
			slots[s][i] = slotAfter(free, at)
			at += here
		}
		if at > 0 {
			l.buckets[i] = bucket{head: free, tail: slotAfter(free, at-1) + 1, n: at}
			free += (at + chunkLen - 1) / chunkLen
		}
	}
	for p.total < free {
		p.grow()
	}
	p.used = int(free - p.fresh)
	p.fresh = free

	b.share(n, func(_, s int) {
		for i, to := stretch(s); i < to && !b.stopped(); i++ {
			b.writeBlock(l, i, slots[s])
		}
	})
}

// slotAfter is the slot for an entry that has so many before it in a bucket whose chunks begin with c and follow each other.
func slotAfter(c, entries uint32) uint32 {
	return (c+entries/chunkLen)<<chunkBits + 1 + entries%chunkLen
}

// countBlock counts how many events of block i there are for each bucket of l.
func (b *bulk) countBlock(l *level, i int, counts []uint32) {
	_, rs := b.records(i)
	first, shift, base, last := l.first, l.shift&63, l.base, l.last
	for j := range rs {
		if k := rs[j].key(); k != noKey {
			counts[min(max(k, first)>>shift-base, last)]++
		}
	}
}

// writeBlock writes the entries of block i to where slots says.
func (b *bulk) writeBlock(l *level, i int, slots []uint32) {
	from, rs := b.records(i)
	first, shift, base, last := l.first, l.shift&63, l.base, l.last
	slabs := b.q.pool.slabs
	for j := range rs {
		k := rs[j].key()
		if k == noKey {
			continue
		}
		next := &slots[min(max(k, first)>>shift-base, last)]
		w := *next
		slab := slabs[w>>slabBits]
		slab[w&slabMask] = entry{k, ID(from) + ID(j), rs[j].stamp}
		if w%chunkSlots == 1 { // the link is in the same cache line
			slab[w&slabMask-1].key = uint64(w>>chunkBits + 1)
		}
		if w++; w%chunkSlots == 0 {
			w++
		}
		*next = w
	}
}

// divideLarge has no bucket of the only level larger than a bucket may be: what is in those that are is scheduled into them once
// more, one event after the other, so that they are divided like any others. It ends when stopped says so, with some events in no bucket.
func (q *Queue) divideLarge(stopped func() bool) {
	l := &q.levels[0]
	placed := 0 // since it was asked
	for i := range l.count() {
		b := l.buckets[i]
		if int(b.n) <= q.limit() {
			continue
		}
		l.buckets[i] = bucket{}
		for c, last := b.head, b.last(); ; {
			for _, e := range q.pool.entries(b, c) {
				q.place(e)
			}
			n := len(q.pool.entries(b, c))
			q.moved += uint64(n)
			if placed += n; placed >= pageLen {
				if placed = 0; stopped() {
					return
				}
			}
			following := q.pool.release(c)
			if c == last {
				break
			}
			c = following
		}
	}
}
