package capped

import (
	"math"
	"math/bits"

	"github.com/almanac-sim/almanac/capped/internal/counts"
	"github.com/almanac-sim/almanac/internal/random"
)

// A source generates the arrivals.
type source struct {
	how  Arrivals
	bins int
	rate float64
	seed uint64

	whole    int    // Exact: ⌊λn⌋
	fraction uint64 // λn − ⌊λn⌋ in units of 2⁻⁶⁴
	carry    uint64 // the fraction of a ball that is due, in the same units
}

func newSource(c *Config) source {
	s := source{how: c.Arrivals, bins: c.Bins, rate: c.Rate, seed: c.Seed}
	s.whole, s.fraction = product(c.Rate, c.Bins)
	s.carry = 1 << 63 // half a ball: rounded to the nearest integer
	return s
}

// product returns rate·n, exact to 2⁻⁶⁴. A floating-point product would be rounded, and after many
// rounds the number of balls would be wrong.
func product(rate float64, n int) (whole int, fraction uint64) {
	mantissa, exponent := math.Frexp(rate) // rate = mantissa·2^exponent, mantissa in [½, 1)
	high, low := bits.Mul64(uint64(mantissa*(1<<53)), uint64(n))
	// high:low is the product times 2^(53 − exponent); the result is the product times 2⁶⁴.
	for shift := 53 - exponent; shift != 64; {
		if shift < 64 { // to the left
			high, low = high<<1|low>>63, low<<1
			shift++
		} else {
			if high|low == 0 {
				break
			}
			high, low = high>>1, low>>1|high<<63
			shift--
		}
	}
	return int(high), low
}

// batch returns the number of arrivals in round t.
func (s *source) batch(t int) int {
	switch s.how {
	case Binomial:
		r := random.New(s.seed, streamArrivals, uint64(t))
		return counts.Binomial(&r, s.bins, s.rate)
	case Poisson:
		r := random.New(s.seed, streamArrivals, uint64(t))
		return counts.Poisson(&r, s.rate*float64(s.bins))
	}
	var over uint64
	s.carry, over = bits.Add64(s.carry, s.fraction, 0)
	return s.whole + int(over)
}
