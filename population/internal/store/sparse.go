package store

import "github.com/almanac-sim/almanac/internal/huge"

// An SparseTable has the timers of some pairs of an individual and a column: a hash table with linear probing, whose
// removals move back what follows [Knuth, volume 3, section 6.4, algorithm R]. An entry takes 16 bytes, and at most two
// thirds of the places are taken.
type SparseTable struct {
	entries []sparseEntry
	shift   uint8
	Count   int
}

type sparseEntry struct {
	key  uint64 // 0 if the place is free
	word uint64
}

func NewSparseTable() *SparseTable {
	return &SparseTable{entries: make([]sparseEntry, 1<<10), shift: 64 - 10}
}

func sparseKey(id uint32, column int) uint64 { return uint64(id)<<8 | uint64(column) + 1 }

// home is where an entry with a key would best be [Knuth, the multiplicative method].
func (a *SparseTable) home(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> a.shift) }

// find is the place of a key, or the free one where it would go.
func (a *SparseTable) find(key uint64) int {
	mask := len(a.entries) - 1
	i := a.home(key)
	for a.entries[i].key != key && a.entries[i].key != 0 {
		i = (i + 1) & mask
	}
	return i
}

// get is the timer of a pair, which must be there.
func (a *SparseTable) get(id uint32, column int) uint64 {
	return a.entries[a.find(sparseKey(id, column))].word
}

// set puts the timer of a pair in, or replaces it.
func (a *SparseTable) set(id uint32, column int, word uint64) {
	a.put(sparseKey(id, column), word)
}

func (a *SparseTable) put(key, word uint64) {
	i := a.find(key)
	if a.entries[i].key == 0 {
		if 3*(a.Count+1) > 2*len(a.entries) {
			a.double()
			i = a.find(key)
		}
		a.Count++
	}
	a.entries[i] = sparseEntry{key, word}
}

func (a *SparseTable) double() {
	old := a.entries
	a.entries = make([]sparseEntry, 2*len(old))
	huge.Advise(a.entries)
	a.shift--
	for _, e := range old {
		if e.key != 0 {
			a.entries[a.find(e.key)] = e
		}
	}
}

// Join puts all of another table in, which has none of the same pairs and is not used any more.
func (a *SparseTable) Join(o *SparseTable) {
	if a.Count == 0 {
		*a = *o
		return
	}
	// Entries come in the order of their homes: in a smaller table they would all crowd at its beginning first.
	for 3*(a.Count+o.Count) > 2*len(a.entries) {
		a.double()
	}
	for _, e := range o.entries {
		if e.key != 0 {
			a.put(e.key, e.word)
		}
	}
}

// remove takes a pair out, if it is there.
func (a *SparseTable) remove(id uint32, column int) {
	mask := len(a.entries) - 1
	hole := a.find(sparseKey(id, column))
	if a.entries[hole].key == 0 {
		return
	}
	a.Count--
	for i := (hole + 1) & mask; a.entries[i].key != 0; i = (i + 1) & mask {
		// An entry may move back into the hole unless its home lies behind it.
		if (i-a.home(a.entries[i].key))&mask >= (i-hole)&mask {
			a.entries[hole] = a.entries[i]
			hole = i
		}
	}
	a.entries[hole] = sparseEntry{}
}

// SparseTables are the tables of a replica: one for all individuals, or one for each shard, so that shards do not wait for each other (shards.go).
type SparseTables struct {
	Tables []*SparseTable // a power of two
	bits   uint           // so many ids in a row, as a power of two, have the same
}

// NewSparseTables has so many tables, a power of two.
func NewSparseTables(tables int, bits uint) *SparseTables {
	a := &SparseTables{make([]*SparseTable, tables), bits}
	for i := range a.Tables {
		a.Tables[i] = NewSparseTable()
	}
	return a
}

// Of is the table of an individual.
func (a *SparseTables) Of(id uint32) *SparseTable { return a.Tables[int(id>>a.bits)&(len(a.Tables)-1)] }

func (a *SparseTables) Get(id uint32, column int) uint64       { return a.Of(id).get(id, column) }
func (a *SparseTables) Set(id uint32, column int, word uint64) { a.Of(id).set(id, column, word) }
func (a *SparseTables) Remove(id uint32, column int)           { a.Of(id).remove(id, column) }

// Count is how many timers lie aside.
func (a *SparseTables) Count() (n int) {
	for _, t := range a.Tables {
		n += t.Count
	}
	return n
}

// Size is how many timers there are; none if there are no tables.
func (a *SparseTables) Size() int {
	if a == nil {
		return 0
	}
	return a.Count()
}

// Room is for how many there is memory.
func (a *SparseTables) Room() (n int) {
	for _, t := range a.Tables {
		n += len(t.entries)
	}
	return n
}

// Has tells whether a pair is in the table.
func (a *SparseTable) Has(id uint32, column int) bool {
	return a.entries[a.find(sparseKey(id, column))].key != 0
}
