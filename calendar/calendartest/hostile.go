package calendartest

import (
	"math"

	"github.com/almanac-sim/almanac/calendar"
)

// hostileTimes takes every scale that a float64 has, from every start.
func hostileTimes(s *suite) {
	times := []float64{
		0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, 3 * math.SmallestNonzeroFloat64, 0x1p-1022,
		0x1.fffffffffffffp-1023,
		1e-300, 1e-100, 1e-9, 0.1, 1, math.Pi, 1 << 31, 1 << 32, 1<<53 - 1, 1 << 53, 1<<53 + 2, 1 << 62, 1 << 63, 1 << 64,
		1e100, 1e300, math.MaxFloat64, math.Nextafter(math.MaxFloat64, 0),
	}
	for _, at := range times[:len(times):len(times)] {
		times = append(times, -at)
	}
	for _, start := range times {
		h := s.short(start)
		for i, k := range shuffled(2 * len(times)) { // every one twice; those before the start are refused
			_ = h.Schedule(calendar.ID(i), times[int(k)%len(times)])
		}
		for h.Len() > 0 {
			id, at, _ := h.Next()
			if id >= 1000 { // came from below
				continue
			}
			if id < 1000 && id%4 == 0 { // twice as far, which is at once for zero and beyond the end for the largest
				_ = h.Schedule(id+1000, at+math.Abs(at))
			}
			if id < 1000 && id%8 == 0 {
				h.Peek()
				_ = h.Schedule(id+2000, math.Nextafter(at, math.Inf(1)))
			}
		}
		h.drain(-1)
	}
}

// minusZero looks for a zero that sorts before another, or that comes back with its sign.
func minusZero(s *suite) {
	zero, minus := 0.0, math.Copysign(0, -1)
	for _, start := range []float64{zero, minus, -1} {
		h := s.short(start)
		for id := range calendar.ID(20) {
			if id%3 == 0 {
				_ = h.Schedule(id, zero)
			} else {
				_ = h.Schedule(id, minus)
			}
		}
		_ = h.Reschedule(3, minus)
		_ = h.Reschedule(4, zero)
		h.Peek()
		h.Next()
		_ = h.Schedule(50, minus) // the clock stands at zero by now: not the past
		h.drain(-1)
	}
}

// neighbours sets events one unit in the last place apart, where no bucket width can separate them
// by arithmetic.
func neighbours(s *suite) {
	const n = 64
	for _, from := range []float64{0, 1, 0.1, -1, -32 * math.SmallestNonzeroFloat64, 1e-300, 1e300, 1e15, 0x1p53,
		1 - 0x1p-48, math.Pi} {
		times := []float64{from}
		for len(times) < n {
			times = append(times, math.Nextafter(times[len(times)-1], math.Inf(1)))
		}
		h := s.short(from)
		for i, k := range shuffled(2 * n) {
			_ = h.Schedule(calendar.ID(i), times[int(k)%n])
		}
		_ = h.Schedule(3*n, from+1) // something far, so that a width has to be chosen
		for i := range calendar.ID(n) {
			id, at, _ := h.Next()
			if i%2 == 0 {
				_ = h.Schedule(id, math.Nextafter(at, math.Inf(1)))
			}
		}
		h.drain(-1)
	}
}

// bucketEdges sets events exactly on, just before and just after multiples of widths that a float64
// cannot represent, once by multiplication and once by adding up, which drift apart.
func bucketEdges(s *suite) {
	for _, width := range []float64{0.1, 1.0 / 3, 1e-3, 1, 0.7e-6} {
		for _, start := range []float64{0, -50 * width} {
			h := s.short(start)
			id := calendar.ID(0)
			add := func(at float64) {
				_ = h.Schedule(id, at)
				id++
			}
			sum := start
			for i := range 120 {
				edge := start + float64(i)*width
				add(edge)
				add(sum)
				add(math.Nextafter(edge, math.Inf(1)))
				add(math.Nextafter(edge, math.Inf(-1)))
				sum += width
			}
			for range 240 { // from edge to edge
				next, at, _ := h.Next()
				_ = h.Schedule(next, at+width)
				if next%7 == 0 {
					_ = h.Reschedule(next, at+3*width)
				}
			}
			h.drain(-1)
		}
	}
}

// scaleSwitches keeps the number of events constant while their scale changes by ten orders of
// magnitude and back, so that a width that is estimated only when the number changes stays wrong.
// Going down, most jumps are lost in rounding.
func scaleSwitches(s *suite) {
	r := random(7)
	for _, n := range []int{10, s.size(2000)} {
		h := s.long(0)
		for id := range calendar.ID(n) {
			_ = h.Schedule(id, r.ExpFloat64())
		}
		for _, scale := range []float64{1, 1e-10, 1, 1e10, 1, 1e-10, 1e20, 1e30} {
			for range s.ops(2 * n) {
				id, at, _ := h.Next()
				_ = h.Schedule(id, at+scale*r.ExpFloat64())
			}
		}
		h.drain(-1)
	}
}
