package population_test

import (
	"fmt"
	"math"
	"strings"
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

// Test 2 of section 4: all pairings have the same probability, and what has to be dropped is
// dropped.
func TestExactDegrees(t *testing.T) {
	n := testscale.Size(8000, 400_000)
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
	alone := func(n population.Network) float64 { return float64(n.Degrees[0]) }
	checkMean(t, "people without a link", r.networks(0, alone), 0.3125)
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
		r := exactSimulate(t, 1, testscale.Size(4000, 400_000), networkAlone, 4, "{most: 1, ends: {"+ends+"}}",
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
		r := exactSimulate(t, 1, testscale.Size(4000, 400_000), `
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

// The stationary number of partnerships: with rates f of searching, N people who have at most one
// link each and ends at rate s, the number k of links is a birth-death chain.
func TestExactStationaryPartnerships(t *testing.T) {
	const n, f, s = 30, 0.4, 0.25
	weights, sum, mean := 1.0, 1.0, 0.0
	for k := 1; k <= n/2; k++ {
		free := float64(n - 2*(k-1))
		weights *= f * free * (free - 1) / (n - 1) / (s * float64(k))
		sum += weights
		mean += weights * float64(k)
	}
	r := exactSimulate(t, 1, testscale.Size(800, 40_000), `
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

// Links that last for a time that is not exponential: two people, who are linked after an
// exponential time, and for two years each time.
func TestExactFixedLinks(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(4000, 100_000), `
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
	r := exactSimulate(t, 1, testscale.Size(4000, 100_000), networkAlone, 6, "{random: {mean: 5}}",
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

// Outbreaks on a Poisson network with an exponential infectious period: infection along a link
// takes β/(β + γ) of all, but the links of one individual share its period. So the probability of a
// large outbreak differs from its size: with mean degree 4, β = 0.5 and γ = 1 they are 0.315 and
// 0.454, and independent links would make both the same.
func TestExactPoissonNetwork(t *testing.T) {
	const mean, beta, gamma = 4.0, 0.5, 1.0
	// Size: everybody is infected along each link with the same probability, independently.
	share := 0.9
	for range 200 {
		share = 1 - math.Exp(-mean*beta/(beta+gamma)*share)
	}
	// Probability: u is that of dying out along a link, p = 1 − e^(−βt) that of infection in a period
	// t. The integral over t is one over x = e^(−γt): E[exp(mean·p·(u − 1))] with p = 1 − x^(β/γ).
	u := 0.5
	const steps = 20_000
	for range 200 {
		sum := 0.0
		for i := range steps {
			x := (float64(i) + 0.5) / steps
			sum += math.Exp(mean * (1 - math.Pow(x, beta/gamma)) * (u - 1))
		}
		u = sum / steps
	}
	if math.Abs(1-u-0.315) > 5e-4 || math.Abs(share-0.454) > 5e-4 {
		t.Fatalf("a large outbreak has probability %v by the equation, and takes %v", 1-u, share)
	}
	n := testscale.Size(400, 20_000)
	const people = 2000
	r := exactSimulate(t, 1, n, `
name: poisson
time: {unit: day, end: 200}
population: {size: 2_000, start: {ill: 1, well: rest}}
networks: {n: {random: {mean: 4}}}
states: {well: {}, ill: {race: [{rate: 1 per day, to: immune}]}, immune: {}}
transmission: [{from: ill, among: n, rate each: 0.5 per day, to: {well: ill}}]
record: {every: 200 days}
`)
	var large, sizes []float64
	for _, k := range r.counts(r.last(), "immune") {
		is := 0.0
		if k > people/10 {
			is = 1
			sizes = append(sizes, k/people)
		}
		large = append(large, is)
	}
	checkMean(t, "probability of a large outbreak", large, 1-u)
	if got, _, se, _ := moments(sizes); math.Abs(got-share) > 4*se+1./people*4 {
		t.Errorf("a large outbreak takes %v of all, want %v ± %v", got, share, se)
	}
}

// Infection without recovery on a regular network, in which triangles are rare: the pair equations
// are exact in the limit. With k links each, S = ϕ^k with ϕ' = −β·(ϕ − ϕ^(k−1)·s), where s is the
// share that is susceptible at the start.
func TestExactRegularNetwork(t *testing.T) {
	const k, beta, start = 4, 0.6, 0.98
	phi, dt := 1.0, 1e-4
	susceptible := make([]float64, 0, 4)
	for step := 0; step <= 30_000; step++ {
		if step%10_000 == 0 {
			susceptible = append(susceptible, start*math.Pow(phi, k))
		}
		slope := func(x float64) float64 { return -beta * (x - start*math.Pow(x, k-1)) }
		phi += dt * slope(phi+dt/2*slope(phi))
	}
	const people = 5000
	r := exactSimulate(t, 1, testscale.Size(60, 1000), `
name: regular
time: {unit: day, end: 3}
population: {size: 5_000, start: {ill: 100, well: rest}}
networks: {n: {degrees: 4}}
states: {well: {}, ill: {}}
transmission: [{from: ill, among: n, rate each: 0.6 per day, to: {well: ill}}]
record: {every: 1 day}
`)
	for day := 1; day <= 3; day++ {
		got, _, se, _ := moments(r.counts(day, "well"))
		// Of 10,000 links about 4 are dropped, and the equations leave out terms of 1/N.
		if want := people * susceptible[day]; math.Abs(got-want) > 4*se+6 {
			t.Errorf("day %d: %v are susceptible, want %v ± %v", day, got, want, se)
		}
	}
}

// Networks that are as bad as can be are run: one clique, a hub, far more ends than people.
func TestHostileNetworks(t *testing.T) {
	for name, text := range map[string]string{
		"a clique": "population: {size: 800, start: {ill: 1, well: rest}}\nnetworks: {n: {random: {mean: 799}}}",
		"degrees":  "population: {size: 10, start: {ill: 1, well: rest}}\nnetworks: {n: {degrees: 150_000}}",
		"many links of each": "population: {size: 300, start: {ill: 1, well: rest}}\n" +
			"networks: {n: {degrees: {by: g, a: 50_000, b: 0}}}",
		"nobody": "population: {size: 0, start: {well: rest}}\nnetworks: {n: {degrees: 3}}",
		"one":    "population: {size: 1, start: {ill: 1, well: rest}}\nnetworks: {n: {random: {mean: 0}}}",
	} {
		r := exactSimulate(t, 1, 1, `
name: hostile
time: {unit: day, end: 2}
%s
attributes: {g: {a: 10%%, b: 90%%}}
states: {well: {}, ill: {race: [{rate: 1 per day, to: out}]}}
transmission:
  - {from: ill, among: n, rate each: 0.5 per day, to: {well: ill}}
  - {from: ill, rate: 3 per day, link: n}
record: {every: 1 day}
`, text)
		n := r.Runs[0].Network(0, 0)
		if people := r.Model.Size(); 2*n.Links > people*(people-1) {
			t.Errorf("%s: %d links of %d people", name, n.Links, people)
		}
	}
	// One person with very many links leaves.
	var links strings.Builder
	links.WriteString("from,to,weight\n")
	const people = 200_000
	for i := 2; i <= people; i++ {
		fmt.Fprintf(&links, "1,%d,%d\n", i, i%7)
	}
	r := withFiles(t, population.Options{Seed: 1}, map[string]string{"hub.csv": links.String()}, `
name: hub
time: {unit: day, end: 2}
population: {size: 200_000, start: {ill: 1, well: rest}}
networks: {n: {file: hub.csv}}
states: {ill: {race: [{after: 1 day, to: out}]}, well: {race: [{rate: 0.001 per day, to: out}]}}
transmission: [{from: ill, among: n, rate: 3 per day, to: {well: well}}]
record: {every: 2 days}
`)
	if n := r.Runs[0].Network(1, 0); n.Links != 0 || n.Ended != people-1 {
		t.Errorf("%d links are left, %d ended", n.Links, n.Ended)
	}
}
