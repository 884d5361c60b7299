package dispatch

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// tolerates calls do, which may panic only with a message of the package.
func tolerates(t *testing.T, what string, do func()) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil && !strings.HasPrefix(fmt.Sprint(p), "dispatch: ") {
			t.Errorf("%s panics: %v", what, p)
		}
	}()
	do()
}

// Every argument is either accepted or refused with a message.
func TestExtremeArguments(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(-1), -1, 0, math.SmallestNonzeroFloat64, 1e-300, 0.5, 0.999, 1,
		math.MaxFloat64, math.Inf(1)} {
		tolerates(t, fmt.Sprintf("ExpectedLoad(%v)", x), func() { ExpectedLoad(x) })
		tolerates(t, fmt.Sprintf("Quantile(%v)", x), func() { new(WaitHistogram).Quantile(x) })
	}
	for _, n := range []int{math.MinInt, -1, 0, 1, 2, math.MaxInt - 1, math.MaxInt} {
		tolerates(t, fmt.Sprintf("Capacity(%d)", n), func() { Capacity(n) })
		tolerates(t, fmt.Sprintf("PoolLimit(%d)", n), func() { PoolLimit(n) })
		tolerates(t, fmt.Sprintf("MaxWait(%d)", n), func() { MaxWait(time.Duration(n)) })
	}
}

// The mean of very long waits is not negative.
func TestWaitHistogramOfTheLongest(t *testing.T) {
	var h WaitHistogram
	for _, wait := range []time.Duration{math.MinInt64, -1, 0, math.MaxInt64, math.MaxInt64, 1} {
		h.Add(wait)
	}
	if h.Count != 6 || h.Sum != math.MaxInt64 || h.Max != math.MaxInt64 || h.Mean() != math.MaxInt64/6 {
		t.Errorf("%v, in all %v", &h, h.Sum)
	}
	if n := h.Below(math.MinInt64); n != 0 {
		t.Errorf("%d waits are shorter than the shortest duration", n)
	}
}

// The largest capacity and the largest pool work like any other.
func TestDispatcherWithoutLimits(t *testing.T) {
	done := make(chan int, 10)
	d := NewDispatcher([]func(context.Context, int){func(_ context.Context, i int) { done <- i }},
		Capacity(math.MaxInt), PoolLimit(math.MaxInt), MaxWait(math.MaxInt64))
	for i := range 10 {
		if err := d.TrySubmit(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(done) != 10 {
		t.Errorf("%d items were served", len(done))
	}
}
