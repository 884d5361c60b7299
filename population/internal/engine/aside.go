package engine

import "github.com/almanac-sim/almanac/internal/huge"

// An asideTable has the timers of some pairs of an individual and a column: a hash table with linear probing, whose
// removals move back what follows [Knuth, volume 3, section 6.4, algorithm R]. An entry takes 16 bytes, and at most two
// thirds of the places are taken.
type asideTable struct {
	entries []asideEntry
	shift   uint8
	count   int
}

type asideEntry struct {
	key  uint64 // 0 if the place is free
	word uint64
}

func newAside() *asideTable { return &asideTable{entries: make([]asideEntry, 1<<10), shift: 64 - 10} }

func asideKey(id uint32, column int) uint64 { return uint64(id)<<8 | uint64(column) + 1 }

// home is where an entry with a key would best be [Knuth, the multiplicative method].
func (a *asideTable) home(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> a.shift) }

// find is the place of a key, or the free one where it would go.
func (a *asideTable) find(key uint64) int {
	mask := len(a.entries) - 1
	i := a.home(key)
	for a.entries[i].key != key && a.entries[i].key != 0 {
		i = (i + 1) & mask
	}
	return i
}

// get is the timer of a pair, which must be there.
func (a *asideTable) get(id uint32, column int) uint64 {
	return a.entries[a.find(asideKey(id, column))].word
}

// set puts the timer of a pair in, or replaces it.
func (a *asideTable) set(id uint32, column int, word uint64) {
	a.put(asideKey(id, column), word)
}

func (a *asideTable) put(key, word uint64) {
	i := a.find(key)
	if a.entries[i].key == 0 {
		if 3*(a.count+1) > 2*len(a.entries) {
			a.double()
			i = a.find(key)
		}
		a.count++
	}
	a.entries[i] = asideEntry{key, word}
}

func (a *asideTable) double() {
	old := a.entries
	a.entries = make([]asideEntry, 2*len(old))
	huge.Advise(a.entries)
	a.shift--
	for _, e := range old {
		if e.key != 0 {
			a.entries[a.find(e.key)] = e
		}
	}
}

// join puts all of another table in, which has none of the same pairs and is not used any more.
func (a *asideTable) join(o *asideTable) {
	if a.count == 0 {
		*a = *o
		return
	}
	// Entries come in the order of their homes: in a smaller table they would all crowd at its beginning first.
	for 3*(a.count+o.count) > 2*len(a.entries) {
		a.double()
	}
	for _, e := range o.entries {
		if e.key != 0 {
			a.put(e.key, e.word)
		}
	}
}

// remove takes a pair out, if it is there.
func (a *asideTable) remove(id uint32, column int) {
	mask := len(a.entries) - 1
	hole := a.find(asideKey(id, column))
	if a.entries[hole].key == 0 {
		return
	}
	a.count--
	for i := (hole + 1) & mask; a.entries[i].key != 0; i = (i + 1) & mask {
		// An entry may move back into the hole unless its home lies behind it.
		if (i-a.home(a.entries[i].key))&mask >= (i-hole)&mask {
			a.entries[hole] = a.entries[i]
			hole = i
		}
	}
	a.entries[hole] = asideEntry{}
}

// asides are the tables of a replica: one for all individuals, or one for each shard, so that shards do not wait for each other (shards.go).
type asides struct {
	tables []*asideTable // a power of two
	bits   uint          // so many ids in a row, as a power of two, have the same
}

// newAsides has so many tables, a power of two.
func newAsides(tables int, bits uint) *asides {
	a := &asides{make([]*asideTable, tables), bits}
	for i := range a.tables {
		a.tables[i] = newAside()
	}
	return a
}

// of is the table of an individual.
func (a *asides) of(id uint32) *asideTable { return a.tables[int(id>>a.bits)&(len(a.tables)-1)] }

func (a *asides) get(id uint32, column int) uint64       { return a.of(id).get(id, column) }
func (a *asides) set(id uint32, column int, word uint64) { a.of(id).set(id, column, word) }
func (a *asides) remove(id uint32, column int)           { a.of(id).remove(id, column) }

// count is how many timers lie aside.
func (a *asides) count() (n int) {
	for _, t := range a.tables {
		n += t.count
	}
	return n
}

// size is how many timers there are; none if there are no tables.
func (a *asides) size() int {
	if a == nil {
		return 0
	}
	return a.count()
}

// room is for how many there is memory.
func (a *asides) room() (n int) {
	for _, t := range a.tables {
		n += len(t.entries)
	}
	return n
}
