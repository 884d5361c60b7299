package engine

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A whole SIR epidemic with and without a look ahead at whom contacts are with, in turns; reported
// is the best of each, in nanoseconds an event, set-up included.
func BenchmarkSIRPrefetch(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000, 5_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			m := modelOf(b, text("../examples/sir"), syntax.Changes{Size: &size, Set: []syntax.Setting{
				{Name: "stay", Text: "{exponential: {mean: 5 days}}"}}}).Program
			sights := map[string]int{"ns/event-with": 1, "ns/event-without": math.MaxInt}
			best := map[string]float64{}
			replicas := map[string]*Run{}
			for how, sight := range sights {
				best[how], replicas[how] = math.Inf(1), &Run{sparseRule: usualSparse, prefetchFrom: sight}
			}
			for b.Loop() {
				for how := range sights {
					r := replicas[how]
					began := time.Now()
					if err := r.Start(context.Background(), m, 1, 0); err != nil {
						b.Fatal(err)
					}
					if err := r.Advance(context.Background(), m.End-m.Start, nil); err != nil {
						b.Fatal(err)
					}
					best[how] = min(best[how], float64(time.Since(began).Nanoseconds())/float64(r.Events))
				}
			}
			for how, ns := range best {
				b.ReportMetric(ns, how)
			}
			b.ReportMetric(0, "ns/op") // which says nothing
		})
	}
}
