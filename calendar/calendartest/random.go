package calendartest

import (
	"math"
	"math/rand/v2"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// A timing draws times for random runs, mostly at or after now; what is not is refused, which is to
// be compared as well.
type timing struct {
	name  string
	start float64
	draw  func(r *rand.Rand, now float64) float64
}

var timings = []timing{
	{"Exponential", 0, func(r *rand.Rand, now float64) float64 { return now + r.ExpFloat64() }},
	{"Grid", 0, func(r *rand.Rand, now float64) float64 { return now + float64(r.IntN(9))/4 }},
	{"Tenths", -20, func(r *rand.Rand, now float64) float64 { return math.Ceil(now*10+float64(r.IntN(30))) * 0.1 }},
	{"Thirds", 0, func(r *rand.Rand, now float64) float64 { return math.Ceil(now*3+float64(r.IntN(30))) / 3 }},
	{"Neighbours", 0.1, func(r *rand.Rand, now float64) float64 { return timekey.Time(timekey.Of(now) + r.Uint64N(200)) }},
	{"Outliers", 0, func(r *rand.Rand, now float64) float64 {
		jump := r.ExpFloat64()
		if r.IntN(1000) == 0 {
			jump *= 1e6
		}
		return now + jump
	}},
	{"Scales", 0, func(r *rand.Rand, now float64) float64 { return now + math.Pow(10, float64(r.IntN(40)-25)) }},
	// Uniform in the bits: from the most negative number through the subnormals to the largest, at
	// every distance.
	{"Bits", -math.MaxFloat64, func(r *rand.Rand, now float64) float64 {
		far := r.Uint64() >> r.IntN(64)
		return timekey.Time(timekey.Of(now) + min(far, timekey.Last-timekey.Of(now)))
	}},
}

func randomCases() []testCase {
	var all []testCase
	for i, t := range timings {
		all = append(all, testCase{"Random" + t.name, func(s *suite) {
			r := random(uint64(100 + i))
			randomRun(s.short(t.start), r, t, 40, s.ops(3000))
			randomRun(s.long(t.start), r, t, s.size(6000), s.ops(40_000))
		}})
	}
	return all
}

// randomRun calls everything at random, in turns of growing and shrinking so that the set is now
// full and now empty.
func randomRun(h *shadow, r *rand.Rand, t timing, ids, ops int) {
	pick := func() calendar.ID { return calendar.ID(r.IntN(ids)) }
	turn := max(50, ops/8)
	for i := range ops {
		next := 50 // while growing
		if i/turn%2 == 1 {
			next = 95
		}
		switch k := r.IntN(100); {
		case k < 3:
			h.Peek()
		case k < 6:
			h.Due(pick())
		case k < 8:
			_ = h.Schedule(pick(), invalid(r, h.Now()))
		case k < 10:
			_ = h.Reschedule(pick(), invalid(r, h.Now()))
		case k < 15:
			_ = h.Renumber(pick(), pick())
		case k < 20:
			h.Cancel(pick())
		case k < 35:
			_ = h.Reschedule(pick(), t.draw(r, h.Now()))
		case k < next:
			h.Next()
		default:
			_ = h.Schedule(pick(), t.draw(r, h.Now()))
		}
	}
	for id := range calendar.ID(ids) {
		h.Due(id)
	}
	h.drain(-1)
}

// invalid draws a time that is refused.
func invalid(r *rand.Rand, now float64) float64 {
	switch r.IntN(5) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1)
	case 2:
		return math.Inf(-1)
	case 3:
		return math.Nextafter(now, math.Inf(-1))
	default:
		return now - 1 - math.Abs(now)
	}
}
