package population

// A cellBy is an attribute that cells are by: its value counts so much towards the number of the cell.
type cellBy struct{ attribute, stride int }

// A condition is a set of values of an attribute.
type condition struct {
	attribute int
	is        []bool // by value
}

// A perCell is something that is worked out for each cell (cells.go), or once for everybody.
type perCell[T any] struct {
	by     []cellBy
	values []T
}

// at is what holds in the cell with a number.
func (p *perCell[T]) at(cell int) *T { return &p.values[cell] }

// atTime is a probability as it is at a time, for each cell.
func atTime(p *perCell[*course], t float64) *perCell[float64] {
	now := &perCell[float64]{p.by, make([]float64, len(p.values))}
	for k, c := range p.values {
		now.values[k] = c.chance(t)
	}
	return now
}

// odds are a probability that is not the same for all: that of a contact, by the cell of its maker and that of the one who is met, or that
// of a clock of always, by the cell of its individual.
type odds struct {
	own, met []cellBy
	each     int       // how many cells of the one who is met there are
	chances  []float64 // by the cell of the maker, and by that of the one who is met
	courses  []*course // of those that change with time; nil if none does
}

// at is the probability in the cells with the given numbers, of the maker and of the one who is met, at a time.
func (o *odds) at(own, met int, now float64) float64 {
	k := own*o.each + met
	if o.courses != nil && o.courses[k] != nil {
		return o.courses[k].chance(now)
	}
	return o.chances[k]
}
