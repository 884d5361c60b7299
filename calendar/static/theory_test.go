package static

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/almanac-sim/almanac/calendar"
)

// unit are the costs of the paper's examples.
var unit = Costs{Empty: 1, Entry: 1, Fixed: 1}

// must is for calls whose arguments are right.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func wantNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// paretoJump has the density of a Pareto distribution from least on. Its mean is finite if alpha is
// above 1.
func paretoJump(least, alpha float64) Jump {
	return Jump{Mean: alpha * least / (alpha - 1), Support: math.Inf(1), CDF: func(x float64) float64 {
		if x <= least {
			return 0
		}
		return 1 - math.Pow(x/least, -alpha)
	}}
}

// gammaJump has mean 1 and, with a large shape, nearly the same length always.
func gammaJump(shape float64) Jump {
	return Jump{Mean: 1, Support: math.Inf(1), CDF: distuv.Gamma{Alpha: shape, Beta: shape}.CDF}
}

func TestOptimumByHand(t *testing.T) {
	// b = c = d = 1: E_min = 1 + √2 + 1 at x = √2, where 1/(1+√2) of the visits are to empty
	// buckets.
	wantNear(t, "E_min", must(unit.Least()), 2+math.Sqrt2, 1e-15)
	width := must(unit.Width(1000, 5))
	wantNear(t, "δ_opt", width, math.Sqrt2*5/1000, 1e-17)
	wantNear(t, "q₀", must(EmptyShare(1000, 5, width)), 1/(1+math.Sqrt2), 1e-15)
	// b = 2, c = 9, d = 5: √(2b/c) = 2/3 and √(2bc) = 6.
	k := Costs{Empty: 2, Entry: 9, Fixed: 5}
	wantNear(t, "E_min", must(k.Least()), 20, 1e-14)
	wantNear(t, "δ_opt", must(k.Width(10, 3)), 0.2, 1e-16)
	// x = 2/3: 3 empty, 9(1 + 0.9/3) = 11.7, 5.
	wantNear(t, "E(δ_opt) of 10 events", must(k.PerEvent(10, 3, 0.2)), 3+11.7+5, 1e-14)
	// The difference between E(δ_opt) and E_min is c·x/(2N), and widths that are well off take
	// longer. With a handful of events they need not: with two, the best x is √2 times as large.
	wantNear(t, "E(δ_opt) of two events", must(k.PerEvent(2, 1, must(k.Width(2, 1)))), 18.5, 1e-14)
	for _, n := range []int{10, 100, 1_000_000} {
		best := must(k.Width(n, 1))
		least := must(k.PerEvent(n, 1, best))
		wantNear(t, "E(δ_opt)", least, 20-3/float64(n), 1e-12)
		for _, factor := range []float64{0.01, 0.5, 2, 100} {
			if e := must(k.PerEvent(n, 1, factor*best)); e <= least {
				t.Errorf("%v times the best width takes %v, the best %v", factor, e, least)
			}
		}
	}
}

// With one event, lists have one entry and an event passes μ/δ empty buckets: b·μ/δ + c + d,
// without any error.
func TestOneEvent(t *testing.T) {
	wantNear(t, "E", must(Costs{3, 5, 7}.PerEvent(1, 4, 0.5)), 3*8+5+7, 1e-13)
	wantNear(t, "q₀", must(EmptyShare(1, 4, 0.5)), 8./9, 1e-15)
	// The bounds are a factor apart where lists matter: c·p/x and c·p/(x·(1−F)), with p =
	// (δ−δ²/16)/4 for this uniform jump.
	low, high, err := Costs{3, 5, 7}.PerEventBounds(1, UniformJump(4), 0.5)
	p := (0.5 - 0.25/16) / 4
	wantNear(t, "low", low, 24+5*p*8+7, 1e-12)
	wantNear(t, "high", high, 24+5*p*8/(1-0.5/8)+7, 1e-12)
	if err != nil {
		t.Error(err)
	}
	// L_M: at least q₀·Π₁; M = 4 buckets of 1 and jumps up to 8: the integrals of 1−x/8 from 4 to
	// 5, and from 8 on nothing.
	lowest, highest, err := ExcessBounds(1, 4, UniformJump(4), 1)
	pi1, p := (0.5-0.5/8)/4, (1-0.5/8)/4
	pi2 := 2. / 8 // from the end of the bucket, y = δ, into 3 … 4 and 7 … 8: an eighth each
	tail := 7. / 8
	wantNear(t, "lowest L_M", lowest, 0.8*pi1, 1e-13)
	wantNear(t, "highest L_M", highest, 0.8*(tail*(p+1)*pi1+p*2*pi2)/(tail*tail), 1e-13)
	if err != nil {
		t.Error(err)
	}
}

func TestDegradationByHand(t *testing.T) {
	// The two numbers of section 3.
	wantNear(t, "ε at M/N = 1.92", must(unit.DegradationExponential(1.92)), 0.0501, 5e-5)
	wantNear(t, "ε at M/N = 3.02", must(unit.DegradationExponential(3.02)), 0.0100, 5e-5)
	share := (1 + math.Sqrt2) / (2 + math.Sqrt2)
	wantNear(t, "the bound at 2", must(unit.DegradationBound(2)), share/math.Sqrt2/2, 1e-15)
	// Uniform jumps up to 2, a year of 1/2: 1−F is 3/4, 1/2 and 1/4 at the years.
	wantNear(t, "ε, uniform", must(unit.Degradation(0.5/math.Sqrt2, UniformJump(1))), share*1.5, 1e-12)
	wantNear(t, "the excess, uniform", must(Excess(10, 5, UniformJump(1), 0.1)), 1.5, 1e-12)
	// Pareto with α = 2 from 1 on, a year of 1: Σ1/j² = π²/6.
	wantNear(t, "ε, Pareto", must(unit.Degradation(1/math.Sqrt2/2, paretoJump(1, 2))), share*math.Pi*math.Pi/6, 1e-7)
	// α = 3/2, of which the series is slow: ζ(3/2).
	wantNear(t, "ε, long tail", must(unit.Degradation(1/math.Sqrt2/3, paretoJump(1, 1.5))), share*2.612375348685488, 1e-5)
	// Lemma 3.1: x = 2, E_M = E + c·3/2·L.
	wantNear(t, "E_M", must(Costs{1, 4, 1}.WithBuckets(10, 5, 1, 7, 0.5)), 7+4*1.5*0.5, 1e-14)
}

func TestSeriesMatchesClosedForm(t *testing.T) {
	for _, k := range []Costs{unit, {0.1, 5, 0}, {20, 1, 100}} {
		for _, ratio := range []float64{1e-4, 0.01, 0.3, 1, 1.92, 3.02, 10} {
			closed := must(k.DegradationExponential(ratio))
			// 1−F has an error of 10⁻¹⁶, whatever it is.
			wantNear(t, "the series", must(k.Degradation(ratio, ExponentialJump(3))), closed, 1e-6*closed+1e-15)
		}
	}
}

// jumps that differ in shape.
func someJumps() map[string]Jump {
	return map[string]Jump{
		"exponential": ExponentialJump(2), "uniform": UniformJump(0.3), "pareto 1.2": paretoJump(1, 1.2),
		"pareto 3": paretoJump(0.5, 3), "gamma 0.5": gammaJump(0.5), "gamma 400": gammaJump(400),
	}
}

func TestBoundsAreInOrder(t *testing.T) {
	for name, jump := range someJumps() {
		for _, n := range []int{2, 100, 10_000} {
			for _, x := range []float64{0.1, math.Sqrt2} {
				width := x * jump.Mean / float64(n)
				low, high, err := unit.PerEventBounds(n, jump, width)
				about := must(unit.PerEvent(n, jump.Mean, width))
				// p ≤ δ/μ, so the lower bound is never above the approximation.
				if err != nil || !(low <= about*(1+1e-9)) || !(low <= high) {
					t.Errorf("%s, N = %d, x = %v: E from %v to %v, about %v; %v", name, n, x, low, high, about, err)
				}
				for _, m := range []int{n/2 + 1, 30 * n} {
					low, high, err := ExcessBounds(n, m, jump, width)
					if err != nil || !(0 <= low && low <= high*(1+1e-9)) {
						t.Errorf("%s, N = %d, M = %d, x = %v: L_M from %v to %v; %v", name, n, m, x, low, high, err)
					}
				}
			}
		}
		// As N grows, both bounds of E close in on the approximation.
		low, high, _ := unit.PerEventBounds(100_000_000, jump, math.Sqrt2*jump.Mean/1e8)
		about := must(unit.PerEvent(100_000_000, jump.Mean, math.Sqrt2*jump.Mean/1e8))
		if name != "gamma 0.5" { // of which the density is not bounded near 0
			wantNear(t, name+", low", low/about, 1, 1e-6)
			wantNear(t, name+", high", high/about, 1, 1e-6)
		}
	}
}

// Jumps of 1 with a standard deviation of 0.01, and years of 0.505: none leads into the first year,
// many into the second, so the terms of Π₂ do not fall. It is largest from the end of the bucket,
// for jumps of 0.9999 to 1.01: Φ(1) − Φ(−0.01) = 0.345.
func TestExcessOfTermsThatRise(t *testing.T) {
	jump := gammaJump(10_000)
	pi2 := jump.backInto(0.505, 0.0101)
	wantNear(t, "Π₂", pi2, 0.345, 0.005) // the gamma distribution is normal but for a skewness of 0.02
	// F(δ) is 0, which leaves both terms of the upper bound as they are.
	p, pi1 := 0.0101, jump.sameBucket(0.505, 0.0101)
	_, high, err := ExcessBounds(100, 50, jump, 0.0101)
	wantNear(t, "the highest L_M", high, 100/2.01*((100*p+1)*pi1+p*(100*p+2-p)*pi2), 1e-9)
	if err != nil {
		t.Error(err)
	}
}

func TestDegradationBoundHolds(t *testing.T) {
	for name, jump := range someJumps() {
		for _, k := range []Costs{unit, {10, 1, 3}, {1, 10, 0}} {
			last := math.Inf(1)
			for _, ratio := range []float64{0.1, 0.5, 1, 2, 5, 20} {
				e, bound := must(k.Degradation(ratio, jump)), must(k.DegradationBound(ratio))
				if !(e <= bound*(1+1e-9)) || !(e <= last) {
					t.Errorf("%s, M/N = %v: ε = %v, before %v, the bound is %v", name, ratio, e, last, bound)
				}
				last = e
			}
		}
	}
}

func TestBucketsAreJustEnough(t *testing.T) {
	if m := must(unit.Buckets(1000, 0.0501, ExponentialJump(1))); m < 1915 || m > 1925 {
		t.Errorf("%d buckets for 5 %%, the paper has 1.92 for each event", m)
	}
	if m := must(unit.Buckets(1000, 0.01, ExponentialJump(7))); m < 3015 || m > 3025 {
		t.Errorf("%d buckets for 1 %%, the paper has 3.02 for each event", m)
	}
	for name, jump := range someJumps() {
		for _, n := range []int{1, 10, 5000} {
			m := must(unit.Buckets(n, 0.03, jump))
			enough := must(unit.Degradation(float64(m)/float64(n), jump))
			if !(enough <= 0.03) || m > 1 && must(unit.Degradation(float64(m-1)/float64(n), jump)) <= 0.03 {
				t.Errorf("%s: %d buckets for %d events give %v", name, m, n, enough)
			}
		}
	}
	// The bound for any jump is above 2³¹ here, but exponential jumps need far fewer:
	// ln(1+share/ε)/√2 for each event.
	m := must(unit.Buckets(100_000_000, 0.001, ExponentialJump(1)))
	share := (1 + math.Sqrt2) / (2 + math.Sqrt2)
	wantNear(t, "M/N", float64(m)/1e8, math.Log1p(share/0.001)/math.Sqrt2, 1e-6)
	// Theorem 3.1: M ≥ β/δ + 1.
	for _, c := range []struct {
		support, width float64
		want           int
	}{{10, 2.5, 5}, {10, 3, 5}, {1, 2, 2}, {2, 1. / 512, 1025}} {
		if m := must(BucketsFor(c.support, c.width)); m != c.want {
			t.Errorf("BucketsFor(%v, %v) = %d, want %d", c.support, c.width, m, c.want)
		}
	}
}

func TestTheoryRefuses(t *testing.T) {
	one, nan, inf := ExponentialJump(1), math.NaN(), math.Inf(1)
	second := func(_, _ float64, err error) error { return err }
	of := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{of(Costs{0, 1, 1}.Least()), "Costs.Empty is 0, must be positive and finite"},
		{of(Costs{nan, 1, 1}.Width(1, 1)), "Costs.Empty is NaN"},
		{of(Costs{1, -1, 1}.PerEvent(1, 1, 1)), "Costs.Entry is -1"},
		{of(Costs{1, inf, 1}.Buckets(1, 1, one)), "Costs.Entry is +Inf"},
		{of(Costs{1, 1, -1}.Degradation(1, one)), "Costs.Fixed is -1, must be finite and not negative"},
		{of(Costs{1, 1, inf}.DegradationBound(1)), "Costs.Fixed is +Inf"},
		{of(Costs{1, 1, nan}.DegradationExponential(1)), "Costs.Fixed is NaN"},
		{of(unit.Width(0, 1)), "the number of events is 0, must be 1 or more"},
		{of(unit.Width(1, 0)), "the mean of the jump is 0"},
		{of(unit.PerEvent(-1, 1, 1)), "the number of events is -1"},
		{of(unit.PerEvent(1, inf, 1)), "the mean of the jump is +Inf"},
		{of(unit.PerEvent(1, 1, nan)), "the width is NaN"},
		{of(EmptyShare(0, 1, 1)), "the number of events is 0"},
		{of(EmptyShare(1, 1, -2)), "the width is -2"},
		{second(unit.PerEventBounds(1, Jump{Mean: 1, Support: 1}, 1)), "Jump.CDF is nil, must be a distribution function"},
		{second(unit.PerEventBounds(1, Jump{Mean: -1, Support: 1, CDF: one.CDF}, 1)), "Jump.Mean is -1"},
		{second(unit.PerEventBounds(1, Jump{Mean: 1, CDF: one.CDF}, 1)),
			"Jump.Support is 0, must be positive, +Inf if there is no bound"},
		{second(unit.PerEventBounds(1, Jump{Mean: 1, Support: nan, CDF: one.CDF}, 1)), "Jump.Support is NaN"},
		{second(unit.PerEventBounds(1, one, 0)), "the width is 0"},
		{second(ExcessBounds(1, 0, one, 1)), "the number of buckets is 0, must be 1 or more"},
		{second(ExcessBounds(0, 1, one, 1)), "the number of events is 0"},
		{of(Excess(1, -1, one, 1)), "the number of buckets is -1"},
		{of(Excess(1, 1, Jump{}, 1)), "Jump.Mean is 0"},
		{of(unit.WithBuckets(1, 1, 0, 1, 1)), "the width is 0"},
		{of(unit.WithBuckets(1, 1, 1, nan, 1)), "the time with any number of buckets is NaN, must be not negative"},
		{of(unit.WithBuckets(1, 1, 1, 1, -1)), "the excess is -1, must be not negative"},
		{of(unit.Degradation(0, one)), "the ratio of buckets to events is 0"},
		{of(unit.DegradationExponential(nan)), "the ratio of buckets to events is NaN"},
		{of(unit.DegradationBound(-1)), "the ratio of buckets to events is -1"},
		{of(unit.Buckets(1, 0, one)), "the degradation is 0"},
		{of(unit.Buckets(1000, 1e-9, paretoJump(1, 1.1))),
			"the degradation is 1e-09, must be one that fewer than 2³¹ buckets can reach"},
		{of(BucketsFor(0, 1)), "the support of the jump is 0"},
		{of(BucketsFor(inf, 1)), "the support of the jump is +Inf"},
		{of(BucketsFor(1, nan)), "the width is NaN"},
		{of(BucketsFor(1, 1e-300)), "the support of the jump is 1, must be at most 2³¹ times the width"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), "static: "+c.want) {
			t.Errorf("got %v, want %s", c.err, c.want)
		}
	}
}

// Theory against the calendar itself: fixed seeds, batch means, and 4.5 standard errors, which one
// in 150,000 normal numbers exceeds. A run with few buckets and one with so many that no event is
// in a later year meet the same jumps, in the same order. By Lemma 3.1 they differ by (1+x)/x·L_M
// entries for each event.
func TestTheoryMatchesSimulation(t *testing.T) {
	draws := map[string]func(*rand.Rand) float64{
		"exponential": (*rand.Rand).ExpFloat64,
		"uniform":     func(r *rand.Rand) float64 { return 2 * r.Float64() },
	}
	jumps := map[string]Jump{"exponential": ExponentialJump(1), "uniform": UniformJump(1)}
	seed := uint64(0)
	for _, name := range []string{"exponential", "uniform"} {
		for _, n := range []int{100, 300, 1000} {
			for _, x := range []float64{0.5, math.Sqrt2, 4} {
				seed++
				width, buckets := x/float64(n), int(1.5*float64(n)/x)
				cost, excess, q0 := simulate(t, n, buckets, width, draws[name], seed)
				low, high, err := unit.PerEventBounds(n, jumps[name], width)
				wantWithin(t, name, n, x, "E", cost, low, high, err)
				low, high, err = ExcessBounds(n, buckets, jumps[name], width)
				wantWithin(t, name, n, x, "L_M", excess, low, high, err)
				share, err := EmptyShare(n, 1, width)
				wantWithin(t, name, n, x, "q₀", q0, share, share, err)
			}
		}
	}
}

func wantWithin(t *testing.T, name string, n int, x float64, what string, measured batchMeans, low, high float64,
	err error) {
	t.Helper()
	mean, se := measured.mean()
	t.Logf("%-11s N = %4d, x = %.2f: %s = %.4f ± %.4f, from %.4f to %.4f", name, n, x, what, mean, se, low, high)
	if err != nil || !(mean >= low-4.5*se && mean <= high+4.5*se) {
		t.Errorf("%s jumps, N = %d, x = %.2f: %s is %.5f ± %.5f, theory says from %.5f to %.5f; %v", name, n, x, what, mean,
			se, low, high, err)
	}
}

// simulate runs the hold model on few buckets and on many, and returns the cost with many, L_M with
// few, and the share of empty visits.
func simulate(t *testing.T, n, buckets int, width float64, draw func(*rand.Rand) float64, seed uint64) (cost, excess,
	q0 batchMeans) {
	t.Helper()
	const batches, steps = 40, 4000
	few := must(New(Config{Buckets: buckets, Width: width, Capacity: n}))
	many := must(New(Config{Buckets: int(50 / width), Width: width, Capacity: n}))
	rng := rand.New(rand.NewPCG(seed, 0))
	for id := range calendar.ID(n) {
		at := draw(rng)
		few.Schedule(id, at)
		many.Schedule(id, at)
	}
	hold := func(steps int) (a, b Work) {
		a, b = few.Work(), many.Work()
		for range steps {
			id, at, _ := few.Next()
			if other, _, _ := many.Next(); other != id {
				t.Fatalf("few buckets give event %d, many give %d", id, other)
			}
			at += draw(rng)
			few.Schedule(id, at)
			many.Schedule(id, at)
		}
		return few.Work().Since(a), many.Work().Since(b)
	}
	hold(20 * n)
	x := float64(n) * width
	for range batches {
		a, b := hold(steps)
		if a.EmptyBuckets != b.EmptyBuckets {
			t.Fatalf("few buckets had %d empty visits, many %d", a.EmptyBuckets, b.EmptyBuckets)
		}
		cost.add(float64(b.EmptyBuckets+b.Traversed+b.Dispatched) / steps)
		excess.add(float64(a.Traversed-b.Traversed) / steps * x / (1 + x))
		q0.add(float64(b.EmptyBuckets) / float64(b.EmptyBuckets+b.Dispatched))
	}
	return cost, excess, q0
}
