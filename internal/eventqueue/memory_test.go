package eventqueue_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// enough is how many bytes a queue may hold for so many events: a chunk of half a kilobyte for each
// of a few, of which there may be three times too many, and some for the queue itself.
func enough(events int) int { return 2048*events + 300_000 }

// After a burst memory goes back, however few events are left, wherever they are, and also if these
// stay for long.
func TestQueueGivesMemoryBackToTheLast(t *testing.T) {
	n := testscale.Size(100_000, 1_000_000)
	for _, left := range testscale.Size([]int{0, 1, 24, 1000}, []int{0, 1, 5, 23, 24, 100, 1000}) {
		for _, how := range []string{"taken", "cancelled", "far away", "one instant"} {
			t.Run(fmt.Sprint(left, " ", how), func(t *testing.T) {
				r := rand.New(rand.NewPCG(41, uint64(left)))
				q := eventqueue.New()
				for id := range eventqueue.ID(n) {
					at := r.ExpFloat64()
					if int(id) < left && how == "far away" {
						at += 1e6 * r.Float64()
					}
					if how == "one instant" {
						at = 1
					}
					must(t, q.Schedule(id, at))
				}
				if how == "cancelled" {
					q.Next()
					for there, ids := q.Len(), r.Perm(n); there > left; ids = ids[1:] {
						if id := eventqueue.ID(ids[0]); q.Cancel(id) {
							there--
							q.Cancel(id) // once more, for nothing
						}
					}
				}
				for q.Len() > left {
					q.Next()
				}
				must(t, q.Check())
				// Some of those left, or some stale, may be in every page of records, and there may
				// be a slab until more has happened.
				all := n>>14 + 1
				if left == 0 {
					q.Next()
				}
				if s := q.Stats(); s.Bytes > enough(left)+all*200_000+2<<20 {
					t.Errorf("%d bytes for %d events, of %d", s.Bytes, left, n)
				}
				for range 20_000 {
					if id, at, ok := q.Next(); ok {
						must(t, q.Schedule(id, at+r.ExpFloat64()))
					}
				}
				must(t, q.Check())
				pages := min(left+2, all) // one for each, and two that may stay
				if left == 0 {
					pages = 0
				}
				if s := q.Stats(); s.Bytes > enough(left)+pages*200_000 {
					t.Errorf("%d bytes for %d events, of %d, after a while", s.Bytes, left, n)
				}
			})
		}
	}
}

// Bursts one after the other: memory goes back after each, and what is there is right.
func TestQueueBurstAfterBurst(t *testing.T) {
	q := eventqueue.New()
	r := rand.New(rand.NewPCG(42, 0))
	for burst := range 6 {
		n := 20_000 << (burst % 3)
		for id := range eventqueue.ID(n) {
			must(t, q.Reschedule(id, q.Now()+r.ExpFloat64()*math.Pow(10, float64(burst))))
		}
		most := q.Stats().Bytes
		for q.Len() > 3 {
			q.Next()
		}
		must(t, q.Check())
		if s := q.Stats(); s.Bytes > enough(3)+5*200_000 {
			t.Errorf("burst %d: %d bytes for %d events, of %d for %d", burst, s.Bytes, q.Len(), most, n)
		}
	}
}

// Numbers far apart that are not used any more cost nothing in the long run.
func TestQueueForgetsWrongNumbers(t *testing.T) {
	q := eventqueue.New()
	for id := range eventqueue.ID(200) {
		must(t, q.Schedule(math.MaxUint32-id<<14, float64(id)))
	}
	for range 200 {
		q.Next()
	}
	if _, _, ok := q.Next(); ok {
		t.Error("not empty")
	}
	must(t, q.Check())
	if s := q.Stats(); s.Bytes > 1_300_000 {
		t.Errorf("%d bytes", s.Bytes)
	}
}

// Memory that is wanted again at once is not given back over and over: a few events that come and
// go, whatever their ids.
func TestQueueKeepsWhatItNeedsAgain(t *testing.T) {
	for _, stride := range []eventqueue.ID{1, 1 << 14, 1 << 20} {
		for _, events := range []eventqueue.ID{1, 5, 300} {
			q := eventqueue.New()
			r := rand.New(rand.NewPCG(43, 0))
			rounds := testscale.Size[eventqueue.ID](20_000, 60_000)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range rounds / events {
				for i := range events {
					must(t, q.Schedule(math.MaxUint32-i*stride, q.Now()+r.ExpFloat64()))
				}
				for q.Len() > 0 {
					q.Next()
				}
				q.Next()
			}
			runtime.ReadMemStats(&after)
			// What may be given back, and what is asked for on the way to where it was.
			if got := after.TotalAlloc - before.TotalAlloc; got > 3*(128*2*uint64(rounds)+64<<20)+100<<20 {
				t.Errorf("stride %d, %d events: %d bytes for %d of them", stride, events, got, rounds)
			}
			must(t, q.Check())
		}
	}
}
