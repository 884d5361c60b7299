package population_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Test 1 of section 5: the first detection takes everybody.
func TestExactCompleteTracing(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(20_000, 400_000), `
name: complete
time: {unit: day, end: 400}
population: {size: 6, start: {i: 1, s: rest}}
states: {s: {}, i: {race: [{rate: 0.4 per day, to: isolated}]}, isolated: {}}
transmission: [{from: i, rate: 1.2 per day, to: {s: i}, name: infection}]
tracing: [{when: isolated, through: {infection: 100%%}, back: 1000 days, to: {i: isolated}}]
record: {every: 400 days}
`)
	want := []float64{0.25, 0.220588, 0.189076, 0.154698, 0.116024, 0.069614}
	ever := r.counts(r.last(), "isolated")
	got := make([]float64, 6)
	for _, n := range ever {
		got[int(n)-1] += 1 / float64(len(ever))
	}
	for n, p := range want {
		if se := math.Sqrt(p * (1 - p) / float64(len(ever))); math.Abs(got[n]-p) > 4.5*se {
			t.Errorf("%d are ever infected with probability %.4f, want %.4f", n+1, got[n], p)
		}
	}
	checkMean(t, "ever infected", ever, 2.875)
	checkVariance(t, "ever infected", ever, 2.450284)
}

// Test 2 of section 5: one in a household is found, and reached a day later.
func TestExactHouseholdTracing(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(400, 8000), `
name: pairs
time: {unit: day, end: 4}
population: {size: 200, start: {i: rest}}
places: {household: {size: 2}}
states: {i: {race: [{rate: 0.5 per day, to: isolated, name: detection}]}, isolated: {}}
tracing: [{when: detection, through: {household: 60%%}, after: 1 day, to: {i: isolated}, name: traced}]
record: {every: 1 day}
`)
	for row, want := range map[int]float64{1: 0.606531, 2: 0.281030, 3: 0.138503, 4: 0.072253} {
		checkMean(t, "still infectious", r.counts(row, "i"), 200*want)
	}
}

// Test 4 of section 5: isolation is a machine.
func TestExactIsolation(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(20_000, 400_000), `
name: isolation
time: {unit: day, end: 6}
population: {size: 2, start: {i: 1, s: rest}}
states: {s: {}, i: {}, infected: {}}
machines:
  isolation:
    start: {free: rest}
    enter: free
    states: {free: {race: [{rate: 0.5 per day, to: alone}]}, alone: {}}
transmission: [{from: i, rate: {by: isolation, free: 0.9 per day, alone: 0.09 per day}, to: {s: infected}}]
record: {every: 1 day}
`)
	for row, want := range map[int]float64{1: 0.498695, 3: 0.699362, 6: 0.777438} {
		checkMean(t, "infected", r.counts(row, "infected"), want)
	}
}
