package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// coupling is Lemma 1 for unit capacity, with the bound of Lemma 2 on the process that dominates,
// and Lemma 6 with that of Lemma 7 for others.
func coupling(r *runner, capacities ...int) reproduce.Finding {
	var pairs []coupledPair
	total, largest := 0, 1000
	if r.scale < 1 {
		largest = 200
	}
	for _, capacity := range capacities {
		for _, n := range []int{16, 100, largest} {
			for _, rate := range []float64{1.0 / 3, 0.5, couplingDrawn, 1 - 1/float64(n)} {
				pairs = append(pairs, coupledPair{c: capacity, n: n, rate: rate, seeds: r.rounds(max(2, min(20, 1000/n)), 1)})
				total += pairs[len(pairs)-1].seeds
			}
		}
	}
	r.Runs(total)
	for i := range pairs {
		for s := range pairs[i].seeds {
			r.coupled(&pairs[i], int(200*max(0.5, r.scale)), i*1000+s)
		}
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "CAPPED beside the processes that dominate it", Columns: []string{"c", "n", "λ",
		"rounds",
		"MODCAPPED: out of order", "rounds with fewer than m*", "largest pool over 2m*", "least m^M − m^C, per bin",
		"one ball more: out of order", "least difference of pools", "other seed: rounds out of order",
		"bins out of order, %"}}
	var mod, more, apart order
	few, over, most := 0, 0, 0.0
	room := math.Inf(1)
	add := func(sum *order, o order) {
		sum.rounds += o.rounds
		sum.binRounds += o.binRounds
		sum.pools += o.pools
		sum.thrown += o.thrown
		sum.bins += o.bins
	}
	for _, p := range pairs {
		table.Rows = append(table.Rows, []float64{float64(p.c), float64(p.n), p.rate, float64(p.mod.rounds),
			float64(p.mod.wrong()),
			float64(p.few), p.most, float64(p.mod.room) / float64(p.n), float64(p.more.wrong()), float64(p.more.room),
			float64(p.apart.pools), 100 * float64(p.apart.bins) / float64(p.apart.binRounds)})
		add(&mod, p.mod)
		add(&more, p.more)
		add(&apart, p.apart)
		few, over = few+p.few, over+p.above
		most = max(most, p.most)
		room = min(room, float64(p.mod.room)/float64(p.n))
	}
	exact := "under the coupling it holds in every round, without exception"
	f.Check(fmt.Sprintf("rounds of %d with m^C > m^M", mod.rounds), float64(mod.pools), 0, 0, exact)
	f.Check(fmt.Sprintf("rounds of %d with ν^C > ν^M", mod.rounds), float64(mod.thrown), 0, 0, exact)
	f.Check(fmt.Sprintf("bins of %d with ℓ^C > ℓ^M", mod.binRounds), float64(mod.bins), 0, 0, exact)
	f.Check(fmt.Sprintf("rounds of %d in which MODCAPPED throws fewer than m*", mod.rounds), float64(few), 0, 0,
		"it generates what is missing")
	f.Check(fmt.Sprintf("rounds of %d after which the pool of MODCAPPED is 2m* or more", mod.rounds), float64(over), 0, 0,
		"the lemma gives it a probability of 2^(−2n), which is 2⁻³² for the 16 bins of the smallest runs")
	f.For(reproduce.Control).Check(
		fmt.Sprintf("rounds of %d and bins of %d out of order with one ball more in every round", more.rounds,
			more.binRounds),
		float64(more.wrong()), 0, 0, exact+", as the proof needs no more than that as many balls are thrown")
	f.For(reproduce.Control).Between("rounds out of order of each hundred with one ball more and another seed",
		100*float64(apart.pools)/float64(apart.rounds), 5, 60, 0,
		"the comparison can fail: two pools with nearly the same law would be out of order half of the time, and fewer "+
			"where one "+
			"ball more makes a difference")
	f.Measured = fmt.Sprintf("With the same choices of the balls CAPPED's pool is above MODCAPPED's after %d of %d "+
		"rounds and a bin fuller in "+
		"%d of %d cases; MODCAPPED throws fewer than m* balls in %d rounds, and its pool is at most %.2f of 2m*.",
		mod.pools, mod.rounds, mod.bins, mod.binRounds, few, most)
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes,
		fmt.Sprintf("MODCAPPED's pool is always larger than CAPPED's, by %.2f n at least, and never more than %.2f of "+
			"2m*: it "+
			"throws so many balls that what is left is above the pool of CAPPED in the long run anyway. So it hardly takes a "+
			"coupling to see that it dominates; where there is one ball more in a round, it does.", room, most),
		"Where λn is no integer, a round has one ball more or less, in both processes alike; the lemmas assume an "+
			"integer, but the "+
			"proof does not need it.")
	if capacities[0] == 1 {
		f.Notes = append(f.Notes, "With c = 1 every bin is empty after every round, and the comparison of bins says "+
			"nothing; it is "+
			"for Lemma 6.")
	} else {
		f.Notes = append(f.Notes, fmt.Sprintf("With another seed %.2g %% of the bins hold more than in the process with "+
			"one ball "+
			"more, and with the same seed none.", 100*float64(apart.bins)/float64(apart.binRounds)),
			"The paper calls the buffer ⌈t/c⌉ red and has red delete. With equation (5) that is the one whose capacity "+
				"grows, and "+
				"the other would overflow; the proof of Lemma 7, in which buffer j deletes in phase j, means ⌊t/c⌋, and so "+
				"does the "+
				"process here.")
	}
	var drawn coupledPair // with as many bins as there are
	for _, p := range pairs {
		if p.c == capacities[0] && p.rate == couplingDrawn {
			drawn = p
		}
	}
	f.Chart("pools", poolsChart(drawn))
	f.Chart("order", orderedChart(drawn))
	return f
}

// couplingDrawn is the rate at which pools are drawn.
const couplingDrawn = 0.95

// A coupledPair is what was seen of CAPPED beside processes that dominate it.
type coupledPair struct {
	c, n  int
	rate  float64
	seeds int

	mod, more, apart order   // beside MODCAPPED, beside one ball more in a round, and that with another seed
	few              int     // rounds in which MODCAPPED threw fewer than m*
	above            int     // rounds after which its pool was 2m* or more
	most             float64 // its largest pool over 2m*
	least            float64 // m*

	// drawn is the pools of CAPPED, MODCAPPED, CAPPED with one ball more, and that with another
	// seed, for the first seed.
	drawn [4][]float64
}

// An order counts what is out of order between two processes that go on side by side.
type order struct {
	rounds, binRounds   int // compared
	pools, thrown, bins int // out of order: rounds by the pool, rounds by the balls thrown, and bins after a round
	room                int // the least by which the pool of the one that dominates was larger, over all rounds
}

// see compares two processes after a round.
func (o *order) see(low, high *capped.Process, lowRound, highRound capped.Round) {
	n := low.Config().Bins
	if room := highRound.Pool - lowRound.Pool; o.rounds == 0 || room < o.room {
		o.room = room
	}
	o.rounds++
	o.binRounds += n
	o.pools += reproduce.Above(float64(lowRound.Pool), float64(highRound.Pool))
	o.thrown += reproduce.Above(float64(lowRound.Thrown), float64(highRound.Thrown))
	for i := range n {
		if low.Load(i) > high.Load(i) {
			o.bins++
		}
	}
}

// wrong is all that is out of order.
func (o *order) wrong() int { return o.pools + o.thrown + o.bins }

// coupled runs a pair for some rounds.
func (r *runner) coupled(pair *coupledPair, rounds, stream int) {
	seed := r.seed(stream)
	config := capped.Config{Bins: pair.n, Capacity: pair.c, Rate: pair.rate, Seed: seed, ByBin: true}
	mod := config
	mod.Kind, mod.Seed = capped.ModCapped, r.theory.partner(seed)
	more := config
	more.Seed = mod.Seed
	// Where one ball more would make n balls for n bins, which is no rate, one round in 2000 goes
	// without it.
	more.Rate = min(pair.rate+1/float64(pair.n), 1-0.5/1000/float64(pair.n))
	apart := more
	apart.Seed = seed ^ 0x6f74686572
	var all [4]*capped.Process
	for i, c := range []capped.Config{config, mod, more, apart} {
		all[i] = reproduce.Must(capped.NewProcess(c))
	}
	first := pair.least == 0
	pair.least = r.theory.leastThrown(mod)
	r.each(all[0], rounds, func(round capped.Round) {
		m := all[1].Round()
		more, apart := all[2].Round(), all[3].Round()
		pair.mod.see(all[0], all[1], round, m)
		pair.more.see(all[0], all[2], round, more)
		pair.apart.see(all[0], all[3], round, apart)
		pair.few += reproduce.Above(pair.least, float64(m.Thrown))
		pair.above += reproduce.Above(float64(m.Pool)+0.5, 2*pair.least)
		pair.most = max(pair.most, float64(m.Pool)/(2*pair.least))
		for k, pool := range [4]int{round.Pool, m.Pool, more.Pool, apart.Pool} {
			if first {
				pair.drawn[k] = append(pair.drawn[k], float64(pool))
			}
		}
	})
	r.Ran()
}

// poolsChart is how much room there is between CAPPED and MODCAPPED.
func poolsChart(p coupledPair) plot.Chart {
	bound, least := plot.Series{Name: "2m*"}, plot.Series{Name: "m*"}
	mod, own := plot.Series{Name: "MODCAPPED"}, plot.Series{Name: "CAPPED"}
	n := float64(p.n)
	for t := range p.drawn[0] {
		bound.Add(float64(t+1), 2*p.least/n)
		least.Add(float64(t+1), p.least/n)
		mod.Add(float64(t+1), p.drawn[1][t]/n)
		own.Add(float64(t+1), p.drawn[0][t]/n)
	}
	return plot.Chart{Title: fmt.Sprintf("Coupled processes, c = %d, λ = %g, %d bins", p.c, p.rate, p.n), XLabel: "round",
		YLabel: "pool per bin", FromZero: true, LegendBeside: true,
		Series: []plot.Series{bound, least, mod, own}}
}

// orderedChart is what the coupling does: with the same seed the difference is never negative.
func orderedChart(p coupledPair) plot.Chart {
	same, other := plot.Series{Name: "same seed"}, plot.Series{Name: "another seed"}
	for t := range p.drawn[0] {
		same.Add(float64(t+1), p.drawn[2][t]-p.drawn[0][t])
		other.Add(float64(t+1), p.drawn[3][t]-p.drawn[0][t])
	}
	return plot.Chart{Title: fmt.Sprintf("Pool with one ball more in a round, less that without, c = %d, λ = %g, %d bins",
		p.c,
		p.rate, p.n), XLabel: "round", YLabel: "balls", LegendBeside: true,
		Series: []plot.Series{same, other}}
}

// equation10 is the last step of the proof of Lemma 7, in numbers.
//
// The sum of the line before it is 2^(−m*/c + 2λn) times a geometric series, which is below 1 as
// (1−λ)n ≥ 1. The printed line has 2^(−m* + 2λn), which for c ≥ 2 is less. What the lemma needs is
// 2^(−2n); and m*/c = (2/c²)·ln(1/(1−λ))·n + 6n, so that m*/c − 2λn is above 4n.
func equation10(r *runner) reproduce.Finding {
	r.Checkpoint()
	var f reproduce.Finding
	table := reproduce.Table{Name: "exponents of 2, per bin", Columns: []string{"c", "i of λ = 1−2⁻ⁱ", "m*/n",
		"of the sum", "printed", "needed"}}
	above, over, where, cases, below := 0.0, math.Inf(-1), 0.0, 0, 0
	sums, prints := plot.Series{Name: "the sum"}, plot.Series{Name: "printed"}
	needed := plot.Series{Name: "needed", Dashed: true}
	for _, c := range []int{1, 2, 3, 4, 5, 8, 16, 64} {
		for _, i := range []int{1, 2, 6, 10, 13, 20, 30} {
			lambda, size := halved(i), float64(c)
			least := 2/size*math.Log(1/(1-lambda)) + 6*size // m*, of section IV for c = 1 as well
			sum, printed := -least/size+2*lambda, -r.theory.equation10(least, size)+2*lambda
			table.Rows = append(table.Rows, []float64{size, float64(i), least, sum, printed, -2})
			cases += reproduce.Above(sum, printed)
			if sum-printed > above {
				above, where = sum-printed, size
			}
			over = max(over, sum+2)
			below += reproduce.Above(sum, -2)
			if i == 10 && c <= 8 {
				sums.Add(size, sum)
				prints.Add(size, printed)
				needed.Add(size, -2)
			}
		}
	}
	const because = "a bound on a probability is not below it"
	f.Check(fmt.Sprintf("cases of %d in which the exponent of the sum is above the printed one", len(table.Rows)),
		float64(cases), 0, 0, because)
	f.For(reproduce.Corrected).Check(fmt.Sprintf("cases of %d in which the exponent of the sum is above −2n",
		len(table.Rows)), float64(below), 0, 0,
		because+", and the lemma needs 2^(−2n)")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("For c ≥ 2 the exponent of the sum is above the printed one, by up to %.0f n at c = "+
		"%.0f; but it is below −2n by %.2f n or "+
		"more for every c and λ, so that Lemma 7 stands.", above, where, -over)
	f.Chart("exponents", plot.Chart{Title: "Exponents of 2 in equation (10), λ = " + halvedName(10), XLabel: "capacity c",
		YLabel:       "exponent, per bin",
		LegendBeside: true, Series: []plot.Series{sums, prints, needed}})
	return f
}
