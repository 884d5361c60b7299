package population

import "slices"

// A rateLine is something that happens at a rate, as it is written, to those who are in a state.
type rateLine struct {
	what    string
	rate    value
	after   bool // the rate is that of a duration without memory
	where   []condition
	chance  *value // that it takes effect, if not always
	do      action
	needs   []int    // attributes that it depends on
	changes bool     // with time, or with how many there are
	worked  bool     // it is the same for everybody, and worked out
	each    float64  // then: the rate
	vary    *varying // or what it is if it changes
}

// line makes a line, and works it out if it is the same for everybody.
func (c *compiler) line(here scope, l rateLine) *rateLine {
	l.needs = needs(here, l.where, l.rate)
	if l.chance != nil {
		l.needs = union(l.needs, here.depends(*l.chance).own)
	}
	d := here.depends(l.rate)
	l.changes = d.time || d.counts
	if len(l.needs) == 0 {
		l.each, l.vary = c.rateOf(here, &l)
		l.worked = true
	}
	return &l
}

// rateOf is the rate of a line for the individual of a scope, or what it is if it changes.
func (c *compiler) rateOf(here scope, l *rateLine) (float64, *varying) {
	if l.worked {
		return l.each, l.vary
	}
	if !holds(l.where, here.own) {
		return 0, nil
	}
	rate, chance := 0.0, 1.0
	if l.chance != nil {
		chance, _ = here.chance(*l.chance, l.what+": chance")
	}
	switch {
	case l.after:
		got, ok := here.law(l.rate, l.what+": after")
		if !ok {
			return 0, nil
		}
		rate = got.rate()
	case l.changes:
		var changing *course
		if changing, rate = c.course(here, l.rate, l.what+": rate", aRate); changing != nil {
			return 0, &varying{course: changing, factor: chance, what: l.what, do: l.do}
		}
	default:
		rate, _ = here.rate(l.rate, l.what+": rate")
	}
	return rate * chance, nil
}

// needs are the attributes that conditions and values depend on, in order.
func needs(here scope, where []condition, values ...value) []int {
	var all []int
	for i := range where {
		all = union(all, []int{where[i].attribute})
	}
	for _, v := range values {
		all = union(all, here.depends(v).own)
	}
	return all
}

// union is both lists in one, in order.
func union(a, b []int) []int {
	if len(b) == 0 {
		return a
	}
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// holds tells whether conditions hold in a cell.
func holds(where []condition, cell []uint16) bool {
	for i := range where {
		if !where[i].is[cell[where[i].attribute]] {
			return false
		}
	}
	return true
}

// everywhere puts a line on the menu of the given states, or of all.
func (c *compiler) everywhere(in stateSet, l *rateLine) {
	for i := range c.lines {
		if in == nil || in[i] {
			if !c.room(1) {
				return
			}
			c.lines[i] = append(c.lines[i], l)
		}
	}
}

// cellsOf is how cells by some attributes are numbered, and how many there are. The last attribute counts least. It reports false if there
// are more than may be, with so many entries for each.
func (c *compiler) cellsOf(attributes []int, each int) ([]cellBy, int, bool) {
	n := 1
	by := make([]cellBy, len(attributes))
	for i := len(attributes) - 1; i >= 0; i-- {
		by[i] = cellBy{attributes[i], n}
		n = cellProduct(n, max(1, len(c.m.attributes[attributes[i]].values)))
	}
	return by, n, c.room(cellProduct(n, each))
}

// cellProduct is a times b, or mostCells if that is less: the product may not fit an int of 32 bits.
func cellProduct(a, b int) int { return int(min(int64(a)*int64(b), mostCells)) }

// mostCells is more than tables may have entries, and so little that sums with it fit an int of 32 bits.
const mostCells = 1 << 30

// cell is the cell with a number, for a scope: values by attribute, unset where it does not matter.
func (c *compiler) cell(by []cellBy, k int) []uint16 {
	cell := make([]uint16, len(c.m.attributes))
	for a := range cell {
		cell[a] = unset
	}
	for _, b := range by {
		cell[b.attribute] = uint16(k / b.stride)
		k %= b.stride
	}
	return cell
}

// build makes the table of a state, or one for each of its cells.
func (c *compiler) build(here scope, t *tables, i int) {
	var by []int
	for _, l := range c.lines[i] {
		by = union(by, l.needs)
	}
	s := &c.f.states[i]
	for k := range s.race {
		if clock := &s.race[k]; c.timed(clock) {
			by = union(by, needs(here, c.conditions(clock.where, clock.what+": where"), clock.after))
		}
	}
	for k := range s.split {
		by = union(by, needs(here, nil, s.split[k].rate, s.split[k].after, s.split[k].chance))
	}
	if len(by) == 0 {
		t.states[i] = c.table(here, i)
		return
	}
	cells, n, ok := c.cellsOf(by, 1+len(c.lines[i])+len(s.race)+len(s.split))
	if !ok {
		return
	}
	head := stateTable{by: cells, cells: make([]*stateTable, n)}
	seen := map[float64][]*stateTable{} // by their rates
	for k := range n {
		if c.found > mostProblems {
			return
		}
		table := c.table(here.in(c.cell(cells, k)), i)
		head.timers = table.timers
		at := slices.IndexFunc(seen[table.rate], func(o *stateTable) bool { return o.equals(&table) })
		if at < 0 {
			at = len(seen[table.rate])
			seen[table.rate] = append(seen[table.rate], &table)
		}
		head.cells[k] = seen[table.rate][at]
	}
	if len(seen) == 1 {
		for _, all := range seen {
			if len(all) == 1 { // the same for everybody after all
				head = *all[0]
			}
		}
	}
	t.states[i] = head
	t.byGroup = true
}

// timed tells whether a clock of a race is carried along, rather than one with all that happens at a rate.
func (c *compiler) timed(clock *clockText) bool {
	return !clock.rate.given() && !c.merges(clock.after, 0)
}

// table is what can happen to the individual of a scope in a state.
func (c *compiler) table(here scope, i int) stateTable {
	s := &c.f.states[i]
	var st stateTable
	for k, l := range c.lines[i] {
		rate, vary := c.rateOf(here, l)
		st.add(rate, k, l.do)
		if vary != nil {
			st.vary = append(st.vary, *vary)
			st.vary[len(st.vary)-1].line = k
		}
	}
	for k := range s.race {
		clock := &s.race[k]
		if !c.timed(clock) {
			continue
		}
		l, _ := here.law(clock.after, clock.what+": after")
		off := !holds(c.conditions(clock.where, clock.what+": where"), here.own)
		st.race = append(st.race, clockTable{law: l, off: off, do: c.action(clock)})
	}
	st.timers = len(st.race) + min(1, len(s.split))
	c.split(here, s, &st)
	return st
}

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
