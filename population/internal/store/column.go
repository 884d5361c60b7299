package store

import "github.com/almanac-sim/almanac/internal/huge"

// A Column has the values of one attribute, by id: a byte each if that is enough for all of its values, two if not.
type Column struct {
	Narrow []uint8
	Wide   []uint16
	IsWide bool
}

// NewColumn is one for an attribute with so many values.
func NewColumn(values int) Column {
	return Column{IsWide: values > narrowValues}
}

// Bytes is what a value takes.
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

// Of is the value of an individual.
func (c *Column) Of(id uint32) uint16 {
	if c.IsWide {
		return c.Wide[id]
	}
	return uint16(c.Narrow[id])
}

// Set gives an individual a value.
func (c *Column) Set(id uint32, v uint16) {
	if c.IsWide {
		c.Wide[id] = v
	} else {
		c.Narrow[id] = uint8(v)
	}
}

// narrowValues is how many values an attribute may have whose column is narrow.
const narrowValues = 256

// Extend returns s with n elements.
func Extend[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	grown := make([]T, n)
	huge.Advise(grown)
	copy(grown, s)
	return grown
}
