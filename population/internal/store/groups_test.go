package store

import (
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// Moves individuals between groups at random and compares with a map after each step: a removal
// must correct the position of the member that it moves.
func TestGroupsLoseAPosition(t *testing.T) {
	const groups, ids = 5, 200
	g := NewGroups(groups)
	g.Reserve(ids/2, ids/2, []float64{0.1, 0.3, 0.6, 0.8, 1})
	in := map[uint32]int{}
	s := random.New(4)
	for step := range 20_000 {
		id := uint32(s.Below(ids))
		if group, ok := in[id]; ok {
			g.Remove(id, group)
			delete(in, id)
		} else {
			in[id] = int(s.Below(groups))
			g.Add(id, in[id])
		}
		members := 0
		for k, list := range g.Members {
			members += len(list)
			for i, id := range list {
				if group, ok := in[id]; !ok || group != k || g.Positions[id] != uint32(i) {
					t.Fatalf("step %d: id %d is at %d of group %d, position %d", step, id, i, k, g.Positions[id])
				}
			}
		}
		if members != len(in) {
			t.Fatalf("step %d: %d members, want %d", step, members, len(in))
		}
	}
}

// Chooses among the members of a group: neither the individual itself nor an empty group may be
// chosen, and all others are equally likely, the last one of the list included.
func TestGroupsChooseUnevenly(t *testing.T) {
	g := NewGroups(3)
	for id := range uint32(10) {
		g.Add(id, 0)
	}
	g.Add(10, 1)
	s := random.New(5)
	if other, ok := g.Other(10, 1, 1, &s); ok {
		t.Errorf("the only member of a group chose %d", other)
	}
	if other, ok := g.Other(10, 1, 2, &s); ok {
		t.Errorf("%d was chosen from an empty group", other)
	}
	const draws = 90_000
	for _, chooser := range []struct {
		id  uint32
		own int
	}{{0, 0}, {4, 0}, {9, 0}, {10, 1}} {
		var counts [11]int
		for range draws {
			other, ok := g.Other(chooser.id, chooser.own, 0, &s)
			if !ok {
				t.Fatal("no member was chosen")
			}
			counts[other]++
		}
		others := 10
		if chooser.own == 0 {
			others = 9
		}
		for id, n := range counts[:10] {
			want := float64(draws) / float64(others)
			if uint32(id) == chooser.id {
				want = 0
			}
			// Five standard deviations of a binomial are below 5·√want.
			if d := float64(n) - want; d*d > 25*want {
				t.Errorf("id %d chose %d %d times, want about %.0f", chooser.id, id, n, want)
			}
		}
	}
}
