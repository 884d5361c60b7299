package program

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
)

// An Lifelong is a clock of always with a memory, or one that strikes once.
type Lifelong struct {
	Law     law.Law
	Longest float64
	Ends    bool // it takes everybody away, so that whoever is there has not heard it strike
	Off     bool // it does not run for those of the cell
	Do      Action
	By      []CellAttribute // if it depends on attributes
	Cells   []*Lifelong
}

// Left is how long a clock of always still runs for someone of the given age. If it ends every life, it has not struck
// yet, or there would be nobody; else it may have struck in the past, and never will again.
func (c *Lifelong) Left(s *random.Stream, age float64) (left float64, fired bool) {
	switch {
	case c.Ends:
		return max(0, c.Law.DrawBeyond(s, age)-age), false
	case age == 0:
		return c.Law.Draw(s), false
	case age >= c.Longest:
		return math.Inf(1), true
	}
	if x := c.Law.Draw(s) - age; x > 0 {
		return x, false
	}
	return math.Inf(1), true
}

// Equals tells whether a clock of always runs alike by two tables.
func (c *Lifelong) Equals(o *Lifelong) bool {
	if c.By != nil || o.By != nil {
		return slices.Equal(c.By, o.By) && slices.EqualFunc(c.Cells, o.Cells, func(a, b *Lifelong) bool { return a == b || a.Equals(b) })
	}
	return c.Off == o.Off && c.Law.Same(&o.Law)
}
