package counts

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/big"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// Every law passes the chi-square test. The threshold is 10⁻⁶ for each of some 50 laws, so that
// other numbers that are as good have one chance in 20000 to fail here; the seeds are fixed.
func TestCountsFit(t *testing.T) {
	draws := testscale.Size(100_000, 250_000)
	for i, l := range laws {
		first, mass := l.masses()
		counts := make([]int, len(mass))
		s := random.New(31, uint64(i))
		for range draws {
			k := l.draw(&s)
			if k < 0 || !l.poisson() && int64(k) > l.n {
				t.Fatalf("%v gave %d", l, k)
			}
			counts[min(max(k-first, 0), len(counts)-1)]++
		}
		if p := chiSquare(counts, mass); p < 1e-6 {
			t.Errorf("%v: p-value %.2g", l, p)
		}
	}
}

// Means and variances of huge counts within 4.5 standard errors, and 20 classes that are equally
// probable for the normal distribution. That differs from the true one by the skewness, which moves
// a class boundary's probability by less than 0.07·(1−2p)/σ: less than 10⁻⁵ here, where the counts
// have a standard error of 5·10⁻⁴.
func TestHugeCounts(t *testing.T) {
	const draws, classes = 200_000, 20
	for i, l := range []law{
		binomialLaw(1_000_000_000, 0.3), binomialLaw(1_000_000_000, 0.5), binomialLaw(1_000_000_000, 0.93),
		binomialLaw(1<<40, 1e-3), binomialLaw(1<<40, 0.5), binomialLaw(1<<40, 0.6), binomialLaw(1<<53, 0.25),
		poissonLaw(1e9), poissonLaw(1 << 40),
	} {
		if !l.fits() {
			continue
		}
		s := random.New(32, uint64(i))
		sigma := math.Sqrt(l.variance())
		counts, mass := make([]int, classes), make([]float64, classes)
		var sum, squares float64
		whole := math.Floor(l.mean)
		for range draws {
			// From the whole part of the mean, as a sum of such numbers would lose the digits that
			// matter.
			d := float64(l.draw(&s)-int(whole)) - (l.mean - whole)
			z := d / sigma
			sum += z
			squares += z * z
			// In the middle of a count the normal distribution function is that of the counts below
			// and half of this one.
			counts[int(classes*0.5*math.Erfc(-z/math.Sqrt2))]++
		}
		for j := range mass {
			mass[j] = 1.0 / classes
		}
		if z := sum / math.Sqrt(draws); math.Abs(z) > 4.5 {
			t.Errorf("%v: the mean is off by %.1f standard errors", l, z)
		}
		if z := (squares/draws - 1) * math.Sqrt(draws/2.0); math.Abs(z) > 4.5 {
			t.Errorf("%v: the variance is off by %.1f standard errors", l, z)
		}
		if p := chiSquare(counts, mass); p < 1e-6 {
			t.Errorf("%v: p-value %.2g", l, p)
		}
	}
}

func TestEdgesOfCounts(t *testing.T) {
	s := random.New(33)
	below1 := math.Nextafter(1, 0)
	for _, trials := range []int64{0, 1, 2, 10, 1000, 1_000_000, 1 << 40, 1 << 53} {
		n := int(trials)
		if int64(n) != trials {
			continue // an int has 32 bits
		}
		for _, c := range []struct {
			p    float64
			want int
		}{{0, 0}, {math.Copysign(0, -1), 0}, {1e-300, 0}, {math.SmallestNonzeroFloat64, 0}, {1, n}} {
			for range 100 {
				if got := Binomial(&s, n, c.p); got != c.want {
					t.Fatalf("Binomial(%d, %v) is %d, want %d", n, c.p, got, c.want)
				}
			}
		}
		// A failure has the probability 2⁻⁵³, so that there is at most a handful among any n.
		for range 100 {
			if got := Binomial(&s, n, below1); got > n || got < n-8 {
				t.Fatalf("Binomial(%d, %v) is %d", n, below1, got)
			}
		}
	}
	for range 100 {
		for _, mean := range []float64{0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, 1e-300} {
			if got := Poisson(&s, mean); got != 0 {
				t.Fatalf("Poisson(%v) is %d", mean, got)
			}
		}
	}
}

func TestCountsPanic(t *testing.T) {
	s := random.New(34)
	many := int64(1<<53 + 1)
	if int64(int(many)) != many {
		many = -1 // where an int has 32 bits there are none so many
	}
	for name, f := range map[string]func(){
		"n below 0":         func() { Binomial(&s, -1, 0.5) },
		"n above 2⁵³":       func() { Binomial(&s, int(many), 0.5) },
		"p below 0":         func() { Binomial(&s, 1, -1e-300) },
		"p above 1":         func() { Binomial(&s, 1, math.Nextafter(1, 2)) },
		"p not a number":    func() { Binomial(&s, 0, math.NaN()) },
		"mean below 0":      func() { Poisson(&s, -1e-300) },
		"mean too large":    func() { Poisson(&s, math.Nextafter(mostMean, math.Inf(1))) },
		"mean infinite":     func() { Poisson(&s, math.Inf(1)) },
		"mean not a number": func() { Poisson(&s, math.NaN()) },
	} {
		func() {
			defer func() {
				if message, ok := recover().(string); !ok || len(message) < 8 || message[:8] != "counts: " {
					t.Errorf("%s: panic %q", name, message)
				}
			}()
			f()
		}()
	}
}

// The probabilities against a recursion with 128 bits, wherever they are above 10⁻²⁵ of the
// largest.
func TestMasses(t *testing.T) {
	const precision = 128
	float := func(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
	for _, l := range []law{
		binomialLaw(20, 0.5), binomialLaw(21, 0.48), binomialLaw(1000, 0.01), binomialLaw(1000, 0.3),
		binomialLaw(100_000, 0.001),
		binomialLaw(1_000_000, 0.5), binomialLaw(30_000_000, 1e-6), binomialLaw(1_000_000_000, 2e-8),
		binomialLaw(1_000_000_000, 1e-3), binomialLaw(testscale.Size[int64](100_000_000, 1_000_000_000), 1.0/3),
		binomialLaw(999_999_937, 0.005),
		poissonLaw(10), poissonLaw(12.3), poissonLaw(1234.5), poissonLaw(1e5 / 3.0), poissonLaw(1e7 / 3.0),
	} {
		first, rough := l.masses()
		// Upwards from the first, then divided by the sum.
		exact := make([]*big.Float, len(rough))
		exact[0] = float(1)
		sum := float(1)
		odds := float(1)
		odds.Quo(float(l.p), odds.Sub(odds, float(l.p)))
		ratio := new(big.Float).SetPrec(precision)
		for i := 1; i < len(exact); i++ {
			k := first + i
			if l.poisson() {
				ratio.Quo(float(l.mean), float(float64(k)))
			} else {
				ratio.Quo(float(float64(l.n-int64(k)+1)), float(float64(k)))
				ratio.Mul(ratio, odds)
			}
			exact[i] = new(big.Float).SetPrec(precision).Mul(exact[i-1], ratio)
			sum.Add(sum, exact[i])
		}
		worst := 0.0
		for i := range exact {
			k := float64(first + i)
			got := 0.0
			if l.poisson() {
				got = poissonMass(l.mean, k)
			} else {
				got = binomialMass(float64(l.n), l.p, k)
			}
			want, _ := exact[i].Quo(exact[i], sum).Float64()
			worst = max(worst, math.Abs(got/want-1))
		}
		t.Logf("%v: relative error %.1e", l, worst)
		if worst > 1e-13 {
			t.Errorf("%v: a probability is off by %.1e of it", l, worst)
		}
	}
}

// exp(stirlingError(k)) = k!·eᵏ/(kᵏ·√(2πk)), in the table and where the series takes over, of which
// the first has the largest error.
func TestStirlingError(t *testing.T) {
	const precision = 200
	float := func(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
	e, term := float(1), float(1)
	for i := 1; i < 60; i++ {
		term.Quo(term, float(float64(i)))
		e.Add(e, term)
	}
	const digits = "6.283185307179586476925286766559005768394338798750211641949889"
	tau, _, err := big.ParseFloat(digits, 10, precision, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= 40; k++ {
		product := float(1)
		for i := 1; i <= k; i++ {
			product.Mul(product, e)
			product.Mul(product, float(float64(i)))
			product.Quo(product, float(float64(k)))
		}
		root := float(float64(k))
		root.Sqrt(root.Mul(root, tau))
		product.Quo(product, root)
		above1, _ := product.Sub(product, float(1)).Float64()
		allowed := 1.2e-16
		if k < len(stirlingErrors) {
			allowed = 2e-17
		}
		if want, got := math.Log1p(above1), stirlingError(float64(k)); math.Abs(got-want) > allowed {
			t.Errorf("stirlingError(%d) is %v, want %v", k, got, want)
		}
	}
}

// The probability of no success among n trials by multiplication, against 100 bits more.
func TestPower(t *testing.T) {
	for n := 1; n <= mostFactors; n++ {
		p := 9.9 / float64(max(n, 20))
		exact := new(big.Float).SetPrec(160).SetInt64(1)
		q := new(big.Float).SetPrec(160).Sub(exact, big.NewFloat(p))
		for range n {
			exact.Mul(exact, q)
		}
		want, _ := exact.Float64()
		if d := math.Abs(power(1-p, n)/want - 1); d > 2e-13 {
			t.Errorf("(1 − %v)^%d is off by %.1e of it", p, n, d)
		}
	}
}

// The first numbers of some streams: a change of them changes what a seed means, and must not
// happen unnoticed.
func TestFirstCounts(t *testing.T) {
	for _, c := range []struct {
		law
		want [8]int64
	}{
		{binomialLaw(1, 0.3), [8]int64{0, 0, 0, 1, 0, 1, 1, 0}},
		{binomialLaw(10, 0.25), [8]int64{2, 3, 2, 5, 0, 4, 4, 1}},
		{binomialLaw(10, 0.75), [8]int64{8, 7, 8, 5, 10, 6, 6, 9}},
		{binomialLaw(1024, 0.009), [8]int64{8, 10, 8, 14, 4, 13, 13, 6}},
		{binomialLaw(1_000_000, 5e-6), [8]int64{4, 6, 4, 9, 1, 8, 7, 3}},
		{binomialLaw(100, 0.1), [8]int64{8, 14, 9, 13, 11, 12, 7, 8}},
		{binomialLaw(1000, 0.9), [8]int64{905, 904, 888, 904, 890, 897, 893, 910}},
		{binomialLaw(30_000, 0.3), [8]int64{8961, 8963, 9100, 8967, 9083, 9023, 9059, 8915}},
		{binomialLaw(1_000_000_000, 1e-7), [8]int64{95, 113, 96, 111, 103, 108, 89, 95}},
		{binomialLaw(1_000_000_000, 0.5), [8]int64{
			499992288, 499992743, 500019962, 499993372,
			500016492, 500004603, 500011719, 499983117,
		}},
		{binomialLaw(1<<40, 0.123), [8]int64{
			135239762241, 135239772160, 135240365007, 135239785863,
			135240289434, 135240030464, 135240185476, 135239562492,
		}},
		{poissonLaw(0.75), [8]int64{0, 1, 0, 2, 0, 2, 2, 0}},
		{poissonLaw(9.5), [8]int64{8, 11, 8, 15, 4, 13, 13, 6}},
		{poissonLaw(10), [8]int64{8, 14, 9, 13, 11, 13, 6, 8}},
		{poissonLaw(33.3), [8]int64{30, 31, 41, 31, 39, 35, 38, 27}},
		{poissonLaw(12345.6), [8]int64{12291, 12294, 12486, 12299, 12462, 12378, 12428, 12227}},
		{poissonLaw(1e12), [8]int64{
			999999512253, 999999541055, 1000001262489, 999999580844,
			1000001043051, 1000000291086, 1000000741189, 999998932249,
		}},
	} {
		if !c.fits() {
			continue
		}
		s := random.New(36)
		var got [8]int64
		for i := range got {
			got[i] = int64(c.draw(&s))
		}
		if got != c.want {
			t.Errorf("%v begins with %#v, want %v", c.law, got, c.want)
		}
	}
}

// The same for many numbers of all laws at once.
func TestManyCounts(t *testing.T) {
	h := fnv.New64a()
	var word [8]byte
	for i, l := range laws {
		s := random.New(37, uint64(i))
		for range 20_000 {
			binary.LittleEndian.PutUint64(word[:], uint64(l.draw(&s)))
			h.Write(word[:])
		}
	}
	if got, want := h.Sum64(), uint64(0x9c089bb9713d95e1); got != want {
		t.Errorf("the hash of the numbers is %#x, want %#x", got, want)
	}
}

func BenchmarkBinomial(b *testing.B) {
	for _, l := range []law{
		binomialLaw(1, 0.3), binomialLaw(10, 0.3), binomialLaw(1000, 1e-5),
		binomialLaw(1000, 1e-3), binomialLaw(1000, 5e-3), binomialLaw(1_000_000, 1e-6), binomialLaw(1_000_000, 5e-6),
		binomialLaw(1000, 0.02), binomialLaw(1_000_000, 20e-6), binomialLaw(30_000, 0.3), binomialLaw(100_000, 0.1),
		binomialLaw(1_000_000_000, 0.1),
	} {
		l.bench(b)
	}
}

func BenchmarkPoisson(b *testing.B) {
	for _, mean := range []float64{0.01, 1, 5, 20, 1e4, 1e8} {
		poissonLaw(mean).bench(b)
	}
}

func (l law) bench(b *testing.B) {
	b.Run(l.String(), func(b *testing.B) {
		s := random.New(1)
		for b.Loop() {
			l.draw(&s)
		}
	})
}
