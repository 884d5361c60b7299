package engine

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// personal is what individuals have of their own that values are read for: when each came into the
// states that curves count from.
//
// A rate with a curve is one more rate that changes (Run.candidate): its bounds depend on when the
// individual came in, which changes only when the individual does, and then its next event is drawn
// again.
//
// Invariants: cameIn has a column for each of Program.Since; a time is +Inf exactly if the individual
// is outside of the states, and not after now otherwise.
type personal struct {
	cameIn [][]float64        // by number of Program.Since and id
	whom   program.Individual // scratch of individual
}

// sinceBytes is how many bytes the times since something take, of an individual.
func sinceBytes(m *program.Program) int { return 8 * len(m.Since) }

// layOutPersonal makes the columns.
func (r *Run) layOutPersonal() {
	if len(r.cameIn) != len(r.Program.Since) {
		r.cameIn = make([][]float64, len(r.Program.Since))
	}
	if len(r.cameIn) == 0 {
		r.cameIn = nil
	}
}

// growPersonal makes room for so many ids.
func (r *Run) growPersonal(ids int) {
	for k := range r.cameIn {
		r.cameIn[k] = store.Extend(r.cameIn[k], ids)
	}
}

// copyPersonal copies the columns of the first n ids, into the memory of own.
func (r *Run) copyPersonal(own, from *Run, n int) {
	if len(own.cameIn) != len(from.cameIn) {
		own.cameIn = make([][]float64, len(from.cameIn))
	}
	r.cameIn = own.cameIn
	for k := range from.cameIn {
		r.cameIn[k] = refit(own.cameIn[k], from.cameIn[k], n)
	}
	if len(r.cameIn) == 0 {
		r.cameIn = nil
	}
}

// individual returns an individual, and another that it meets, for values that are read for them. It
// is nil if there are none of these values, or nobody. The result holds until the next call.
func (r *Run) individual(id, other uint32) *program.Individual {
	if r.cameIn == nil || id == noID {
		return nil
	}
	r.whom = program.Individual{CameIn: r.cameIn, Own: id, Met: other}
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

// beginAt sets when an individual that enters came in: it has an age, and has entered all its states
// now.
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

// passes sets the times since, of an individual that goes from one state to another or into the same
// again.
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

// redrawCurves draws the running clocks of splits again whose rate is a curve: the time it counts may
// have begun anew, by a machine that the clock does not belong to. They have no memory.
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
