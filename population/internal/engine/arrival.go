package engine

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// arrive lets an immigrant in, or nobody, if it turns out that the rate is below what it is at most.
func (r *Run) arrive(k uint32) {
	table := &r.t.Immigration[k]
	if table.Varying != nil {
		if _, _, ok := r.choose(&r.arrivals[k], 0, table.Varying); !ok {
			r.nextArrival(k)
			return
		}
	}
	r.enter(&table.In, r.arrivals[k].Split(), nobodyElse, program.ByImmigration, table.Name)
	r.nextArrival(k)
}

// enter lets somebody in during a run, by way of births, immigration or an intervention, and counts it. The parent is nobodyElse if
// there is none.
func (r *Run) enter(in *program.Entry, s random.Stream, parent uint32, way, name int) {
	r.count(name)
	id := r.admit(in, s, parent)
	r.flow(id, parent, len(r.Counts)+way, r.person(id).state, name, name)
}

// nextArrival plans the next immigrant.
func (r *Run) nextArrival(k uint32) {
	next := r.arrivalAfter(int(k))
	if r.win != nil {
		if r.win.arrive[k] = next; next <= r.win.until {
			r.win.near.push(dueAt{at: next, id: k})
		}
		return
	}
	r.Queue.Cancel(calendar.ID(k))
	if next <= r.end {
		if err := r.Queue.Reschedule(calendar.ID(k), next); err != nil {
			panic(fmt.Sprintf("population: arrival at %v: %v", next, err))
		}
	}
}

// arrivalAfter is when the next immigrant of a source comes after now; +Inf if none does.
func (r *Run) arrivalAfter(k int) float64 {
	table := &r.t.Immigration[k]
	switch {
	case table.Varying != nil:
		return r.candidate(&r.arrivals[k], 0, table.Varying)
	case table.Rate > 0:
		return r.Now + r.arrivals[k].Exp()/table.Rate
	}
	return math.Inf(1)
}
