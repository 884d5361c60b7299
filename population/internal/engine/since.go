package engine

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// personal has the values of each individual that other values depend on: when it came into the
// states that curves count from, and its numbers.
//
// A rate with a curve is a rate that changes like any other (Run.candidate): its bounds depend on
// when the individual came in. That time changes only with the individual, and then its next event
// is drawn again.
//
// Invariants: cameIn has a column for each of Program.Since; a time is +Inf exactly if the
// individual is outside of the states, and not after now otherwise.
type personal struct {
	cameIn [][]float64        // by number of Program.Since and id
	own    [][]float64        // by number of Program.Numbers and id
	whom   program.Individual // scratch of individual
}

// personalBytes is how many bytes the times since something and the numbers take, of an individual.
func personalBytes(m *program.Program) int { return 8 * (len(m.Since) + len(m.Numbers)) }

// layOutPersonal makes the columns.
func (r *Run) layOutPersonal() {
	r.cameIn = withColumns(r.cameIn, len(r.Program.Since))
	r.own = withColumns(r.own, len(r.Program.Numbers))
}

// withColumns returns all, if it has n columns, or new ones: nil for none.
func withColumns(all [][]float64, n int) [][]float64 {
	switch {
	case n == 0:
		return nil
	case len(all) != n:
		return make([][]float64, n)
	}
	return all
}

// growPersonal makes room for so many ids.
func (r *Run) growPersonal(ids int) {
	for k := range r.cameIn {
		r.cameIn[k] = store.Extend(r.cameIn[k], ids)
	}
	for k := range r.own {
		r.own[k] = store.Extend(r.own[k], ids)
	}
}

// copyPersonal copies the columns of the first n ids, into the memory of old.
func (r *Run) copyPersonal(old, from *Run, n int) {
	r.cameIn, r.own = withColumns(old.cameIn, len(from.cameIn)), withColumns(old.own, len(from.own))
	for k := range from.cameIn {
		r.cameIn[k] = refit(r.cameIn[k], from.cameIn[k], n)
	}
	for k := range from.own {
		r.own[k] = refit(r.own[k], from.own[k], n)
	}
}

// individual returns an individual, and another that it meets, for values that depend on them. It
// is nil if there are no such values, or no individual. The result is valid until the next call.
func (r *Run) individual(id, other uint32) *program.Individual {
	if r.cameIn == nil && r.own == nil && r.near == nil || id == noID {
		return nil
	}
	r.whom = program.Individual{CameIn: r.cameIn, Numbers: r.own, Own: id, Met: other}
	if r.near != nil {
		r.whom.Near = r
	}
	return &r.whom
}

// counts reports whether a curve counts the time in a state: of a machine, or of States if that is
// −1.
func (r *Run) counts(machine int, state uint16) bool {
	if r.cameIn == nil {
		return false
	}
	return slices.ContainsFunc(r.Program.Since, func(s program.Since) bool {
		return !s.Birth && s.Machine == machine && s.In[state]
	})
}

// beginAt sets when an individual that enters came in: it has an age, and has entered all its
// states now.
func (r *Run) beginAt(id uint32, state uint16, age float64) {
	for k := range r.cameIn {
		s := &r.Program.Since[k]
		at := state
		if !s.Birth && s.Machine >= 0 {
			at = r.attributes[r.Program.Machines[s.Machine].Attribute].Of(id)
		}
		switch {
		case s.Birth:
			r.cameIn[k][id] = r.Now - age
		case s.In[at]:
			r.cameIn[k][id] = r.Now
		default:
			r.cameIn[k][id] = math.Inf(1)
		}
	}
}

// beganBefore sets that an individual has been in a state for a time.
func (r *Run) beganBefore(id uint32, machine int, state uint16, since float64) {
	for k := range r.cameIn {
		if s := &r.Program.Since[k]; !s.Birth && s.Machine == machine && s.In[state] {
			r.cameIn[k][id] = r.Now - since
		}
	}
}

// passes sets the times since, of an individual that goes from one state to another or into the
// same again.
func (r *Run) passes(id uint32, machine int, from, to uint16) {
	for k := range r.cameIn {
		s := &r.Program.Since[k]
		switch {
		case s.Birth || s.Machine != machine:
		case !s.In[to]:
			r.cameIn[k][id] = math.Inf(1)
		case !s.In[from] || from == to:
			r.cameIn[k][id] = r.Now
		}
	}
}

// redrawCurves draws the running clocks of splits again whose rate is a curve: the time that it
// counts may have started again, by a machine that the clock does not belong to. These clocks have
// no memory.
func (r *Run) redrawCurves(id uint32, state uint16) {
	first := r.Program.StateColumn
	if r.phase.States[state].Timers > 0 {
		st := r.stateOf(id, state)
		r.redrawCurve(id, first+len(st.Race), -1, st)
	}
	for m := range r.Program.Machines {
		if st := r.machineTable(id, m); st != nil {
			r.redrawCurve(id, r.Program.Machines[m].Column+len(st.Race), m, st)
		}
	}
}

// redrawCurve does so for the split of one table.
func (r *Run) redrawCurve(id uint32, column, machine int, st *program.State) {
	if len(st.Split) == 0 {
		return
	}
	k, _ := r.branchOf(id, machine)
	if c := &st.Split[k]; c.Varying != nil && c.Varying[0].Rate.Personal && r.timer(id, column)&memoryless != 0 {
		r.startClock(id, column, c)
	}
}

// checkPersonal verifies the times since of an individual.
func (r *Run) checkPersonal(id uint32) bool {
	for k := range r.cameIn {
		s, in := &r.Program.Since[k], true
		switch {
		case s.Birth:
		case s.Machine >= 0:
			in = s.In[r.attributes[r.Program.Machines[s.Machine].Attribute].Of(id)]
		default:
			in = s.In[r.status(id).state]
		}
		if at := r.cameIn[k][id]; in != (at <= r.Now) || !in && !math.IsInf(at, 1) {
			return false
		}
	}
	return true
}

// drawNumbers gives an individual that enters its numbers. Its other attributes are known, but for
// those that follow the age.
func (r *Run) drawNumbers(id uint32, in *program.Entry, own *random.Stream, parent uint32) {
	for k := range r.own {
		l, x := r.Program.Numbers[k].Law, math.NaN()
		if in.Numbers != nil {
			x = in.Numbers[k]
		}
		switch {
		case math.IsNaN(x):
			x = l.At(r.cell(id, l.By)).Draw(own)
		case math.IsInf(x, 1):
			x = r.own[k][parent]
		}
		r.own[k][id] = x
	}
}

// MeanNumber returns the mean of a number of Program.Numbers, of those in a state, or of all if
// state is −1. It is NaN if there is nobody.
func (r *Run) MeanNumber(number, state int) float64 {
	sum, n := 0.0, 0
	for id := r.firstID; int(id) < r.Used; id++ {
		if s := r.status(id).state; s != program.NoState && (state < 0 || int(s) == state) {
			sum, n = sum+r.own[number][id], n+1
		}
	}
	return sum / float64(n)
}
