package fit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

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
	for _, weights := range [][]float64{nil, {1}, same(0.01, 100)} {
		if k := tailShape(weights); k != 0 {
			t.Errorf("%d equal weights have a tail of shape %v", len(weights), k)
		}
	}
}

// Where few whole runs are like the data, the result says that its weights have a heavy tail; where
// all are, it does not.
func TestHeavyTailIsTold(t *testing.T) {
	told := func(m dying, data []float64, budget int) bool {
		p := oneColumn(data, Unknown{"rate", "per day", Exponential(0.5)})
		r, err := fitDirectly(p, wholeRuns{known{m, 0.8}}, Options{Seed: 1, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(strings.Join(r.Notes, ""), "a few of the runs carry much of the weight")
	}
	if told(dying{30, 6}, []float64{5, 6, 1, 3, 2, 2}, 10_000) {
		t.Error("six rows are said to be too many")
	}
	if !told(dying{80, 16}, []float64{9, 4, 8, 6, 3, 6, 1, 4, 3, 2, 4, 0, 2, 2, 1, 3}, 10_000) {
		t.Error("of sixteen rows it is not said")
	}
}
