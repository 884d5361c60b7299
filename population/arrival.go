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
	if table.course != nil && table.course.counts && !r.comes(k, table) {
		r.nextArrival(k)
		return
	}
	r.enter(&table.in, r.arrivals[k].Split(), nobodyElse, fromImmigration, table.name)
	r.nextArrival(k)
}

// comes decides whether somebody arrives at a time that was drawn by what the rate is at most, now that it is known how many there are.
func (r *replica) comes(k uint32, table *arrivalTable) bool {
	rate, ok := table.course.rate(r.now, census{r.alive, r.counts})
	if !ok {
		r.broke, r.most = fmt.Errorf("at time %.12g the rate of immigration is %.6g per %s, above its most, %.6g", r.m.start+r.now,
			table.course.at(r.now, census{r.alive, r.counts}), r.m.unit.name, table.course.most), -1
		return false
	}
	return r.arrivals[k].Float64()*table.course.most < rate
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
	if next := r.arrival(&r.t.immigration[k], &r.arrivals[k]); next <= r.end {
		if err := r.queue.Reschedule(calendar.ID(k), next); err != nil {
			panic(fmt.Sprintf("population: arrival at %v: %v", next, err))
		}
	}
}

// arrival draws when the next immigrant comes; with a rate that depends on counts, when one may come. A rate that changes with time is thinned,
// piece by piece (see course).
func (r *replica) arrival(table *arrivalTable, s *random.Stream) float64 {
	switch {
	case table.rate == 0:
		return math.Inf(1)
	case table.course == nil:
		return r.now + s.Exp()/table.rate
	}
	for t := r.now; t <= r.end; {
		end, most := table.course.piece(t)
		next := t + s.Exp()/(most*table.rate)
		if !(next < end) { // also if the rate is 0
			t = end
			continue
		}
		t = next
		if table.course.counts {
			return t
		}
		if rate, _ := table.course.rate(t, census{}); s.Float64()*most < rate {
			return t
		}
	}
	return math.Inf(1)
}
