package calendartest

import (
	"math"

	"github.com/almanac-sim/almanac/calendar"
)

// refusals tries everything that is refused, in every state of the id, and then looks at all that
// might have changed.
func refusals(s *suite) {
	const n = 20
	for _, start := range []float64{0, 100, -100} {
		h := s.short(start)
		for id := range calendar.ID(n) {
			_ = h.Schedule(id, start+float64(id/4))
		}
		h.drain(n / 2)
		now := h.Now()
		bad := []float64{
			math.NaN(), math.Inf(1), math.Inf(-1), -math.MaxFloat64,
			math.Nextafter(now, math.Inf(-1)), now - 1, now - 1e-9, now - 1e9,
		}
		for _, at := range bad {
			for _, id := range []calendar.ID{0, n - 1, n, n + 50} { // dispatched, pending, new
				_ = h.Schedule(id, at)
				_ = h.Reschedule(id, at)
			}
		}
		for id := range calendar.ID(n + 2) {
			if _, pending := h.Due(id); pending {
				_ = h.Schedule(id, now)
				_ = h.Schedule(id, now+1e9)
			}
			_ = h.Renumber(id, n-1)
			_ = h.Renumber(n+40, id)
		}
		h.Peek()
		for id := range calendar.ID(n + 60) {
			h.Due(id)
		}
		h.drain(-1)
	}
}

// peekThenEarlier looks for structures whose Peek moves them past the clock.
func peekThenEarlier(s *suite) {
	for _, far := range []float64{1, 1e-9, 1e9, 1e200} {
		h := s.short(0)
		_ = h.Schedule(0, far)
		_ = h.Schedule(1, 2*far)
		at := far
		for id := calendar.ID(2); id < 60; id++ {
			h.Peek()
			h.Peek()
			at *= 0.75
			_ = h.Schedule(id, at)
			if id%9 == 0 {
				h.Peek()
				_ = h.Schedule(id+100, 0)
				_ = h.Schedule(id+200, at)
			}
		}
		h.Peek()
		_ = h.Reschedule(1, 0)
		_ = h.Reschedule(0, at/2)
		h.drain(-1)
	}
}

func peekThenCancel(s *suite) {
	h := s.short(0)
	n := s.size(400)
	r := random(6)
	for id := range calendar.ID(n) {
		_ = h.Schedule(id, math.Floor(50*r.Float64()))
	}
	for h.Len() > n/8 {
		id, at, _ := h.Peek()
		switch r.IntN(4) {
		case 0:
			h.Cancel(id)
		case 1:
			_ = h.Reschedule(id, at+3)
			h.Peek()
			h.Next()
		case 2:
			h.Cancel(id)
			h.Peek()
			h.Cancel(calendar.ID(r.IntN(n)))
			_ = h.Schedule(id, h.Now())
			h.Next()
		case 3:
			_ = h.Renumber(id, calendar.ID(r.IntN(n)))
			h.Peek()
		}
	}
	for h.Len() > 0 {
		id, _, _ := h.Peek()
		h.Cancel(id)
	}
	h.drain(-1)
	_ = h.Schedule(0, h.Now())
	h.drain(-1)
}

// sparseIDs begins with the largest id and leaves large gaps.
func sparseIDs(s *suite) {
	h := s.long(0)
	for id := calendar.ID(MaxID - 1); id > 0; id /= 2 {
		h.Due(id)
		h.Cancel(id)
		_ = h.Schedule(id, float64(id%5))
		_ = h.Renumber(id, id/3)
	}
	h.drain(-1)
}
