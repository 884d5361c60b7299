package sim

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// near tells whether two numbers differ by no more than a share of the second.
func near(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }

// mustPanic wants a panic with a message that begins with the name of the package and has a part.
func mustPanic(t *testing.T, part string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		message := fmt.Sprint(recover())
		if !strings.HasPrefix(message, "sim: ") || !strings.Contains(message, part) {
			t.Errorf("the panic %q should begin with \"sim: \" and have %q in it", message, part)
		}
	}()
	f()
}

// exactMoments are sum, mean and sample variance in 300 bits.
func exactMoments(xs []float64) (sum, mean, variance float64) {
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	n, total, squares := exact(float64(len(xs))), exact(0), exact(0)
	for _, x := range xs {
		total.Add(total, exact(x))
	}
	middle := exact(0).Quo(total, n)
	for _, x := range xs {
		d := exact(0).Sub(exact(x), middle)
		squares.Add(squares, d.Mul(d, d))
	}
	sum, _ = total.Float64()
	mean, _ = middle.Float64()
	variance, _ = squares.Quo(squares, exact(float64(len(xs)-1))).Float64()
	return sum, mean, variance
}

// Sums of squares would lose every digit of the variance at an offset of 10⁹, where the square of
// the mean is 10¹⁸ times the variance and a float64 has 16 digits. The recurrence without the
// distance from the first would lose half of them.
func TestTallyIsStable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, offset := range []float64{0, 1e3, 1e9, -1e9, 1e15} {
		var tally Tally
		var xs []float64
		for range 10_000 {
			x := offset + random.NormFloat64()
			xs = append(xs, x)
			tally.Add(x)
		}
		sum, mean, variance := exactMoments(xs)
		if !near(tally.Sum(), sum, 0x1p-52) || !near(tally.Mean(), mean, 0x1p-51) {
			t.Errorf("offset %g: sum %v and mean %v, want %v and %v", offset, tally.Sum(), tally.Mean(), sum, mean)
		}
		if !near(tally.Var(), variance, 1e-13) {
			t.Errorf("offset %g: variance %v, want %v", offset, tally.Var(), variance)
		}
		if tally.Min() != slices.Min(xs) || tally.Max() != slices.Max(xs) || tally.N() != int64(len(xs)) {
			t.Errorf("offset %g: min %v, max %v, n %d", offset, tally.Min(), tally.Max(), tally.N())
		}
	}
}

// Ten times a tenth is one, though a float64 has no tenth, and a plain sum makes
// 0.9999999999999999.
func TestTallySumKeepsWhatRoundingTakes(t *testing.T) {
	var tally Tally
	for range 10 {
		tally.Add(0.1)
	}
	if tally.Sum() != 1 || tally.Mean() != 0.1 || tally.Var() != 0 {
		t.Errorf("sum %v, mean %v, variance %v; want 1, 0.1 and 0", tally.Sum(), tally.Mean(), tally.Var())
	}
	tally.Reset()
	for _, x := range []float64{1, 1e100, 1, -1e100} {
		tally.Add(x)
	}
	if tally.Sum() != 2 {
		t.Errorf("1 + 10¹⁰⁰ + 1 − 10¹⁰⁰ is %v, want 2", tally.Sum())
	}
}

// A first observation far from all others is the worst for distances from the first: the mean is √n
// standard deviations away.
func TestTallyIsStableAfterAnOutlier(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	tally, xs := Tally{}, []float64{1e9}
	for range 10_000 {
		xs = append(xs, random.NormFloat64())
	}
	for _, x := range xs {
		tally.Add(x)
	}
	if _, _, variance := exactMoments(xs); !near(tally.Var(), variance, 1e-12) {
		t.Errorf("variance %v, want %v", tally.Var(), variance)
	}
}

func TestTallyOfFew(t *testing.T) {
	var tally Tally
	for name, x := range map[string]float64{
		"Mean": tally.Mean(), "Var": tally.Var(), "StdDev": tally.StdDev(), "Min": tally.Min(), "Max": tally.Max(),
	} {
		if !math.IsNaN(x) {
			t.Errorf("%s of none is %v, want NaN", name, x)
		}
	}
	if tally.N() != 0 || tally.Sum() != 0 || !math.IsInf(tally.CI(0.9), 1) || tally.String() != "no observations" {
		t.Errorf("an empty tally has n %d, sum %v, CI %v and is %q", tally.N(), tally.Sum(), tally.CI(0.9), tally.String())
	}
	tally.Add(-3)
	if tally.Mean() != -3 || tally.Min() != -3 || tally.Max() != -3 || !math.IsNaN(tally.Var()) ||
		!math.IsInf(tally.CI(0.9), 1) {
		t.Errorf("a tally of −3 is %v with a half-width of %v", &tally, tally.CI(0.9))
	}
	tally.Add(-1)
	if tally.Mean() != -2 || tally.Var() != 2 || tally.Max() != -1 {
		t.Errorf("a tally of −3 and −1 is %v", &tally)
	}
	tally.Reset()
	if tally.N() != 0 || tally.Sum() != 0 || !math.IsNaN(tally.Max()) {
		t.Errorf("after Reset it is %v", &tally)
	}
}

func TestTallyRefuses(t *testing.T) {
	var tally Tally
	mustPanic(t, "NaN", func() { tally.Add(math.NaN()) })
	mustPanic(t, "+Inf", func() { tally.Add(math.Inf(1)) })
	mustPanic(t, "QuantileSketch(0.01)", func() { tally.Quantile(0.5) })
	mustPanic(t, "1.5", func() { NewTally(QuantileSketch(0.01)).Quantile(1.5) })
	mustPanic(t, "accuracy", func() { QuantileSketch(1) })
	mustPanic(t, "accuracy", func() { QuantileSketch(1e-9) })
	mustPanic(t, "accuracy", func() { QuantileSketch(math.NaN()) })
	mustPanic(t, "level of 95", func() { tally.CI(95) })
	if tally.N() != 0 {
		t.Errorf("what was refused has been counted: %v", &tally)
	}
}

func TestTallyMerge(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		whole, parts := NewTally(QuantileSketch(0.02)), NewTally(QuantileSketch(0.02))
		for range random.IntN(6) {
			part := NewTally(QuantileSketch(0.02))
			for range random.IntN(20) {
				x := 1e6 + 10*random.NormFloat64()
				whole.Add(x)
				part.Add(x)
			}
			parts.Merge(part)
		}
		same := whole.N() == parts.N() && near(parts.Sum(), whole.Sum(), 0x1p-52)
		if whole.N() > 0 {
			same = same && whole.Min() == parts.Min() && whole.Max() == parts.Max() && whole.Quantile(0.3) == parts.Quantile(0.3)
		}
		if whole.N() > 1 {
			same = same && near(parts.Var(), whole.Var(), 1e-9)
		}
		if !same {
			t.Fatalf("the parts are %v, the whole is %v", parts, whole)
		}
	}
}

func TestTallyMergeWithItself(t *testing.T) {
	tally := NewTally(QuantileSketch(0.01))
	for i := range 300 {
		tally.Add(float64(i))
	}
	tally.Merge(tally)
	// The squares of 0 … 299 about their mean, twice, over 599.
	if want := 2 * 300 * (300*300 - 1) / 12.0 / 599; tally.N() != 600 || tally.Sum() != 299*300 ||
		!near(tally.Var(), want, 1e-14) {
		t.Errorf("merged with itself it is %v, want a variance of %v", tally, want)
	}
	if q := tally.Quantile(0.5); !near(q, 149, 0.01) {
		t.Errorf("the median is %v, want 149", q)
	}
}

func TestTallyMergeRefuses(t *testing.T) {
	var plain Tally
	plain.Add(1)
	fine := NewTally(QuantileSketch(0.001))
	fine.Add(1)
	mustPanic(t, "without quantiles", func() { NewTally(QuantileSketch(0.01)).Merge(&plain) })
	mustPanic(t, "accuracy", func() { NewTally(QuantileSketch(0.01)).Merge(fine) })
	plain.Merge(fine) // one that keeps none takes any
	if plain.N() != 2 {
		t.Errorf("merged, it is %v", &plain)
	}
}

// Of a sorted sample, the quantile is the k-th with k = ⌈q·n⌉.
func TestTallyQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		name string
		draw func() float64
	}{
		{"exponential", random.ExpFloat64},
		{"normal", random.NormFloat64},
		{"whole", func() float64 { return float64(random.IntN(9) - 4) }},
		{"negative", func() float64 { return -random.ExpFloat64() }},
		{"wide", func() float64 { return math.Exp(100 * random.NormFloat64()) }},
		{"extreme", func() float64 { return 1e308 * float64(random.IntN(3)-1) }},
	} {
		for _, n := range []int{1, 2, 9, 10, 1000} {
			const accuracy = 0.01
			tally := NewTally(QuantileSketch(accuracy))
			var xs []float64
			for range n {
				x := c.draw()
				xs = append(xs, x)
				tally.Add(x)
			}
			slices.Sort(xs)
			for _, q := range []float64{0, 0.1, 0.25, 0.5, 0.9, 0.99, 1} {
				want := xs[max(0, int(math.Ceil(q*float64(n)))-1)]
				// The edges of buckets are rounded.
				got := tally.Quantile(q)
				if !near(got, want, accuracy*(1+1e-9)) || (q == 0 || q == 1) && got != want || got < xs[0] || got > xs[n-1] {
					t.Errorf("%s, n = %d: quantile %v is %v, want %v", c.name, n, q, got, want)
				}
			}
			tally.Reset()
			if got := tally.Quantile(0.5); !math.IsNaN(got) {
				t.Errorf("%s: after Reset the median is %v", c.name, got)
			}
		}
	}
}

func TestTallyDoesNotAllocate(t *testing.T) {
	var tally Tally
	if n := testing.AllocsPerRun(1000, func() { tally.Add(1.5) }); n != 0 {
		t.Errorf("Add allocates %v times", n)
	}
}

func BenchmarkTally(b *testing.B) {
	for _, c := range []struct {
		name  string
		tally *Tally
	}{{"moments", NewTally()}, {"quantiles", NewTally(QuantileSketch(0.01))}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			x := 1.0
			for b.Loop() {
				c.tally.Add(x)
				x += 0.5
				if x > 100 {
					x = 1
				}
			}
		})
	}
}
