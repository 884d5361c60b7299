package calendar

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// How many buckets: with M of them, an event that is a whole year of M days ahead lies in the same bucket as today's, and is
// looked at in vain. L_M is how many such events the current bucket has on average.

// tailIntegral is the integral of 1−F from a to b.
func (j Jump) tailIntegral(a, b float64) float64 {
	b = min(b, j.Support)
	if !(a < b) {
		return 0
	}
	return quad.Fixed(j.tail, a, b, 64, quad.Legendre{}, 0)
}

// years adds up a series over the years ahead, whose terms fall, until what is left of it does not matter.
func years(term func(year float64) float64) float64 {
	const enough = 1e-12
	sum := 0.0
	for year := 1.0; year < 1e7; year++ {
		t := term(year)
		sum += t
		if t <= enough*sum/max(1, year) || sum == 0 && year > 100 {
			break
		}
	}
	return sum
}

// ExcessBounds encloses L_M: how many entries of later years the current bucket has on average, with M buckets of a given width
// (Theorem 3.2).
func ExcessBounds(n, buckets int, jump Jump, width float64) (low, high float64, err error) {
	if err := firstOf(checkEvents(n), checkBuckets(buckets), jump.check(), positive("the width", width)); err != nil {
		return 0, 0, err
	}
	events, year := float64(n), float64(buckets)*width
	p := jump.hit(width)
	pi1 := years(func(k float64) float64 { return jump.tailIntegral(k*year, k*year+width) }) / jump.Mean
	// Π₂ is the largest over where in its bucket an event is; the function is smooth, and its largest value is found on a grid.
	const grid = 64
	pi2 := 0.0
	for i := range grid + 1 {
		y := width * float64(i) / grid
		pi2 = max(pi2, years(func(k float64) float64 { return jump.tail(k*year-y) - jump.tail(k*year+width-y) }))
	}
	share := jump.Mean / (jump.Mean + events*width)
	low = events * share * (events*p + 1 - p) * pi1
	tail := jump.tail(width)
	if tail == 0 {
		return low, math.Inf(1), nil
	}
	high = events * share * (tail*(events*p+1)*pi1 + p*(events*p+2-p)*pi2) / (tail * tail)
	return low, high, nil
}

// Excess is what L_M tends to when N grows while Nδ/μ and M/N stay: x·Σⱼ[1−F(j·M·δ)], with x = Nδ/μ (Corollary 3.1).
func Excess(n, buckets int, jump Jump, width float64) (float64, error) {
	if err := firstOf(checkEvents(n), checkBuckets(buckets), jump.check(), positive("the width", width)); err != nil {
		return 0, err
	}
	year := float64(buckets) * width
	return float64(n) * width / jump.Mean * years(func(k float64) float64 { return jump.tail(k * year) }), nil
}

// WithBuckets is what an event takes with M buckets, given what it takes with any number and the excess L_M:
// E + c·(μ+Nδ)/(Nδ)·L_M (Lemma 3.1).
func (k Costs) WithBuckets(n int, mean, width, unlimited, excess float64) (float64, error) {
	if err := firstOf(k.check(), checkEvents(n), positive("the mean of the jump", mean), positive("the width", width)); err != nil {
		return 0, err
	}
	x := float64(n) * width / mean
	return unlimited + k.Entry*(1+x)/x*excess, nil
}

// Degradation is ε_M, the share by which an event takes longer with M buckets of the best width than with any number, when N
// is large: the series of Corollary 3.2. The ratio is M/N.
func (k Costs) Degradation(ratio float64, jump Jump) (float64, error) {
	if err := firstOf(k.check(), positive("the ratio of buckets to events", ratio), jump.check()); err != nil {
		return 0, err
	}
	year := jump.Mean * math.Sqrt(2*k.Empty/k.Entry) * ratio
	return k.listShare() * years(func(j float64) float64 { return jump.tail(j * year) }), nil
}

// listShare is (c+√(2bc))/(c+√(2bc)+d).
func (k Costs) listShare() float64 {
	lists := k.Entry + math.Sqrt(2*k.Empty*k.Entry)
	return lists / (lists + k.Fixed)
}

// DegradationExponential is ε_M for exponential jumps, of which the series has a closed form (equation 3).
func (k Costs) DegradationExponential(ratio float64) (float64, error) {
	if err := firstOf(k.check(), positive("the ratio of buckets to events", ratio)); err != nil {
		return 0, err
	}
	return k.listShare() / math.Expm1(math.Sqrt(2*k.Empty/k.Entry)*ratio), nil
}

// DegradationBound is above ε_M whatever the jump is (Corollary 3.3).
func (k Costs) DegradationBound(ratio float64) (float64, error) {
	if err := firstOf(k.check(), positive("the ratio of buckets to events", ratio)); err != nil {
		return 0, err
	}
	return k.listShare() * math.Sqrt(k.Entry/(2*k.Empty)) / ratio, nil
}

// Buckets is the least number of buckets of the best width with which an event takes at most so much longer: 0.05 for five
// per cent. It inverts [Costs.Degradation].
func (k Costs) Buckets(n int, degradation float64, jump Jump) (int, error) {
	if err := firstOf(k.check(), checkEvents(n), positive("the degradation", degradation), jump.check()); err != nil {
		return 0, err
	}
	// Corollary 3.3 says where it is at the latest; the degradation falls with the number of buckets.
	bound := k.listShare() * math.Sqrt(k.Entry/(2*k.Empty)) / degradation
	low, high := 0, int(math.Ceil(bound*float64(n)))+1
	if err := refuseUnless(bound*float64(n) < maxStatic, "the degradation", degradation, "one that fewer than 2³¹ buckets can reach"); err != nil {
		return 0, err
	}
	for low+1 < high {
		m := (low + high) / 2
		e, err := k.Degradation(float64(m)/float64(n), jump)
		if err != nil {
			return 0, err
		}
		if e <= degradation {
			high = m
		} else {
			low = m
		}
	}
	return high, nil
}

// BucketsFor is the least number of buckets with which nothing is lost if no jump is longer than its support β:
// M ≥ β/δ + 1 (Theorem 3.1).
func BucketsFor(support, width float64) (int, error) {
	if err := firstOf(positive("the support of the jump", support), positive("the width", width)); err != nil {
		return 0, err
	}
	m := math.Ceil(support/width + 1)
	if err := refuseUnless(m <= maxStatic, "the support of the jump", support, "at most 2³¹ times the width"); err != nil {
		return 0, err
	}
	return int(m), nil
}
