package ensemble

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat"
)

// Means, deviations, intervals and quantiles against what others calculate from all values at once;
// with sketches, quantiles are as near as they are said to be.
func TestSummaries(t *testing.T) {
	qs := []float64{0.001, 0.05, 0.25, 0.5, 0.9, 0.999}
	for _, n := range []int{1, 2, 7, 50, ExactReplicas, ExactReplicas + 1, 40_000} {
		random := rand.New(rand.NewPCG(uint64(n), 4))
		sum := newTally([]string{"normal", "counts", "rare"}, 0)
		var normal, counts, rare []float64
		for range n {
			x, y, z := 10+3*random.NormFloat64(), math.Floor(random.ExpFloat64()*1000), math.NaN()
			if random.IntN(3) == 0 {
				z = -random.ExpFloat64()
				rare = append(rare, z)
			}
			normal, counts = append(normal, x), append(counts, y)
			sum.add([]float64{2, x, y, z})
		}
		r := sum.result(qs)
		if r.Replicas != n || r.Events != 2*uint64(n) || r.Sketched != (n > ExactReplicas) {
			t.Errorf("%d replicas: %+v", n, r)
		}
		for i, values := range [][]float64{normal, counts, rare} {
			s := r.Outputs[i]
			slices.Sort(values)
			if s.N != len(values) {
				t.Errorf("%d replicas, %s: %d values, not %d", n, s.Name, s.N, len(values))
			}
			if len(values) == 0 {
				if !math.IsNaN(s.Mean) || !math.IsNaN(s.Min) || !math.IsNaN(s.Quantiles[3]) {
					t.Errorf("%d replicas: nothing is summarised as %+v", n, s)
				}
				continue
			}
			near(t, s.Mean, stat.Mean(values, nil), 1e-12)
			if s.Min != values[0] || s.Max != values[len(values)-1] {
				t.Errorf("%d replicas, %s: from %g to %g", n, s.Name, s.Min, s.Max)
			}
			if len(values) > 1 {
				near(t, s.SD, stat.StdDev(values, nil), 1e-10)
			} else if !math.IsNaN(s.SD) || !math.IsNaN(s.Low) {
				t.Errorf("one value has a deviation: %+v", s)
			}
			for j, q := range qs {
				want := stat.Quantile(q, stat.Empirical, values, nil)
				if q == 0.5 {
					want = (values[(len(values)-1)/2] + values[len(values)/2]) / 2
				}
				if !r.Sketched {
					if s.Quantiles[j] != want {
						t.Errorf("%d replicas, %s: the %g quantile is %g, not %g", n, s.Name, q, s.Quantiles[j], want)
					}
					continue
				}
				// The sketch promises a value within SketchError of one whose rank is next to the right one.
				k := int(q * float64(len(values)-1))
				low, high := values[max(k-1, 0)], values[min(k+1, len(values)-1)]
				if x, slack := s.Quantiles[j], SketchError*math.Abs(want)*1.01; x < low-slack || x > high+slack {
					t.Errorf("%d replicas, %s: the %g quantile is %g by sketch; %g is right", n, s.Name, q, x, want)
				}
			}
		}
		// What is stored is what was there.
		data, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodePoint(data)
		if d := cmp.Diff(r, back, cmpopts.EquateNaNs()); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
	}
}

// Student's quantiles from tables: 12.7062 for one degree of freedom, 2.0639 for 24, 1.9600 for
// very many.
func TestIntervals(t *testing.T) {
	for freedom, want := range map[int]float64{1: 12.7062, 24: 2.0639, 1_000_000: 1.9600} {
		near(t, studentQuantile(freedom), want, 5e-5/want*1.01)
	}
	sum := newTally([]string{"x"}, 0)
	sum.add([]float64{0, 1})
	sum.add([]float64{0, 3})
	s := sum.result(nil).Outputs[0] // mean 2, deviation √2, half the interval 12.7062
	near(t, s.High-s.Mean, 12.7062, 1e-5)
	near(t, s.Mean-s.Low, 12.7062, 1e-5)
}

// The intervals cover the mean as often as they say: of 2,000 points of 30 replicas each, 95 %,
// give or take 3 standard errors of √(0.95·0.05/2000).
func TestIntervalsCover(t *testing.T) {
	const points = 2000
	covered := 0
	for seed := range uint64(points) {
		random := rand.New(rand.NewPCG(seed, 6))
		sum := newTally([]string{"x"}, 0)
		for range 30 {
			sum.add([]float64{0, random.NormFloat64()})
		}
		if low, high, _ := sum.columns[0].interval(); low <= 0 && 0 <= high {
			covered++
		}
	}
	if share, se := float64(covered)/points, math.Sqrt(0.95*0.05/points); math.Abs(share-0.95) > 3*se {
		t.Errorf("%.4f of the intervals cover the mean, not 0.95 ± %.4f", share, 3*se)
	}
}

// A point stops at the first batch after which its intervals are narrow enough, and not before.
func TestPrecision(t *testing.T) {
	p := Precision{Relative: 0.1, Outputs: []string{"x"}}
	sum := newTally([]string{"x", "wild"}, 0)
	random := rand.New(rand.NewPCG(3, 7))
	for n := 1; n <= 2000; n++ {
		sum.add([]float64{0, 1 + random.NormFloat64(), random.NormFloat64()})
		if n < 2 {
			continue
		}
		c := sum.columns[0]
		half := studentQuantile(n-1) * c.sd() / math.Sqrt(float64(n))
		if sum.precise(p) != (half <= 0.1*math.Abs(c.mean)) {
			t.Fatalf("after %d replicas, half an interval of %g about %g", n, half, c.mean)
		}
	}
	if !sum.precise(p) || sum.precise(Precision{Relative: 0.1}) || sum.precise(Precision{}) {
		t.Error("the other output, whose mean is 0, is never precise; and without a precision nothing is")
	}
	if newTally([]string{"x"}, 0).precise(p) {
		t.Error("nothing is precise")
	}
}

func near(t *testing.T, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%.15g, not %.15g", got, want)
	}
}

// A share that is a little more as a float than it should be is still that share: 0.07 of a hundred
// replicas are seven.
func TestQuantileOfAShareThatIsRounded(t *testing.T) {
	r, err := Merge(func(yield func(Values) bool) {
		for i := range 100 {
			if !yield(Values{Names: []string{"x"}, Numbers: []float64{float64(i + 1)}}) {
				return
			}
		}
	}, 0.07, 0.57)
	if err != nil {
		t.Fatal(err)
	}
	if q := r.Outputs[0].Quantiles; q[0] != 7 || q[1] != 57 {
		t.Errorf("quantiles %v, want 7 and 57", q)
	}
}
