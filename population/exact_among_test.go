package population_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// ballSizes is the law of the number of others that are infected in a household with n susceptible
// and one infectious member, if the Laplace transform of the infectious period at k times the rate
// of a pair is phi(k): F. Ball, Adv. Appl. Probab. 18 (1986).
func ballSizes(n int, phi func(k float64) float64) []float64 {
	binomial := func(n, k int) float64 {
		x := 1.0
		for i := range k {
			x *= float64(n-i) / float64(i+1)
		}
		return x
	}
	p := make([]float64, n+1)
	for k := range p {
		sum, q := 0.0, phi(float64(n-k))
		for w := range k {
			sum += binomial(n-w, k-w) * p[w] / math.Pow(q, float64(w+1))
		}
		p[k] = (binomial(n, k) - sum) * math.Pow(q, float64(k+1))
	}
	return p
}

// checkSizes compares how often each number of others was infected with a law.
func checkSizes(t *testing.T, r exactRun, state string, want []float64) {
	t.Helper()
	for k, p := range want {
		hits := make([]float64, 0, len(r.Runs))
		for _, n := range r.counts(r.last(), state) {
			hit := 0.0
			if int(n) == k+1 {
				hit = 1
			}
			hits = append(hits, hit)
		}
		checkMean(t, fmt.Sprintf("%d others infected", k), hits, p)
	}
}

const oneHousehold = `
name: household
time: {unit: day, end: 200}
population: {size: %d, start: {infectious: 1, susceptible: rest}}
attributes: {house: {a: 100%%}}
states:
  susceptible: {}
  infectious: {race: [{after: {gamma: {mean: 2 days, shape: 2}}, to: recovered}]}
  recovered: {}
transmission: [{from: infectious, among: house, rate each: %s, to: {susceptible: infectious}}]
record: {every: 200 days}
`

// Test 1 of section 3, among those with the same value of an attribute.
func TestExactAmongValue(t *testing.T) {
	want := ballSizes(3, func(k float64) float64 { return math.Pow(1+0.3*k, -2) })
	for k, x := range []float64{0.277008, 0.133145, 0.172996, 0.416851} {
		if math.Abs(want[k]-x) > 1e-6 {
			t.Fatalf("%d: %v, want %v", k, want[k], x)
		}
	}
	n := testscale.Size(4000, 400_000)
	checkSizes(t, exactSimulate(t, 1, n, oneHousehold, 4, "0.3 per day"), "recovered", want)
	// Of 8 seats 3 are empty.
	want = ballSizes(4, func(k float64) float64 { return math.Pow(1+0.3*k, -2) })
	checkSizes(t, exactSimulate(t, 2, n, oneHousehold, 5, "0.3 per day"), "recovered", want)
	// By the number of members.
	want = ballSizes(4, func(k float64) float64 { return math.Pow(1+1.5/5*k, -2) })
	checkSizes(t, exactSimulate(t, 3, n, oneHousehold, 5, "{value: 1.5 per day / size, most: 1 per day}"),
		"recovered", want)
}

// Test 2 of section 3, among those with the same value: the number of members falls, and with it
// that of those who share the contacts.
func TestExactAmongValueThatShrinks(t *testing.T) {
	r := exactSimulate(t, 1, testscale.Size(8000, 400_000), `
name: household
time: {unit: day, end: 200}
population: {size: 4, start: {infectious: 1, susceptible: rest}}
attributes: {house: {a: 100%%}}
states:
  susceptible: {}
  infectious: {race: [{rate: 0.5 per day, to: out}]}
transmission: [{from: infectious, among: house, rate: 0.9 per day, to: {susceptible: infectious}}]
record: {every: 200 days}
`)
	checkMean(t, "never infected", r.counts(r.last(), "susceptible"), 1.356653)
	checkVariance(t, "never infected", r.counts(r.last(), "susceptible"), 1.867723)
}

// Groups that grow and shrink keep the rate of each pair: people move between two rooms, are born
// and die, and pairs of one room meet at 0.02 per day. The number of meetings has the mean of the
// integral of the number of ordered pairs in one room.
func TestExactAmongValueThatChanges(t *testing.T) {
	const model = `
name: rooms
time: {unit: day, end: 20}
population: {size: 6, start: {a: rest}}
attributes: {room: {x: 50%%, y: 50%%}}
states: {a: {race: [{rate: 0.1 per day, to: out}]}}
machines:
  seen: {start: {no: rest}, enter: no, states: {no: {}}}
always:
  - {rate: 0.5 per day, where: {room: x}, move: {room: y}}
  - {rate: 0.5 per day, where: {room: y}, move: {room: x}}
immigration: {rate: 0.6 per day, enter: a}
transmission: [{among: room, rate each: 0.05 per day, move: {seen: no}, from: a, to: {a: a}, name: met}]
record: {every: 20 days}
`
	r := exactSimulate(t, 1, testscale.Size(4000, 200_000), model)
	// Each of the 6 survives with e^(-0.1t), independently; immigrants are Poisson with mean 6(1 −
	// e^(−0.1t)). Rooms are independent and uniform. So ordered pairs in one room have the mean (30 s²
	// + 2·6s·m + m²)/2 with s = e^(−0.1t), m = 6(1 − s), and meetings its integral times 0.05.
	want, steps := 0.0, 20_000
	for i := range steps {
		s := math.Exp(-0.1 * 20 * (float64(i) + 0.5) / float64(steps))
		m := 6 * (1 - s)
		want += (30*s*s + 12*s*m + m*m) / 2 * 0.05 * 20 / float64(steps)
	}
	met := make([]float64, len(r.Runs))
	for i := range r.Runs {
		met[i] = float64(r.Runs[i].Named(1, 0))
	}
	checkMean(t, "meetings", met, want)
}
