package program

import (
	"math"
	"slices"
)

// A Band is an attribute that follows the age: from each of Ages on, an individual has the value of
// the same number. The first age is 0, and they ascend.
type Band struct {
	Attribute int
	Column    int       // of its clock in Phase.Always
	Ages      []float64 // by value
	Enter     []Action  // by value: what happens when its age is reached; of the first, nothing
	Flows     []int     // by value: the flow into it, in Program.Flows; of the first, none
}

// At returns the value at an age.
func (b *Band) At(age float64) int {
	v, found := slices.BinarySearch(b.Ages, age)
	if !found {
		v--
	}
	return v
}

// Until returns how long it is from an age to the next band, +Inf in the last one.
func (b *Band) Until(age float64) float64 {
	if next := b.At(age) + 1; next < len(b.Ages) {
		return b.Ages[next] - age
	}
	return math.Inf(1)
}

// Lasts returns how long an individual has a value, +Inf for the last one.
func (b *Band) Lasts(value int) float64 {
	if value+1 < len(b.Ages) {
		return b.Ages[value+1] - b.Ages[value]
	}
	return math.Inf(1)
}
