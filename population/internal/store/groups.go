package store

import (
	"math"

	"github.com/almanac-sim/almanac/internal/random"
)

// Groups keeps individuals in groups, so that a member of a group can be chosen uniformly: a list
// of members for each group, and for each individual its position in its list. Adding appends;
// removing moves the last member to the position that becomes free. Adding, removing and choosing
// take constant time. An individual takes 8 bytes.
//
// It is the grouping that Keen and Lehman use beside their calendar, with lists in place of a
// partitioned array, so that a group grows without moving the others.
//
// Invariant: Members[g][Positions[id]] == id for each member id of each group g, and no id is in
// two lists. Groups does not store the group of an individual: the caller passes it.
//
// Groups must not be used from several goroutines at once.
type Groups struct {
	Members   [][]uint32
	Positions []uint32
}

// NewGroups returns n empty groups.
func NewGroups(n int) *Groups { return &Groups{Members: make([][]uint32, n)} }

// Reserve reserves room for the given number of ids, and in the groups for the given number of
// individuals, of which sums has the cumulative share of each group: a list that grows leaves the
// array that it has outgrown to the garbage collector. A group gets four standard deviations more
// than its expected size, so that most do not grow.
func (g *Groups) Reserve(ids, individuals int, sums []float64) {
	g.Positions = make([]uint32, 0, ids)
	before := 0.0
	for i, upTo := range sums {
		n := float64((min(upTo, 1) - before) * float64(individuals))
		before = min(upTo, 1)
		g.Members[i] = make([]uint32, 0, int(n+float64(4*math.Sqrt(n))))
	}
}

// Add puts an individual, which must be in no group, into a group.
func (g *Groups) Add(id uint32, group int) {
	if int(id) >= len(g.Positions) {
		n := int(id) + 1
		if n > cap(g.Positions) {
			grown := make([]uint32, n, n+n/4+16)
			copy(grown, g.Positions)
			g.Positions = grown
		}
		g.Positions = g.Positions[:n]
	}
	g.Positions[id] = uint32(len(g.Members[group]))
	g.Members[group] = append(g.Members[group], id)
}

// Remove takes an individual out of its group.
func (g *Groups) Remove(id uint32, group int) {
	list := g.Members[group]
	last := list[len(list)-1]
	list[g.Positions[id]] = last
	g.Positions[last] = g.Positions[id]
	g.Members[group] = list[:len(list)-1]
}

// Other chooses a member of a group uniformly, other than id, which is in the group own. It reports
// false if there is none.
func (g *Groups) Other(id uint32, own, group int, s *random.Stream) (uint32, bool) {
	list := g.Members[group]
	if own != group {
		if len(list) == 0 {
			return 0, false
		}
		return list[s.Below(uint64(len(list)))], true
	}
	if len(list) < 2 {
		return 0, false
	}
	// Choose among all but the last member. If that is id itself, the last member takes its part.
	i := s.Below(uint64(len(list) - 1))
	if list[i] == id {
		return list[len(list)-1], true
	}
	return list[i], true
}

// CopyFrom returns a copy of from, in the memory of g where that is enough. Both g and from may be
// nil.
func (g *Groups) CopyFrom(from *Groups) *Groups {
	if from == nil {
		return nil
	}
	if g == nil || len(g.Members) != len(from.Members) {
		g = NewGroups(len(from.Members))
	}
	for i, list := range from.Members {
		g.Members[i] = append(g.Members[i][:0], list...)
	}
	g.Positions = append(g.Positions[:0], from.Positions...)
	return g
}
