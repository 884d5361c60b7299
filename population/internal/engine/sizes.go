package engine

import (
	"github.com/almanac-sim/almanac/population/internal/program"
)

// sizes are what a run knows of the size class of its population.
//
// A rate that depends on the numbers of individuals is drawn by thinning, which needs a bound of
// it. If the file has none, the bound follows from how many may be alive. Where individuals enter,
// no useful number is known before the run, so that there are size classes, each twice as large as
// the one before. When the population outgrows its class, all clocks with such a rate are drawn
// again with the bounds of a larger one. They have no memory, and their individuals have seen only
// that they have not fired, so that this changes no law. It is a pass over all individuals for each
// doubling: a constant amount for each that enters.
//
// Invariant: no more are alive between two events than the class allows.
type sizes struct {
	sizeClass int // the number in Program.Sizes; 0 if that is nil
}

// setSize sets the size class, and with it how many may be alive until the next one.
func (r *Run) setSize(class int) {
	r.sizeClass, r.limit = class, r.Program.MaxSize
	if all := r.Program.Sizes; all != nil {
		r.limit = min(r.limit, all[class])
	}
}

// outgrow is called when more individuals are alive than limit allows. It goes on with a larger
// size class, or returns why the run has failed.
func (r *Run) outgrow() error {
	all, class := r.Program.Sizes, r.sizeClass
	if r.failed != nil || r.Alive > r.Program.MaxSize {
		return r.failure()
	}
	for r.Alive > all[class] {
		class++
	}
	r.setSize(class)
	for k := range r.phase.Immigration {
		if boundedBySize(r.phase.Immigration[k].Varying) {
			r.nextArrival(uint32(k))
		}
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		if state := r.status(id).state; state != program.NoState && r.redrawBounded(id, state) {
			r.reschedule(id, state)
		}
	}
	return nil
}

// redrawBounded draws the timers of an individual again whose rates are bounded by the size of the
// population. It reports whether the next event must be rescheduled, for them or for clocks without
// a timer.
func (r *Run) redrawBounded(id uint32, state uint16) bool {
	st := r.stateOf(id, state)
	again := boundedBySize(st.Varying)
	branch := func(st *program.State, machine, first int) {
		if len(st.Split) == 0 {
			return
		}
		k, _ := r.branchOf(id, machine)
		column := first + len(st.Race)
		if boundedBySize(st.Split[k].Varying) && r.timer(id, column)&memoryless != 0 {
			r.startClock(id, column, &st.Split[k])
			again = true
		}
	}
	branch(st, -1, r.Program.StateColumn)
	for m := range r.phase.Machines {
		if st := r.machineTable(id, m); st != nil {
			branch(st, m, r.Program.Machines[m].Column)
		}
	}
	return again
}

// boundedBySize reports whether the bound of a rate follows from the size of the population.
func boundedBySize(vary []program.VaryingRate) bool {
	for i := range vary {
		if vary[i].Rate.Maxes != nil {
			return true
		}
	}
	return false
}
