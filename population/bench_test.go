package population_test

import (
	"context"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// benchmark runs a model again and again, each time with another seed, on one worker.
func benchmark(b *testing.B, path string, replicas int, changes ...population.Change) {
	m, err := population.Load(path, changes...)
	if err != nil {
		b.Fatal(err)
	}
	events := uint64(0)
	for seed := uint64(1); b.Loop(); seed++ {
		result, err := m.Run(context.Background(), population.Options{Seed: seed, Replicas: replicas, Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		events += result.Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

// A whole epidemic among 10⁵ individuals, setting them up included.
func BenchmarkSIR(b *testing.B) {
	benchmark(b, "../examples/sir.yaml", 1, population.Set("stay", "{exponential: {mean: 5 days}}"))
}

// The same with gamma distributed infectious periods.
func BenchmarkSIRGamma(b *testing.B) { benchmark(b, "../examples/sir.yaml", 1) }

// Ten thousand epidemics among 11 people.
func BenchmarkOutbreaks(b *testing.B) {
	benchmark(b, "../examples/sir.yaml", 10_000, population.Size(11))
}

// Thirty years of 600,000 people.
func BenchmarkTuberculosis(b *testing.B) { benchmark(b, "../examples/tuberculosis.yaml", 1) }
