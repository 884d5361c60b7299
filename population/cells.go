package population

// Cells. What can happen to an individual in a state may depend on its attributes: the rate of a clock may be a table by age, a
// clock may be there only where the region is north. A state then has a table for each cell, that is, for each combination of values of the
// attributes that its clocks depend on; tables that come out equal are one. A state of which nothing depends on attributes has one
// table, and finding it takes one branch more than if there were no cells at all.

// A cellBy is an attribute that cells are by: its value counts so much towards the number of the cell.
type cellBy struct{ attribute, stride int }

// cell is the number of the cell in which an individual is.
func (r *replica) cell(id uint32, by []cellBy) int {
	k := 0
	for _, b := range by {
		k += int(r.values[b.attribute].of(id)) * b.stride
	}
	return k
}

// table is what can happen to an individual in a state.
func (r *replica) table(id uint32, state uint16) *stateTable {
	st := &r.t.states[state]
	if st.by != nil {
		return st.cells[r.cell(id, st.by)]
	}
	return st
}

// lifelong is the clock of always with a number, as it is for an individual.
func (t *tables) lifelong(r *replica, id uint32, k int) *alwaysTable {
	c := &t.always[k]
	if c.by != nil {
		return c.cells[r.cell(id, c.by)]
	}
	return c
}

// A condition is a set of values of an attribute.
type condition struct {
	attribute int
	is        []bool // by value
}

// matches tells whether an individual meets all of some conditions.
func (r *replica) matches(id uint32, all []condition) bool {
	for i := range all {
		if !all[i].is[r.values[all[i].attribute].of(id)] {
			return false
		}
	}
	return true
}

// odds are a probability that is not the same for all: that of a contact, by the cell of its maker and that of the one who is met, or that
// of a clock of always, by the cell of its individual.
type odds struct {
	own, met []cellBy
	each     int       // how many cells of the one who is met there are
	chances  []float64 // by the cell of the maker, and by that of the one who is met
}

// of is the probability for an individual and the one it meets; the two may be the same if nobody is met.
func (o *odds) of(r *replica, id, other uint32) float64 {
	k := 0
	if o.own != nil {
		k = r.cell(id, o.own) * o.each
	}
	if o.met != nil {
		k += r.cell(other, o.met)
	}
	return o.chances[k]
}

// renew lets an individual's clocks without memory go on by other tables: those among its timers are drawn anew if their law is
// another. All others go on as they were drawn. It reports whether its next event has to be planned anew.
func (r *replica) renew(id uint32, from, to *stateTable, fromAlways, toAlways func(k int) *alwaysTable) bool {
	again := from.rate != to.rate
	redraw := func(column int, old, new *law, wasOff, off bool) {
		if r.timer(id, column)&memoryless == 0 || wasOff == off && old.same(new) {
			return
		}
		again = true
		r.windTimer(id, column, new, off)
	}
	for k := range r.t.always {
		if old, new := fromAlways(k), toAlways(k); old != new {
			redraw(k, &old.law, &new.law, old.off, new.off)
		}
	}
	if from == to {
		return again
	}
	first := len(r.t.always)
	for k := range to.race {
		redraw(first+k, &from.race[k].law, &to.race[k].law, from.race[k].off, to.race[k].off)
	}
	if len(to.split) > 0 {
		k := r.person(id).branch
		redraw(first+len(to.race), &from.split[k].law, &to.split[k].law, false, false)
	}
	return again
}

// windTimer starts the clock of a column by a law. One that is off does not strike, but is marked if it has no memory: it may be
// on after an attribute has changed.
func (r *replica) windTimer(id uint32, column int, l *law, off bool) {
	switch {
	case !off:
		r.startTimer(id, column, l, l.draw(r.stream(id)))
	case l.memoryless():
		r.setTimer(id, column, never|memoryless)
	default:
		r.setTimer(id, column, never)
	}
}
