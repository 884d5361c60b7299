package store

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Any sequence of joining and leaving agrees with lists of members.
func TestSeats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const ids, most = 300, 40
	s := NewSeats(most, true, false)
	s.Reserve(ids)
	members := map[uint32][]uint32{} // by place
	at := map[uint32]uint32{}        // by id
	numbers := map[uint32]bool{}
	for step := range 20_000 {
		id := uint32(r.IntN(ids))
		if place, in := at[id]; in {
			s.Remove(id, Elsewhere)
			delete(at, id)
			members[place] = slices.DeleteFunc(members[place], func(o uint32) bool { return o == id })
			if len(members[place]) == 0 {
				delete(members, place)
			}
		} else if room := s.Room(id % 3); len(room) == 0 || r.IntN(10) == 0 {
			place := s.Found(id % 3)
			if n := s.Number(place); numbers[n] {
				t.Fatalf("number %d is given twice", n)
			} else {
				numbers[n] = true
			}
			s.Add(id, place)
			at[id], members[place] = place, []uint32{id}
		} else {
			place := room[r.IntN(len(room))]
			s.Add(id, place)
			at[id], members[place] = place, append(members[place], id)
		}
		if step%100 > 0 {
			continue
		}
		if step == 10_000 {
			s = s.Copy()
		}
		places, all := s.Counts()
		if places != len(members) || all != len(at) || !s.Check() {
			t.Fatalf("%d places, %d members, want %d, %d", places, all, len(members), len(at))
		}
		listed := 0
		for g := range uint32(3) {
			listed += len(s.Room(g))
		}
		for place, want := range members {
			if len(want) == most {
				listed++
			}
			around, own, seats := s.Around(want[0])
			if len(around) > seats || seats > 8 && 4*len(around) <= seats || around[own] != want[0] {
				t.Fatalf("%d members on %d seats", len(around), seats)
			}
			around = slices.Clone(around)
			slices.Sort(around)
			slices.Sort(want)
			if !slices.Equal(around, want) || s.Place(want[0]) != place || s.Members(place) != len(want) {
				t.Fatalf("place %d has %v, want %v", place, around, want)
			}
		}
		if listed != places {
			t.Fatalf("%d places, of which %d have room or are full", places, listed)
		}
	}
}
