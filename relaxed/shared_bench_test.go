package relaxed

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// A shared is what a queue of a Queue would be on calendar.Queue: values in slots, whose numbers
// are the ids.
type shared struct {
	queue *calendar.Queue
	slots []slot[uint64]
	free  uint32
}

func (s *shared) add(at float64, v uint64) {
	if s.free == 0 {
		s.slots = append(s.slots, slot[uint64]{})
		s.free = uint32(len(s.slots))
	}
	id := s.free - 1
	s.free, s.slots[id].value = s.slots[id].next, v
	_ = s.queue.Schedule(calendar.ID(id), at)
}

func (s *shared) take() (v uint64, at float64) {
	id, at, _ := s.queue.Next()
	held := &s.slots[id]
	v, held.value = held.value, 0
	held.next, s.free = s.free, uint32(id)+1
	return v, at
}

// BenchmarkQueueShared holds events in a queue of a Queue, without its lock, and in one on
// calendar.Queue, by turns, and tells the best slice of each, in nanoseconds a hold.
func BenchmarkQueueShared(b *testing.B) {
	const slice = 20_000
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			own, other := newSubqueue[uint64](0), &shared{queue: calendar.New()}
			r := rand.New(rand.NewPCG(1, 1))
			for i := range uint64(n) {
				at := r.Float64()
				own.add(timekey.Of(at), i)
				other.add(at, i)
			}
			var best [2]time.Duration
			turn := uint64(0)
			timed := func(k int, hold func(r *rand.Rand)) {
				r := rand.New(rand.NewPCG(2, turn))
				start := time.Now()
				for range slice {
					hold(r)
				}
				if took := time.Since(start); best[k] == 0 || took < best[k] {
					best[k] = took
				}
			}
			for ; b.Loop(); turn++ {
				timed(0, func(r *rand.Rand) {
					top := own.top()
					v := own.take(top)
					own.add(timekey.Of(timekey.Time(top)+r.Float64()), v)
				})
				timed(1, func(r *rand.Rand) {
					v, at := other.take()
					other.add(at+r.Float64(), v)
				})
			}
			b.ReportMetric(float64(best[0].Nanoseconds())/slice, "own-ns/hold")
			b.ReportMetric(float64(best[1].Nanoseconds())/slice, "shared-ns/hold")
			b.ReportMetric(float64(best[1])/float64(best[0]), "shared/own")
		})
	}
}
