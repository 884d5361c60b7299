package program

// A cell is a combination of values of some attributes, as a number: the sum of value times stride
// over these attributes. Tables that depend on attributes have an entry for each cell, and the list
// of the attributes with their strides. Without attributes there is one cell, number 0.

// A CellAttribute is an attribute that a table depends on, and its stride.
type CellAttribute struct{ Attribute, Stride int }

// A Condition is a set of values that an attribute may have.
type Condition struct {
	Attribute int
	Is        []bool // by value
}

// A ByCell has a value for each cell; without attributes, one for all individuals.
type ByCell[T any] struct {
	By     []CellAttribute
	Values []T
}

// At returns the value of a cell.
func (p *ByCell[T]) At(cell int) *T { return &p.Values[cell] }

// AtTime returns the values of probabilities at a time, for each cell.
func AtTime(p *ByCell[*TimeVarying], t float64) *ByCell[float64] {
	now := &ByCell[float64]{p.By, make([]float64, len(p.Values))}
	for k, c := range p.Values {
		now.Values[k] = c.Chance(t)
	}
	return now
}

// ChanceTable are a probability that depends on attributes or time. That of a contact may depend on
// the cells of its maker and of the other individual; that of a clock depends on the cell of its
// individual, and Met is empty.
type ChanceTable struct {
	Own, Met []CellAttribute
	MetCells int            // the number of cells of the other individual
	Values   []float64      // by own·MetCells + met
	Varying  []*TimeVarying // the same, where it changes with time and nil elsewhere; nil if it never does
}

// At returns the probability at a time, for two cells and the individuals in them.
func (o *ChanceTable) At(own, met int, now float64, who *Individual) float64 {
	k := own*o.MetCells + met
	if o.Varying != nil && o.Varying[k] != nil {
		return o.Varying[k].ChanceFor(now, who)
	}
	return o.Values[k]
}
