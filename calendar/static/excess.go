package static

import (
	"cmp"
	"math"
)

// How many buckets: with M of them, an event that is a whole year of M days ahead lies in the same
// bucket as today's, and is looked at in vain. L_M is how many such events the current bucket has
// on average.

// tailIntegral is the integral of 1−F from a to b.
func (j Jump) tailIntegral(a, b float64) float64 {
	b = min(b, j.Support, math.MaxFloat64)
	if !(a < b) {
		return 0
	}
	return j.integrate(a, b, rule(j.tail, a, b), 100)
}

// integrate halves the range as long as that changes the integral, which is whole over all of it:
// so it does at the kinks of a distribution, and nowhere else. If the distribution function is not
// a number there, neither is the integral.
//
// The rule must include both ends of a range. 1−F never rises, so it is constant between two places
// at which it is the same, and nothing can happen unseen between the places of the rule; but a rule
// that has no place at 0 would find 0 in a bucket that is far wider than all jumps are.
func (j Jump) integrate(a, b, whole float64, halvings int) float64 {
	middle := a + (b-a)/2
	left, right := rule(j.tail, a, middle), rule(j.tail, middle, b)
	// 1−F is no more exact than F is, which tells over a long range.
	if halvings == 0 || !(math.Abs(left+right-whole) > max(1e-13*j.Mean, 1e-15*(b-a))) {
		return left + right
	}
	return j.integrate(a, middle, left, halvings-1) + j.integrate(middle, b, right, halvings-1)
}

// ruleLen is how many intervals the rule has; it is even.
const ruleLen = 16

// Clenshaw and Curtis's rule from 0 to 1, which includes both ends: places (1−cos(kπ/n))/2 and
// weights c_k/2n·(1 − Σ_j b_j/(4j²−1)·cos(2jkπ/n)), where b and c are 2, but b is 1 for the last j,
// and c for the first and the last k.
var rulePlaces, ruleWeights = func() (x, w [ruleLen + 1]float64) {
	const n = ruleLen
	for k := range x {
		angle := math.Pi * float64(k) / n
		sum := 1.0
		for j := 1; j <= n/2; j++ {
			b := 2.0
			if j == n/2 {
				b = 1
			}
			sum -= b / float64(4*j*j-1) * math.Cos(2*float64(j)*angle)
		}
		x[k], w[k] = (1-math.Cos(angle))/2, sum/n
		if k == 0 || k == n {
			w[k] /= 2
		}
	}
	return x, w
}()

// rule is the integral of f from a to b by one application of the rule.
func rule(f func(float64) float64, a, b float64) float64 {
	sum := 0.0
	for k, x := range rulePlaces {
		sum += ruleWeights[k] * f(a+(b-a)*x)
	}
	return sum * (b - a)
}

// beyond is the integral of 1−F from a on, which must be above 0: pieces of double length until no
// more comes. With a finite mean there is an end, though a distant one if the tail is long.
func (j Jump) beyond(a float64) float64 {
	const enough = 1e-12
	sum := 0.0
	for pieces := 0; a < j.Support && isFinite(2*a); pieces++ {
		piece := j.tailIntegral(a, 2*a)
		sum += piece
		if piece <= enough*sum && a > j.Mean || pieces > 4000 {
			break
		}
		a *= 2
	}
	return sum
}

// years adds up a series over the years ahead: so many terms, and what is left of it from the
// integral, by the midpoint rule, which begins half a year after the last term. A long tail would
// take more years than anyone can wait for.
func (j Jump) years(length float64, term, rest func(year float64) float64) float64 {
	const some = 1000
	sum := 0.0
	for year := 1.0; year <= some; year++ {
		if j.tail((year-1)*length) == 0 {
			return sum // no jump is that long, and no term looks further back than a year
		}
		sum += term(year)
	}
	return sum + rest(some+0.5)
}

// laterYears is Σⱼ[1−F(j·year)], the series of Corollaries 3.1 and 3.2.
func (j Jump) laterYears(year float64) float64 {
	return j.years(year,
		func(k float64) float64 { return j.tail(k * year) },
		func(k float64) float64 { return j.beyond(k*year) / year })
}

// sameBucket is Π₁ of Theorem 3.2: the probability that an event is in the current bucket but in a
// later year, when that begins.
func (j Jump) sameBucket(year, width float64) float64 {
	return j.years(year,
		func(k float64) float64 { return j.tailIntegral(k*year, k*year+width) },
		func(k float64) float64 { return j.beyond(k*year+width/2) * width / year }) / j.Mean
}

// backInto is Π₂ of Theorem 3.2: the greatest probability that a jump from the current bucket leads
// into it again, in a later year. It depends on where in the bucket the jump begins, and its
// largest value is found on a grid.
func (j Jump) backInto(year, width float64) float64 {
	const grid = 64
	most := 0.0
	for i := range grid + 1 {
		y := width * float64(i) / grid
		most = max(most, j.years(year,
			func(k float64) float64 { return j.tail(k*year-y) - j.tail(k*year+width-y) },
			func(k float64) float64 { return j.tail(k*year+width/2-y) * width / year }))
	}
	return most
}

// ExcessBounds encloses L_M: how many entries of later years the current bucket has on average,
// with M buckets of a given width (Theorem 3.2).
func ExcessBounds(n, buckets int, jump Jump, width float64) (low, high float64, err error) {
	if err := cmp.Or(checkEvents(n), checkBuckets(buckets), jump.check(), positive("the width", width)); err != nil {
		return 0, 0, err
	}
	events, year := float64(n), float64(buckets)*width
	share := jump.Mean / (jump.Mean + events*width)
	p, pi1, pi2 := jump.hit(width), jump.sameBucket(year, width), jump.backInto(year, width)
	low = events * share * (events*p + 1 - p) * pi1
	tail := jump.tail(width)
	if tail == 0 {
		return low, math.Inf(1), nil
	}
	high = events * share * (tail*(events*p+1)*pi1 + p*(events*p+2-p)*pi2) / (tail * tail)
	return low, high, nil
}

// Excess is what L_M tends to when N grows while Nδ/μ and M/N stay: x·Σⱼ[1−F(j·M·δ)], with x = Nδ/μ
// (Corollary 3.1).
func Excess(n, buckets int, jump Jump, width float64) (float64, error) {
	if err := cmp.Or(checkEvents(n), checkBuckets(buckets), jump.check(), positive("the width", width)); err != nil {
		return 0, err
	}
	return float64(n) * width / jump.Mean * jump.laterYears(float64(buckets)*width), nil
}

// WithBuckets is what an event takes with M buckets, given what it takes with any number and the
// excess L_M: E + c·(μ+Nδ)/(Nδ)·L_M (Lemma 3.1).
func (k Costs) WithBuckets(n int, mean, width, unlimited, excess float64) (float64, error) {
	if err := cmp.Or(k.check(), checkEvents(n), positive("the mean of the jump", mean), positive("the width", width),
		refuseUnless(unlimited >= 0, "the time with any number of buckets", unlimited, "not negative"),
		refuseUnless(excess >= 0, "the excess", excess, "not negative")); err != nil {
		return 0, err
	}
	x := float64(n) * width / mean
	return unlimited + k.Entry*(1+x)/x*excess, nil
}

// Degradation is ε_M, the share by which an event takes longer with M buckets of the best width
// than with any number, when N is large: the series of Corollary 3.2. The ratio is M/N.
func (k Costs) Degradation(ratio float64, jump Jump) (float64, error) {
	if err := cmp.Or(k.check(), positive("the ratio of buckets to events", ratio), jump.check()); err != nil {
		return 0, err
	}
	year := jump.Mean * math.Sqrt(2*k.Empty/k.Entry) * ratio
	return k.listShare() * jump.laterYears(year), nil
}

// listShare is (c+√(2bc))/(c+√(2bc)+d).
func (k Costs) listShare() float64 {
	lists := k.Entry + math.Sqrt(2*k.Empty*k.Entry)
	return lists / (lists + k.Fixed)
}

// DegradationExponential is ε_M for exponential jumps, of which the series has a closed form
// (equation 3).
func (k Costs) DegradationExponential(ratio float64) (float64, error) {
	if err := cmp.Or(k.check(), positive("the ratio of buckets to events", ratio)); err != nil {
		return 0, err
	}
	return k.listShare() / math.Expm1(math.Sqrt(2*k.Empty/k.Entry)*ratio), nil
}

// DegradationBound is above ε_M whatever the jump is (Corollary 3.3).
func (k Costs) DegradationBound(ratio float64) (float64, error) {
	if err := cmp.Or(k.check(), positive("the ratio of buckets to events", ratio)); err != nil {
		return 0, err
	}
	return k.listShare() * math.Sqrt(k.Entry/(2*k.Empty)) / ratio, nil
}

// Buckets is the least number of buckets of the best width with which an event takes at most so
// much longer: 0.05 for five per cent. It inverts [Costs.Degradation].
func (k Costs) Buckets(n int, degradation float64, jump Jump) (int, error) {
	if err := cmp.Or(k.check(), checkEvents(n), positive("the degradation", degradation), jump.check()); err != nil {
		return 0, err
	}
	// Corollary 3.3 says where it is at the latest; the degradation falls with the number of
	// buckets.
	bound := math.Ceil(k.listShare() * math.Sqrt(k.Entry/(2*k.Empty)) / degradation * float64(n))
	low, high := 0, maxSize
	if bound+1 < maxSize {
		high = int(bound) + 1
	} else { // or the bound is not a number, since the costs are too large or too far apart
		// A jump with a shorter tail than the worst may do with fewer.
		if e, err := k.Degradation(maxSize/float64(n), jump); err != nil || !(e <= degradation) {
			return 0, cmp.Or(err, refuseUnless(false, "the degradation", degradation,
				"one that fewer than 2³¹ buckets can reach"))
		}
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

// BucketsFor is the least number of buckets with which nothing is lost if no jump is longer than
// its support β: M ≥ β/δ + 1 (Theorem 3.1).
func BucketsFor(support, width float64) (int, error) {
	if err := cmp.Or(positive("the support of the jump", support), positive("the width", width)); err != nil {
		return 0, err
	}
	m := math.Ceil(support/width + 1)
	if err := refuseUnless(m <= maxSize, "the support of the jump", support, "at most 2³¹ times the width"); err != nil {
		return 0, err
	}
	return int(m), nil
}
