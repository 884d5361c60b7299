package weight

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// The expected number of copies is n times the share of the weight, and each weight gets that
// rounded down or up.
func TestSystematic(t *testing.T) {
	logs := []float64{math.Log(0.05), math.Inf(-1), math.Log(0.4), math.Log(0.25), math.Log(0.3)}
	want := []float64{0.5, 0, 4, 2.5, 3}
	const n, points = 10, 1000
	sums := make([]float64, len(logs))
	for i := range points {
		total := 0
		for k, c := range Systematic(logs, n, (float64(i)+0.5)/points) {
			if math.Abs(float64(c)-want[k]) >= 1 {
				t.Fatalf("weight %d has %d copies, and is worth %g", k, c, want[k])
			}
			sums[k] += float64(c) / points
			total += c
		}
		if total != n {
			t.Fatalf("%d copies", total)
		}
	}
	for k := range want {
		if math.Abs(sums[k]-want[k]) > 2.0/points {
			t.Errorf("weight %d has %g copies on average, want %g", k, sums[k], want[k])
		}
	}
}

// A sample that is thinned has the size that was asked for, heavy weights as they were, and on
// average over many thinnings the weights it had.
func TestThin(t *testing.T) {
	s := random.New(2)
	logs := make([]float64, 300)
	for i := range logs {
		logs[i] = 6 * s.Float64()
	}
	logs[17] = math.Inf(-1)
	weights, _ := Normalize(logs)
	const most, times = 60, 4000
	mean := make([]float64, len(weights))
	bound := thinBound(weights, most)
	for range times {
		places, thinned := Thin(weights, most, &s)
		if len(places) < most-1 || len(places) > most || !slices.IsSorted(places) {
			t.Fatalf("%d are left of %d", len(places), most)
		}
		sum := 0.0
		for i, p := range places {
			mean[p] += thinned[i] / times
			sum += thinned[i]
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("weights add up to %v", sum)
		}
	}
	for i, w := range weights {
		// One that is drawn with probability w/bound has the bound for weight; normalising changes
		// that by less than one part in most.
		se := math.Sqrt(w * math.Max(bound-w, 0) / times)
		if math.Abs(mean[i]-w) > 4.5*se+w/most {
			t.Errorf("the weight of %d is %v on average, not %v", i, mean[i], w)
		}
	}
	if places, thinned := Thin([]float64{0.5, 0, 0.5}, 5, &s); !slices.Equal(places, []int{0, 2}) ||
		!slices.Equal(thinned, []float64{0.5, 0.5}) {
		t.Error(places, thinned)
	}
}

// The power is the largest with an effective sample of so many; the most that can be had if that is
// too many; 0 if nothing is possible.
func TestPower(t *testing.T) {
	likelihoods, ratios := make([]float64, 200), make([]float64, 200)
	for i := range likelihoods {
		likelihoods[i] = -float64(i)
	}
	size := func(p float64) float64 {
		logs := make([]float64, 200)
		for i := range logs {
			logs[i] = p * likelihoods[i]
		}
		w, _ := Normalize(logs)
		return EffectiveSize(w)
	}
	for _, want := range []float64{3, 50, 150} {
		p := Power(ratios, likelihoods, want)
		if got := size(p); got < want || size(p*1.001) >= want {
			t.Errorf("for %v, power %v has %v", want, p, got)
		}
	}
	if p := Power(ratios, likelihoods, 1); p != 1 {
		t.Errorf("power %v, where 1 will do", p)
	}
	if p := Power(ratios, likelihoods, 1000); !(p > 0 && p < 1e-6) {
		t.Errorf("power %v, where none will do", p)
	}
	if p := Power([]float64{0, 0}, []float64{math.Inf(-1), math.Inf(-1)}, 1); p != 0 {
		t.Errorf("power %v of nothing", p)
	}
}

// The shape of draws from a generalised Pareto distribution is found, within four standard errors
// of the mean over 40 samples; an estimate has one of about (1+k)/√n, and is drawn towards 1/2 by
// 10/(n+10) of the difference.
func TestTailShape(t *testing.T) {
	const n, samples = 200, 40
	for _, k := range []float64{0.1, 0.5, 0.9, 1.5} {
		mean := 0.0
		for i := range samples {
			s := random.New(uint64(i), math.Float64bits(k))
			x := make([]float64, n)
			for j := range x {
				x[j] = math.Expm1(k*s.Exp()) / k
			}
			slices.Sort(x)
			mean += paretoShape(x) / samples
		}
		want := (n*k + 10*0.5) / (n + 10)
		if se := (1 + k) / math.Sqrt(n*samples); math.Abs(mean-want) > 4*se {
			t.Errorf("shape %v is found as %.3f, not %.3f ± %.3f", k, mean, want, se)
		}
	}
	for _, weights := range [][]float64{nil, {1}, slices.Repeat([]float64{0.01}, 100)} {
		if k := TailShape(weights); k != 0 {
			t.Errorf("%d equal weights have a tail of shape %v", len(weights), k)
		}
	}
}
