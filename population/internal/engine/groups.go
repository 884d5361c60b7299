package engine

import (
	"math"

	"github.com/almanac-sim/almanac/internal/random"
)

// groups keeps individuals in groups of which one can be chosen uniformly: a list for each group, and where in its list
// each individual stands. Adding appends; removing puts the last of the list into the place that becomes free. Both take
// constant time, and so does choosing. An individual takes 8 bytes.
//
// It is the grouping that Keen and Lehman use beside their calendar, with lists in place of a partitioned array, so that
// a group grows without moving the others.
type groups struct {
	members [][]uint32
	places  []uint32
}

func newGroups(n int) *groups { return &groups{members: make([][]uint32, n)} }

// expect makes room for so many ids, and for so many individuals with the given shares, added up, in the groups: lists that
// grow leave what they have outgrown behind.
func (g *groups) expect(ids, individuals int, sums []float64) {
	g.places = make([]uint32, 0, ids)
	before := 0.0
	for i, upTo := range sums {
		n := float64((min(upTo, 1) - before) * float64(individuals))
		before = min(upTo, 1)
		g.members[i] = make([]uint32, 0, int(n+float64(4*math.Sqrt(n))))
	}
}

// add puts an individual, which must be in none, into a group.
func (g *groups) add(id uint32, group int) {
	if int(id) >= len(g.places) {
		n := int(id) + 1
		if n > cap(g.places) {
			grown := make([]uint32, n, n+n/4+16)
			copy(grown, g.places)
			g.places = grown
		}
		g.places = g.places[:n]
	}
	g.places[id] = uint32(len(g.members[group]))
	g.members[group] = append(g.members[group], id)
}

// remove takes an individual out of its group.
func (g *groups) remove(id uint32, group int) {
	list := g.members[group]
	last := list[len(list)-1]
	list[g.places[id]] = last
	g.places[last] = g.places[id]
	g.members[group] = list[:len(list)-1]
}

// other chooses a member of a group, other than id, which is in its own. It reports false if there is none.
func (g *groups) other(id uint32, own, group int, s *random.Stream) (uint32, bool) {
	list := g.members[group]
	if own != group {
		if len(list) == 0 {
			return 0, false
		}
		return list[s.Below(uint64(len(list)))], true
	}
	if len(list) < 2 {
		return 0, false
	}
	// One of the others: the last stands in for the one who chooses.
	i := s.Below(uint64(len(list) - 1))
	if list[i] == id {
		return list[len(list)-1], true
	}
	return list[i], true
}
