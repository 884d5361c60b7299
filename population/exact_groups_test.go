package population_test

import (
	"fmt"
	"math"
	"testing"
)

// Two regions. The values of the attribute are not in what is recorded, so at the very start
// everybody goes to a state that tells the region.
const regionsModel = `
name: two regions
time: {unit: day, end: 1000}
attributes: {region: {north: 30%%, south: 70%%}}
population: {size: %d, start: {infectious: %d, susceptible: rest}}
states:
  susceptible: {}
  infectious: {}
  S north: {}
  S south: {}
  I north: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: R north}]}
  I south: {race: [{after: {gamma: {mean: 5 days, shape: 2}}, to: R south}]}
  R north: {}
  R south: {}
interventions:
  - {at: 0 days, who: susceptible, where: {region: north}, to: S north}
  - {at: 0 days, who: susceptible, where: {region: south}, to: S south}
  - {at: 0 days, who: infectious, where: {region: north}, to: I north}
  - {at: 0 days, who: infectious, where: {region: south}, to: %s south}
transmission:
  - from: [I north, I south]
    rate: 0.32 per day
    to: {S north: I north, S south: I south}
    mixing: {by: region, matrix: %s}
record: {every: 1000 days}
`

type pair [2]float64

// regionsLeft is how many of each region are never infected, by the equations for the final size.
// Someone in region i has R0 contacts in the mean while infectious, each with a given individual of
// region j with probability m[i][j]/N_j, or /(N_j−1) in the own region. Of a region's S_j
// susceptibles are then left
//
//	S_j exp(−R0 Σ_i Z_i m[i][j]/N_j)
//
// where Z_i are all that ever were infectious in i (Andersson and Britton, Stochastic Epidemic
// Models, 2000, section 6.2).
func regionsLeft(susceptible, infectious pair, r0 float64, m [2]pair) pair {
	var left pair
	for range 5000 {
		var next pair
		for j := range next {
			exponent := 0.0
			for i := range m {
				others := susceptible[j] + infectious[j]
				if i == j {
					others--
				}
				exponent += (susceptible[i] - left[i] + infectious[i]) * m[i][j] / others
			}
			next[j] = susceptible[j] * math.Exp(-r0*exponent)
		}
		left = next
	}
	return left
}

// regionsStart is how many were susceptible and infectious in each region at the start of a
// replica.
func regionsStart(r exactRun, replica int) (susceptible, infectious pair) {
	count := func(state string) float64 { return float64(r.Runs[replica].Count(0, r.state(state))) }
	return pair{count("S north"), count("S south")}, pair{count("I north"), count("I south")}
}

// The sizes of the regions are random, so each replica is compared with what is expected given its
// own. The mean of the differences is a few individuals, whatever the size, which is below its
// standard error of about 5 and 15; that comes from their spread.
func TestExactTwoRegions(t *testing.T) {
	const size, replicas = 10_000, 40
	mixing := [2]pair{{0.8, 0.2}, {0.4, 0.6}}
	r := exactSimulate(t, 1, replicas, regionsModel, size, 300, "I", "[[0.8, 0.2], [0.4, 0.6]]")
	differences := func(j int, r0 float64, m [2]pair) []float64 {
		var all []float64
		left := r.counts(r.last(), [2]string{"S north", "S south"}[j])
		for k := range r.Runs {
			susceptible, infectious := regionsStart(r, k)
			all = append(all, left[k]-regionsLeft(susceptible, infectious, r0, m)[j])
		}
		return all
	}
	north := make([]float64, replicas)
	for k := range north {
		s, i := regionsStart(r, k)
		north[k] = s[0] + i[0]
	}
	mean, _, _, _ := moments(north)
	checkZ(t, "size of the north", mean, 0.3*size, math.Sqrt(0.3*0.7*size/replicas))
	checkVariance(t, "size of the north", north, 0.3*0.7*size)
	for j, region := range []string{"north", "south"} {
		checkMean(t, region, differences(j, 1.6, mixing), 0)
		notices := func(what string, r0 float64, m [2]pair) {
			t.Helper()
			mean, _, se, _ := moments(differences(j, r0, m))
			checkNotices(t, region+": "+what, mean, 0, se)
		}
		notices("contacts 3 % more frequent", 1.65, mixing)
		notices("the matrix read by columns", 1.6, [2]pair{{0.8, 0.4}, {0.2, 0.6}})
		notices("contacts with anybody", 1.6, [2]pair{{0.3, 0.7}, {0.3, 0.7}})
	}
}

// Nobody meets anybody of the other region: with the infection in the north alone, it stays there,
// and is as large as in a population of its own.
func TestExactRegionsApart(t *testing.T) {
	const size, replicas = 10_000, 40
	r := exactSimulate(t, 1, replicas, regionsModel, size, 700, "R", "[[1, 0], [0, 1]]")
	var differences []float64
	left := r.counts(r.last(), "S north")
	for k := range r.Runs {
		susceptible, infectious := regionsStart(r, k)
		if infectious[1] > 0 {
			t.Fatalf("replica %d begins with %.0f infectious in the south", k, infectious[1])
		}
		differences = append(differences, left[k]-regionsLeft(susceptible, infectious, 1.6, [2]pair{{1, 0}, {0, 1}})[0])
	}
	checkMean(t, "north", differences, 0)
	if n := r.allFlows(r.last(), "S south", "I south"); n > 0 {
		t.Errorf("%.0f were infected from the other region", n)
	}
}

const smallRegionsModel = `
name: nobody to meet
time: {unit: day, end: 2000}
attributes: {region: {north: %s, south: %s}}
population: {size: %d, start: {infectious: 1, susceptible: rest}}
states: {susceptible: {}, infectious: {race: [%s]}, recovered: {}}
transmission:
  - {from: infectious, rate: %v per day, to: {susceptible: infectious}%s}
record: {every: 2000 days}
`

// A contact with nobody to meet has no effect, and is not made up for by another.
func TestExactNobodyToMeet(t *testing.T) {
	const recovery = "{rate: 0.2 per day, to: recovered}"
	mixing := func(matrix string) string { return ", mixing: {by: region, matrix: " + matrix + "}" }
	for i, c := range []struct {
		name   string
		size   int
		mixing string
	}{
		{"alone", 1, ""},
		{"alone in the region", 1, mixing("[[1, 0], [0, 1]]")},
		{"looking for an empty region", 20, mixing("[[0, 1], [1, 0]]")},
	} {
		r := exactSimulate(t, uint64(1+i), 20, smallRegionsModel, "100%", "0%", c.size, "", 1, c.mixing)
		if n := r.allFlows(r.last(), "susceptible", "infectious"); n > 0 {
			t.Errorf("%s: %.0f were infected", c.name, n)
		}
		if r.Events < 20*1500 {
			t.Errorf("%s: %d contacts were tried, expected about 2000 in each replica", c.name, r.Events)
		}
	}

	// 70 % of the contacts are with an empty region: the law of the final size is that of 30 % of
	// the rate.
	const replicas, rate = 8000, 1.2
	r := exactSimulate(t, 1, replicas, smallRegionsModel, "100%", "0%", 11, recovery, rate, mixing("[[0.3, 0.7], [0, 1]]"))
	var expected []float64
	for _, p := range finalSizeLaw(10, 1, 0.3*rate/10, infectiousPeriods[0].laplace) {
		expected = append(expected, replicas*p)
	}
	observed := histogram(r.flows(r.last(), "susceptible", "infectious"), 10)
	checkChiSquare(t, "an empty region", observed, expected)
	for k, p := range finalSizeLaw(10, 1, rate/10, infectiousPeriods[0].laplace) {
		expected[k] = replicas * p
	}
	if p, _, _ := chiSquare(observed, expected); p > pLimit {
		t.Errorf("were contacts made up for, the test would not notice: p = %g", p)
	}

	// Two individuals who meet only within their region, in the same one with probability 0.3² +
	// 0.7². They look for each other 40 times, so that they meet if they can.
	r = exactSimulate(t, 2, replicas, smallRegionsModel, "30%", "70%", 2, "", 0.02, mixing("[[1, 0], [0, 1]]"))
	checkShare(t, "in the same region", r.allFlows(r.last(), "susceptible", "infectious"), replicas, 0.58)
	// They meet at all if each region looks for the other, whichever they are in.
	r = exactSimulate(t, 3, replicas, smallRegionsModel, "30%", "70%", 2, "", 0.02, mixing("[[0, 1], [1, 0]]"))
	checkShare(t, "in different regions", r.allFlows(r.last(), "susceptible", "infectious"), replicas, 0.42)
}

// Contacts between regions, exactly: sources that never change make contacts with rate β, so that
// someone in region j is left alone up to t with probability exp(−βt Σ_i K_i m[i][j]/N_j), K_i of
// the sources being in region i and N_j in j, one fewer if i = j. Individuals are hit independently
// of each other, since a Poisson process is split at random.
func TestExactContactsByRegion(t *testing.T) {
	const replicas = 6000
	r := exactSimulate(t, 1, replicas, `
name: hits
time: {unit: day, end: 20}
attributes: {region: {north: 30%%, south: 70%%}}
population: {size: 40, start: {source: 5, target: rest}}
states: {source: {}, target: {},
  source north: {}, source south: {}, target north: {}, target south: {}, hit north: {}, hit south: {}}
interventions:
  - {at: 0 days, who: source, where: {region: north}, to: source north}
  - {at: 0 days, who: source, where: {region: south}, to: source south}
  - {at: 0 days, who: target, where: {region: north}, to: target north}
  - {at: 0 days, who: target, where: {region: south}, to: target south}
transmission:
  - from: [source north, source south]
    rate: 0.5 per day
    chance: 0.6
    to: {target north: hit north, target south: hit south}
    mixing: {by: region, matrix: [[0.8, 0.2], [0.4, 0.6]]}
record: {every: 5 days}
`)
	m := [2]pair{{0.8, 0.2}, {0.4, 0.6}}
	begin := map[string][2][]float64{}
	for _, what := range []string{"source", "target"} {
		begin[what] = [2][]float64{r.counts(0, what+" north"), r.counts(0, what+" south")}
	}
	for row := 1; row < len(r.Times); row++ {
		for j, region := range []string{"north", "south"} {
			// Over the replicas, each with its own numbers in the regions: a sum of independent
			// binomial numbers.
			var mean, wrong, variance float64
			for k := range r.Runs {
				count := func(what string, i int) float64 { return begin[what][i][k] }
				exponent := func(less float64) float64 {
					sum := 0.0
					for i := range 2 {
						others := count("target", j) + count("source", j)
						if i == j {
							others -= less
						}
						if others > 0 {
							sum += count("source", i) * m[i][j] / others
						}
					}
					return 0.3 * r.Times[row] * sum
				}
				p := math.Exp(-exponent(1))
				mean += count("target", j) * p
				variance += count("target", j) * p * (1 - p)
				wrong += count("target", j) * math.Exp(-exponent(0))
			}
			what := fmt.Sprintf("%s, day %v", region, r.Times[row])
			got := r.all(row, "target "+region)
			checkZ(t, what, got, mean, math.Sqrt(variance))
			if region == "north" && row == r.last() {
				checkNotices(t, "the one who chooses among those chosen from", got, wrong, math.Sqrt(variance))
			}
		}
	}
}
