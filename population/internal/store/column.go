package store

import "github.com/almanac-sim/almanac/internal/cpu"

// A Column holds the values of one attribute, indexed by id: a byte each if the attribute has at
// most 256 values, two bytes otherwise. Reading and writing take constant time.
//
// Invariant: Wide is empty unless IsWide, and Narrow is empty if IsWide.
//
// Different goroutines may read and set the values of different ids; Extend needs the column to
// itself.
type Column struct {
	Narrow []uint8
	Wide   []uint16
	IsWide bool
}

// NewColumn returns an empty column for an attribute with the given number of values.
func NewColumn(values int) Column {
	return Column{IsWide: values > narrowValues}
}

// Bytes returns the size of a value.
func (c *Column) Bytes() int {
	if c.IsWide {
		return 2
	}
	return 1
}

// Extend makes room for n ids.
func (c *Column) Extend(n int) {
	if c.IsWide {
		c.Wide = Extend(c.Wide, n)
	} else {
		c.Narrow = Extend(c.Narrow, n)
	}
}

// Of returns the value of an individual.
func (c *Column) Of(id uint32) uint16 {
	if c.IsWide {
		return c.Wide[id]
	}
	return uint16(c.Narrow[id])
}

// Set sets the value of an individual.
func (c *Column) Set(id uint32, v uint16) {
	if c.IsWide {
		c.Wide[id] = v
	} else {
		c.Narrow[id] = uint8(v)
	}
}

// narrowValues is the most values that an attribute with a narrow column may have.
const narrowValues = 256

// Extend returns s with n elements. It copies s only if its capacity is too small; a large copy
// asks for huge pages.
func Extend[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	grown := make([]T, n)
	cpu.AdviseHuge(grown)
	copy(grown, s)
	return grown
}

// lengthen returns s with n more elements, which may hold anything. It grows by a quarter at least.
func lengthen[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		grown := make([]T, len(s), max(len(s)+n, len(s)+len(s)/4))
		cpu.AdviseHuge(grown)
		copy(grown, s)
		s = grown
	}
	return s[:len(s)+n]
}
