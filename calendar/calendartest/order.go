package calendartest

import (
	"math/rand/v2"

	"github.com/almanac-sim/almanac/calendar"
)

func empty(s *suite) {
	for _, start := range []float64{0, 12.5, -3} {
		h := s.short(start)
		h.drain(-1)
		h.Cancel(0)
		h.Due(7)
		_ = h.Renumber(0, 1)
		_ = h.Renumber(3, 3)
		_ = h.Schedule(0, start)
		h.drain(-1)
		h.Due(0)
	}
}

// order takes times that rise, fall and neither.
func order(s *suite) {
	r := random(2)
	n := s.size(500)
	for _, at := range []func(i int) float64{
		func(i int) float64 { return float64(i) },
		func(i int) float64 { return float64(n - i) },
		func(int) float64 { return r.Float64() },
		func(int) float64 { return r.ExpFloat64() * 1e6 },
	} {
		h := s.short(0)
		for i, id := range shuffled(n) {
			_ = h.Schedule(id, at(i))
		}
		h.drain(-1)
	}
}

func ties(s *suite) {
	h := s.short(0)
	n := s.size(700)
	for i, id := range shuffled(n) {
		_ = h.Schedule(id, float64(i%7))
	}
	h.drain(n / 2)
	for i, id := range shuffled(n) { // those still pending refuse
		_ = h.Schedule(id, h.Now()+float64(i%5))
	}
	h.drain(-1)
}

// tiesAfterMoves looks for structures that let an event come back to its old place among its
// equals.
func tiesAfterMoves(s *suite) {
	const here, elsewhere = 5, 7
	moves := []func(h *shadow, id calendar.ID){
		func(h *shadow, id calendar.ID) {
			_ = h.Reschedule(id, elsewhere)
			_ = h.Reschedule(id, here)
		},
		func(h *shadow, id calendar.ID) {
			_ = h.Reschedule(id, 1)
			_ = h.Reschedule(id, here)
		},
		func(h *shadow, id calendar.ID) { _ = h.Reschedule(id, here) },
		func(h *shadow, id calendar.ID) {
			h.Cancel(id)
			_ = h.Schedule(id, here)
		},
		func(h *shadow, id calendar.ID) {
			h.Cancel(id)
			_ = h.Schedule(id, elsewhere)
			h.Cancel(id)
			_ = h.Reschedule(id, here)
		},
		func(h *shadow, id calendar.ID) {
			_ = h.Renumber(id, id+100)
			_ = h.Renumber(id+100, id)
		},
	}
	r := random(3)
	for i, move := range moves {
		h := s.short(0)
		for id := range calendar.ID(10) {
			_ = h.Schedule(id, here)
		}
		for k := range calendar.ID(200) {
			move(h, 4) // the same one over and over, with others between
			if k%3 == 0 {
				move(h, calendar.ID(r.IntN(10)))
			}
			if k%5 == 0 {
				_ = h.Schedule(200+k, here)
			}
			if k%7 == 0 {
				moves[r.IntN(len(moves))](h, calendar.ID(r.IntN(10)))
			}
			if i%2 == 0 {
				h.Peek()
			}
		}
		h.drain(-1)
	}
}

// oneInstant looks for scans that are linear in the number of equal times.
func oneInstant(s *suite) {
	h := s.long(0)
	n := s.size(120_000)
	ids := shuffled(n)
	for _, id := range ids {
		_ = h.Schedule(id, 1)
	}
	h.drain(n / 4)
	for i, id := range ids[:n/8] { // back at the same instant, half of them moved there once more
		_ = h.Schedule(id, 1)
		if i%2 == 0 {
			_ = h.Reschedule(id, 1)
		}
	}
	for _, id := range ids[n/2 : n/2+n/16] {
		h.Cancel(id)
	}
	h.drain(-1)
}

func cancel(s *suite) {
	n := s.size(300)
	orders := map[string]func() []calendar.ID{
		"ascending": func() []calendar.ID { return ascending(n) },
		"descending": func() []calendar.ID {
			ids := ascending(n)
			for i := range ids {
				ids[i] = calendar.ID(n - 1 - i)
			}
			return ids
		},
		"shuffled": func() []calendar.ID { return shuffled(n) },
	}
	for _, name := range []string{"ascending", "descending", "shuffled"} {
		ids := orders[name]()
		for _, keep := range []int{0, 1, n / 2} {
			h := s.short(0)
			for id := range n {
				_ = h.Schedule(calendar.ID(id), float64(id/3))
			}
			for _, id := range ids[keep:] {
				h.Cancel(id)
				h.Cancel(id)
			}
			h.Peek()
			for _, id := range ids[keep:] {
				_ = h.Schedule(id, float64(n-int(id)))
			}
			h.drain(n / 2)
			for _, id := range ids { // half of them were dispatched: cancelling those is refused
				h.Cancel(id)
			}
			h.drain(-1)
		}
	}
}

func ascending(n int) []calendar.ID {
	ids := make([]calendar.ID, n)
	for i := range ids {
		ids[i] = calendar.ID(i)
	}
	return ids
}

func reschedule(s *suite) {
	h := s.short(0)
	n := s.size(200)
	r := random(4)
	for id := range calendar.ID(n) { // not pending yet: as good as Schedule
		_ = h.Reschedule(id, 10*r.Float64())
	}
	for range s.ops(2000) {
		id := calendar.ID(r.IntN(n))
		at, ok := h.Due(id)
		switch {
		case !ok:
			_ = h.Reschedule(id, h.Now())
		case r.IntN(3) == 0:
			_ = h.Reschedule(id, at)
		case r.IntN(2) == 0:
			_ = h.Reschedule(id, at+r.ExpFloat64())
		default:
			_ = h.Reschedule(id, h.Now()+(at-h.Now())*r.Float64())
		}
		if r.IntN(4) == 0 {
			h.Next()
		}
	}
	h.drain(-1)
}

func renumber(s *suite) {
	h := s.short(0)
	n := s.size(200)
	r := random(5)
	pick := func() calendar.ID { return calendar.ID(r.IntN(n)) }
	for id := range calendar.ID(n / 2) {
		_ = h.Schedule(id, float64(r.IntN(20)))
	}
	for range s.ops(2000) {
		_ = h.Renumber(pick(), pick())
		if r.IntN(4) == 0 {
			id := pick()
			_ = h.Renumber(id, id)
		}
		if r.IntN(8) == 0 {
			hold(h, r)
		}
	}
	h.drain(-1)
}

// hold puts the earliest event off by a few whole steps.
func hold(h *shadow, r *rand.Rand) {
	if id, at, ok := h.Next(); ok {
		_ = h.Schedule(id, at+float64(r.IntN(10)))
	}
}
