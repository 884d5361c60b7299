package population

// A perCell is something that is worked out for each cell (cells.go), or once for everybody.
type perCell[T any] struct {
	by     []cellBy
	values []T
}

// of is what holds for an individual.
func (p *perCell[T]) of(r *replica, id uint32) *T { return &p.values[r.cell(id, p.by)] }

// eachCell works something out in the scope of each cell by the attributes that some values depend on.
func eachCell[T any](c *compiler, here scope, values []value, work func(here scope) T) *perCell[T] {
	by, n, ok := c.cellsOf(needs(here, nil, values...), 1)
	p := &perCell[T]{by: by}
	if !ok {
		return p
	}
	if len(by) == 0 {
		p.values = []T{work(here)}
		return p
	}
	for k := range n {
		p.values = append(p.values, work(here.in(c.cell(by, k))))
	}
	return p
}

// atTime is a probability as it is at a time, for each cell.
func atTime(p *perCell[*course], t float64) *perCell[float64] {
	now := &perCell[float64]{p.by, make([]float64, len(p.values))}
	for k, c := range p.values {
		now.values[k] = c.chance(t)
	}
	return now
}
