package population

// Cells. What can happen to an individual in a state may depend on its attributes: the rate of a clock may be a table by age, a
// clock may be there only where the region is north. A state then has a table for each cell, that is, for each combination of values of the
// attributes that its clocks depend on; tables that come out equal are one. A state of which nothing depends on attributes has one
// table, and finding it takes one branch more than if there were no cells at all.

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
func (r *replica) lifelong(id uint32, k int) *alwaysTable {
	c := &r.t.always[k]
	if c.by != nil {
		return c.cells[r.cell(id, c.by)]
	}
	return c
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

// odds is a probability for an individual and the one it meets; the two may be the same if nobody is met.
func (r *replica) odds(o *odds, id, other uint32) float64 {
	return o.at(r.cell(id, o.own), r.cell(other, o.met), r.now)
}

// renew lets an individual's clocks without memory go on by other tables: those among its timers are drawn anew if their law is
// another. All others go on as they were drawn. It reports whether its next event has to be planned anew. What went before is as remember was told.
func (r *replica) renew(id uint32, from, to *stateTable) bool {
	again := from.rate != to.rate || !sameVarying(from.vary, to.vary)
	r.person(id).mark(isApart)
	redraw := func(column int, old, new *clockTable) {
		if r.timer(id, column)&memoryless != 0 && !old.equals(new) {
			again = true
			r.windClock(id, column, new)
		}
	}
	for k := range r.t.always {
		old, new := r.lifelongs[k], r.lifelong(id, k)
		if old != new && r.timer(id, k)&memoryless != 0 && !old.equals(new) {
			again = true
			r.windTimer(id, k, &new.law, new.off)
		}
	}
	if from == to {
		return again
	}
	first := len(r.t.always)
	for k := range to.race {
		redraw(first+k, &from.race[k], &to.race[k])
	}
	if len(to.split) > 0 {
		k := r.person(id).branch
		redraw(first+len(to.race), &from.split[k], &to.split[k])
	}
	return again
}

// remember keeps what the clocks of always are for an individual, before that changes.
func (r *replica) remember(id uint32) {
	r.lifelongs = r.lifelongs[:0]
	for k := range r.t.always {
		r.lifelongs = append(r.lifelongs, r.lifelong(id, k))
	}
}

// windTimer starts the clock of a column by a law. One that is off does not strike, but is marked if it has no memory: it may be
// on after an attribute has changed.
func (r *replica) windTimer(id uint32, column int, l *law, off bool) {
	switch {
	case !off:
		r.startTimer(id, column, l, 0, l.draw(r.stream(id)))
	case l.memoryless():
		r.setTimer(id, column, never|memoryless)
	default:
		r.setTimer(id, column, never)
	}
}
