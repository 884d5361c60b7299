package ensemble

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

// The series of a pair are those of both runners and the difference; of different lengths, they are
// refused.
func TestPairedSeries(t *testing.T) {
	runner := func(x float64, series ...float64) Runner {
		return func(context.Context, Replica) (Values, error) {
			return Values{Names: []string{"x"}, Numbers: []float64{x}, Series: series, Events: 1}, nil
		}
	}
	v, err := Paired(runner(1, 1, 2, math.NaN()), runner(5, 11, 22, 3), runner(9, 0, 0, 0))(t.Context(), Replica{})
	want := []float64{1, 2, math.NaN(), 11, 22, 3, 0, 0, 0, 10, 20, math.NaN(), -1, -2, math.NaN()}
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	if err != nil || !slices.EqualFunc(v.Series, want, same) || !slices.Equal(v.Numbers, []float64{1, 5, 9, 4, 8}) {
		t.Errorf("%v, %v", v, err)
	}
	_, err = Paired(runner(1, 1, 2), runner(5, 11))(t.Context(), Replica{})
	if err == nil || !strings.Contains(err.Error(), "series of different lengths: 2 and 1") {
		t.Errorf("%v", err)
	}
}

// Long series are summarised by sketches sooner than outputs, whose quantiles stay exact.
func TestSeriesSketched(t *testing.T) {
	const series = 8000 // exact for 4,000,000 / 8001 = 499 replicas
	n := 499
	sum := newTally([]string{"x"}, series)
	numbers := make([]float64, 2+series)
	held := 0
	for k := range n + 1 {
		if k == n {
			if r := *sum; r.seriesSketched || r.outputsSketched {
				t.Fatalf("sketches after %d replicas", k)
			}
		}
		for i := range numbers[1:] {
			numbers[1+i] = 1000 + float64(k)
		}
		held += sum.add(numbers)
	}
	if held != n+1 {
		t.Errorf("%d values are held, not those of the output alone, %d", held, n+1)
	}
	r := sum.result([]float64{0.025, 0.975})
	if !r.Sketched || r.OutputsSketched || r.Outputs[0].Quantiles[0] != 1012 || r.Outputs[0].Quantiles[1] != 1487 {
		t.Errorf("%v %v %v", r.Sketched, r.OutputsSketched, r.Outputs)
	}
	if x := r.Series[0].Quantiles[1]; math.Abs(x/1487-1) > SketchError {
		t.Errorf("by sketch: %g", x)
	}
}
