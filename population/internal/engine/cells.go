package engine

import (
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// Cells. What can happen to an individual in a state may depend on its attributes: the rate of a clock may be a table by age, a
// clock may be there only where the region is north. A state then has a table for each cell, that is, for each combination of values of the
// attributes that its clocks depend on; tables that come out equal are one. A state of which nothing depends on attributes has one
// table, and finding it takes one branch more than if there were no cells at all.

// cell is the number of the cell in which an individual is.
func (r *Run) cell(id uint32, by []program.CellAttribute) int {
	k := 0
	for _, b := range by {
		k += int(r.values[b.Attribute].of(id)) * b.Stride
	}
	return k
}

// table is what can happen to an individual in a state.
func (r *Run) table(id uint32, state uint16) *program.State {
	st := &r.t.States[state]
	if st.By != nil {
		return st.Cells[r.cell(id, st.By)]
	}
	return st
}

// lifelong is the clock of always with a number, as it is for an individual.
func (r *Run) lifelong(id uint32, k int) *program.Lifelong {
	c := &r.t.Always[k]
	if c.By != nil {
		return c.Cells[r.cell(id, c.By)]
	}
	return c
}

// matches tells whether an individual meets all of some conditions.
func (r *Run) matches(id uint32, all []program.Condition) bool {
	for i := range all {
		if !all[i].Is[r.values[all[i].Attribute].of(id)] {
			return false
		}
	}
	return true
}

// odds is a probability for an individual and the one it meets; the two may be the same if nobody is met.
func (r *Run) odds(o *program.Chances, id, other uint32) float64 {
	return o.At(r.cell(id, o.Own), r.cell(other, o.Met), r.Now)
}

// renew lets an individual's clocks without memory go on by other tables: those among its timers are drawn anew if their law is
// another. All others go on as they were drawn. It reports whether its next event has to be planned anew. What went before is as remember was told.
func (r *Run) renew(id uint32, from, to *program.State) bool {
	again := from.Rate != to.Rate || !program.SameVarying(from.Varying, to.Varying)
	r.person(id).mark(isApart)
	redraw := func(column int, old, new *program.Clock) {
		if r.timer(id, column)&memoryless != 0 && !old.Equals(new) {
			again = true
			r.windClock(id, column, new)
		}
	}
	for k := range r.t.Always {
		old, new := r.lifelongs[k], r.lifelong(id, k)
		if old != new && r.timer(id, k)&memoryless != 0 && !old.Equals(new) {
			again = true
			r.windTimer(id, k, &new.Law, new.Off)
		}
	}
	if from == to {
		return again
	}
	first := len(r.t.Always)
	for k := range to.Race {
		redraw(first+k, &from.Race[k], &to.Race[k])
	}
	if len(to.Split) > 0 {
		k := r.person(id).branch
		redraw(first+len(to.Race), &from.Split[k], &to.Split[k])
	}
	return again
}

// remember keeps what the clocks of always are for an individual, before that changes.
func (r *Run) remember(id uint32) {
	r.lifelongs = r.lifelongs[:0]
	for k := range r.t.Always {
		r.lifelongs = append(r.lifelongs, r.lifelong(id, k))
	}
}

// windTimer starts the clock of a column by a law. One that is off does not strike, but is marked if it has no memory: it may be
// on after an attribute has changed.
func (r *Run) windTimer(id uint32, column int, l *law.Law, off bool) {
	switch {
	case !off:
		r.startTimer(id, column, l, 0, l.Draw(r.stream(id)))
	case l.Memoryless():
		r.setTimer(id, column, never|memoryless)
	default:
		r.setTimer(id, column, never)
	}
}
