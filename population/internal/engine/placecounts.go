package engine

import (
	"cmp"
	"slices"
)

// PlaceCounts are what is recorded of the places of a kind.
type PlaceCounts struct {
	Number, Members int
	Sizes           []SizeCount // by ascending size
	TurnedAway      uint64
}

// A SizeCount is how many places have a size above 0.
type SizeCount struct{ Size, Places int }

// OfSize returns how many places have a size.
func (c *PlaceCounts) OfSize(size int) int {
	i, ok := slices.BinarySearchFunc(c.Sizes, size, func(s SizeCount, size int) int { return cmp.Compare(s.Size, size) })
	if !ok {
		return 0
	}
	return c.Sizes[i].Places
}

// PlaceNumber returns the number of the place of a kind that an individual is in, which no other
// place of that kind has had; 0 if it is in none.
func (r *Run) PlaceNumber(kind int, id uint32) uint32 {
	seats := r.places.kinds[kind]
	if !seats.Seated(id) {
		return 0
	}
	return seats.Number(seats.Place(id))
}

// CountPlaces counts the places of a kind as they are now.
func (r *Run) CountPlaces(kind int) PlaceCounts {
	seats := r.places.kinds[kind]
	c := PlaceCounts{TurnedAway: r.places.turnedAway[kind]}
	c.Number, c.Members = seats.Counts()
	for size, n := range seats.BySize() {
		c.Sizes = append(c.Sizes, SizeCount{size, n})
	}
	slices.SortFunc(c.Sizes, func(a, b SizeCount) int { return cmp.Compare(a.Size, b.Size) })
	return c
}
