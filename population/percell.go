package population

// A perCell is something that is worked out for each combination of the values of some attributes, or once for everybody.
type perCell[T any] struct {
	by     []int // the attributes
	sizes  []int // how many values each has
	values []T   // the last attribute changes fastest
}

// forAll is the same for everybody.
func forAll[T any](x T) *perCell[T] { return &perCell[T]{values: []T{x}} }

// of is what holds for an individual.
func (p *perCell[T]) of(r *replica, id uint32) *T {
	k := 0
	for i, a := range p.by {
		k = k*p.sizes[i] + int(r.values[a].of(id))
	}
	return &p.values[k]
}

// eachCell works something out in the scope of each combination of the values of the attributes that some values depend on.
func eachCell[T any](c *compiler, here scope, values []value, work func(here scope) T) *perCell[T] {
	p := &perCell[T]{}
	seen := make([]bool, len(c.m.attributes))
	for _, v := range values {
		for _, a := range here.depends(v).own {
			seen[a] = true
		}
	}
	n := 1
	for a := range seen {
		if seen[a] {
			p.by, p.sizes = append(p.by, a), append(p.sizes, len(c.m.attributes[a].values))
			if n *= len(c.m.attributes[a].values); n > mostCells {
				break
			}
		}
	}
	if n > 1 && (n > mostCells || !c.room(n)) {
		c.room(mostCells)
		return p
	}
	if len(p.by) == 0 {
		p.values = []T{work(here)}
		return p
	}
	cell := make([]uint16, len(c.m.attributes))
	for a := range cell {
		cell[a] = unset
	}
	for k := range n {
		for i, rest := len(p.by)-1, k; i >= 0; i-- {
			cell[p.by[i]] = uint16(rest % p.sizes[i])
			rest /= p.sizes[i]
		}
		p.values = append(p.values, work(here.in(cell)))
	}
	return p
}

// mostCells is more than the tables may have in all.
const mostCells = 1_000_001
