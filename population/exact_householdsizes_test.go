package population_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// addySizes is the law of the number infected in a household of n, if everybody escapes infection
// from outside with the probability escape during an epidemic, and the Laplace transform of the
// infectious period at k times the rate of a pair is phi(k): C. L. Addy, I. M. Longini, M. Haber,
// Biometrics 47 (1991). For each k, Σ over w ≤ k of C(n−w, k−w)·p(w) / (phi(n−k)^w · escape^(n−k))
// = C(n, k).
func addySizes(n int, escape float64, phi func(k float64) float64) []float64 {
	binomial := func(n, k int) float64 {
		x := 1.0
		for i := range k {
			x *= float64(n-i) / float64(i+1)
		}
		return x
	}
	p := make([]float64, n+1)
	for k := range p {
		scale := func(w int) float64 {
			return math.Pow(phi(float64(n-k)), float64(w)) * math.Pow(escape, float64(n-k))
		}
		sum := 0.0
		for w := range k {
			sum += binomial(n-w, k-w) * p[w] / scale(w)
		}
		p[k] = (binomial(n, k) - sum) * scale(k)
	}
	return p
}

// Final sizes in households of which everybody may be infected from outside, too, for a while: the
// law of Addy, Longini and Haber. Infections from outside end at day 5, at 0.1 per day.
func TestExactHouseholdsWithOutsideInfection(t *testing.T) {
	const n = 4
	want := addySizes(n, math.Exp(-0.5), func(k float64) float64 { return math.Pow(1+0.3*k, -2) })
	if math.Abs(want[0]-math.Exp(-2)) > 1e-12 {
		t.Fatalf("nobody is infected with %v", want[0])
	}
	sum := 0.0
	for _, p := range want {
		sum += p
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Fatalf("the law adds up to %v", sum)
	}
	r := exactSimulate(t, 1, testscale.Size(8000, 400_000), `
name: outside
time: {unit: day, end: 300}
population: {size: %d, start: {susceptible: rest}}
places: {household: {size: %d}}
states:
  susceptible: {race: [{rate: {steps: {0 days: 0.1 per day, 5 days: 0 per day}}, to: infectious}]}
  infectious: {race: [{after: {gamma: {mean: 2 days, shape: 2}}, to: recovered}]}
  recovered: {}
transmission: [{from: infectious, among: household, rate each: 0.3 per day, to: {susceptible: infectious}}]
record: {every: 300 days}
`, n, n)
	for k, p := range want {
		hits := make([]float64, 0, len(r.Runs))
		for _, size := range r.counts(r.last(), "recovered") {
			hit := 0.0
			if int(size) == k {
				hit = 1
			}
			hits = append(hits, hit)
		}
		checkMean(t, fmt.Sprintf("%d infected", k), hits, p)
	}
}

// Many households at once have the same law each, and nobody is infected from another.
func TestExactManyHouseholds(t *testing.T) {
	const n, households = 3, 200
	want := addySizes(n, math.Exp(-0.5), func(k float64) float64 { return math.Pow(1+0.3*k, -2) })
	mean := 0.0
	for k, p := range want {
		mean += float64(k) * p
	}
	r := exactSimulate(t, 1, testscale.Size(200, 4000), `
name: outside
time: {unit: day, end: 300}
population: {size: %d, start: {susceptible: rest}}
places: {household: {size: %d}}
states:
  susceptible: {race: [{rate: {steps: {0 days: 0.1 per day, 5 days: 0 per day}}, to: infectious}]}
  infectious: {race: [{after: {gamma: {mean: 2 days, shape: 2}}, to: recovered}]}
  recovered: {}
transmission: [{from: infectious, among: household, rate each: 0.3 per day, to: {susceptible: infectious}}]
record: {every: 300 days}
`, n*households, n)
	variance := 0.0
	for k, p := range want {
		variance += (float64(k) - mean) * (float64(k) - mean) * p
	}
	checkMean(t, "infected", r.counts(r.last(), "recovered"), households*mean)
	checkVariance(t, "infected", r.counts(r.last(), "recovered"), households*variance)
}

// Pairs meet at a constant rate, whatever the size of the population: rate each without among. Two
// of n are left by annihilation at k(k−1)/2·2 = k(k−1) per day; the time until nobody or one is
// left has the mean Σ over k of 1/(k(k−1)).
func TestExactPairsOfEverybody(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(8000, 200_000), `
name: pairs
time: {unit: day, end: 0.3}
population: {size: 12, start: {p: rest}}
states: {p: {}}
transmission: [{from: p, rate each: 0.5 per day, to: {p: out}, self: out}]
record: {every: 0.3 days}
`)
	// Each unordered pair meets at 0.5 + 0.5 per day: the chain from 12 in steps of 2.
	p := map[int]float64{12: 1}
	const steps = 30_000
	h := 0.3 / steps
	for range steps {
		next := map[int]float64{}
		for n, x := range p {
			rate := float64(n*(n-1)) / 2 * h
			next[n] += x * (1 - rate)
			if n > 1 {
				next[n-2] += x * rate
			}
		}
		p = next
	}
	mean, square := 0.0, 0.0
	for n, x := range p {
		mean, square = mean+float64(n)*x, square+float64(n*n)*x
	}
	checkMean(t, "left", r.counts(1, "p"), mean)
	checkVariance(t, "left", r.counts(1, "p"), square-mean*mean)
}

// Half of the picks must hit nobody where 5 of 8 seats are taken: 3 of 7 picks are empty, and the
// contacts that are made are counted.
func TestExactEmptySeats(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(8000, 200_000), `
name: seats
time: {unit: day, end: 1}
population: {size: 5, start: {a: 1, b: rest}}
places: {household: {size: 5}}
states: {a: {}, b: {}}
transmission: [{from: a, among: household, rate each: 0.7 per day, to: {b: b}, name: met}]
record: {every: 1 day}
`)
	met := make([]float64, len(r.Runs))
	for i := range r.Runs {
		met[i] = float64(r.Runs[i].Named(1, 0))
	}
	checkMean(t, "met", met, 4*0.7)     // 7·0.7 if an empty seat were chosen again
	checkVariance(t, "met", met, 4*0.7) // a Poisson number
}
