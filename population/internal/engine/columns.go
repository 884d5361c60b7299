package engine

import "github.com/almanac-sim/almanac/population/internal/program"

// A column has the values of one attribute, by id: a byte each if that is enough for all of its values, two if not.
type column struct {
	narrow []uint8
	wide   []uint16
	isWide bool
}

// narrowValues is how many values an attribute may have whose column is narrow.
const narrowValues = 256

// newColumn is one for an attribute with so many values.
func newColumn(values int) column { return column{isWide: values > narrowValues} }

// bytes is what a value takes.
func (c *column) bytes() int {
	if c.isWide {
		return 2
	}
	return 1
}

// extend makes room for n ids.
func (c *column) extend(n int) {
	if c.isWide {
		c.wide = extend(c.wide, n)
	} else {
		c.narrow = extend(c.narrow, n)
	}
}

// of is the value of an individual.
func (c *column) of(id uint32) uint16 {
	if c.isWide {
		return c.wide[id]
	}
	return uint16(c.narrow[id])
}

// set gives an individual a value.
func (c *column) set(id uint32, v uint16) {
	if c.isWide {
		c.wide[id] = v
	} else {
		c.narrow[id] = uint8(v)
	}
}

// columnBytes is what the attributes of an individual take.
func columnBytes(m *program.Program) int {
	n := 0
	for i := range m.Attributes {
		c := newColumn(len(m.Attributes[i].Values))
		n += c.bytes()
	}
	return n
}
