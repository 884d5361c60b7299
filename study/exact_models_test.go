package study

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Where reports have a standard deviation of 0.15, they tell the whole number: the next one is e⁻²²
// times as likely. pureDeath has the survivors of 20 people counted each day. With a beta prior of
// surviving a day, the posterior is a beta distribution.
func pureDeath() *exactly {
	e := &exactly{name: "pure death", times: []float64{1, 2, 3}, data: []float64{14, 11, 7}, least: []float64{0},
		most: []float64{1}, source: `
name: pure death
time: {unit: day, end: 3}
population: {size: 20, start: {alive: 20}}
parameters: {survival: 70%}
states: {alive: {race: [{rate: -log(survival) * 1 per day, to: dead}]}, dead: {}}
fit:
  data: data.csv
  unknown: {survival: {beta: {a: 2, b: 3}}}
  match: [{column: seen, state: alive, error: {normal: {sd: 0.15}}}]
`}
	e.prior = func(x []float64) float64 { return math.Log(x[0]) + 2*math.Log1p(-x[0]) }
	e.likelihood = func(x, data []float64) (log float64) {
		alive := 20.0
		for _, y := range data {
			log += distuv.Binomial{N: alive, P: x[0]}.LogProb(y)
			alive = y
		}
		return log
	}
	e.conjugate = distuv.Beta{Alpha: 2 + 14 + 11 + 7, Beta: 3 + 6 + 3 + 4}
	return e
}

// immigrationAlone has one count of those who came at an unknown rate and have not left: a Poisson
// number, of which a gamma prior of the rate makes a gamma posterior.
func immigrationAlone() *exactly {
	e := &exactly{name: "immigration", times: []float64{2}, data: []float64{7}, least: []float64{0}, most: []float64{20},
		source: `
name: immigration
time: {unit: day, end: 2}
population: {size: 0, start: {}}
parameters: {lambda: 3 per day}
states: {here: {race: [{rate: 0.5 per day, to: out}]}}
immigration: {rate: lambda, enter: here}
fit:
  data: data.csv
  unknown: {lambda: {gamma: {mean: 3 per day, shape: 2}}}
  match: [{column: seen, state: here, error: {normal: {sd: 0.15}}}]
`}
	stay := -math.Expm1(-1) / 0.5 // a person a day makes so many who are there on day 2
	e.prior = func(x []float64) float64 { return math.Log(x[0]) - 2*x[0]/3 }
	e.likelihood = func(x, data []float64) float64 { return logPoisson(data[0], x[0]*stay) }
	e.conjugate = distuv.Gamma{Alpha: 2 + 7, Beta: 2./3 + stay}
	return e
}

// immigrationDeath has several counts of those who are there, by Poisson reports; both rates are
// unknown. Between rows, the number that stays is binomial, and the number of those who came and
// stayed is Poisson: the likelihood is a forward recursion over the number that is there.
func immigrationDeath() *exactly {
	e := &exactly{name: "immigration and death", times: []float64{1, 2, 3, 5}, data: []float64{4, 3, 7, 5},
		least: []float64{0, 0.1}, most: []float64{14, 2}, source: `
name: immigration and death
time: {unit: day, end: 5}
population: {size: 0, start: {}}
parameters: {lambda: 3 per day, mu: 0.5 per day}
states: {here: {race: [{rate: mu, to: out}]}}
immigration: {rate: lambda, enter: here}
fit:
  data: data.csv
  unknown: {lambda: {gamma: {mean: 3 per day, shape: 2}}, mu: {uniform: {low: 0.1 per day, high: 2 per day}}}
  match: [{column: seen, state: here, error: poisson}]
`}
	e.prior = func(x []float64) float64 { return math.Log(x[0]) - 2*x[0]/3 }
	e.filter = func(x, data []float64) []float64 {
		const most = 60 // people, of whom there are 14 on average where there are most
		here, now := make([]float64, most), 0.0
		here[0] = 1
		for row, y := range data {
			stays := math.Exp(-x[1] * (e.times[row] - now))
			came := x[0] * (1 - stays) / x[1]
			now = e.times[row]
			// Those who stay: each n is thinned; then those who came are added. Both by recursion
			// of their probabilities.
			thinned := make([]float64, most)
			for n, p := range here {
				if p < 1e-14 {
					continue
				}
				q := p * math.Pow(1-stays, float64(n))
				for k := 0; k <= n; k++ {
					thinned[k] += q
					q *= float64(n-k) / float64(k+1) * stays / (1 - stays)
				}
			}
			next := make([]float64, most)
			q := math.Exp(-came)
			for k := range most {
				for n := 0; n+k < most; n++ {
					next[n+k] += q * thinned[n]
				}
				q *= came / float64(k+1)
			}
			for n := range next {
				next[n] *= math.Exp(logPoisson(y, float64(n)))
			}
			here = next
		}
		return here
	}
	e.likelihood = func(x, data []float64) float64 {
		sum := 0.0
		for _, p := range e.filter(x, data) {
			sum += p
		}
		return math.Log(sum)
	}
	e.expected = func(x []float64) (means []float64) {
		for _, t := range e.times {
			means = append(means, x[0]*-math.Expm1(-x[1]*t)/x[1])
		}
		return means
	}
	e.law = logPoisson
	return e
}

// birthDeath has several counts of individuals who have offspring and die, at rates that are both
// unknown. The counts tell the difference of the rates and little more, so that the posterior is
// correlated. Of n individuals, a binomial number k has descendants at the next row, whose number
// is k plus a negative binomial one; the likelihood is a forward recursion over the number that is
// there.
func birthDeath() *exactly {
	e := &exactly{name: "birth and death", times: []float64{1, 2, 3}, data: []float64{11, 13, 18}, least: []float64{0, 0},
		most: []float64{1.2, 1.2}, source: `
name: birth and death
time: {unit: day, end: 3}
population: {size: 8, start: {here: 8}}
parameters: {birth: 0.5 per day, death: 0.3 per day}
states: {here: {race: [{rate: death, to: out}]}}
births: {rate: birth, enter: here}
fit:
  data: data.csv
  unknown:
    birth: {uniform: {low: 0 per day, high: 1.2 per day}}
    death: {uniform: {low: 0 per day, high: 1.2 per day}}
  match: [{column: seen, state: here, error: poisson}]
`}
	e.prior = func([]float64) float64 { return 0 }
	e.likelihood = func(x, data []float64) float64 {
		const most = 80 // individuals: more are e⁻¹⁵ times as likely to be seen as 18
		// Of one individual, nothing is left after a day with probability gone; otherwise the
		// number is geometric, and goes on with probability more.
		d := x[0] - x[1]
		gone, more := x[1]/(1+x[1]), x[0]/(1+x[0])
		if math.Abs(d) > 1e-9 {
			up := math.Expm1(d)
			gone, more = x[1]*up/(x[0]*up+d), x[0]*up/(x[0]*up+d)
		}
		here := make([]float64, most)
		here[8] = 1
		for _, y := range data {
			// Those who have descendants, and then these; both by recursion of their probabilities.
			parents, next := make([]float64, most), make([]float64, most)
			for n, p := range here {
				q := p * math.Pow(gone, float64(n))
				for k := 0; k <= n; k++ {
					parents[k] += q
					q *= float64(n-k) / float64(k+1) * (1 - gone) / gone
				}
			}
			next[0] = parents[0]
			for k := 1; k < most; k++ {
				q := parents[k] * math.Pow(1-more, float64(k))
				for n := k; n < most; n++ {
					next[n] += q
					q *= more * float64(n) / float64(n-k+1)
				}
			}
			for n := range next {
				next[n] *= math.Exp(logPoisson(y, float64(n)))
			}
			here = next
		}
		sum := 0.0
		for _, p := range here {
			sum += p
		}
		return math.Log(sum)
	}
	e.expected = func(x []float64) (means []float64) {
		for _, t := range e.times {
			means = append(means, 8*math.Exp((x[0]-x[1])*t))
		}
		return means
	}
	e.law = logPoisson
	return e
}

// finalSizes has the number of cases of an outbreak among eight people when it is over, of whom
// each is reported with an unknown probability. The law of the final size is by enumeration of what
// can happen next.
func finalSizes() *exactly {
	e := &exactly{name: "final size", times: []float64{60}, data: []float64{4}, least: []float64{0, 0},
		most: []float64{5, 1}, source: `
name: final size
time: {unit: day, end: 60}
population: {size: 8, start: {infectious: 1, susceptible: rest}}
parameters: {beta: 1 per day, rho: 50%}
states: {susceptible: {}, infectious: {race: [{rate: 1 per day, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, rate: beta, to: {susceptible: infectious}}]
fit:
  data: data.csv
  unknown: {beta: {uniform: {low: 0 per day, high: 5 per day}}, rho: {beta: {a: 4, b: 2}}}
  match: [{column: seen, flow: susceptible->infectious, observed: rho, error: poisson}]
`}
	e.prior = func(x []float64) float64 { return 3*math.Log(x[1]) + math.Log1p(-x[1]) }
	sizes := func(beta float64) (p [8]float64) {
		var at [8][9]float64 // susceptible, infectious
		at[7][1] = 1
		for well := 7; well >= 0; well-- {
			for ill := 8 - well; ill > 0; ill-- {
				next := beta * float64(well) / 7 / (beta*float64(well)/7 + 1)
				if well > 0 {
					at[well-1][ill+1] += at[well][ill] * next
				}
				at[well][ill-1] += at[well][ill] * (1 - next)
			}
			p[7-well] = at[well][0]
		}
		return p
	}
	e.likelihood = func(x, data []float64) float64 {
		sum := 0.0
		for n, p := range sizes(x[0]) {
			sum += p * math.Exp(logPoisson(data[0], x[1]*float64(n)))
		}
		return math.Log(sum)
	}
	e.expected = func(x []float64) []float64 {
		mean := 0.0
		for n, p := range sizes(x[0]) {
			mean += p * float64(n)
		}
		return []float64{x[1] * mean}
	}
	e.law = logPoisson
	return e
}

// elevenPeople is an SIR epidemic among eleven people, of whose cases 70 % are reported day by day.
// Its likelihood is that of a Markov chain in continuous time on the numbers of susceptible and
// infectious people, by uniformisation.
func elevenPeople() *exactly {
	e := &exactly{name: "eleven people", times: []float64{1, 2, 3, 4, 6}, data: []float64{1, 2, 2, 0, 1},
		least: []float64{0, 0.1}, most: []float64{5, 2}, source: `
name: eleven people
time: {unit: day, end: 6}
population: {size: 11, start: {infectious: 1, susceptible: rest}}
parameters: {beta: 1 per day, gamma: 0.5 per day}
states: {susceptible: {}, infectious: {race: [{rate: gamma, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, rate: beta, to: {susceptible: infectious}}]
fit:
  data: data.csv
  unknown: {beta: {uniform: {low: 0 per day, high: 5 per day}}, gamma: {uniform: {low: 0.1 per day, high: 2 per day}}}
  match: [{column: seen, incidence: susceptible->infectious, observed: 70%, error: poisson}]
`}
	e.prior = func([]float64) float64 { return 0 }
	law := func(x, data []float64) *chain {
		p := newChain()
		now := 0.0
		for row, y := range data {
			// From each number of susceptible people by itself: the difference is the cases of the row.
			next := new(chain)
			for before := range p {
				var from chain
				if from[before] = p[before]; from[before] == [12]float64{} {
					continue
				}
				after := from.after(e.times[row]-now, x[0], x[1])
				for well := 0; well <= before; well++ {
					seen := math.Exp(logPoisson(y, 0.7*float64(before-well)))
					for ill, q := range after[well] {
						next[well][ill] += q * seen
					}
				}
			}
			p, now = next, e.times[row]
		}
		return p
	}
	e.likelihood = func(x, data []float64) float64 {
		sum := 0.0
		for _, row := range law(x, data) {
			for _, q := range row {
				sum += q
			}
		}
		return math.Log(sum)
	}
	e.filter = func(x, data []float64) []float64 {
		var all []float64
		for _, row := range law(x, data) {
			all = append(all, row[:]...)
		}
		return all
	}
	e.expected = func(x []float64) (means []float64) {
		p, now, before := newChain(), 0.0, 10.0
		for _, t := range e.times {
			p = p.after(t-now, x[0], x[1])
			mean := 0.0
			for well, row := range p {
				for _, q := range row {
					mean += float64(well) * q
				}
			}
			means = append(means, 0.7*(before-mean))
			now, before = t, mean
		}
		return means
	}
	e.law = logPoisson
	return e
}

// A chain has the probability of each number of susceptible and of infectious people, of eleven.
type chain [11][12]float64

func newChain() *chain {
	p := new(chain)
	p[10][1] = 1
	return p
}

// after is the law after a time: Σ Poisson(k; most·t)·Kᵏp, where K = 1 + Q/most is what one step of
// a chain does that takes steps at the highest rate there is. The sum ends when what is missing of
// it is below 1e-10.
func (p *chain) after(t, beta, gamma float64) *chain {
	most := 11*gamma + 3*beta // at most 5·6/10 pairs of eleven people of whom one meets ten others
	sum, weight, missing := new(chain), math.Exp(-most*t), 1.0
	for k := 0; missing > 1e-10; k++ {
		next := new(chain)
		for well := range p {
			for ill, q := range p[well] {
				if sum[well][ill] += weight * q; q == 0 {
					continue
				}
				infection := q * beta * float64(well*ill) / 10 / most
				recovery := q * gamma * float64(ill) / most
				next[well][ill] += q - infection - recovery
				if infection > 0 {
					next[well-1][ill+1] += infection
				}
				if recovery > 0 {
					next[well][ill-1] += recovery
				}
			}
		}
		missing -= weight
		weight *= most * t / float64(k+1)
		p = next
		if k > 1000 {
			panic("the sum does not end")
		}
	}
	return sum
}
