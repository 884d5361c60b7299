package eventqueue

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/cpu"
	"github.com/almanac-sim/almanac/internal/ladder"
)

// An entry is one scheduled event as it lies in a bucket. It is live only while the record of its
// id has its version; cancelling an event moves the record on and leaves the entry where it is.
type entry = ladder.Entry

// A bucket is a list of entries in the order in which they were scheduled. Its zero value is empty.
//
// Entries lie in chunks of consecutive slots, of which the first has the number of the chunk that
// follows. The slot that the next entry would take is tail; where that is the first slot of a
// chunk, the bucket's last chunk is full (or, at 0, there is none) and a new one is wanted.
type bucket struct {
	head  uint32 // first chunk
	tail  uint32 // slot after the last entry, 0 when empty
	n     uint32 // entries
	stale uint32 // how many of them are stale: see countStale
}

// last is the last chunk of a bucket that is not empty.
func (b bucket) last() uint32 { return (b.tail - 1) >> chunkBits }

// inLast is how many entries are in that chunk.
func (b bucket) inLast() uint32 { return (b.tail - 1) % chunkSlots }

const (
	chunkBits  = 5
	chunkSlots = 1 << chunkBits // 32 slots, 512 bytes: long enough to be read as a stream
	chunkLen   = chunkSlots - 1 // entries
	slabBits   = 17
	slabLen    = 1 << slabBits // 131,072 entries, 2 MiB: a huge page, and so few that their headers stay in the cache
	slabMask   = slabLen - 1
	slabChunks = slabLen / chunkSlots

	firstSlab = 4 * chunkSlots // a small queue should be small
)

// A pool hands out the chunks in which buckets keep their entries. Slabs are never moved once
// full-sized, so a large queue grows without copying; they hold no pointers, so the collector does
// not look into them.
type pool struct {
	slabs [][]entry
	free  []uint32 // chunks that were released, the last one on top: it may still be in the cache
	used  int      // chunks in buckets
	fresh uint32   // chunks from here on were never used
	total uint32   // chunks there is room for, with chunk 0, which stands for "none", and with the holes
	holes []uint32 // slabs that were given back
}

// room is how many chunks there is memory for.
func (p *pool) room() int { return int(p.total) - len(p.holes)<<(slabBits-chunkBits) }

// chunk returns the slots of chunk c.
func (p *pool) chunk(c uint32) []entry {
	slot := c << chunkBits
	return p.slabs[slot>>slabBits][slot&slabMask:][1:chunkSlots:chunkSlots]
}

// entries returns the entries in chunk c of bucket b.
func (p *pool) entries(b bucket, c uint32) []entry {
	es := p.chunk(c)
	if c == b.last() {
		es = es[:b.inLast()]
	}
	return es
}

// link is the slot of chunk c that has the number of the next chunk of its bucket. It is in the
// chunk and not in a separate array because the chunk is in the cache when the link is read.
func (p *pool) link(c uint32) *uint64 {
	slot := c << chunkBits
	return &p.slabs[slot>>slabBits][slot&slabMask].Key
}

// next is the chunk after c.
func (p *pool) next(c uint32) uint32 { return uint32(*p.link(c)) }

// push appends e to b.
func (p *pool) push(b *bucket, e entry) {
	w := b.tail
	if w%chunkSlots == 0 {
		w = p.extend(b)
	}
	p.slabs[w>>slabBits][w&slabMask] = e
	b.tail = w + 1
	b.n++
}

// extend gives b one more chunk and returns its first slot.
//
//go:noinline
func (p *pool) extend(b *bucket) uint32 {
	var c uint32
	switch n := len(p.free); {
	case n > 0:
		c = p.free[n-1]
		p.free = p.free[:n-1]
	case p.fresh < p.total:
		c = p.fresh
		p.fresh++
	default:
		p.grow()
		return p.extend(b)
	}
	if b.tail == 0 {
		b.head = c
	} else {
		*p.link(b.last()) = uint64(c)
	}
	p.used++
	return c<<chunkBits + 1
}

// release frees chunk c and returns the chunk that followed it.
func (p *pool) release(c uint32) (following uint32) {
	p.free = append(p.free, c)
	p.used--
	return p.next(c)
}

// grow makes room for more chunks: the first slab doubles until it is full-sized, then slabs are
// added one by one. Any but the first may have been given back, the last one too.
func (p *pool) grow() {
	switch {
	case len(p.slabs) == 0:
		p.slabs = append(p.slabs, make([]entry, firstSlab))
		p.fresh, p.total = 1, firstSlab/chunkSlots
	case len(p.slabs) == 1 && len(p.slabs[0]) < slabLen:
		wider := make([]entry, 2*len(p.slabs[0]))
		copy(wider, p.slabs[0])
		p.slabs[0], p.total = wider, uint32(len(wider)/chunkSlots)
	case len(p.holes) > 0:
		hole := p.holes[len(p.holes)-1]
		p.holes = p.holes[:len(p.holes)-1]
		p.slabs[hole] = newSlab()
		for c := uint32(slabChunks); c > 0; c-- {
			p.free = append(p.free, hole*slabChunks+c-1)
		}
	default:
		if len(p.slabs) == 1<<(32-slabBits)-1 {
			panic("calendar: more than four billion entries in one queue")
		}
		p.slabs = append(p.slabs, newSlab())
		p.total += slabChunks
	}
}

func newSlab() []entry {
	slab := make([]entry, slabLen)
	cpu.AdviseHuge(slab)
	return slab
}

// giveBack drops the slabs of which all chunks are free. Of the others, those that are more in use
// will be used first, so that the rest can go later. It looks at every free chunk's number, a
// thirtieth of the entries there were.
func (p *pool) giveBack() {
	free := make([]int, len(p.slabs))
	for _, c := range p.free {
		free[c/slabChunks]++
	}
	order := make([]int, 0, len(p.slabs)) // of slabs with free chunks that stay
	for s := range p.slabs {
		switch {
		case free[s] == slabChunks && len(p.slabs[s]) == slabLen:
			p.slabs[s] = nil
			p.holes = append(p.holes, uint32(s))
		case free[s] > 0:
			order = append(order, s)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return free[b] - free[a] })
	// Where the chunks of each go: those of slabs with the fewest on top.
	start, total := make([]int, len(p.slabs)), 0
	for _, s := range order {
		start[s] = total
		total += free[s]
	}
	stack := make([]uint32, total)
	for _, c := range p.free {
		if s := c / slabChunks; p.slabs[s] != nil {
			stack[start[s]] = c
			start[s]++
		}
	}
	p.free = stack
}

// bytes returns how much memory the pool holds.
func (p *pool) bytes() int {
	n := cap(p.slabs)*24 + cap(p.free)*4 + cap(p.holes)*4
	for _, s := range p.slabs {
		n += len(s) * 16
	}
	return n
}
