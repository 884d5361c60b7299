package dispatch

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// Buckets follow each other without a gap, and are narrow.
func TestWaitBuckets(t *testing.T) {
	if got := bucket(math.MaxInt64); got != waitBuckets-1 {
		t.Errorf("the longest wait is in bucket %d of %d", got, waitBuckets)
	}
	first := int64(0)
	for i := range waitBuckets {
		end := int64(below(i))
		if bucket(first) != i || bucket(end-1) != i {
			t.Fatalf("bucket %d is from %d to %d, of which the first is in %d and the last in %d",
				i, first, end, bucket(first), bucket(end-1))
		}
		if width := end - first; width > 1 && float64(width) > float64(first)/4 {
			t.Fatalf("bucket %d from %d is %d wide", i, first, width)
		}
		first = end
	}
}

// Quantiles are right to within a quarter; counts at the ends of buckets are exact.
func TestWaitHistogram(t *testing.T) {
	var h WaitHistogram
	if h.Mean() != 0 || h.Quantile(0.5) != 0 || h.Below(time.Hour) != 0 {
		t.Error("there is something in an empty histogram")
	}
	r := rand.New(rand.NewPCG(1, 1))
	var all []int64
	sum := int64(0)
	for range 10_000 {
		w := int64(1e6 * math.Exp(3*r.NormFloat64()))
		all = append(all, w)
		sum += w
		h.Add(time.Duration(w))
	}
	slices.Sort(all)
	for _, q := range []float64{0, 0.001, 0.5, 0.9, 0.99, 0.9999, 1} {
		want := all[max(int(math.Ceil(q*10_000)), 1)-1]
		if got := int64(h.Quantile(q)); got < want || got > want+want/4 {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	if got := int64(h.Quantile(1)); got != all[9999] || int64(h.Max) != got || h.Mean() != time.Duration(sum/10_000) {
		t.Errorf("longest %d, mean %v", got, h.Mean())
	}
	for k := range 62 {
		end := int64(1) << k
		want, _ := slices.BinarySearch(all, end)
		if got := h.Below(time.Duration(end)); got != uint64(want) {
			t.Errorf("%d waits are below %d, want %d", got, end, want)
		}
	}
	var back WaitHistogram
	if back.Add(-time.Second); back.Count != 1 || back.Sum != 0 || back.Below(1) != 1 {
		t.Errorf("a wait below 0 is %v", &back)
	}
	if s := h.String(); !strings.HasPrefix(s, "10000 waits, mean ") {
		t.Error(s)
	}
	defer func() {
		if recover() == nil {
			t.Error("NaN is a quantile")
		}
	}()
	h.Quantile(math.NaN())
}
