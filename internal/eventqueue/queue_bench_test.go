package eventqueue_test

import (
	"fmt"
	"testing"

	"github.com/almanac-sim/almanac/calendar/calendartest"
	"github.com/almanac-sim/almanac/internal/eventqueue"
)

// A hold, for benchstat. To compare with other structures in one run, use almanac-bench calendar.
func BenchmarkQueueHold(b *testing.B) {
	for _, d := range calendartest.Distributions() {
		for _, n := range []int{1000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", d.Name, n), func(b *testing.B) {
				q := eventqueue.New(eventqueue.Capacity(n))
				j := calendartest.NewJumps(d, n, 1)
				must(b, calendartest.Fill(q, n, j))
				must(b, calendartest.Hold(q, 3*n, j))
				b.ReportAllocs()
				for b.Loop() {
					id, at, _ := q.Next()
					_ = q.Schedule(id, at+j.Next())
				}
			})
		}
	}
}
