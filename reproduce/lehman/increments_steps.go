package lehman

import "math"

// A steps is what is known of increments: their number, sum, squares and extremes, and how many are longer than so many means.
type steps struct {
	last         float64
	n, sum, sum2 float64
	least, most  float64
	beyond       [tailSteps]float64
}

// The tail is looked at from 0 to 6 means.
const (
	tailStep  = 0.25
	tailSteps = 25
)

// add counts an event; scale is how many events there are in a unit of time.
func (s *steps) add(at, scale float64) {
	d := at - s.last
	s.last = at
	s.n++
	s.sum += d
	s.sum2 += d * d
	s.least, s.most = min(s.least, d), max(s.most, d)
	for k := 0; k < tailSteps && d*scale > tailStep*float64(k); k++ {
		s.beyond[k]++
	}
}

// A stream is the events of one replica: as they come, and with regular ones among them.
type stream struct {
	random, mixed steps
	rate          float64 // of the random events, a year, in the five years before measuring begins
	gap           float64 // between regular events, in means of all increments
	regular       int     // how many of these there were
}

// newStream has regular events with a gap of so many means of all increments.
func newStream(gap float64) stream {
	s := stream{gap: gap}
	s.random.least, s.mixed.least = math.Inf(1), math.Inf(1)
	return s
}

// add counts an event of the model, and the regular ones that come before it.
func (s *stream) add(at float64) {
	if at < incrementsFrom {
		if at >= incrementsFrom-5 {
			s.rate += 1.0 / 5
		}
		s.random.last, s.mixed.last = at, incrementsFrom // a regular event, after which measuring begins
		return
	}
	s.random.add(at, s.rate)
	// A gap of g means of all increments has g events, one of them regular: g−1 at random. So it is (g−1)/rate years, and all events have the rate
	// g/(g−1) of the random ones.
	years, all := (s.gap-1)/s.rate, s.rate*s.gap/(s.gap-1)
	for {
		next := incrementsFrom + float64(s.regular+1)*years
		if next > at {
			break
		}
		s.regular++
		s.mixed.add(next, all)
	}
	s.mixed.add(at, all)
}
