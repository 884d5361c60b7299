package program

// A CellAttribute is an attribute that cells are by: its value counts so much towards the number of the cell.
type CellAttribute struct{ Attribute, Stride int }

// A Condition is a set of values of an attribute.
type Condition struct {
	Attribute int
	Is        []bool // by value
}

// A ByCell is something that is worked out for each cell (cells.go), or once for everybody.
type ByCell[T any] struct {
	By     []CellAttribute
	Values []T
}

// At is what holds in the cell with a number.
func (p *ByCell[T]) At(cell int) *T { return &p.Values[cell] }

// AtTime is a probability as it is at a time, for each cell.
func AtTime(p *ByCell[*TimeVarying], t float64) *ByCell[float64] {
	now := &ByCell[float64]{p.By, make([]float64, len(p.Values))}
	for k, c := range p.Values {
		now.Values[k] = c.Chance(t)
	}
	return now
}

// Chances are a probability that is not the same for all: that of a contact, by the cell of its maker and that of the one who is met, or that
// of a clock of always, by the cell of its individual.
type Chances struct {
	Own, Met []CellAttribute
	Each     int            // how many cells of the one who is met there are
	Values   []float64      // by the cell of the maker, and by that of the one who is met
	Varying  []*TimeVarying // of those that change with time; nil if none does
}

// At is the probability in the cells with the given numbers, of the maker and of the one who is met, at a time.
func (o *Chances) At(own, met int, now float64) float64 {
	k := own*o.Each + met
	if o.Varying != nil && o.Varying[k] != nil {
		return o.Varying[k].Chance(now)
	}
	return o.Values[k]
}
