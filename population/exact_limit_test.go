package population_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

const seirModel = `
name: seir
time: {unit: day, end: 40}
population: {size: %d, start: {exposed: 5%%, infectious: 5%%, susceptible: rest}}
states:
  susceptible: {}
  exposed: {race: [{rate: 0.25 per day, to: infectious}]}
  infectious: {race: [{after: {exponential: {mean: 5 days}}, to: recovered}]}
  recovered: {}
transmission: [{from: infectious, rate: 0.5 per day, to: {susceptible: exposed}}]
record: {every: 10 days}
`

// seirMoments is where the shares s, e, i of the model above are in the mean, and N times their
// covariances ss, se, si, ee, ei, ii, in this order. The shares follow the ordinary differential
// equations as N grows, with a deviation of order N^(−1/2) that is Gaussian; its covariances C
// follow C' = AC + CAᵀ + D with the Jacobian A and the sum D of rate times jump times jump (Kurtz;
// Andersson and Britton, chapter 5). For a finite N the mean differs by order 1/N: the rate of
// infections is βsi in the mean plus β times the covariance of s and i. With that term, what is
// left is of order N^(−2), or for the covariances N^(−1).
func seirMoments(n, beta, sigma, gamma float64, corrected bool) func(y []float64) []float64 {
	beta *= n / (n - 1) // the others are N−1
	return func(y []float64) []float64 {
		s, e, i := y[0], y[1], y[2]
		ss, se, si, ee, ei, ii := y[3], y[4], y[5], y[6], y[7], y[8]
		infections, onsets, recoveries := beta*s*i, sigma*e, gamma*i
		more := 0.0
		if corrected {
			more = beta * si / n
		}
		// How much the deviations of s, e and i change, times the deviation of one of them.
		ds := func(xs, xi float64) float64 { return -beta*i*xs - beta*s*xi }
		de := func(xs, xe, xi float64) float64 { return beta*i*xs + beta*s*xi - sigma*xe }
		di := func(xe, xi float64) float64 { return sigma*xe - gamma*xi }
		return []float64{
			-infections - more, infections + more - onsets, onsets - recoveries,
			2*ds(ss, si) + infections,
			ds(se, ei) + de(ss, se, si) - infections,
			ds(si, ii) + di(se, si),
			2*de(se, ee, ei) + infections + onsets,
			de(si, ei, ii) + di(ee, ei) - onsets,
			2*di(ei, ii) + onsets + recoveries,
		}
	}
}

// SEIR in populations of growing size comes near its limit, with a root mean square deviation that
// halves when the population becomes four times as large.
func TestExactSEIRLimit(t *testing.T) {
	var rms [3][4]float64
	replicas := testscale.Size([3]int{150, 150, 60}, [3]int{200, 200, 100})
	for k, size := range []int{1000, 4000, 16000} {
		n := float64(size)
		r := exactSimulate(t, uint64(1+k), replicas[k], seirModel, size)
		for row := 1; row <= 4; row++ {
			what := fmt.Sprintf("%d, day %v", size, r.Times[row])
			begin := []float64{0.9, 0.05, 0.05, 0, 0, 0, 0, 0, 0}
			y := rungeKutta(seirMoments(n, 0.5, 0.25, 0.2, true), begin, r.Times[row], 400)
			limit := rungeKutta(seirMoments(n, 0.5, 0.25, 0.2, false), begin, r.Times[row], 400)
			for place, c := range []struct {
				state    string
				variance int
			}{{"susceptible", 3}, {"exposed", 6}, {"infectious", 8}} {
				values := r.counts(row, c.state)
				checkMean(t, what+", "+c.state, values, n*y[place])
				checkVariance(t, what+", "+c.state, values, n*y[c.variance])
				if size < 16000 {
					continue
				}
				// Contacts that are 5 % more frequent.
				mean, _, se, _ := moments(values)
				wrong := rungeKutta(seirMoments(n, 0.525, 0.25, 0.2, true), begin, r.Times[row], 400)
				if c.state == "susceptible" {
					checkNotices(t, "contacts 5 % more frequent", mean, n*wrong[place], se)
				}
			}
			for _, x := range r.counts(row, "infectious") {
				d := x/n - limit[2]
				rms[k][row-1] += d * d
			}
			rms[k][row-1] = math.Sqrt(rms[k][row-1] / float64(len(r.Runs)))
		}
	}
	for k := range 2 {
		// A root mean square of n nearly normal values has a relative standard error of 1/√(2n), so
		// that the ratio of two has √(1/2n + 1/2m): 7 % and 9 %. Were there no decline the ratio
		// would be 1, and 4 if it were as 1/N.
		se := math.Sqrt(0.5/float64(replicas[k]) + 0.5/float64(replicas[k+1]))
		for row := range rms[k] {
			ratio := rms[k][row] / rms[k+1][row]
			checkZ(t, fmt.Sprintf("ratio of deviations %d, day %d", k, 10*(row+1)), math.Log(ratio), math.Log(2), se)
			checkNotices(t, "there no decline", math.Log(ratio), 0, se)
			checkNotices(t, "the decline as 1/N", math.Log(ratio), math.Log(4), se)
		}
	}
}

const endemicModel = `
name: endemic
time: {unit: day, end: 400}
population: {size: 4000, start: {susceptible: 34%%, infectious: 33%%, recovered: rest}}
states:
  susceptible: {}
  infectious: {race: [{rate: 0.05 per day, to: recovered}]}
  recovered: {}
always: [{rate: 0.05 per day, to: out}]
births: {rate: 0.05 per day, enter: susceptible}
transmission: [{from: infectious, rate: 0.3 per day, to: {susceptible: infectious}}]
record: {every: 1 day}
`

// An endemic infection, with as many births as deaths in the mean. An infectious individual has
// βs/(γ+μ) successors while the share s is susceptible, so that in the long run s = 1/R0 with R0 =
// β/(γ+μ) = 3, and the balance of the susceptible, μ(1−s) = βsi, gives i = μ(R0−1)/β = 1/3
// (Anderson and May, Infectious Diseases of Humans, 1991, chapter 4).
//
// This is so up to terms of order 1/N: stationary fluctuations have E[i(βs−γ−μ)] = 0, so that the
// mean of s is off by the covariance of s and i over i, about 1/N. The standard error is several
// times that. It comes from batches of 50 days, while the fluctuations forget themselves within
// about ten; the first 100 days do not count. Shares, not counts, are averaged, since the
// population itself wanders.
func TestExactEndemic(t *testing.T) {
	const replicas, burnIn, batch = 6, 100, 50
	r := exactSimulate(t, 1, replicas, endemicModel)
	for _, c := range []struct {
		state       string
		want, wrong float64 // wrong: a rate of contacts that is 5 % larger
	}{
		{"susceptible", 1.0 / 3, 1.0 / 3 / 1.05},
		{"infectious", 1.0 / 3, 0.05 * (1/0.1 - 1/0.315)},
		{"recovered", 1.0 / 3, 1 - 1.0/3/1.05 - 0.05*(1/0.1-1/0.315)},
	} {
		var means []float64
		k := r.state(c.state)
		for i := range r.Runs {
			run, sum := &r.Runs[i], 0.0
			for row := burnIn + 1; row < run.Rows(); row++ {
				sum += float64(run.Count(row, k)) / float64(run.Total(row))
				if (row-burnIn)%batch == 0 {
					means = append(means, sum/batch)
					sum = 0
				}
			}
		}
		checkMean(t, c.state, means, c.want)
		if c.state != "recovered" {
			mean, _, se, _ := moments(means)
			checkNotices(t, "contacts 5 % more frequent: "+c.state, mean, c.wrong, se)
		}
	}
	// The population is constant in the mean; at a time t its variance is 2μN0t, as for any
	// critical birth–death process.
	var total []float64
	for i := range r.Runs {
		total = append(total, float64(r.Runs[i].Total(r.last())))
	}
	mean, _, _, _ := moments(total)
	checkZ(t, "size", mean, 4000, math.Sqrt(2*0.05*4000*400/replicas))
}
