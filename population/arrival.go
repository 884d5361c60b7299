package population

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/random"
)

// arrive lets an immigrant in, or nobody, if it turns out that the rate is below what it is at most.
func (r *replica) arrive(k uint32) {
	table := &r.t.immigration[k]
	if table.vary != nil {
		if _, _, ok := r.choose(&r.arrivals[k], 0, table.vary); !ok {
			r.nextArrival(k)
			return
		}
	}
	r.enter(&table.in, r.arrivals[k].Split(), nobodyElse, fromImmigration, table.name)
	r.nextArrival(k)
}

// enter lets somebody in during a run, by way of births, immigration or an intervention, and counts it. The parent is nobodyElse if
// there is none.
func (r *replica) enter(in *entrance, s random.Stream, parent uint32, way, name int) {
	r.count(name)
	id := r.admit(in, s, parent)
	r.flow(id, parent, len(r.counts)+way, r.person(id).state, name, name)
}

// nextArrival plans the next immigrant.
func (r *replica) nextArrival(k uint32) {
	next := r.arrivalAfter(int(k))
	if r.win != nil {
		if r.win.arrive[k] = next; next <= r.win.until {
			r.win.near.push(dueAt{at: next, id: k})
		}
		return
	}
	r.queue.Cancel(calendar.ID(k))
	if next <= r.end {
		if err := r.queue.Reschedule(calendar.ID(k), next); err != nil {
			panic(fmt.Sprintf("population: arrival at %v: %v", next, err))
		}
	}
}

// arrivalAfter is when the next immigrant of a source comes after now; +Inf if none does.
func (r *replica) arrivalAfter(k int) float64 {
	table := &r.t.immigration[k]
	switch {
	case table.vary != nil:
		return r.candidate(&r.arrivals[k], 0, table.vary)
	case table.rate > 0:
		return r.now + r.arrivals[k].Exp()/table.rate
	}
	return math.Inf(1)
}
