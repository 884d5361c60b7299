package program

import "github.com/almanac-sim/almanac/population/internal/people"

// People are the individuals at the start, if they come from a file. What the file leaves empty is
// drawn as if there were no file. Of Program.StartGroups, the first Dealt are those of states that
// are dealt among the people whose state is empty; the others are those of states that the file
// gives.
//
// People are the same in every run, and do not change.
type People struct {
	*people.Table
	Dealt int
	Given []int // by state: the start group of those whom the file gives it; −1 if there are none

	// Every is 1. In a sample of the population it is the distance between two of its people.
	Every int
}

// Row returns the person that an individual of the start is.
func (p *People) Row(serial int) int { return serial * p.Every }

// HasPlaces reports whether the file says who is in which place of a kind.
func (p *People) HasPlaces(kind int) bool { return p != nil && p.Places[kind] != nil }

// NumberOf returns the number of a person in a column of the file, NaN if it has none.
func NumberOf(column []float64, row int) float64 { return people.At(column, row) }
