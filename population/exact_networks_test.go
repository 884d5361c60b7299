package population_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
	"github.com/almanac-sim/almanac/population"
)

// networks returns a number of the first network at a row, by replica.
func (r exactRun) networks(row int, of func(n population.Network) float64) []float64 {
	values := make([]float64, len(r.Runs))
	for i := range r.Runs {
		values[i] = of(r.Runs[i].Network(row, 0))
	}
	return values
}

// links is for exactRun.networks.
func links(n population.Network) float64 { return float64(n.Links) }

const networkAlone = `
name: links
time: {unit: year, end: 5}
population: {size: %d, start: {a: rest}}
networks: {n: %s}
states: {a: {}}
%s
record: {every: 1 year}
`

// Test 2 of section 4: all pairings have the same probability, and what has to be dropped is dropped.
func TestExactDegrees(t *testing.T) {
	n := testscale.Size(20_000, 400_000)
	r := exactSimulate(t, 1, n, networkAlone, 4, "{degrees: 2}", "")
	want := map[int]float64{0: 1. / 105, 1: 12. / 105, 2: 12. / 105, 3: 32. / 105, 4: 48. / 105}
	for links, p := range want {
		checkMean(t, "share of networks", r.networks(0, func(n population.Network) float64 {
			if n.Links == links {
				return 1
			}
			return 0
		}), p)
	}
	checkMean(t, "links", r.networks(0, links), 3.085714)
	// Of an odd number of ends one is left out, drawn uniformly.
	r = exactSimulate(t, 2, n, networkAlone, 3, "{degrees: 1}", "")
	for i := range r.Runs {
		if got := r.Runs[i].Network(0, 0); got.Links != 1 || got.Degrees[0] != 1 || got.Degrees[1] != 2 {
			t.Fatalf("three ends make %+v", got)
		}
	}
	r = exactSimulate(t, 3, n, networkAlone, 5, "{random: {mean: 2}}", "")
	checkMean(t, "links", r.networks(0, links), 5)
	checkVariance(t, "links", r.networks(0, links), 2.5)
	checkMean(t, "people without a link", r.networks(0, func(n population.Network) float64 { return float64(n.Degrees[0]) }),
		0.3125)
	r = exactSimulate(t, 4, 100, networkAlone, 5, "{random: {mean: 4}}", "")
	if got := r.Runs[7].Network(0, 0); got.Links != 10 {
		t.Errorf("of 5 people each linked with all others there are %d links", got.Links)
	}
}

// Test 3 of section 4: a search that meets somebody who has a link is lost.
func TestExactPartnerships(t *testing.T) {
	for name, ends := range map[string]string{
		"rate": "rate: 0.5 per year", "exponential": "after: {exponential: {mean: 2 years}}",
		"by a calendar": "after: {gamma: {mean: 2 years, shape: 1}}",
		"that changes":  "rate: {line: {0: 0.5 per year, 2 years: 0.5 per year}}",
	} {
		r := exactSimulate(t, 1, testscale.Size(20_000, 400_000), networkAlone, 4, "{most: 1, ends: {"+ends+"}}",
			"transmission: [{rate: 0.3 per year, link: n, name: union}]")
		checkMean(t, name+": links at 1 year", r.networks(1, links), 0.632702)
		checkVariance(t, name+": links at 1 year", r.networks(1, links), 0.330542)
		checkMean(t, name+": links at 5 years", r.networks(5, links), 0.863269)
		checkVariance(t, name+": links at 5 years", r.networks(5, links), 0.362458)
		for i := range r.Runs {
			n := r.Runs[i].Network(5, 0)
			if named := r.Runs[i].Named(5, 0); uint64(n.Links) != n.Formed-n.Ended || named != n.Formed ||
				n.Degrees[0]+n.Degrees[1] != 4 || n.Degrees[1] != 2*n.Links {
				t.Fatalf("%s: %+v, and %d unions", name, n, named)
			}
		}
	}
}

// Test 4 of section 4: infection passes along a link while it lasts.
func TestExactInfectionAlongLinks(t *testing.T) {
	for name, rate := range map[string]string{"each": "rate each: 0.7 per year", "per head": "rate: 0.7 per year"} {
		r := exactSimulate(t, 1, testscale.Size(20_000, 400_000), `
name: two
time: {unit: year, end: 6}
population: {size: 2, start: {ill: 1, well: 1}}
networks: {n: {ends: {rate: 0.5 per year}}}
states: {well: {}, ill: {}}
transmission:
  - {rate: 0.4 per year, link: n}
  - {from: ill, among: n, %s, to: {well: ill}}
record: {every: 2 years}
`, rate)
		checkMean(t, name+": not infected at 2 years", r.counts(1, "well"), 0.630309)
		checkMean(t, name+": not infected at 6 years", r.counts(3, "well"), 0.166300)
	}
}

// The stationary number of partnerships: with rates f of searching, N people who have at most one link
// each and ends at rate s, the number k of links is a birth-death chain.
func TestExactStationaryPartnerships(t *testing.T) {
	const n, f, s = 30, 0.4, 0.25
	weights, sum, mean := 1.0, 1.0, 0.0
	for k := 1; k <= n/2; k++ {
		free := float64(n - 2*(k-1))
		weights *= f * free * (free - 1) / (n - 1) / (s * float64(k))
		sum += weights
		mean += weights * float64(k)
	}
	r := exactSimulate(t, 1, testscale.Size(4_000, 40_000), `
name: partnerships
time: {unit: year, end: 60}
population: {size: 30, start: {a: rest}}
networks: {n: {most: 1, ends: {after: %s}}}
states: {a: {race: [{rate: 0.001 per year, to: a}]}}
transmission: [{rate: 0.4 per year, link: n}]
record: {every: 60 years}
`, "{exponential: {mean: 4 years}}")
	checkMean(t, "links", r.networks(1, links), mean/sum)
}

// Links that last for a time that is not exponential: two people, who are linked after an exponential
// time, and for two years each time.
func TestExactFixedLinks(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(10_000, 100_000), `
name: two
time: {unit: year, end: 60}
population: {size: 2, start: {a: rest}}
networks: {n: {ends: {after: 2 years}}}
states: {a: {}}
transmission: [{rate: 0.4 per year, link: n}]
record: {every: 2 years}
`)
	checkMean(t, "linked at 2 years", r.networks(1, links), 1-math.Exp(-1.6))
	checkMean(t, "linked in the long run", r.networks(30, links), 2/(2+1/0.8))
}

// Whoever leaves takes the links along: links live as long as both, and who enters has none.
func TestExactLinksOfThoseWhoLeave(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(10_000, 100_000), networkAlone, 6, "{random: {mean: 5}}",
		"always: [{rate: 0.3 per year, to: out}]\nimmigration: [{rate: 3 per year, enter: a}]")
	checkMean(t, "links at 1 year", r.networks(1, links), 15*math.Exp(-0.6))
	for i := range r.Runs {
		n := r.Runs[i].Network(1, 0)
		people := 0
		for _, count := range n.Degrees {
			people += count
		}
		if n.Links+int(n.Ended) != 15 || people != r.Runs[i].Total(1) {
			t.Fatalf("%+v, of %d people", n, r.Runs[i].Total(1))
		}
	}
}
