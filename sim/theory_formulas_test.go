package sim_test

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// What queueing theory knows exactly. Rates are per unit of time, λ of arrivals and μ of service; σ
// and ρ are loads.

// birthDeath is the stationary law of a chain on 0 … len(up) that goes from n to n+1 at rate up[n]
// and back at rate down[n]: the flow across every cut is the same in both directions.
func birthDeath(up, down []float64) []float64 {
	law, sum := []float64{1}, 1.0
	for n := range up {
		law = append(law, law[n]*up[n]/down[n])
		sum += law[n+1]
	}
	for n := range law {
		law[n] /= sum
	}
	return law
}

// mean is the mean of a law on 0, 1, 2, …, and waiting that of how many are beyond the first c.
func mean(law []float64) float64 { return waiting(law, 0) }

func waiting(law []float64, c int) float64 {
	sum := 0.0
	for n, p := range law {
		sum += float64(max(0, n-c)) * p
	}
	return sum
}

// erlangC is the probability that a customer of M/M/c waits, for a load of a = λ/μ servers, by way
// of Erlang's B and its recurrence over the number of servers.
func erlangC(c int, a float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return b / (1 - a/float64(c)*(1-b))
}

// pollaczekKhinchine is the mean wait in line of M/G/1, for service with the given mean and second
// moment.
func pollaczekKhinchine(lambda, mean, secondMoment float64) float64 {
	return lambda * secondMoment / 2 / (1 - lambda*mean)
}

// A class of customers: how fast they come, and the first two moments of their service.
type class struct{ lambda, mean, secondMoment float64 }

// cobham is the mean wait in line of class k, 0 being served first, if nobody is preempted [C54].
//
// [C54]: https://doi.org/10.1287/opre.2.1.70
func cobham(classes []class, k int) float64 {
	residual := 0.0
	for _, c := range classes {
		residual += c.lambda * c.secondMoment / 2
	}
	return residual / ((1 - load(classes[:k])) * (1 - load(classes[:k+1])))
}

// preemptiveResume is the mean time in the system of class k if customers are preempted and go on
// later where they were. Only the classes up to k matter.
func preemptiveResume(classes []class, k int) float64 {
	residual := 0.0
	for _, c := range classes[:k+1] {
		residual += c.lambda * c.secondMoment / 2
	}
	above, all := load(classes[:k]), load(classes[:k+1])
	return classes[k].mean/(1-above) + residual/((1-above)*(1-all))
}

func load(classes []class) float64 {
	sum := 0.0
	for _, c := range classes {
		sum += c.lambda * c.mean
	}
	return sum
}

// traffic solves the equations of an open network: what comes to a station is what comes from
// outside and what the stations send.
func traffic(outside []float64, routing [][]float64) []float64 {
	n := len(outside)
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, -routing[j][i])
		}
		a.Set(i, i, 1-routing[i][i])
	}
	var rates mat.VecDense
	if err := rates.SolveVec(a, mat.NewVecDense(n, outside)); err != nil {
		panic(err)
	}
	return rates.RawVector().Data
}

// meanFrom is the expected mean over the time from begin to end of the number of customers in
// M/M/1, if there are n at time 0. The chain is looked at after 0, 1, 2, … events of a Poisson
// process of rate λ+μ: after k of them it has made k steps of a chain in discrete time, and the
// expected time between begin and end during which there have been k is the difference below (λ+μ).
func meanFrom(n int, lambda, mu, begin, end float64) float64 {
	rate := lambda + mu
	until := func(t float64, k int) float64 { // (λ+μ) × the expected time up to t during which there have been k events
		if t == 0 {
			return 0
		}
		return distuv.Poisson{Lambda: rate * t}.Survival(float64(k))
	}
	steps := int(rate*end + 12*math.Sqrt(rate*end))
	law := make([]float64, n+steps+2)
	next := make([]float64, len(law))
	law[n] = 1
	sum, highest := 0.0, n
	for k := range steps {
		if weight := until(end, k) - until(begin, k); weight > 0 {
			sum += weight * mean(law[:highest+1])
		}
		clear(next[:highest+2])
		for i, p := range law[:highest+1] {
			next[i+1] += p * lambda / rate
			next[max(0, i-1)] += p * mu / rate
		}
		law, next = next, law
		highest++
	}
	return sum / rate / (end - begin)
}
