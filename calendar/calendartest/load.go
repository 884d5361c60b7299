package calendartest

import "github.com/almanac-sim/almanac/calendar"

// growShrink goes from ten events to a hundred thousand and back, twice, so that structures resize
// both ways.
func growShrink(s *suite) {
	d, _ := ByName("exponential")
	j := NewJumps(d, 10, 8)
	h := s.long(0)
	s.must(GrowShrink(h, 10, s.size(100_000), j))
	s.must(GrowShrink(h, 1, s.size(3000), j))
	h.drain(-1)
}

// sparse has hardly any events and giant gaps, where a calendar walks over empty buckets without
// end.
func sparse(s *suite) {
	r := random(9)
	gaps := []float64{1e-9, 1, 1e12, 1e-3, 1e6}
	for _, n := range []int{1, 2, 3, 5} {
		h := s.short(0)
		for id := range calendar.ID(n) {
			_ = h.Schedule(id, gaps[r.IntN(len(gaps))])
		}
		for i := range s.ops(1500) {
			if i%3 == 0 {
				h.Peek()
			}
			id, at, _ := h.Next()
			_ = h.Schedule(id, at+gaps[r.IntN(len(gaps))]*r.Float64())
			if i%100 == 0 { // empty for a moment
				h.drain(-1)
				for id := range calendar.ID(n) {
					_ = h.Schedule(id, h.Now()+r.Float64())
				}
			}
		}
		h.drain(-1)
	}
}

// zeroDelay lets events return at the instant they left: the clock must not move on while they do.
func zeroDelay(s *suite) {
	r := random(10)
	n := s.size(300)
	h := s.short(0)
	for id := range calendar.ID(n) {
		_ = h.Schedule(id, float64(r.IntN(10)))
	}
	for range s.ops(3000) {
		id, at, _ := h.Next()
		if r.IntN(10) == 0 {
			at += float64(r.IntN(10))
		}
		if r.IntN(2) == 0 {
			_ = h.Schedule(id, at)
		} else {
			_ = h.Reschedule(id, at)
		}
	}
	h.drain(-1)
}

// heavyCancellation cancels half of what is scheduled, and for a while all but a few, so that stale
// entries must be reclaimed.
func heavyCancellation(s *suite) {
	r := random(11)
	n := s.size(3000)
	h := s.long(0)
	for range 6 {
		for id := range calendar.ID(n) {
			_ = h.Schedule(id, h.Now()+r.ExpFloat64())
		}
		for range s.ops(n) {
			id := calendar.ID(r.IntN(n))
			if h.Cancel(id) && r.IntN(2) == 0 {
				_ = h.Schedule(id, h.Now()+r.ExpFloat64())
			}
			if r.IntN(3) == 0 {
				h.Next()
			}
		}
		for id := range calendar.ID(n - 5) {
			h.Cancel(id)
		}
		for range s.ops(n) { // a handful, moved again and again
			_ = h.Reschedule(calendar.ID(n-1-r.IntN(5)), h.Now()+1e3*r.ExpFloat64())
		}
		h.drain(3)
	}
	h.drain(-1)
}

// workloads runs what the benchmarks run.
func workloads(s *suite) {
	n, ops := s.size(1000), s.ops(3000)
	for _, d := range Distributions() {
		h := s.long(0)
		j := NewJumps(d, n, 12)
		s.must(Fill(h, n, j))
		s.must(Hold(h, ops, j))
		s.must(HoldCancel(h, ops, n, j))
		s.must(HoldReschedule(h, ops, n, j))
		s.must(cancels(h, ops, n, j))
		s.must(reschedules(h, ops, n, j))
		s.must(Hold(h, ops, j))
		s.must(GrowShrink(h, n/2, n+n/2, j))
		h.drain(-1)
	}
}
