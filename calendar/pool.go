package calendar

import "github.com/almanac-sim/almanac/internal/huge"

// An entry is one scheduled event as it lies in a bucket. It is live only while the record of its id carries its stamp;
// cancelling an event moves the record on and leaves the entry where it is.
type entry struct {
	key   uint64
	id    ID
	stamp uint32
}

// A bucket is a list of entries in the order in which they were scheduled. Its zero value is empty.
//
// Entries lie in chunks of consecutive slots, of which the first tells the chunk that follows. The slot that the next
// entry would take is tail; where that is the first slot of a chunk, the bucket's last chunk is full (or, at 0, there is
// none) and a new one is wanted.
type bucket struct {
	head uint32 // first chunk
	tail uint32 // slot after the last entry, 0 when empty
	n    uint32 // entries
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

	firstSlab = 4 * chunkSlots // a small queue should be small
)

// A pool hands out the chunks in which buckets keep their entries. Slabs are never moved once full-sized, so a large
// queue grows without copying; they hold no pointers, so the collector does not look into them.
type pool struct {
	slabs [][]entry
	total uint32 // chunks there is room for, counting chunk 0, which stands for "none"
	free  uint32 // first chunk of the free list, 0 if none
	fresh uint32 // chunks from here on were never used
	used  int    // chunks in buckets
	peak  int    // the most that were, of late
}

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

// link is where chunk c keeps which one follows it, in its bucket or in the free list. It is in the chunk and not in an
// array beside it because the chunk is in the cache when it is wanted.
func (p *pool) link(c uint32) *uint64 {
	slot := c << chunkBits
	return &p.slabs[slot>>slabBits][slot&slabMask].key
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
	c := p.free
	if c != 0 {
		p.free = p.next(c)
	} else {
		if p.fresh >= p.total {
			p.grow()
		}
		c = p.fresh
		p.fresh++
	}
	if b.tail == 0 {
		b.head = c
	} else {
		*p.link(b.last()) = uint64(c)
	}
	p.used++
	p.peak = max(p.peak, p.used)
	return c<<chunkBits + 1
}

// release returns chunk c to the free list and tells which chunk followed it.
func (p *pool) release(c uint32) (following uint32) {
	l := p.link(c)
	following = uint32(*l)
	*l = uint64(p.free)
	p.free = c
	p.used--
	return following
}

// grow makes room for more chunks: the first slab doubles until it is full-sized, then slabs are added one by one.
func (p *pool) grow() {
	switch last := len(p.slabs) - 1; {
	case last < 0:
		p.slabs = append(p.slabs, make([]entry, firstSlab))
		p.fresh = 1
	case len(p.slabs[last]) < slabLen:
		wider := make([]entry, 2*len(p.slabs[last]))
		copy(wider, p.slabs[last])
		p.slabs[last] = wider
	default:
		slab := make([]entry, slabLen)
		huge.Advise(slab)
		p.slabs = append(p.slabs, slab)
	}
	if len(p.slabs) == 1<<(32-slabBits) {
		panic("calendar: more than four billion entries in one queue")
	}
	p.total = uint32((len(p.slabs)-1)<<slabBits+len(p.slabs[len(p.slabs)-1])) >> chunkBits
}

// bytes tells how much memory the pool holds.
func (p *pool) bytes() int {
	n := cap(p.slabs) * 24
	for _, s := range p.slabs {
		n += len(s) * 16
	}
	return n
}
