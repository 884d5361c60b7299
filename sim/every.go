package sim

import (
	"fmt"
	"math"
)

// A recurring event calls its function again and again. Before each call it is scheduled for the next one, if there is one.
type recurring struct {
	s    *Simulation
	f    func()
	next func() (at float64, ok bool) // asked when it is time for a call
	slot uint32
}

func (s *Simulation) recur(at float64, next func() (float64, bool), f func(), opts []EventOption) Event {
	needFunction(f)
	r := &recurring{s: s, f: f, next: next}
	e := s.add(at, r.tick, repeated, opts)
	r.slot = e.slot
	if s.trace != nil && s.labels[e.slot] == "" {
		s.labels[e.slot] = functionName(f) // and not that of tick
	}
	return e
}

func (r *recurring) tick() {
	if at, ok := r.next(); ok {
		r.s.schedule(r.slot, at)
	} else {
		r.s.vacate(r.slot)
	}
	r.f()
}

// Every schedules a call of f when first has passed, and then after every interval. Cancelling the event ends it, also from
// within f: at that time the next call is already scheduled. It panics unless first is at least 0 and the interval above 0.
func (s *Simulation) Every(first, interval float64, f func(), opts ...EventOption) Event {
	if !(interval > 0) || math.IsInf(interval, 1) {
		panic(fmt.Sprintf("sim: Every(%g, %g): the interval must be positive and finite", first, interval))
	}
	base := s.now + first // the first time, or the one that it was rescheduled to
	s.checkTime(base, "Every", first)
	// Times are multiples of the interval after the first, and not sums, so that rounding does not add up.
	due, ticks := base, 0.0
	next := func() (float64, bool) {
		if s.now != due { // it was rescheduled
			base, ticks = s.now, 0
		}
		ticks++
		due = base + float64(ticks*interval) // not fused, which some processors would do
		if !(due > s.now) {
			panic(fmt.Sprintf("sim: Every with an interval of %g does not move the clock at %g", interval, s.now))
		}
		s.checkTime(due, "Every", due)
		return due, true
	}
	return s.recur(base, next, f, opts)
}
