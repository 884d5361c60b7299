package population_test

import (
	"fmt"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// BenchmarkFork forks epidemics of several sizes on day 20, with every tenth individual infectious
// or so, and closes the fork. Beside the time it reports that of each individual, and the number of
// those to whom something is to happen.
func BenchmarkFork(b *testing.B) {
	for _, stay := range []string{"rate: 0.2 per day", "after: {gamma: {mean: 5 days, shape: 2}}", "after: 5 days"} {
		for _, n := range []int{11, 100, 1000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", stay, n), func(b *testing.B) {
				m, err := population.Compile("model.yaml", fmt.Appendf(nil, `
name: sir
time: {unit: day, end: 100}
population: {size: %d, start: {infectious: 10%%, susceptible: rest}}
states: {susceptible: {}, infectious: {race: [{%s, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, rate: 0.3 per day, to: {susceptible: infectious}}]
`, n, stay))
				if err != nil {
					b.Fatal(err)
				}
				p, err := m.Begin(b.Context(), population.Options{}, 0)
				if err != nil {
					b.Fatal(err)
				}
				if err := p.Advance(b.Context(), 3); err != nil {
					b.Fatal(err)
				}
				luck := uint64(0)
				b.ReportAllocs()
				for b.Loop() {
					luck++
					f, err := p.Fork(luck)
					if err != nil {
						b.Fatal(err)
					}
					f.Close()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/person")
				b.ReportMetric(float64(p.Count(1)), "infectious")
			})
		}
	}
}
