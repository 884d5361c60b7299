package store

import (
	"math/bits"
	"slices"
)

// A pairSet is a set of pairs of individuals: open addressing with linear probing, at most two
// thirds full. Removing closes the gap, so that there are no marks of what was removed. Each
// operation takes constant time on average. A pair takes 8 bytes in a table of a power of two,
// about 16 on average.
type pairSet struct {
	slots []uint64 // 0 for none
	n     int
}

// pairKey is the number of a pair, in whatever order. It is not 0 since no individual is paired
// with itself.
func pairKey(a, b uint32) uint64 {
	if a > b {
		a, b = b, a
	}
	return uint64(a)<<32 | uint64(b)
}

// newPairSet returns an empty set with room for n pairs.
func newPairSet(n int) *pairSet {
	return &pairSet{slots: make([]uint64, 1<<max(4, bits.Len(uint(n+n/2))))}
}

// home is the slot that a key belongs to.
func (s *pairSet) home(key uint64) int {
	return int(key * 0x9E3779B97F4A7C15 >> (65 - bits.Len(uint(len(s.slots)))))
}

func (s *pairSet) has(key uint64) bool {
	for i := s.home(key); ; i = (i + 1) & (len(s.slots) - 1) {
		switch s.slots[i] {
		case key:
			return true
		case 0:
			return false
		}
	}
}

// add adds a pair that is not in the set.
func (s *pairSet) add(key uint64) {
	if 3*(s.n+1) > 2*len(s.slots) {
		old := s.slots
		s.slots, s.n = make([]uint64, 2*len(old)), 0
		for _, k := range old {
			if k != 0 {
				s.add(k)
			}
		}
	}
	i := s.home(key)
	for s.slots[i] != 0 {
		i = (i + 1) & (len(s.slots) - 1)
	}
	s.slots[i] = key
	s.n++
}

// remove removes a pair that is in the set, and moves those after it into the gap that may not
// stand behind one [Knuth, volume 3, section 6.4, algorithm R].
func (s *pairSet) remove(key uint64) {
	mask := len(s.slots) - 1
	gap := s.home(key)
	for s.slots[gap] != key {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; s.slots[i] != 0; i = (i + 1) & mask {
		if home := s.home(s.slots[i]); (i-home)&mask >= (i-gap)&mask {
			s.slots[gap] = s.slots[i]
			gap = i
		}
	}
	s.slots[gap] = 0
	s.n--
}

func (s *pairSet) copy() *pairSet {
	if s == nil {
		return nil
	}
	return &pairSet{slices.Clone(s.slots), s.n}
}

func (s *pairSet) bytes() int {
	if s == nil {
		return 0
	}
	return 8 * cap(s.slots)
}
