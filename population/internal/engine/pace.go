package engine

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
)

// pace detects a clock that stands still. A cycle of states that takes no time, or 1e-300 days, or
// a rate of 1e300 per day would keep a run busy for ever.
//
// The clock is watched in intervals of a billionth of the run (2⁻³⁰: 3 seconds of a century). An
// interval begins with the first event after the previous one, and after each intervention. Within
// an interval, everybody present at its beginning may pass through every state and have a hundred
// events more, and four million events are allowed in addition. Real models stay far below: sixty
// million clocks that fire at one instant are one event each, and a run that went on at the limit
// would have about 10¹⁵ events, years of work, even with few individuals.
//
// Events are counted one by one and compared with the limit every million, so that it costs
// nothing.
type pace struct {
	base    uint64  // events allowed in addition
	window  float64 // the length of an interval
	until   float64 // the end of this interval
	present int     // how many were alive at its beginning
	events  uint64  // in this interval
	fired   int     // interventions that waited and happened in it
	look    uint64  // compare again at this number of events
	flows   []uint64
	named   []uint64 // as they were at half of the allowed events; nil before
}

const (
	paceWindow = 1.0 / (1 << 30)
	paceBase   = 1 << 22
	paceEach   = 100
)

// beginPace begins an interval at a time.
func (r *Run) beginPace(at float64) {
	r.pace.until, r.pace.present, r.pace.events, r.pace.look = at+r.pace.window, r.Alive, 0, r.pace.base/4
	r.pace.fired = 0
	if r.pace.flows != nil {
		r.pace.flows, r.pace.named = nil, nil
	}
}

// checkPace returns an error if too much has happened in the interval.
func (r *Run) checkPace(id uint32) error {
	p := &r.pace
	p.look += p.base / 4
	allowed := p.base + uint64(p.present)*uint64(paceEach+len(r.Program.States))
	if p.flows == nil && p.events >= allowed/2 {
		p.flows, p.named = slices.Clone(r.Flows), slices.Clone(r.Named)
	}
	if p.events < allowed {
		return nil
	}
	return fmt.Errorf(
		"at time %.12g the clock stands still: %s events took less than a billionth of the run, %s; is there a circle of "+
			"states that takes no time, or a rate far too high?",
		r.Program.Start+r.Now,
		format.Thousands(float64(int(p.events))),
		r.culprit(id),
	)
}

// culprit says what happens again and again. id is the individual of the next event.
func (r *Run) culprit(id uint32) string {
	most := func(now, before []uint64) (k int, n uint64) {
		for i := range now {
			if d := now[i] - before[i]; d > n {
				k, n = i, d
			}
		}
		return k, n
	}
	flow, n := most(r.Flows, r.pace.flows)
	name, m := most(r.Named, r.pace.named)
	switch {
	case n > 0 && m > n/2:
		return fmt.Sprintf("most of them %v [%s]", r.Program.Flows[flow], r.Program.CountedNames[name])
	case n > 0:
		return fmt.Sprintf("most of them %v", r.Program.Flows[flow])
	case m > 0:
		return fmt.Sprintf("most of them [%s]", r.Program.CountedNames[name])
	}
	if id < r.firstID {
		return "and then somebody arrives"
	}
	return fmt.Sprintf("without changing anybody's state; the next is of an individual in the state %s",
		r.Program.States[r.status(id).state])
}
