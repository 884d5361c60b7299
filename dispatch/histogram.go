package dispatch

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

const (
	// A WaitHistogram divides each octave into four buckets. Waits of 0 to 3 ns have a bucket each.
	partsLog    = 2
	parts       = 1 << partsLog
	waitBuckets = (63-partsLog)*parts + parts
)

// A WaitHistogram counts waits in buckets whose width is at most a quarter of their lower end, so
// that quantiles are right to within 25 %. It covers all durations and takes 2 kB. The zero value
// is empty and ready to use. It must not be used from several goroutines at once.
type WaitHistogram struct {
	Count uint64
	Sum   time.Duration // saturates at the longest duration, 292 years
	Max   time.Duration

	buckets [waitBuckets]uint64
}

// bucket returns the bucket of a wait: the number of its octave, and its next two bits.
func bucket(wait int64) int {
	if wait < parts {
		return int(wait)
	}
	octave := bits.Len64(uint64(wait)) - 1 - partsLog
	return octave*parts + int(wait>>octave)
}

// below returns the upper end of a bucket, exclusive.
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

// Add counts a wait. A negative one, of a clock that was set back, counts as 0.
func (h *WaitHistogram) Add(wait time.Duration) {
	wait = max(wait, 0)
	h.Count++
	h.Sum += min(wait, math.MaxInt64-h.Sum)
	h.Max = max(h.Max, wait)
	h.buckets[bucket(int64(wait))]++
}

// Mean returns the mean wait, or 0 if the histogram is empty.
func (h *WaitHistogram) Mean() time.Duration {
	if h.Count == 0 {
		return 0
	}
	return h.Sum / time.Duration(h.Count)
}

// Quantile returns an upper bound of the quantile q: the end of its bucket, or Max if that is less.
// It returns 0 if the histogram is empty, and panics unless q is from 0 to 1.
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

// Below returns the number of waits in the buckets that end at d or before, all of which are
// shorter than d. It is exact for 2ᵏ ns, and for 5/4, 6/4 and 7/4 of that.
func (h *WaitHistogram) Below(d time.Duration) (n uint64) {
	for i := range h.buckets {
		if below(i) > d {
			break
		}
		n += h.buckets[i]
	}
	return n
}

// String returns the count, the mean, two quantiles and the maximum.
func (h *WaitHistogram) String() string {
	return fmt.Sprintf("%d waits, mean %v, 50 %% %v, 99 %% %v, longest %v",
		h.Count, h.Mean(), h.Quantile(0.5), h.Quantile(0.99), h.Max)
}
