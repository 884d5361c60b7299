package reproduce

import (
	"math"
	"testing"
)

func TestBatchMeans(t *testing.T) {
	// Squares add up to 5 and neighbours' products to 1.25, so the variance 5/(4·3) grows by 1 +
	// 2·1.25/5.
	got := BatchMeans([]float64{1, 2, 3, 4})
	if got.Mean != 2.5 || math.Abs(got.SE-math.Sqrt(0.625)) > 1e-12 {
		t.Errorf("got %v, want 2.5 ± %v", got, math.Sqrt(0.625))
	}
	for _, test := range []struct {
		e               Estimate
		low, high, want float64
	}{
		{Estimate{Mean: 1, SE: 0.5}, 0, 2, 0},
		{Estimate{Mean: 1, SE: 0.5}, 2, 3, 2},
		{Estimate{Mean: 4, SE: 0.5}, 2, 3, 2},
		{Estimate{Mean: 4}, 2, 3, far},
		{Estimate{Mean: 0, One: 0.01}, 0.04, 1, 2}, // none of four
	} {
		if got := test.e.Outside(test.low, test.high); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%v is %v outside of %v to %v, want %v", test.e, got, test.low, test.high, test.want)
		}
	}
}

// Independent numbers have the textbook's standard error, whatever order they come in.
func TestMean(t *testing.T) {
	for _, x := range [][]float64{{1, 2, 3, 4}, {1, 4, 2, 3}} {
		// Squares add up to 5: the variance is 5/3, and that of the mean a quarter of it.
		if got := Mean(x); got.Mean != 2.5 || math.Abs(got.SE-math.Sqrt(5./12)) > 1e-12 {
			t.Errorf("got %v, want 2.5 ± %v", got, math.Sqrt(5./12))
		}
	}
}

func TestOff(t *testing.T) {
	e := Estimate{Mean: 3, SE: 0.5}
	for _, test := range []struct{ want, allowed, off float64 }{{3, 0, 0}, {2, 0, 2}, {4, 0, 2}, {2, 0.5, 1}, {4, 1, 0}} {
		if got := e.Off(test.want, test.allowed); got != test.off {
			t.Errorf("%v is %v off %v ± %v, want %v", e, got, test.want, test.allowed, test.off)
		}
	}
	if d := e.Minus(Estimate{Mean: 1, SE: 1.2}); d.Mean != 2 || math.Abs(d.SE-1.3) > 1e-12 {
		t.Errorf("the difference is %v, want 2 ± 1.3", d)
	}
	if Above(2, 1) != 1 || Above(1, 1) != 0 || Above(math.NaN(), 1) != 0 {
		t.Error("only what is above counts")
	}
}
