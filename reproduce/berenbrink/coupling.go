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
	switch {
	case r.scale < 1:
		largest = 200
	case capacities[0] > 1 && !r.Options.Full: // which throws 6c·n balls in a round
		largest = 400
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
	kind := reproduce.Printed
	if capacities[0] > 1 {
		kind = reproduce.Corrected
		over := printedOverflows(&f, capacities, r.theory.red)
		f.Check("rounds of four phases in which a buffer holds more than its capacity, as printed, c = "+
			fmt.Sprint(capacities), float64(over), 0, 0, "equation (5) and “without exceeding the buffers' capacities”")
	}
	claimed := f.For(kind)
	claimed.Check(fmt.Sprintf("rounds of %d with m^C > m^M", mod.rounds), float64(mod.pools), 0, 0, exact)
	claimed.Check(fmt.Sprintf("rounds of %d with ν^C > ν^M", mod.rounds), float64(mod.thrown), 0, 0, exact)
	claimed.Check(fmt.Sprintf("bins of %d with ℓ^C > ℓ^M", mod.binRounds), float64(mod.bins), 0, 0, exact)
	claimed.Check(fmt.Sprintf("rounds of %d in which MODCAPPED throws fewer than m*", mod.rounds), float64(few), 0, 0,
		"it generates what is missing")
	claimed.Check(fmt.Sprintf("rounds of %d after which the pool of MODCAPPED is 2m* or "+
		"more", mod.rounds), float64(over), 0, 0,
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
	if kind == reproduce.Corrected {
		f.Measured = "As printed, with red = ⌈t/c⌉, buffers overflow; with red = ⌊t/c⌋ the lemmas hold. "
	}
	f.Measured += fmt.Sprintf("With the same choices of the balls CAPPED's pool is above MODCAPPED's after %d of %d "+
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
			"As printed, MODCAPPED is not defined for c ≥ 2: the buffer ⌈t/c⌉ is red, and red deletes. By equation "+
				"(5) that "+
				"is the buffer whose capacity grows, while the other one, whose capacity falls, keeps its balls and overflows; "+
				"the paper does not say what becomes of them. The proof of Lemma 7, in which buffer j deletes in phase j, means "+
				"⌊t/c⌋. That is the correction, and the process that is run here.",
			"Section IV says that for c = 1 the process is that of section III. Its m* is not: 2·ln(1/(1−λ))·n + 6n, and "+
				"ln(1/(1−λ))·n + 2n in section III.")
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

// printedOverflows runs the buffers of one bin of MODCAPPED for four phases, with as many balls as
// fit, and red(t, c) as the buffer that deletes. It counts the rounds that begin with more balls in
// a buffer than equation (5) gives it room for, and adds a table of them.
func printedOverflows(f *reproduce.Finding, capacities []int, red func(t, c int) int) int {
	table := reproduce.Table{Name: "the buffers of a bin of MODCAPPED, as printed", Columns: []string{"c", "t",
		"buffer", "balls", "capacity"}}
	all := 0
	for _, c := range capacities {
		held := map[int]int{}
		for t := 1; t < 4*c; t++ {
			over := false
			for j := range 6 {
				room := bufferCapacity(j, t, c)
				if held[j] > room {
					over = true
					table.Rows = append(table.Rows, []float64{float64(c), float64(t), float64(j), float64(held[j]), float64(room)})
				}
				held[j] = max(held[j], room)
			}
			if over {
				all++
			}
			held[red(t, c)] = max(0, held[red(t, c)]-1)
		}
	}
	if all > 0 {
		f.Tables = append(f.Tables, table)
	}
	return all
}

// bufferCapacity is equation (5): what buffer j of a bin holds at most in round t.
func bufferCapacity(j, t, c int) int {
	switch t / c {
	case j - 1:
		return t - (j-1)*c
	case j:
		return (j+1)*c - t
	}
	return 0
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
