package sim

import (
	"fmt"
	"math"
)

// A periodic event calls its function again and again. Its times are multiples of the interval after the first, and not sums, so
// that rounding does not add up.
type periodic struct {
	s        *Simulation
	f        func()
	slot     uint32
	base     float64 // the first time, or the one that it was rescheduled to
	interval float64
	ticks    float64 // since base
	due      float64 // when the next call was scheduled for
}

// Every schedules a call of f when first has passed, and then after every interval. Cancelling the event ends it, also from
// within f: at that time the next call is already scheduled. It panics unless first is at least 0 and the interval above 0.
func (s *Simulation) Every(first, interval float64, f func(), opts ...EventOption) Event {
	if !(interval > 0) || math.IsInf(interval, 1) {
		panic(fmt.Sprintf("sim: Every(%g, %g): the interval must be positive and finite", first, interval))
	}
	if f == nil {
		panic("sim: an event needs a function, not nil")
	}
	t := s.now + first
	s.checkTime(t, "Every", first)
	p := &periodic{s: s, f: f, base: t, interval: interval, due: t}
	e := s.add(t, p.tick, repeated, opts)
	p.slot = e.slot
	if s.trace != nil && s.labels[e.slot] == "" {
		s.labels[e.slot] = functionName(f) // and not that of tick
	}
	return e
}

func (p *periodic) tick() {
	s := p.s
	if s.now != p.due { // it was rescheduled
		p.base, p.ticks = s.now, 0
	}
	p.ticks++
	p.due = p.base + float64(p.ticks*p.interval) // not fused, which some processors would do
	if !(p.due > s.now) {
		panic(fmt.Sprintf("sim: Every with an interval of %g does not move the clock at %g", p.interval, s.now))
	}
	s.checkTime(p.due, "Every", p.due)
	s.schedule(p.slot, p.due)
	p.f()
}
