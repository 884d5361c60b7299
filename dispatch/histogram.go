package dispatch

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

const (
	// Buckets of a WaitHistogram part each octave into four. Waits of 0 to 3 ns have one each.
	partsLog    = 2
	parts       = 1 << partsLog
	waitBuckets = (63-partsLog)*parts + parts
)

// A WaitHistogram counts waits in buckets of which each is at most a quarter wider than where it begins: what it says of a wait is
// right to within 25 %. It covers all durations and takes 2 kB.
type WaitHistogram struct {
	Count uint64
	Sum   time.Duration // at most the longest duration there is, 292 years
	Max   time.Duration

	buckets [waitBuckets]uint64
}

// bucket is the bucket of a wait: the number of its octave, and its next two bits.
func bucket(wait int64) int {
	if wait < parts {
		return int(wait)
	}
	octave := bits.Len64(uint64(wait)) - 1 - partsLog
	return octave*parts + int(wait>>octave)
}

// below is the shortest wait that is too long for a bucket.
func below(bucket int) time.Duration {
	next := bucket + 1
	if next <= parts {
		return time.Duration(next)
	}
	octave := next/parts - 1
	if octave >= 63-partsLog {
		return 1<<63 - 1 // of the last one
	}
	return time.Duration(next%parts+parts) << octave
}

// Add counts a wait. One below 0, of a clock that was set back, counts as 0. It must not be called from several goroutines at once.
func (h *WaitHistogram) Add(wait time.Duration) {
	wait = max(wait, 0)
	h.Count++
	h.Sum += min(wait, math.MaxInt64-h.Sum)
	h.Max = max(h.Max, wait)
	h.buckets[bucket(int64(wait))]++
}

// Mean is the mean wait, 0 if there was none.
func (h *WaitHistogram) Mean() time.Duration {
	if h.Count == 0 {
		return 0
	}
	return h.Sum / time.Duration(h.Count)
}

// Quantile is a wait that at least the part q of all did not exceed: the end of the bucket that the quantile is in, or the longest wait if
// that is less. It is 0 if there was none, and panics unless q is from 0 to 1.
func (h *WaitHistogram) Quantile(q float64) time.Duration {
	demand(q >= 0 && q <= 1, "the quantile", "from 0 to 1", q)
	seen, want := uint64(0), q*float64(h.Count)
	for i, n := range h.buckets {
		seen += n
		if n > 0 && float64(seen) >= want {
			return min(below(i)-1, h.Max)
		}
	}
	return h.Max
}

// Below is how many waits were surely shorter than a duration: those of the buckets that end there or before. It is exact for 2ᵏ ns, and for
// 5/4, 6/4 and 7/4 of that.
func (h *WaitHistogram) Below(d time.Duration) (n uint64) {
	for i := range h.buckets {
		if below(i) > d {
			break
		}
		n += h.buckets[i]
	}
	return n
}

// String is the count with some quantiles.
func (h *WaitHistogram) String() string {
	return fmt.Sprintf("%d waits, mean %v, 50 %% %v, 99 %% %v, longest %v", h.Count, h.Mean(), h.Quantile(0.5), h.Quantile(0.99), h.Max)
}
