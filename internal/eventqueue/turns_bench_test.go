package eventqueue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/eventqueue"
)

// byTurns does all of some things in each turn of a benchmark, and reports the least time of each,
// in nanoseconds for each of so many operations.
func byTurns(b *testing.B, ops int, names []string, do func(i int)) {
	best := make([]float64, len(names))
	for b.Loop() {
		for i := range names {
			start := time.Now()
			do(i)
			if took := float64(time.Since(start)) / float64(ops); best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	for i, name := range names {
		b.ReportMetric(best[i], "ns/"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// What it takes to fill a new queue and take the first event, one by one and at once.
func BenchmarkFillByTurns(b *testing.B) {
	table := make([]float64, 1<<18)
	r := rand.New(rand.NewPCG(81, 0))
	for i := range table {
		table[i] = r.ExpFloat64()
	}
	at := func(id int) float64 { return table[id%len(table)] * (1 + float64(id)*1e-12) }
	for _, n := range []int{1_000_000, 10_000_000, 100_000_000} {
		b.Run(fmt.Sprintf("%.0e", float64(n)), func(b *testing.B) {
			byTurns(b, n, []string{"one-by-one", "at-once", "at-once-by-2"}, func(how int) {
				q := eventqueue.New()
				if how == 0 {
					for id := range n {
						if err := q.Schedule(eventqueue.ID(id), at(id)); err != nil {
							b.Fatal(err)
						}
					}
				} else {
					must(b, q.ScheduleAll(context.Background(), 0, n, how, func(_ int, first eventqueue.ID, times []float64) error {
						for i := range times {
							times[i] = at(int(first) + i)
						}
						return nil
					}))
				}
				if _, _, ok := q.Next(); !ok {
					b.Fatal("empty")
				}
				q = nil
				runtime.GC() // in the time of each: there is nothing to mark
			})
		})
	}
}

// Cancelling and moving every other time, beside holds: of random ids, and of ids that the caller
// names to PrefetchID four operations before.
func BenchmarkCancelByTurns(b *testing.B) {
	const (
		n     = 1_000_000
		ahead = 4
	)
	exponential, _ := calendartest.ByName("exponential")
	names := []string{"hold", "cancel", "reschedule", "cancel-known", "reschedule-known"}
	queues, jumps := make([]*eventqueue.Queue, len(names)), make([]*calendartest.Jumps, len(names))
	work := func(how int) {
		q, j := queues[how], jumps[how]
		hold, cancel, know := how == 0, how%2 == 1, how > 2
		var known [ahead]eventqueue.ID
		for i := range known {
			known[i] = j.Pick(n)
		}
		for i := range n / 2 {
			id, at, _ := q.Next()
			err := q.Schedule(id, at+j.Next())
			other, next := known[i%ahead], j.Pick(n)
			known[i%ahead] = next
			if know {
				q.PrefetchID(next)
			}
			if hold {
				other, at, _ = q.Next()
			}
			if cancel {
				q.Cancel(other)
			}
			if hold || cancel {
				err = join(err, q.Schedule(other, at+j.Next()))
			} else {
				err = join(err, q.Reschedule(other, at+j.Next()))
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	for i := range queues {
		queues[i], jumps[i] = eventqueue.New(), calendartest.NewJumps(exponential, n, 82)
		must(b, calendartest.Fill(queues[i], n, jumps[i]))
		for range 3 {
			work(i)
		}
	}
	byTurns(b, n, names, work)
}

// join is the first of two errors, if there is one.
func join(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
