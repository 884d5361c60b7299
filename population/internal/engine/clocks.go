package engine

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// Clocks. What can happen to an individual in a state may depend on its attributes: a rate may be a
// table by age, a clock may run only where the region is north. The state then has a table for each
// cell, that is, for each combination of values of the attributes that its clocks depend on. A
// state that depends on no attribute has one table.

// cell returns the number of the cell of an individual.
func (r *Run) cell(id uint32, by []program.CellAttribute) int {
	k := 0
	for _, b := range by {
		k += int(r.attributes[b.Attribute].Of(id)) * b.Stride
	}
	return k
}

// stateOf returns the table of a state for an individual.
func (r *Run) stateOf(id uint32, state uint16) *program.State {
	st := &r.phase.States[state]
	if st.By != nil {
		return st.Cells[r.cell(id, st.By)]
	}
	return st
}

// alwaysClock returns the clock of always with a number for an individual.
func (r *Run) alwaysClock(id uint32, k int) *program.AlwaysClock {
	c := &r.phase.Always[k]
	if c.By != nil {
		return c.Cells[r.cell(id, c.By)]
	}
	return c
}

// matches reports whether an individual meets all conditions.
func (r *Run) matches(id uint32, all []program.Condition) bool {
	for i := range all {
		if !all[i].Is[r.attributes[all[i].Attribute].Of(id)] {
			return false
		}
	}
	return true
}

// chance returns a probability that depends on an individual and on the one it meets. Without a
// contact the two are the same.
func (r *Run) chance(o *program.ChanceTable, id, other uint32) float64 {
	return o.At(r.cell(id, o.Own), r.cell(other, o.Met), r.Now, r.individual(id, other))
}

// redrawMemoryless lets the clocks of an individual without memory go on by other tables: timers
// whose law has changed are drawn again, all others keep their time. The clocks of always of before
// are those of rememberAlways. It reports whether the next event must be rescheduled.
func (r *Run) redrawMemoryless(id uint32, from, to *program.State) bool {
	again := from.TotalRate != to.TotalRate || !program.EqualRates(from.Varying, to.Varying)
	r.status(id).mark(branchIsOld)
	redraw := func(column int, old, new *program.Clock) {
		if r.timer(id, column)&memoryless != 0 && !old.Equal(new) {
			again = true
			r.startClock(id, column, new)
		}
	}
	for k := range r.phase.Always {
		old, new := r.alwaysBefore[k], r.alwaysClock(id, k)
		if old != new && r.timer(id, k)&memoryless != 0 && !old.Equal(new) {
			again = true
			r.drawTimer(id, k, &new.Law, new.Off)
		}
	}
	if r.Program.StateColumn > len(r.phase.Always) && r.redrawMachines(id) {
		again = true
	}
	if from == to {
		return again
	}
	first := r.Program.StateColumn
	for k := range to.Race {
		redraw(first+k, &from.Race[k], &to.Race[k])
	}
	if len(to.Split) > 0 {
		k := r.status(id).branch
		redraw(first+len(to.Race), &from.Split[k], &to.Split[k])
	}
	return again
}

// rememberAlways stores the clocks of always of an individual before they change.
func (r *Run) rememberAlways(id uint32) {
	r.alwaysBefore = r.alwaysBefore[:0]
	for k := range r.phase.Always {
		r.alwaysBefore = append(r.alwaysBefore, r.alwaysClock(id, k))
	}
	if r.Program.StateColumn > len(r.phase.Always) {
		r.rememberMachines(id)
	}
}

// drawTimer starts the clock of a column by a law. A clock that is off does not fire, but is marked
// if it has no memory: it may be switched on when an attribute changes.
func (r *Run) drawTimer(id uint32, column int, l *law.Law, off bool) {
	switch {
	case !off:
		r.startTimer(id, column, l, 0, l.Draw(r.stream(id)))
	case l.Memoryless():
		r.setTimer(id, column, never|memoryless)
	default:
		r.setTimer(id, column, never)
	}
}

// startClocks starts the clocks of a state that an individual enters.
func (r *Run) startClocks(id uint32, state uint16) {
	first := r.Program.StateColumn
	if r.status(id).sparse>>first != 0 {
		r.stopTimers(id, first)
	}
	if r.phase.States[state].Timers == 0 {
		return
	}
	st := r.stateOf(id, state)
	s := r.stream(id)
	for k := range st.Race {
		r.drawTimer(id, first+k, &st.Race[k].Law, st.Race[k].Off)
	}
	if len(st.Split) > 0 {
		u, k := s.Float64(), 0
		if st.Chances != nil {
			k = r.branch(id, st, u)
		} else {
			for u >= st.Split[k].CumulativeChance {
				k++
			}
		}
		p := r.status(id)
		p.branch = uint8(k)
		p.unmark(branchIsOld)
		r.startClock(id, first+len(st.Race), &st.Split[k])
	}
}

// startClock starts a clock of a race or of a branch.
func (r *Run) startClock(id uint32, column int, c *program.Clock) {
	if c.Varying != nil {
		r.setTimer(id, column, wordOf(r.candidate(r.stream(id), id, 0, c.Varying))|memoryless)
		return
	}
	r.drawTimer(id, column, &c.Law, c.Off)
}

// startClocksSince starts the clocks of a state that an individual has been in for a time: each has
// been running since then and has not fired. The clocks of a race are independent, so that each is
// drawn given its own survival alone. Of a split, the branch is drawn first, by Bayes' rule: in
// proportion to its chance times the probability that its clock has not fired.
func (r *Run) startClocksSince(id uint32, state uint16, since *law.Law) {
	st := r.stateOf(id, state)
	if st.Timers == 0 && !r.counts(-1, state) {
		return
	}
	age := r.timeIn(id, -1, since, st.Timers > 0)
	r.beganBefore(id, -1, state, age)
	if st.Timers > 0 {
		r.startSince(id, r.Program.StateColumn, -1, st, age)
	}
}

// timeIn draws for how long an individual has been in a state, of a machine or of the state itself
// if machine is −1. Where no timer depends on it, it is not taken from the stream of the
// individual: whether something looks at it, an observation for example, must not change the run.
func (r *Run) timeIn(id uint32, machine int, since *law.Law, timed bool) float64 {
	if timed {
		return since.Draw(r.stream(id))
	}
	apart := r.stream(id).At(uint64(machine + 1))
	return since.Draw(&apart)
}

// startSince does so for the clocks of a table whose columns begin with first: of a machine's
// state, or of the state itself if machine is −1. The individual has been in it for a time, its
// age.
func (r *Run) startSince(id uint32, first, machine int, st *program.State, age float64) {
	s := r.stream(id)
	start := func(column int, l *law.Law) {
		left := 0.0
		if l.Memoryless() {
			left = l.Draw(s)
		} else {
			left = max(0, l.DrawBeyond(s, age)-age)
		}
		r.startTimer(id, column, l, age, left)
	}
	for k := range st.Race {
		if st.Race[k].Off {
			r.drawTimer(id, first+k, &st.Race[k].Law, true)
		} else {
			start(first+k, &st.Race[k].Law)
		}
	}
	if len(st.Split) > 0 {
		logs := st.BranchLogWeights(age, nil)
		k := law.DrawLogWeighted(s, make([]float64, len(logs)), logs)
		r.setBranch(id, machine, k)
		start(first+len(st.Race), &st.Split[k].Law)
	}
}

// next returns the time of the next event of an individual.
func (r *Run) next(id uint32, state uint16) float64 {
	st := &r.phase.States[state]
	if st.OnlyRates {
		if st.TotalRate > 0 {
			return r.Now + float64(r.stream(id).Exp()*st.MeanWait)
		}
		return math.Inf(1)
	}
	if st.By != nil {
		st = r.stateOf(id, state)
	}
	next := math.Inf(1)
	if st.Varying != nil {
		next = r.candidate(r.stream(id), id, st.TotalRate, st.Varying)
	} else if st.TotalRate > 0 {
		next = r.Now + float64(r.stream(id).Exp()*st.MeanWait)
	}
	for _, w := range r.packed(id, st) {
		next = min(next, timeOf(w))
	}
	if r.status(id).sparse != 0 {
		at, _ := r.firstTimer(id, st)
		next = min(next, at)
	}
	return next
}

// schedule puts the next event of an individual into the calendar if it is due by the end. The
// individual must have no event there.
func (r *Run) schedule(id uint32, state uint16) {
	next := r.next(id, state)
	if r.windows != nil {
		r.windows.schedule(r, id, next)
	} else if next <= r.end {
		if err := r.Queue.Schedule(eventqueue.ID(id), next); err != nil {
			panic(fmt.Sprintf("population: event at %v: %v", next, err))
		}
	}
}

// reschedule does the same for an individual that may have an event in the calendar.
func (r *Run) reschedule(id uint32, state uint16) {
	if r.ties.busy() {
		r.status(id).unmark(isTied)
	}
	next := r.next(id, state)
	if r.windows != nil {
		r.windows.schedule(r, id, next)
	} else if !(next <= r.end) {
		r.Queue.Cancel(eventqueue.ID(id))
	} else if err := r.Queue.Reschedule(eventqueue.ID(id), next); err != nil {
		panic(fmt.Sprintf("population: event at %v: %v", next, err))
	}
}

// candidate returns the time of the next candidate event of all that happens at a rate, constant
// (fixed) or varying.
//
// Varying rates are drawn by thinning [LS79], without a time step. A time-varying rate has a bound
// in each piece of the run. Candidates come at the rate of the bounds; one draw serves all pieces
// up to the next candidate, because the integral of the bounds is inverted. When its time comes, a
// candidate is an event with the probability rate/bound (choose); only then are the counts known
// that the rate may depend on. A clock at a rate has no memory, so that it is drawn again whenever
// its individual is rescheduled. Where the rate is constant throughout a piece, as with steps, no
// candidate is rejected. Id is noID for those who arrive.
//
// [LS79]: https://doi.org/10.1002/nav.3800260304
func (r *Run) candidate(s *random.Stream, id uint32, fixed float64, vary []program.VaryingRate) float64 {
	left := s.Exp()
	who := r.individual(id, id)
	for t := r.Now; t <= r.end; {
		end, total := math.Inf(1), fixed
		for i := range vary {
			until, bound := vary[i].Rate.PieceFor(t, who, r.sizeClass)
			end, total = min(end, until), total+float64(bound*vary[i].Factor)
		}
		if at := t + left/total; at < end { // +Inf or NaN if nothing can happen
			return at
		}
		left = max(0, left-float64(total*(end-t))) // rounding may take it below
		t = end
	}
	return math.Inf(1)
}

// boundOf returns the bound of the sum of some rates now.
func (r *Run) boundOf(who *program.Individual, fixed float64, vary []program.VaryingRate) float64 {
	total := fixed
	for i := range vary {
		_, bound := vary[i].Rate.PieceFor(r.Now, who, r.sizeClass)
		total += float64(bound * vary[i].Factor)
	}
	return total
}

// choose decides what a candidate is whose time has come: the varying rate k; or, with k = −1, the
// constant rate at place among the cumulative Rates. It reports false if the candidate is rejected.
func (r *Run) choose(
	s *random.Stream, id uint32, fixed float64, vary []program.VaryingRate,
) (k int, place float64, ok bool) {
	who := r.individual(id, id)
	u := float64(s.Float64() * r.boundOf(who, fixed, vary))
	if u < fixed {
		return -1, u, true
	}
	u -= fixed
	for k = range vary {
		v := &vary[k]
		_, bound := v.Rate.PieceFor(r.Now, who, r.sizeClass)
		if bound = float64(bound * v.Factor); u >= bound {
			u -= bound
			continue
		}
		rate, ok := v.Rate.Rate(r.Now, r.census(who), r.sizeClass)
		if !ok {
			r.failAboveMost(v, who)
		}
		return k, 0, u < rate*v.Factor
	}
	return 0, 0, false // rounding
}

// branch draws a branch of a split whose chances vary with time.
func (r *Run) branch(id uint32, st *program.State, u float64) int {
	who := r.individual(id, id)
	sum, drawn := 0.0, st.Chances.Otherwise
	for k, c := range st.Chances.ByBranch {
		if k != st.Chances.Otherwise {
			if sum += c.ChanceFor(r.Now, who); u < sum && drawn == st.Chances.Otherwise {
				drawn = k
			}
		}
	}
	if sum > 1+1e-6 && r.failed == nil {
		r.failed = fmt.Errorf("at time %.12g: the chances of a split add up to %.6g, more than 1", r.Program.Start+r.Now,
			sum)
		r.limit = -1
	}
	return drawn
}

// failAboveMost ends the run because a rate is above its most.
func (r *Run) failAboveMost(v *program.VaryingRate, who *program.Individual) {
	if r.failed != nil {
		return
	}
	unit := r.Program.Unit
	r.limit = -1
	x := v.Rate.At(r.Now, r.census(who))
	if math.IsNaN(x) {
		r.failed = fmt.Errorf(
			"at time %.12g: %s: rate: the value is not a number, as 0/0 is none; write max(1, total), for example, for what "+
				"it is divided by",
			r.Program.Start+r.Now,
			v.What,
		)
		return
	}
	r.failed = fmt.Errorf("at time %.12g: %s: rate: the value is %.6g per %s, above its most, %.6g per %s; "+
		"write a most that it does not exceed", r.Program.Start+r.Now, v.What, x, unit, v.Rate.MaxOf(r.sizeClass), unit)
}

// checkRates ends the run if the rate of a clock is above its most now. Thinning finds that out
// only when such a clock is about to fire, which is never if its most is far too small; so it is
// checked for every row too.
func (r *Run) checkRates() error {
	n := r.census(nil)
	above := func(vary []program.VaryingRate, who *program.Individual) *program.VaryingRate {
		n.Who = who
		for i := range vary {
			if c := vary[i].Rate; c.ByCounts && vary[i].Factor > 0 && (who != nil || !c.Personal) {
				if _, ok := c.Rate(r.Now, n, r.sizeClass); !ok {
					return &vary[i]
				}
			}
		}
		return nil
	}
	for k := range r.phase.Immigration {
		if v := above(r.phase.Immigration[k].Varying, nil); v != nil {
			r.failAboveMost(v, nil)
		}
	}
	for s := range r.phase.States {
		st := &r.phase.States[s]
		if r.Counts[s] == 0 {
			continue
		}
		if v := above(st.Varying, nil); st.By == nil && v != nil {
			r.failAboveMost(v, nil)
		}
		if !st.PersonalCounts() &&
			!slices.ContainsFunc(st.Cells, func(cell *program.State) bool { return above(cell.Varying, nil) != nil }) {
			continue
		}
		for id := r.firstID; int(id) < r.Used && r.failed == nil; id++ { // until an individual in such a cell is found
			if int(r.status(id).state) == s {
				if v := above(r.stateOf(id, uint16(s)).Varying, r.individual(id, id)); v != nil {
					r.failAboveMost(v, r.individual(id, id))
				}
			}
		}
	}
	return r.failed
}
