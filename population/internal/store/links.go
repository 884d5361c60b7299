package store

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/cpu"
)

// Links keeps a network: which individuals are linked with which. An individual has a row with an
// entry for each of its links, in a block of 2ᵏ entries of which the first are taken. An entry
// knows its peer, the individual at the other end, and the position of its twin, the entry of the
// same link there. Peers lie apart from twins, which only the end of a link needs: 16 of them are
// in one cache line.
//
// Adding takes the next entry at both ends, and moves a row to a block twice as large if it is
// full. Removing moves the last entry of the row to the one that becomes free, at both ends, and
// tells the twin of the one that has moved; a row moves to a block half as large if three quarters
// of it are empty. Adding and removing take amortised constant time, and so does choosing a link of
// an individual. A link takes 16 bytes and, as blocks are not full, up to twice as much, about 23
// on average; an individual takes 8. A link that is numbered takes 8 bytes for its number at both
// ends, and 8 more.
//
// Finding out whether two are linked takes a scan of the shorter row if it has at most longRow
// entries. Otherwise a set of all links is made, once, and kept up to date; it takes about 16 bytes
// for each.
//
// Invariants: the twin of the twin of an entry is the entry itself, and each of the two has the
// other's individual; no two entries of a row have the same individual, and none has its own; the
// set, if there is one, has each link once; places[t] is one of the two entries with the number t.
//
// Links must not be used from several goroutines at once.
type Links struct {
	rows  []LinkRow
	peers [][]uint32 // by level: the blocks of a size, one after the other
	twins [][]uint32 // the same for the positions of twins
	tags  [][]uint32 // the same for the numbers of links; nil if they have none
	free  [][]uint32 // by level: unused blocks
	count int

	places []linkPlace // by number: an entry of the link, or none
	unused []uint32    // numbers of links that have ended

	set *pairSet // all links; nil until it is needed
}

// A LinkRow is where the links of an individual are.
type LinkRow struct {
	n  uint32
	at uint32 // level and number of its block; noBlock if it has none
}

// A linkPlace is where an entry of a link is.
type linkPlace struct{ id, at uint32 }

// A Pair is a link between two individuals.
type Pair = [2]uint32

const (
	noBlock = 1<<32 - 1
	noLink  = 1<<32 - 1 // in linkPlace.id
	longRow = 32
)

// NewLinks returns a network without links. If they are numbered, each link has a number, its tag,
// that is given again once it has ended.
func NewLinks(numbered bool) *Links {
	l := &Links{}
	if numbered {
		l.tags = [][]uint32{}
	}
	return l
}

// Reserve makes room for so many ids.
func (l *Links) Reserve(ids int) {
	n := len(l.rows)
	if n >= ids {
		return
	}
	l.rows = lengthen(l.rows, ids-n)
	for i := range l.rows[n:] {
		l.rows[n+i] = LinkRow{at: noBlock}
	}
}

// Fill adds the first links. No two may be the same, and none of an individual with itself; there
// must be no links yet. They are numbered in this order.
func (l *Links) Fill(pairs []Pair) {
	for _, p := range pairs {
		l.rows[p[0]].n++
		l.rows[p[1]].n++
	}
	var blocks [32]int // by level
	for id := range l.rows {
		if n := l.rows[id].n; n > 0 {
			blocks[levelFor(n)]++
		}
	}
	for level, n := range blocks {
		if n > 0 {
			l.makeLevel(level)
			l.peers[level] = lengthen([]uint32(nil), n<<level)[:0]
			l.twins[level] = lengthen([]uint32(nil), n<<level)[:0]
			if l.tags != nil {
				l.tags[level] = make([]uint32, 0, n<<level)
			}
		}
	}
	for id := range l.rows {
		if n := l.rows[id].n; n > 0 {
			l.rows[id] = LinkRow{at: l.takeBlock(levelFor(n))}
		}
	}
	for _, p := range pairs {
		l.Add(p[0], p[1])
	}
}

// Degree returns how many links an individual has.
func (l *Links) Degree(id uint32) int { return int(l.rows[id].n) }

// Rows returns what is read first of each id, for prefetching it.
func (l *Links) Rows() []LinkRow { return l.rows }

// Prefetch prefetches the links of an individual.
func (l *Links) Prefetch(id uint32) {
	if row := l.row(id); len(row) > 0 {
		cpu.PrefetchLines(unsafe.Pointer(&row[0]), min(2, 1+(len(row)-1)/16))
	}
}

// Count returns how many links there are.
func (l *Links) Count() int { return l.count }

// Peer returns the individual at the other end of the link at a position of a row.
func (l *Links) Peer(id uint32, k int) uint32 { return l.row(id)[k] }

// Tag returns the number of the link at a position of a row.
func (l *Links) Tag(id uint32, k int) uint32 { return l.rowOf(l.tags, id)[k] }

// Find returns one end of the link with a number, and the position in its row. It reports false if
// there is no such link.
func (l *Links) Find(tag uint32) (id uint32, k int, ok bool) {
	p := l.places[tag]
	return p.id, int(p.at), p.id != noLink
}

// Tags is above the numbers of all links.
func (l *Links) Tags() int { return len(l.places) }

// Linked reports whether two individuals are linked.
func (l *Links) Linked(a, b uint32) bool {
	if l.rows[a].n > l.rows[b].n {
		a, b = b, a
	}
	if l.rows[a].n <= longRow {
		return slices.Contains(l.row(a), b)
	}
	if l.set == nil {
		l.set = newPairSet(l.count)
		for id := range l.rows {
			for _, peer := range l.row(uint32(id)) {
				if uint32(id) < peer {
					l.set.add(pairKey(uint32(id), peer))
				}
			}
		}
	}
	return l.set.has(pairKey(a, b))
}

// Add links two individuals that are not linked, and returns the number of the link, or 0.
func (l *Links) Add(a, b uint32) (tag uint32) {
	if l.tags != nil {
		if n := len(l.unused); n > 0 {
			tag = l.unused[n-1]
			l.unused = l.unused[:n-1]
		} else {
			tag = uint32(len(l.places))
			l.places = append(l.places, linkPlace{})
		}
		l.places[tag] = linkPlace{a, l.rows[a].n}
	}
	atA, atB := l.rows[a].n, l.rows[b].n
	l.append(a, b, atB, tag)
	l.append(b, a, atA, tag)
	l.count++
	if l.set != nil {
		l.set.add(pairKey(a, b))
	}
	return tag
}

// Remove removes the link at a position of a row. It returns the individual at the other end, and
// the number of the link, or 0.
func (l *Links) Remove(id uint32, k int) (peer, tag uint32) {
	level, first := blockAt(l.rows[id].at)
	peer, twin := l.peers[level][first+k], l.twins[level][first+k]
	if l.tags != nil {
		tag = l.tags[level][first+k]
		l.places[tag].id = noLink
		l.unused = append(l.unused, tag)
	}
	l.drop(id, uint32(k))
	l.drop(peer, twin)
	l.count--
	if l.set != nil {
		l.set.remove(pairKey(id, peer))
	}
	return peer, tag
}

// Distinct returns links without those of individuals with themselves, and one of each between the
// same two, in place. Ids is above the ids of all individuals.
func Distinct(pairs []Pair, ids int) []Pair {
	// A counting sort by the lower id, then one pass over those of each.
	first := make([]uint32, ids+1)
	for i, p := range pairs {
		if p[0] > p[1] {
			pairs[i] = Pair{p[1], p[0]}
		}
		first[pairs[i][0]+1]++
	}
	for id := range ids {
		first[id+1] += first[id]
	}
	others := make([]uint32, len(pairs))
	at := slices.Clone(first[:ids])
	for _, p := range pairs {
		others[at[p[0]]] = p[1]
		at[p[0]]++
	}
	seen := at // for whom an id was last seen, plus 1
	clear(seen)
	n := 0
	for id := range ids {
		for _, other := range others[first[id]:first[id+1]] {
			if int(other) != id && seen[other] != uint32(id)+1 {
				seen[other] = uint32(id) + 1
				pairs[n] = Pair{uint32(id), other}
				n++
			}
		}
	}
	return pairs[:n]
}

// row returns the peers of an individual.
func (l *Links) row(id uint32) []uint32 { return l.rowOf(l.peers, id) }

// rowOf returns what one of the arrays has of an individual.
func (l *Links) rowOf(array [][]uint32, id uint32) []uint32 {
	r := l.rows[id]
	if r.n == 0 {
		return nil
	}
	level, first := blockAt(r.at)
	return array[level][first : first+int(r.n)]
}

// append adds an entry to a row.
func (l *Links) append(id, peer, twin, tag uint32) {
	r := &l.rows[id]
	switch {
	case r.at == noBlock:
		r.at = l.takeBlock(0)
	case r.n == 1<<(r.at>>seatBits):
		l.moveRow(r, int(r.at>>seatBits)+1)
	}
	level, first := blockAt(r.at)
	l.peers[level][first+int(r.n)], l.twins[level][first+int(r.n)] = peer, twin
	if l.tags != nil {
		l.tags[level][first+int(r.n)] = tag
	}
	r.n++
}

// drop removes the entry at a position of a row: the last takes its place.
func (l *Links) drop(id, k uint32) {
	r := &l.rows[id]
	level, first := blockAt(r.at)
	last := r.n - 1
	if k != last {
		peer, twin := l.peers[level][first+int(last)], l.twins[level][first+int(last)]
		l.peers[level][first+int(k)], l.twins[level][first+int(k)] = peer, twin
		twinLevel, twinFirst := blockAt(l.rows[peer].at)
		l.twins[twinLevel][twinFirst+int(twin)] = k
		if l.tags != nil {
			tag := l.tags[level][first+int(last)]
			l.tags[level][first+int(k)] = tag
			if l.places[tag].id == id {
				l.places[tag].at = k
			}
		}
	}
	r.n = last
	switch {
	case last == 0:
		l.free[level] = append(l.free[level], uint32(first>>level))
		r.at = noBlock
	case level > 2 && 4*last <= 1<<level:
		l.moveRow(r, level-1)
	}
}

// moveRow moves a row to a block of another level.
func (l *Links) moveRow(r *LinkRow, level int) {
	from, first := blockAt(r.at)
	at := l.takeBlock(level)
	_, to := blockAt(at)
	copy(l.peers[level][to:], l.peers[from][first:first+int(r.n)])
	copy(l.twins[level][to:], l.twins[from][first:first+int(r.n)])
	if l.tags != nil {
		copy(l.tags[level][to:], l.tags[from][first:first+int(r.n)])
	}
	l.free[from] = append(l.free[from], uint32(first>>from))
	r.at = at
}

// takeBlock returns the level and the number of an unused block.
func (l *Links) takeBlock(level int) uint32 {
	l.makeLevel(level)
	if n := len(l.free[level]); n > 0 {
		block := l.free[level][n-1]
		l.free[level] = l.free[level][:n-1]
		return uint32(level)<<seatBits | block
	}
	block := uint32(len(l.peers[level]) >> level)
	l.peers[level] = growBlock(l.peers[level], 1<<level)
	l.twins[level] = growBlock(l.twins[level], 1<<level)
	if l.tags != nil {
		l.tags[level] = growBlock(l.tags[level], 1<<level)
	}
	return uint32(level)<<seatBits | block
}

// growBlock appends n entries, which may hold anything.
func growBlock(s []uint32, n int) []uint32 {
	s = slices.Grow(s, n)
	return s[:len(s)+n]
}

// makeLevel makes the lists of a level.
func (l *Links) makeLevel(level int) {
	for len(l.peers) <= level {
		l.peers, l.twins, l.free = append(l.peers, nil), append(l.twins, nil), append(l.free, nil)
		if l.tags != nil {
			l.tags = append(l.tags, nil)
		}
	}
}

// levelFor returns the level of the smallest blocks that hold n entries.
func levelFor(n uint32) int { return bits.Len32(n - 1) }

// blockAt returns the level of a block, and the position of its first entry.
func blockAt(at uint32) (level, first int) {
	level = int(at >> seatBits)
	return level, int(at&(1<<seatBits-1)) << level
}

// Copy returns a copy.
func (l *Links) Copy() *Links {
	c := *l
	c.rows, c.places, c.unused = slices.Clone(l.rows), slices.Clone(l.places), slices.Clone(l.unused)
	c.peers, c.twins, c.free = cloneAll(l.peers), cloneAll(l.twins), cloneAll(l.free)
	if l.tags != nil {
		c.tags = cloneAll(l.tags)
	}
	c.set = l.set.copy()
	return &c
}

func cloneAll(all [][]uint32) [][]uint32 {
	c := make([][]uint32, len(all))
	for i := range all {
		c[i] = slices.Clone(all[i])
	}
	return c
}

// Bytes is about how much memory it takes.
func (l *Links) Bytes() int {
	n := 8*cap(l.rows) + 8*cap(l.places) + 4*cap(l.unused) + l.set.bytes()
	for level := range l.peers {
		n += 4 * (cap(l.peers[level]) + cap(l.twins[level]) + cap(l.free[level]))
		if l.tags != nil {
			n += 4 * cap(l.tags[level])
		}
	}
	return n
}

// Check verifies the invariants.
func (l *Links) Check() error {
	ends, taken := 0, map[uint32]bool{}
	for id := range l.rows {
		r := l.rows[id]
		if (r.n == 0) != (r.at == noBlock) {
			return fmt.Errorf("id %d has %d links and the block %x", id, r.n, r.at)
		}
		if r.n == 0 {
			continue
		}
		if taken[r.at] || r.n > 1<<(r.at>>seatBits) {
			return fmt.Errorf("the row of id %d shares its block, or has %d entries in a block of level %d", id, r.n,
				r.at>>seatBits)
		}
		taken[r.at] = true
		peers := map[uint32]bool{}
		for k, peer := range l.row(uint32(id)) {
			if peer == uint32(id) || peers[peer] {
				return fmt.Errorf("id %d is linked twice with %d, or with itself", id, peer)
			}
			peers[peer] = true
			twin := l.rowOf(l.twins, uint32(id))[k]
			if other := l.row(peer); uint(twin) >= uint(len(other)) || other[twin] != uint32(id) ||
				l.rowOf(l.twins, peer)[twin] != uint32(k) {
				return fmt.Errorf("entry %d of id %d is not the twin of its twin", k, id)
			}
			if l.set != nil && !l.set.has(pairKey(uint32(id), peer)) {
				return fmt.Errorf("the link of %d and %d is not in the set", id, peer)
			}
			if l.tags != nil {
				tag := l.Tag(uint32(id), k)
				p := l.places[tag]
				if tag != l.Tag(peer, int(twin)) ||
					p != (linkPlace{uint32(id), uint32(k)}) && p != (linkPlace{peer, twin}) {
					return fmt.Errorf("link %d of %d and %d is at %v", tag, id, peer, p)
				}
			}
			ends++
		}
	}
	for level := range l.free {
		for _, block := range l.free[level] {
			if at := uint32(level)<<seatBits | block; taken[at] {
				return fmt.Errorf("block %x is free and taken", at)
			}
		}
	}
	if ends != 2*l.count || l.set != nil && l.set.n != l.count {
		return fmt.Errorf("%d ends of %d links", ends, l.count)
	}
	return nil
}
