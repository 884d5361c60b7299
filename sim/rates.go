package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/almanac-sim/almanac/internal/random"
)

// A RateTable is a rate that changes at given times: so many in an hour from eight to nine, so many from nine to ten.
//
//	table, err := sim.NewRateTable([]float64{0, 8, 12, 18}, []float64{0, 20, 35, 0}, 24)
//	s.Arrive(table.Poisson(s.Stream("customers")), arrive)
type RateTable struct {
	from   []float64
	rates  []float64
	period float64   // +∞ if it does not repeat itself
	before []float64 // the integral of the rate up to each time, and up to the period
}

// NewRateTable is the table in which each rate holds from its time to the next, and the last one up to the period, when it begins again.
// With a period of 0 it does not: the last rate holds for ever, and before the first time the rate is 0. With a period the first
// time must be 0.
func NewRateTable(from, rates []float64, period float64) (*RateTable, error) {
	if len(from) == 0 || len(from) != len(rates) {
		return nil, fmt.Errorf("sim: a table of %d times and %d rates; there must be as many of both, and at least one", len(from), len(rates))
	}
	for i := range from {
		if !finite(from[i]) || i > 0 && !(from[i] > from[i-1]) {
			return nil, fmt.Errorf("sim: time %d of the table is %g; times must be finite, and each after the one before", i, from[i])
		}
		if !(rates[i] >= 0 && finite(rates[i])) {
			return nil, fmt.Errorf("sim: the rate from %g on is %g; it must be finite, and not negative", from[i], rates[i])
		}
	}
	t := &RateTable{from: slices.Clone(from), rates: slices.Clone(rates), period: math.Inf(1)}
	if period != 0 {
		if last := from[len(from)-1]; !(period > last) || !finite(period) || from[0] != 0 {
			return nil, fmt.Errorf("sim: a table from %g to %g with a period of %g; it must begin at 0, and end before the period does",
				from[0], last, period)
		}
		t.period = period
	}
	sum := 0.0
	for i := range from {
		t.before = append(t.before, sum)
		if end := t.end(i); !math.IsInf(end, 1) {
			sum += float64(rates[i] * (end - from[i]))
		}
	}
	t.before = append(t.before, sum)
	return t, nil
}

// end is when the i-th rate ends.
func (t *RateTable) end(i int) float64 {
	if i+1 < len(t.from) {
		return t.from[i+1]
	}
	return t.period
}

// piece is the number of the rate that holds at a time, −1 before the first, and when the table last began.
func (t *RateTable) piece(at float64) (i int, base float64) {
	if !math.IsInf(t.period, 1) {
		k := math.Floor(at / t.period)
		if base = k * t.period; base > at { // the quotient was rounded up
			base = (k - 1) * t.period
		} else if next := (k + 1) * t.period; next <= at { // or down
			base = next
		}
	}
	i = sort.Search(len(t.from), func(i int) bool { return base+t.from[i] > at }) - 1
	return i, base
}

// Rate is the rate at a time.
func (t *RateTable) Rate(at float64) float64 {
	if i, _ := t.piece(at); i >= 0 {
		return t.rates[i]
	}
	return 0
}

// Expected is how many come on average from one time to a later one.
func (t *RateTable) Expected(from, to float64) float64 { return t.integral(to) - t.integral(from) }

// integral is that of the rate up to a time, from 0 if there is a period, and from the first time if there is none.
func (t *RateTable) integral(at float64) float64 {
	i, base := t.piece(at)
	if i < 0 {
		return 0
	}
	sum := t.before[i] + float64(t.rates[i]*(at-base-t.from[i]))
	if base != 0 {
		sum += float64(math.Round(base/t.period) * t.before[len(t.from)])
	}
	return sum
}

// Poisson are arrivals at the rate of the table. It is exact: what is between two arrivals, in units of the integral of the rate, is
// exponential with mean 1.
func (t *RateTable) Poisson(r *rand.Rand) Arrivals {
	return source(func(after float64) (float64, bool) {
		left := random.Exponential(r)
		i, base := t.piece(after)
		at := after
		if i < 0 {
			i, at = 0, t.from[0]
		}
		for whole := t.before[len(t.from)]; ; {
			end := base + t.end(i)
			if gain := float64(t.rates[i] * (end - at)); t.rates[i] > 0 && left <= gain {
				return max(after, min(at+left/t.rates[i], end)), true
			} else if math.IsInf(end, 1) {
				return 0, false // the last rate is 0
			} else if gain > 0 {
				left -= gain
			}
			at = end
			if i++; i < len(t.from) {
				continue
			}
			if whole == 0 {
				return 0, false
			}
			before := base
			i, base = 0, base+t.period
			if rounds := math.Floor(left / whole); rounds > 0 { // nobody comes for so long
				base += float64(rounds * t.period)
				left -= float64(rounds * whole)
			}
			if at = base; at > maxTime {
				return 0, false
			}
			if !(base > before) {
				panic(fmt.Sprintf("sim: RateTable with a period of %g does not move the clock at %g", t.period, after))
			}
		}
	})
}
