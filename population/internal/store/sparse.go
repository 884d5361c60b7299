package store

import (
	"cmp"
	"slices"

	"github.com/almanac-sim/almanac/internal/cpu"
)

// A SparseTable holds the timers of some pairs of an individual and a column: a hash table with
// linear probing, whose removals move back what follows [Knuth, volume 3, section 6.4, algorithm
// R], so that no tombstones are left.
//
// All operations take constant time on average. An entry takes 16 bytes, and at most two thirds of
// the entries are in use, so that a timer takes 24 to 48 bytes. A table doubles and never shrinks.
//
// Invariants: len(entries) is 1<<(64−shift); there is no unused entry between the home of a key and
// the entry that holds it; Count is the number of entries in use.
//
// A SparseTable must not be used from several goroutines at once; see SparseTables.
type SparseTable struct {
	entries []sparseEntry
	shift   uint8
	Count   int
}

type sparseEntry struct {
	key  uint64 // 0 if the entry is unused
	word uint64
}

// NewSparseTable returns an empty table.
func NewSparseTable() *SparseTable {
	return &SparseTable{entries: make([]sparseEntry, 1<<10), shift: 64 - 10}
}

// sparseKey returns the key of a pair, which is never 0. A column is below 255.
func sparseKey(id uint32, column int) uint64 { return uint64(id)<<8 | uint64(column) + 1 }

// home returns the index where the search for a key begins: multiplicative hashing [Knuth, volume
// 3, section 6.4].
func (a *SparseTable) home(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> a.shift) }

// find returns the index of a key, or of the unused entry where it would go.
func (a *SparseTable) find(key uint64) int {
	mask := len(a.entries) - 1
	i := a.home(key)
	for a.entries[i].key != key && a.entries[i].key != 0 {
		i = (i + 1) & mask
	}
	return i
}

// Has reports whether the table has a timer of a pair.
func (a *SparseTable) Has(id uint32, column int) bool {
	return a.entries[a.find(sparseKey(id, column))].key != 0
}

// get returns the timer of a pair, which must be there.
func (a *SparseTable) get(id uint32, column int) uint64 {
	return a.entries[a.find(sparseKey(id, column))].word
}

// set sets the timer of a pair.
func (a *SparseTable) set(id uint32, column int, word uint64) {
	a.put(sparseKey(id, column), word)
}

// put sets the word of a key.
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

// double doubles the number of entries.
func (a *SparseTable) double() {
	old := a.entries
	a.entries = make([]sparseEntry, 2*len(old))
	cpu.AdviseHuge(a.entries)
	a.shift--
	for _, e := range old {
		if e.key != 0 {
			a.entries[a.find(e.key)] = e
		}
	}
}

// Join adds all timers of o, which must have no pair that a has and must not be used afterwards.
func (a *SparseTable) Join(o *SparseTable) {
	if a.Count == 0 {
		*a = *o
		return
	}
	// The entries of o come in the order of their homes: in a smaller table they would first all
	// crowd at its beginning. So make it large enough at once.
	for 3*(a.Count+o.Count) > 2*len(a.entries) {
		a.double()
	}
	for _, e := range o.entries {
		if e.key != 0 {
			a.put(e.key, e.word)
		}
	}
}

// remove removes the timer of a pair, if there is one.
func (a *SparseTable) remove(id uint32, column int) {
	mask := len(a.entries) - 1
	hole := a.find(sparseKey(id, column))
	if a.entries[hole].key == 0 {
		return
	}
	a.Count--
	for i := (hole + 1) & mask; a.entries[i].key != 0; i = (i + 1) & mask {
		// An entry may move back into the hole unless its home lies behind the hole.
		if (i-a.home(a.entries[i].key))&mask >= (i-hole)&mask {
			a.entries[hole] = a.entries[i]
			hole = i
		}
	}
	a.entries[hole] = sparseEntry{}
}

// SparseTables are the tables of a run: one for all individuals, or one for each shard.
//
// Shards may use their own tables at the same time: Get, Set and Remove touch only the table of the
// id. Which ids share a table must therefore be the same as which ids share a shard.
type SparseTables struct {
	Tables []*SparseTable // a power of two of them
	bits   uint           // 1<<bits consecutive ids have the same table
}

// NewSparseTables returns so many empty tables, a power of two, that 1<<bits consecutive ids share.
func NewSparseTables(tables int, bits uint) *SparseTables {
	a := &SparseTables{make([]*SparseTable, tables), bits}
	for i := range a.Tables {
		a.Tables[i] = NewSparseTable()
	}
	return a
}

// Of returns the table of an individual.
func (a *SparseTables) Of(id uint32) *SparseTable { return a.Tables[int(id>>a.bits)&(len(a.Tables)-1)] }

// Get returns the timer of a pair, which must be there.
func (a *SparseTables) Get(id uint32, column int) uint64 { return a.Of(id).get(id, column) }

// Set sets the timer of a pair.
func (a *SparseTables) Set(id uint32, column int, word uint64) { a.Of(id).set(id, column, word) }

// Remove removes the timer of a pair, if there is one.
func (a *SparseTables) Remove(id uint32, column int) { a.Of(id).remove(id, column) }

// Count returns how many timers there are; 0 if a is nil.
func (a *SparseTables) Count() (n int) {
	if a == nil {
		return 0
	}
	for _, t := range a.Tables {
		n += t.Count
	}
	return n
}

// Capacity returns how many entries there are, used or not.
func (a *SparseTables) Capacity() (n int) {
	for _, t := range a.Tables {
		n += len(t.entries)
	}
	return n
}

// Entries returns all timers, as keys and words, in the order of the keys. A key is the id times
// 256 plus the column plus 1. It returns nothing if a is nil.
func (a *SparseTables) Entries() (keys, words []uint64) {
	if a == nil {
		return nil, nil
	}
	var all []sparseEntry
	for _, t := range a.Tables {
		for _, e := range t.entries {
			if e.key != 0 {
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b sparseEntry) int { return cmp.Compare(a.key, b.key) })
	for _, e := range all {
		keys, words = append(keys, e.key), append(words, e.word)
	}
	return keys, words
}

// Key returns the id and the column of a key of Entries.
func Key(key uint64) (id uint32, column int) { return uint32(key >> 8), int(key&0xff) - 1 }
