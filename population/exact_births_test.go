package population_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/combin"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// birthDeath is the linear birth–death process from n0 individuals after a time: its mean and
// variance, and its law, of which the first is the probability of having died out (Bailey, The
// Elements of Stochastic Processes, 1964, section 8.6). One individual has died out with
// probability α, and else its descendants are geometric with ratio β.
func birthDeath(n0 int, birth, death, time float64, most int) (mean, variance float64, law []float64) {
	n, growth := float64(n0), math.Exp((birth-death)*time)
	var alpha, beta float64
	if birth == death {
		alpha = birth * time / (1 + birth*time)
		beta = alpha
		mean, variance = n, 2*n*birth*time
	} else {
		alpha = death * (growth - 1) / (birth*growth - death)
		beta = birth * (growth - 1) / (birth*growth - death)
		mean, variance = n*growth, n*(birth+death)/(birth-death)*growth*(growth-1)
	}
	law = []float64{math.Pow(alpha, n)}
	for k := 1; k <= most; k++ {
		// j of the n0 have descendants, the sum of j geometric numbers.
		p := 0.0
		for j := 1; j <= min(n0, k); j++ {
			some := float64(combin.Binomial(n0, j)) * math.Pow(1-alpha, float64(j)) * math.Pow(alpha, float64(n0-j))
			p += some * float64(combin.Binomial(k-1, j-1)) * math.Pow(1-beta, float64(j)) * math.Pow(beta, float64(k-j))
		}
		law = append(law, p)
	}
	return mean, variance, law
}

const birthModel = `
name: births and deaths
time: {unit: day, end: 20}
population: {size: 5, start: {%s: rest}}
%s
record: {every: 10 days}
`

// Births and deaths at constant rates, written in several ways that all mean the same process.
func TestExactBirthDeath(t *testing.T) {
	replicas := testscale.Size(2500, 12_000)
	ways := []struct{ name, first, text string }{
		{"always", "alive", "states: {alive: {}}\nalways: [{rate: %v per day, to: out}]\n" +
			"births: {rate: %v per day, enter: alive}"},
		{"after", "alive", "states: {alive: {}}\nalways: [{after: {exponential: {rate: %v per day}}, to: out}]\n" +
			"births: {rate: %v per day, enter: alive}"},
		{"race", "alive", "states: {alive: {race: [{rate: %v per day, to: out}]}}\n" +
			"births: [{rate: %v per day, enter: alive, from: alive}]"},
		// Two states, between which individuals go to and fro, in both of which they die and give birth.
		{"two states", "young", `
states:
  young: {race: [{after: 1 day, to: old}]}
  old: {race: [{after: {gamma: {mean: 2 days, shape: 3}}, to: young}]}
always: [{rate: %v per day, to: out}]
births: {rate: %v per day, enter: young, from: [young, old]}`},
	}
	for i, way := range ways {
		for j, c := range []struct{ birth, death float64 }{{0.15, 0.1}, {0.12, 0.12}, {0.05, 0.15}} {
			if i > 0 && i+1 < len(ways) && i != j {
				continue // each once is enough
			}
			r := exactSimulate(t, uint64(1+3*i+j), replicas, birthModel, way.first, fmt.Sprintf(way.text, c.death, c.birth))
			for row := 1; row < len(r.Times); row++ {
				what := fmt.Sprintf("%s, %v and %v, day %v", way.name, c.birth, c.death, r.Times[row])
				total := make([]float64, replicas)
				for k := range r.Runs {
					total[k] = float64(r.Runs[k].Total(row))
				}
				mean, variance, law := birthDeath(5, c.birth, c.death, r.Times[row], 250)
				expected, most := make([]float64, len(law)), len(law)-1
				left := 1.0
				for k, p := range law[:most] {
					expected[k] = float64(replicas) * p
					left -= p
				}
				expected[most] = float64(replicas) * max(0, left)
				observed := histogram(total, most)
				checkMean(t, what, total, mean)
				checkVariance(t, what, total, variance)
				checkShare(t, what+": died out", observed[0], float64(replicas), law[0])
				checkChiSquare(t, what, observed, expected)
				if row == r.last() {
					got, _, se, _ := moments(total)
					wrong, _, _ := birthDeath(5, 1.15*c.birth, c.death, r.Times[row], 1)
					checkNotices(t, "births 15 % more frequent", got, wrong, se)
				}
			}
		}
	}
}

// Births by individuals in one of two states alone. The means follow a' = (b−u−d)a + vc and c' = ua
// − (v+d)c, exactly, since individuals do not depend on each other.
func TestExactBirthsFromOneState(t *testing.T) {
	const replicas, b, u, v, d = 5000, 0.25, 0.1, 0.2, 0.08
	r := exactSimulate(t, 1, replicas, birthModel, "fertile", fmt.Sprintf(`
states:
  fertile: {race: [{rate: %v per day, to: caring}]}
  caring: {race: [{rate: %v per day, to: fertile}]}
always: [{rate: %v per day, to: out}]
births: {rate: %v per day, enter: fertile, from: fertile}`, u, v, d, b))
	move := func(y []float64) []float64 { return []float64{(b-u-d)*y[0] + v*y[1], u*y[0] - (v+d)*y[1]} }
	for row := 1; row < len(r.Times); row++ {
		y := rungeKutta(move, []float64{5, 0}, r.Times[row], 1000)
		for k, state := range []string{"fertile", "caring"} {
			values := r.counts(row, state)
			checkMean(t, fmt.Sprintf("%s, day %v", state, r.Times[row]), values, y[k])
		}
	}
	// Were the caring to give birth as well, all would grow as one.
	values := r.counts(r.last(), "fertile")
	got, _, se, _ := moments(values)
	wrong := rungeKutta(func(y []float64) []float64 {
		return []float64{(b-u-d)*y[0] + (v+b)*y[1], u*y[0] - (v+d)*y[1]}
	}, []float64{5, 0}, 20, 1000)
	checkNotices(t, "births in both states", got, wrong[0], se)
}
