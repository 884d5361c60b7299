package static

import (
	"cmp"
	"fmt"
	"math"
)

// refuseUnless tells what is wrong with an argument.
func refuseUnless(good bool, name string, got any, want string) error {
	if good {
		return nil
	}
	return fmt.Errorf("static: %s is %v, must be %s", name, got, want)
}

func positive(name string, x float64) error {
	return refuseUnless(x > 0 && isFinite(x), name, x, "positive and finite")
}

func checkEvents(n int) error { return refuseUnless(n >= 1, "the number of events", n, "1 or more") }

func checkBuckets(m int) error { return refuseUnless(m >= 1, "the number of buckets", m, "1 or more") }

// check refuses costs that are not those of a calendar.
func (k Costs) check() error {
	return cmp.Or(positive("Costs.Empty", k.Empty), positive("Costs.Entry", k.Entry),
		refuseUnless(k.Fixed >= 0 && isFinite(k.Fixed), "Costs.Fixed", k.Fixed, "finite and not negative"))
}

// check refuses jumps that are not distributions of times.
func (j Jump) check() error {
	if err := cmp.Or(positive("Jump.Mean", j.Mean), refuseUnless(j.Support > 0, "Jump.Support", j.Support,
		"positive, +Inf if there is no bound")); err != nil {
		return err
	}
	return refuseUnless(j.CDF != nil, "Jump.CDF", "nil", "a distribution function")
}

// tail is 1−F.
func (j Jump) tail(x float64) float64 {
	if x < 0 {
		return 1
	}
	return min(1, max(0, 1-j.CDF(x)))
}

// ExponentialJump is the jump with density e^(−x/μ)/μ.
func ExponentialJump(mean float64) Jump {
	return Jump{Mean: mean, Support: math.Inf(1), CDF: func(x float64) float64 { return -math.Expm1(-max(x, 0) / mean) }}
}

// UniformJump is the jump that is uniform between 0 and twice its mean.
func UniformJump(mean float64) Jump {
	return Jump{Mean: mean, Support: 2 * mean, CDF: func(x float64) float64 { return min(1, max(0, x/(2*mean))) }}
}

// EmptyShare is q₀ = μ/(μ+Nδ), the share of visits to a bucket that find it empty (equation 8).
func EmptyShare(n int, mean, width float64) (float64, error) {
	if err := cmp.Or(checkEvents(n), positive("the mean of the jump", mean), positive("the width", width)); err != nil {
		return 0, err
	}
	return mean / (mean + float64(n)*width), nil
}

// Width is δ_opt = √(2b/c)·μ/N, the width at which an event takes least (Theorem 2.2). Its error is
// O(N^(−3/2)).
func (k Costs) Width(n int, mean float64) (float64, error) {
	if err := cmp.Or(k.check(), checkEvents(n), positive("the mean of the jump", mean)); err != nil {
		return 0, err
	}
	return math.Sqrt(2*k.Empty/k.Entry) * mean / float64(n), nil
}

// Least is E_min = c + √(2bc) + d, what an event takes at the best width with any number of buckets
// (Theorem 2.2). Its error is O(1/N).
func (k Costs) Least() (float64, error) {
	if err := k.check(); err != nil {
		return 0, err
	}
	return k.Entry + math.Sqrt(2*k.Empty*k.Entry) + k.Fixed, nil
}

// PerEvent is about what an event takes with any number of buckets of a given width: b/x + c(1 +
// x(1−1/N)/2) + d, with x = Nδ/μ (the function h of section A.5, and the journal's theorem on any
// width). It is linear in the costs.
func (k Costs) PerEvent(n int, mean, width float64) (float64, error) {
	if err := cmp.Or(k.check(), checkEvents(n), positive("the mean of the jump", mean),
		positive("the width", width)); err != nil {
		return 0, err
	}
	perB, perC := perEvent(n, mean, width)
	return k.Empty*perB + k.Entry*perC + k.Fixed, nil
}

// perEvent is how many empty buckets are visited and how many entries looked at for each event,
// about.
func perEvent(n int, mean, width float64) (empty, entries float64) {
	x := float64(n) * width / mean
	return 1 / x, 1 + x*(1-1/float64(n))/2
}

// PerEventBounds encloses what an event takes with any number of buckets of a given width: the
// inequalities of section A.5 that come from (15) and (16). They hold exactly, for every N and
// every jump with a density, and lie a factor of 1−F(δ) apart in what depends on the lists.
func (k Costs) PerEventBounds(n int, jump Jump, width float64) (low, high float64, err error) {
	if err := cmp.Or(k.check(), checkEvents(n), jump.check(), positive("the width", width)); err != nil {
		return 0, 0, err
	}
	empty := jump.Mean / (jump.Mean + float64(n)*width)
	p := jump.hit(width)
	// E = bK − b + d, by Lemma 2.1, and K has the number of entries in the current bucket, which is
	// between these.
	entries := empty * (float64(n)*float64(n-1)*p*p + 2*float64(n)*p) / 2
	low = (k.Empty*empty+k.Entry*entries)/(1-empty) + k.Fixed
	high = math.Inf(1)
	if tail := jump.tail(width); tail > 0 {
		high = (k.Empty*empty+k.Entry*entries/tail)/(1-empty) + k.Fixed
	}
	return low, high, nil
}

// hit is p = (1/μ)∫₀^δ [1−F], the probability that an event is in the current bucket when that
// begins (equation 14).
func (j Jump) hit(width float64) float64 { return j.tailIntegral(0, width) / j.Mean }
