package population

import (
	"fmt"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/random"
)

// arrive lets an immigrant in.
func (r *replica) arrive(k uint32) {
	table := &r.t.immigration[k]
	r.enter(&table.in, r.arrivals[k].Split(), nobodyElse, fromImmigration, table.name)
	r.nextArrival(k)
}

// enter lets somebody in during a run, by way of births, immigration or an intervention, and counts it. The parent is nobodyElse if
// there is none.
func (r *replica) enter(in *entrance, s random.Stream, parent uint32, way, name int) {
	r.count(name)
	id := r.admit(in, s, parent)
	r.flow(id, parent, len(r.counts)+way, r.person(id).state, name)
}

// nextArrival plans the next immigrant.
func (r *replica) nextArrival(k uint32) {
	r.queue.Cancel(calendar.ID(k))
	rate := r.t.immigration[k].rate
	if rate == 0 {
		return
	}
	if next := r.now + r.arrivals[k].Exp()/rate; next <= r.end {
		if err := r.queue.Reschedule(calendar.ID(k), next); err != nil {
			panic(fmt.Sprintf("population: arrival at %v: %v", next, err))
		}
	}
}
