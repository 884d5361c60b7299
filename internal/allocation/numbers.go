package allocation

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/detmath"
)

// ParseNumber reads a decimal, as 0.99 or 1e-3, a power, as 2^-10, or a fraction, as 1/1024. What
// is none is NaN.
func ParseNumber(s string) float64 {
	decimal := func(s string) float64 {
		x, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(s), "_", ""), 64)
		if err != nil {
			return math.NaN()
		}
		return x
	}
	if base, exponent, ok := strings.Cut(s, "^"); ok {
		return detmath.Pow(decimal(base), decimal(exponent))
	}
	if over, under, ok := strings.Cut(s, "/"); ok {
		return decimal(over) / decimal(under)
	}
	return decimal(s)
}

// ParseWhole reads a whole number of something.
func ParseWhole(s, what string, least, most float64) (int, error) {
	x := ParseNumber(s)
	if !(x >= least && x <= most) || x != math.Trunc(x) {
		return 0, fmt.Errorf("%q is not a number of %s; wanted is a whole number from %.0f to %.0f, as 3, 1e6 or 2^20", s,
			what, least, most)
	}
	return int(x), nil
}

// leastRate is the smallest rate that is run. Below it all the rounds that there may be are not
// likely to have a ball.
const leastRate = 1e-30

// ParseRate reads a rate: a number, or 1- and a number. A minus sign may be the one that prose has.
func ParseRate(s string, kind capped.Kind) (float64, error) {
	rate := 0.0
	written := strings.ReplaceAll(strings.TrimSpace(s), "−", "-")
	rest, near := strings.CutPrefix(written, "1-")
	if near {
		rate = 1 - ParseNumber(rest)
	} else {
		rate = ParseNumber(written)
	}
	if kind == capped.Threshold {
		if !(rate > 0) || math.IsInf(rate, 1) {
			return 0, fmt.Errorf("%q is not a number of balls per bin; wanted is a number above 0, as 1, 0.99 or 8", s)
		}
		return rate, nil
	}
	const wanted = "wanted is a number above 0 and below 1, as 0.99, 1-2^-10, 1-1/1024 or 1-1e-3"
	switch {
	case math.IsNaN(rate):
		return 0, fmt.Errorf("%q is not a rate; %s", s, wanted)
	case rate == 1 && near && ParseNumber(rest) > 0:
		return 0, fmt.Errorf("%q is too near to 1 to be told from it; the nearest that can is 1-2^-53", s)
	case rate >= 1:
		return 0, fmt.Errorf("%q brings as many balls as the bins can delete, or more, and the pool would grow forever; %s",
			s, wanted)
	case !(rate >= leastRate):
		return 0, fmt.Errorf("%q brings no balls; %s", s, wanted)
	}
	return rate, nil
}
