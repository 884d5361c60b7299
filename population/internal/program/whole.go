package program

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/lookup"
)

// A Whole is a distribution of whole numbers: how many individuals enter together. A draw takes one
// uniform number and a search in a table.
type Whole struct {
	First int       // the least number
	Sums  []float64 // the cumulative probabilities of First, First+1, and so on; nil if it is always First
}

// Pick returns the number at which the cumulative probability first exceeds u, from [0, 1).
func (w *Whole) Pick(u float64) int {
	if w.Sums == nil {
		return w.First
	}
	return w.First + lookup.SearchCumulative(w.Sums, u)
}

// Fixed reports whether it is always the same number.
func (w *Whole) Fixed() bool { return len(w.Sums) < 2 }

// Mean returns the expected number.
func (w *Whole) Mean() float64 {
	mean, before := float64(w.First), 0.0
	for k, upTo := range w.Sums {
		upTo = min(1, upTo) // that of the last is +Inf
		mean, before = mean+float64(float64(k)*(upTo-before)), upTo
	}
	return mean
}

// WholeShares returns the distribution with the given probabilities of first, first+1, and so on.
func WholeShares(first int, shares []float64) Whole {
	return Whole{first, lookup.CumulativeShares(shares)}
}

// MaxWholeTable limits how many numbers a distribution of whole numbers has.
const MaxWholeTable = 1 << 20

// WholePoisson returns the Poisson distribution with a mean, given that the number is between least
// and most. It reports false if the table is too large.
func WholePoisson(mean float64, least, most int) (Whole, bool) {
	next := func(n float64) float64 { return mean / (n + 1) }
	return fromRatios(math.Floor(mean), least, most, 0, next)
}

// WholeNegativeBinomial returns the negative binomial distribution with mean m and variance m +
// m²/k, given that the number is between least and most. It reports false if the table is too
// large.
func WholeNegativeBinomial(m, k float64, least, most int) (Whole, bool) {
	ratio := m / (m + k)
	next := func(n float64) float64 { return (n + k) / (n + 1) * ratio }
	return fromRatios(math.Floor(max(0, (k-1)*m/k)), least, most, ratio, next)
}

// fromRatios returns the distribution whose probabilities at n+1 and n have the ratio next(n),
// between least and most. Its mode is given. Beyond it next falls, or rises to limit, which is
// below 1.
//
// The weights begin at the mode, or at the number next to it that is allowed, and go outwards until
// all that are left out have less than 10⁻¹⁷ of the whole, which no draw could tell.
func fromRatios(mode float64, least, most int, limit float64, next func(n float64) float64) (Whole, bool) {
	const negligible = 1e-17
	middle := int(min(max(mode, float64(least)), float64(most)))
	up, sum := []float64{1}, 1.0 // from middle on
	for n, w := middle, 1.0; n < most; n++ {
		r := next(float64(n))
		w = float64(w * r)
		if tail := max(r, limit); w == 0 || tail < 1 && w < negligible*sum*(1-tail) {
			break
		}
		if up, sum = append(up, w), sum+w; len(up) > MaxWholeTable {
			return Whole{}, false
		}
	}
	var down []float64 // from middle−1 downwards
	for n, w := middle-1, 1.0; n >= least; n-- {
		r := next(float64(n))
		w /= r
		if r > 1 && w < negligible*sum*(1-1/r) {
			break
		}
		if down, sum = append(down, w), sum+w; len(down) > MaxWholeTable {
			return Whole{}, false
		}
	}
	shares := make([]float64, 0, len(down)+len(up))
	for i := len(down) - 1; i >= 0; i-- {
		shares = append(shares, down[i]/sum)
	}
	for _, w := range up {
		shares = append(shares, w/sum)
	}
	return WholeShares(middle-len(down), shares), true
}
