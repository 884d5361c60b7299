package compile

import (
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A rateLine is something that happens at a rate, as it is written, to those who are in a state.
type rateLine struct {
	what    string
	rate    syntax.Value
	after   bool // the rate is that of a duration without memory
	where   []program.Condition
	chance  *syntax.Value // that it takes effect, if not always
	do      program.Action
	needs   []int                // attributes that it depends on
	changes bool                 // with time, or with how many there are
	worked  bool                 // it is the same for everybody, and worked out
	each    float64              // then: the rate
	vary    *program.VaryingRate // or what it is if it changes
}

// line makes a line, and works it out if it is the same for everybody.
func (c *compiler) line(here Scope, l rateLine) *rateLine {
	l.needs = needs(here, l.where, l.rate)
	if l.chance != nil {
		l.needs = union(l.needs, here.Depends(*l.chance).Own)
	}
	d := here.Depends(l.rate)
	l.changes = d.Time || d.Counts
	if len(l.needs) == 0 {
		l.each, l.vary = c.rateOf(here, &l)
		l.worked = true
	}
	return &l
}

// rateOf is the rate of a line for the individual of a scope, or what it is if it changes.
func (c *compiler) rateOf(here Scope, l *rateLine) (float64, *program.VaryingRate) {
	if l.worked {
		return l.each, l.vary
	}
	if !holds(l.where, here.own) {
		return 0, nil
	}
	rate, chance := 0.0, 1.0
	if l.chance != nil {
		chance, _ = here.Chance(*l.chance, l.what+": chance")
	}
	switch {
	case l.after:
		got, ok := here.Law(l.rate, l.what+": after")
		if !ok {
			return 0, nil
		}
		rate = got.Rate()
	case l.changes:
		var changing *program.TimeVarying
		if changing, rate = c.course(here, l.rate, l.what+": rate", syntax.KindRate); changing != nil {
			return 0, &program.VaryingRate{Rate: changing, Factor: chance, What: l.what, Do: l.do}
		}
	default:
		rate, _ = here.Rate(l.rate, l.what+": rate")
	}
	return rate * chance, nil
}

// needs are the attributes that conditions and values depend on, in order.
func needs(here Scope, where []program.Condition, values ...syntax.Value) []int {
	var all []int
	for i := range where {
		all = union(all, []int{where[i].Attribute})
	}
	for _, v := range values {
		all = union(all, here.Depends(v).Own)
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
func holds(where []program.Condition, cell []uint16) bool {
	for i := range where {
		if !where[i].Is[cell[where[i].Attribute]] {
			return false
		}
	}
	return true
}

// everywhere puts a line on the menu of the given states, or of all.
func (c *compiler) everywhere(in program.StateSet, l *rateLine) {
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
func (c *compiler) cellsOf(attributes []int, each int) ([]program.CellAttribute, int, bool) {
	n := 1
	by := make([]program.CellAttribute, len(attributes))
	for i := len(attributes) - 1; i >= 0; i-- {
		by[i] = program.CellAttribute{Attribute: attributes[i], Stride: n}
		n = cellProduct(n, max(1, len(c.m.Attributes[attributes[i]].Values)))
	}
	return by, n, c.room(cellProduct(n, each))
}

// cellProduct is a times b, or mostCells if that is less: the product may not fit an int of 32 bits.
func cellProduct(a, b int) int { return int(min(int64(a)*int64(b), mostCells)) }

// mostCells is more than tables may have entries, and so little that sums with it fit an int of 32 bits.
const mostCells = 1 << 30

// cell is the cell with a number, for a scope: values by attribute, unset where it does not matter.
func (c *compiler) cell(by []program.CellAttribute, k int) []uint16 {
	cell := make([]uint16, len(c.m.Attributes))
	for a := range cell {
		cell[a] = unset
	}
	for _, b := range by {
		cell[b.Attribute] = uint16(k / b.Stride)
		k %= b.Stride
	}
	return cell
}

// build makes the table of a state, or one for each of its cells.
func (c *compiler) build(here Scope, t *program.Phase, i int) {
	var by []int
	for _, l := range c.lines[i] {
		by = union(by, l.needs)
	}
	s := &c.f.States[i]
	for k := range s.Race {
		if clock := &s.Race[k]; c.timed(clock) {
			by = union(by, needs(here, c.conditions(clock.Where, clock.What+": where"), clock.After))
		}
	}
	for k := range s.Split {
		by = union(by, needs(here, nil, s.Split[k].Rate, s.Split[k].After, s.Split[k].Chance))
	}
	if len(by) == 0 {
		t.States[i] = c.table(here, i)
		return
	}
	cells, n, ok := c.cellsOf(by, 1+len(c.lines[i])+len(s.Race)+len(s.Split))
	if !ok {
		return
	}
	head := program.State{By: cells, Cells: make([]*program.State, n)}
	seen := map[float64][]*program.State{} // by their rates
	for k := range n {
		if c.Found > diag.Most {
			return
		}
		table := c.table(here.In(c.cell(cells, k)), i)
		head.Timers = table.Timers
		at := slices.IndexFunc(seen[table.Rate], func(o *program.State) bool { return o.Equals(&table) })
		if at < 0 {
			at = len(seen[table.Rate])
			seen[table.Rate] = append(seen[table.Rate], &table)
		}
		head.Cells[k] = seen[table.Rate][at]
	}
	if len(seen) == 1 {
		for _, all := range seen {
			if len(all) == 1 { // the same for everybody after all
				head = *all[0]
			}
		}
	}
	t.States[i] = head
	t.ByGroup = true
}

// timed tells whether a clock of a race is carried along, rather than one with all that happens at a rate.
func (c *compiler) timed(clock *syntax.Clock) bool {
	return !clock.Rate.Given() && !c.merges(clock.After, 0)
}

// table is what can happen to the individual of a scope in a state.
func (c *compiler) table(here Scope, i int) program.State {
	s := &c.f.States[i]
	var st program.State
	for k, l := range c.lines[i] {
		rate, vary := c.rateOf(here, l)
		st.Add(rate, k, l.do)
		if vary != nil {
			st.Varying = append(st.Varying, *vary)
			st.Varying[len(st.Varying)-1].Line = k
		}
	}
	for k := range s.Race {
		clock := &s.Race[k]
		if !c.timed(clock) {
			continue
		}
		l, _ := here.Law(clock.After, clock.What+": after")
		off := !holds(c.conditions(clock.Where, clock.What+": where"), here.own)
		st.Race = append(st.Race, program.Clock{Law: l, Off: off, Do: c.action(clock)})
	}
	st.Timers = len(st.Race) + min(1, len(s.Split))
	c.split(here, s, &st)
	return st
}

// eachCell works something out in the scope of each cell by the attributes that some values depend on.
func eachCell[T any](c *compiler, here Scope, values []syntax.Value, work func(here Scope) T) *program.ByCell[T] {
	by, n, ok := c.cellsOf(needs(here, nil, values...), 1)
	p := &program.ByCell[T]{By: by}
	if !ok {
		return p
	}
	if len(by) == 0 {
		p.Values = []T{work(here)}
		return p
	}
	for k := range n {
		p.Values = append(p.Values, work(here.In(c.cell(by, k))))
	}
	return p
}
