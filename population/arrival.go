package population

import (
	"fmt"

	"github.com/almanac-sim/almanac/calendar"
)

// arrive lets an immigrant in.
func (r *replica) arrive(k uint32) {
	table := &r.t.immigration[k]
	r.count(table.do.name)
	id := r.admit(table.do.to, r.arrivals[k].Split(), table.age)
	r.flow(id, nobodyElse, len(r.counts)+fromImmigration, table.do.to, table.do.name)
	r.nextArrival(k)
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
