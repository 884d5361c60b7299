package berenbrink

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// logLog is what the paper is about: for constant λ, small buffers make the longest wait grow as log log n, and not as
// log n.
//
// A ball of CAPPED that has no place asks again, and of y per bin that are older than some age y²/2 are left a round later.
// In GREEDY[1] the load of a bin is a queue with geometric tails, z^(−w) with e^(λ(z−1)) = z, and the longest wait grows by
// ln 2/ln z whenever n is doubled. In GREEDY[2] the tail of the loads falls doubly exponentially, but balls look at the loads
// of the round's beginning, and a bin gets Poisson many of them in a round, of which the largest grows as log n/log log n.
func logLog(e effort) reproduce.Claim {
	const name = "capped-log-log"
	return reproduce.Claim{
		Name: name, Paper: paper, Place: "abstract, sections I-A and I-B", Found: reproduce.Holds,
		Says: "For constant λ balls wait for at most log log n + O(1) rounds with CAPPED, where the bounds for GREEDY[1] and " +
			"GREEDY[2] are Θ(log n), and each asks a constant number of bins on average. THRESHOLD[1] of Adler et al. places n " +
			"balls in at most log log n + O(1) steps, which section I-A writes with natural logarithms.",
		How: "The longest wait of a round, on average, with 2¹⁰ to 2²² bins, with --full 2²⁷, for λ = 3/4 and 0.95: CAPPED with c = " +
			"1, 2, 3 beside GREEDY[1] and GREEDY[2]. It is compared with the limit of many bins, in which the balls of a round wait " +
			"independently of each other. GREEDY[1], which is slow to reach its long run, has 2¹⁸ bins at most at λ = 0.95 unless " +
			"with --full. THRESHOLD[1] is run with 2⁵ to 2³⁰ balls and as many bins.",
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			sizes := []int{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22}
			batches := []int{5, 8, 10, 15, 20, 25, 30}
			switch {
			case o.Full:
				sizes = append(sizes, 1<<24, 1<<27)
			case e.scale < 1:
				sizes, batches = []int{1 << 10, 1 << 14, 1 << 18}, batches[:5]
			}
			all := growths(e, sizes, o.Full)
			total := len(batches)
			for _, g := range all {
				total += len(g.sizes)
			}
			r := newRunner(ctx, o, name, total)
			for k := range all {
				if err := r.grow(e, &all[k], 1000*k); err != nil {
					return reproduce.Finding{}, err
				}
			}
			var steps []thresholdSteps
			for _, power := range batches {
				s, err := r.threshold(e, power)
				if err != nil {
					return reproduce.Finding{}, err
				}
				steps = append(steps, s)
			}
			return judgeLogLog(all, steps), nil
		},
	}
}

// A growth is the longest wait of a process over the number of bins.
type growth struct {
	name    string
	config  capped.Config
	limit   *capped.Limit
	sizes   []int
	longest []capped.Mean
	most    []int
	asks    []float64 // bins that a ball asks, on average
	expect  []float64 // the longest wait by the limit
}

// loglogRates are the rates that are tried.
var loglogRates = []float64{0.75, 0.95}

// growths are the processes that are compared, rate by rate.
func growths(e effort, sizes []int, full bool) []growth {
	var all []growth
	for _, rate := range loglogRates {
		for c := 1; c <= 3; c++ {
			all = append(all, growth{name: fmt.Sprintf("CAPPED, c = %d", c), limit: e.theory.capped(c, rate), sizes: sizes,
				config: capped.Config{Capacity: c, Rate: rate, Warm: true}})
		}
		for _, d := range []int{2, 1} {
			g := growth{name: fmt.Sprintf("GREEDY[%d]", d), limit: e.theory.greedy(d, rate), sizes: sizes,
				config: capped.Config{Kind: capped.Greedy, Choices: d, Rate: rate}}
			if d == 1 && rate > 0.9 && !full {
				// It takes thousands of rounds to reach the long run, and as many until it looks different. Two sizes must do,
				// and in tests none.
				if e.scale < 1 {
					continue
				}
				g.sizes = []int{1 << 10, 1 << 18}
			}
			all = append(all, g)
		}
	}
	return all
}

// grow measures all sizes.
func (r *runner) grow(e effort, g *growth, stream int) error {
	for k, n := range g.sizes {
		config := g.config
		config.Bins = n
		tau := g.limit.Relaxation()
		plan := capped.Plan{Rounds: max(e.rounds(r.Options, 2000, 800), int(e.scale*20*tau))}
		if config.Warm {
			plan.BurnIn = 1 + int(2*tau)
		}
		m, err := r.measure(config, plan, stream+k)
		if err != nil {
			return err
		}
		expect := longestOf(g.limit, n)
		// Where nearly all rounds have the same longest wait, those that have another may be too few for batches to tell the
		// standard error.
		rare := math.Abs(expect - math.Round(expect))
		m.Longest.Error = max(m.Longest.Error, math.Sqrt(rare*(1-rare)/float64(m.Rounds)))
		g.longest = append(g.longest, m.Longest)
		g.most = append(g.most, m.WaitMax)
		g.asks = append(g.asks, m.Thrown.Mean/(config.Rate*float64(n)))
		g.expect = append(g.expect, expect)
	}
	return nil
}

// growth is by how much the longest wait grows from the least to the largest number of bins, and its standard error.
func (g *growth) growth() (by, se float64) {
	first, last := g.longest[0], g.longest[len(g.longest)-1]
	return last.Mean - first.Mean, math.Hypot(first.Error, last.Error)
}

// expected is that of the limit.
func (g *growth) expected() float64 { return g.expect[len(g.expect)-1] - g.expect[0] }

// doublings is how often the number of bins doubles.
func (g *growth) doublings() float64 {
	return math.Log2(float64(g.sizes[len(g.sizes)-1]) / float64(g.sizes[0]))
}

// queueDecay is the z > 1 with e^(λ(z−1)) = z: the waits of GREEDY[1] have tails like z^(−w).
func queueDecay(lambda float64) float64 {
	// e^(λ(z−1)) − z is convex, 0 at 1, least at 1 − ln(λ)/λ, and then grows.
	low := 1 - math.Log(lambda)/lambda
	high := 2 * low
	for math.Exp(lambda*(high-1)) < high {
		high *= 2
	}
	for range 100 {
		z := (low + high) / 2
		if math.Exp(lambda*(z-1)) < z {
			low = z
		} else {
			high = z
		}
	}
	return (low + high) / 2
}

// loglogRest is what the longest wait may be off the limit besides its standard error. The pool varies by a share of 1/√n,
// and what is left of it is squared in every round, so that what is about to be the longest wait varies by some of these.
func loglogRest(n int) float64 { return 2 / math.Sqrt(float64(n)) }

func judgeLogLog(all []growth, steps []thresholdSteps) reproduce.Finding {
	var f reproduce.Finding
	for _, rate := range loglogRates {
		table := reproduce.Table{Name: fmt.Sprintf("longest wait of a round, on average, λ = %g", rate),
			Columns: []string{"choices of GREEDY, or 0", "c of CAPPED, or 0", "n", "measured", "SE", "by the limit",
				"MaxWait of the limit",
				"longest of all rounds", "log₂log₂n", "bins that a ball asks"}}
		chart := plot.Chart{Title: fmt.Sprintf("Longest wait of a round, on average, λ = %g", rate),
			XLabel: "log₂ of the number of bins", YLabel: "rounds", LogY: true, LegendBeside: true}
		growing := map[string]*growth{}
		for k := range all {
			g := &all[k]
			if g.config.Rate != rate {
				continue
			}
			growing[g.name] = g
			off, asks := 0.0, 0.0
			s := plot.Series{Name: g.name}
			for i, n := range g.sizes {
				table.Rows = append(table.Rows, []float64{float64(g.config.Choices), float64(g.config.Capacity), float64(n),
					g.longest[i].Mean, g.longest[i].Error, g.expect[i],
					float64(g.limit.MaxWait(n)), float64(g.most[i]), math.Log2(math.Log2(float64(n))), g.asks[i]})
				off = max(off, estimateOf(g.longest[i]).Off(g.expect[i], loglogRest(n)))
				asks = max(asks, math.Abs(g.asks[i]*rate-g.limit.Requests))
				s.Add(math.Log2(float64(n)), g.longest[i].Mean)
			}
			chart.Series = append(chart.Series, s)
			where := fmt.Sprintf("%s, λ = %g", g.name, rate)
			f.Check("longest wait off the limit, in standard errors, at most, "+where, off, 0, reproduce.Sigmas,
				"4.5 standard errors from batches of rounds, beyond 2/√n: the pool varies by a share of 1/√n, and the oldest balls "+
					"by a multiple of that")
			judgeGrowth(&f, g, where)
			if g.config.Kind == capped.Capped {
				f.Check("requests per bin and round, off the limit, at most, "+where, asks, 0, 20/math.Sqrt(float64(g.sizes[0]*1000)),
					"a constant, whatever n is: 20 standard deviations 1/√(nT) of the mean of T rounds, as they resemble each other "+
						"for some relaxation times")
			}
		}
		judgeBetween(&f, rate, growing)
		f.Tables = append(f.Tables, table)
		f.Chart(fmt.Sprintf("longest-%g", rate), chart)
		noteGrowth(&f, rate, growing)
	}
	judgeThreshold(&f, steps)
	return f
}

// judgeGrowth compares the growth with log log n, or with log n.
func judgeGrowth(f *reproduce.Finding, g *growth, where string) {
	by, se := g.growth()
	first, last := g.sizes[0], g.sizes[len(g.sizes)-1]
	rest := loglogRest(first) + loglogRest(last)
	span := fmt.Sprintf("from %s to %s bins", powerName(first), powerName(last))
	f.Check(fmt.Sprintf("growth of the longest wait %s, %s", span, where), by, g.expected(), reproduce.Sigmas*se+rest,
		"by the limit; 4.5 standard errors, and 2/√n for each end")
	if g.config.Kind == capped.Capped {
		logs := math.Log2(math.Log2(float64(last)) / math.Log2(float64(first)))
		f.Between(fmt.Sprintf("growth of the longest wait over that of log₂log₂n, %s, %s", span, where), by/logs, 0, 1, 1/logs,
			"the paper: log log n + O(1); a round more, since waits are whole and the mean of the longest goes up in steps")
		return
	}
	if g.config.Choices == 1 {
		z := queueDecay(g.config.Rate)
		f.Check(fmt.Sprintf("growth of the longest wait for each doubling of n, %s, %s", span, where), by/g.doublings(),
			math.Ln2/math.Log(z), (reproduce.Sigmas*se+rest)/g.doublings()+0.02,
			"ln 2/ln z, as tails are like z^(−w) with e^(λ(z−1)) = z; 4.5 standard errors, 2/√n for each end, and 0.02, as the mean "+
				"of the longest of n goes up in waves")
	}
}

// judgeBetween has GREEDY[2] grow faster than CAPPED and slower than GREEDY[1].
func judgeBetween(f *reproduce.Finding, rate float64, growing map[string]*growth) {
	speed := func(name string) (by, se float64) {
		g := growing[name]
		by, se = g.growth()
		return by / g.doublings(), se / g.doublings()
	}
	low, lowError := 0.0, 0.0
	for c := 1; c <= 3; c++ {
		if by, se := speed(fmt.Sprintf("CAPPED, c = %d", c)); by > low {
			low, lowError = by, se
		}
	}
	high, highError := math.Ln2/math.Log(queueDecay(rate)), 0.0
	if growing["GREEDY[1]"] != nil {
		high, highError = speed("GREEDY[1]")
	}
	by, se := speed("GREEDY[2]")
	f.Between(fmt.Sprintf("growth of the longest wait for each doubling of n, GREEDY[2], λ = %g", rate), by,
		low+reproduce.Sigmas*math.Hypot(se, lowError), high-reproduce.Sigmas*math.Hypot(se, highError), 0,
		"more than CAPPED with c = 1, 2 or 3, and less than GREEDY[1], by 4.5 standard errors of the difference")
}

func noteGrowth(f *reproduce.Finding, rate float64, growing map[string]*growth) {
	one, two, three, greedy := growing["CAPPED, c = 1"], growing["CAPPED, c = 2"], growing["CAPPED, c = 3"], growing["GREEDY[2]"]
	grown := func(g *growth) float64 { by, _ := g.growth(); return by }
	last := len(one.sizes) - 1
	note := fmt.Sprintf("At λ = %g, from %s to %s bins, the longest wait grows by %.2f, %.2f and %.2f rounds for CAPPED with c = 1, "+
		"2 and 3, by %.2f for GREEDY[2]", rate, powerName(one.sizes[0]), powerName(one.sizes[last]), grown(one), grown(two), grown(three), grown(greedy))
	if single := growing["GREEDY[1]"]; single != nil {
		note += fmt.Sprintf(" and by %.1f for GREEDY[1], there up to %s bins", grown(single), powerName(single.sizes[len(single.sizes)-1]))
	}
	f.Notes = append(f.Notes, note+fmt.Sprintf("; log₂log₂n grows by %.2f.",
		math.Log2(math.Log2(float64(one.sizes[last]))/math.Log2(float64(one.sizes[0])))))
	if rate == loglogRates[0] {
		quadrupled := func(k int) float64 { // by how much it grows from one size to the next whenever n is quadrupled
			return 2 * (greedy.expect[k+1] - greedy.expect[k]) / math.Log2(float64(greedy.sizes[k+1])/float64(greedy.sizes[k]))
		}
		f.Notes = append(f.Notes, fmt.Sprintf("GREEDY[2] is in between: it grows by %.2f when n is quadrupled at first and by %.2f "+
			"at last. The Θ(log n) is how the paper quotes the bounds of [10]. For GREEDY[2] and constant λ the growth is less: the "+
			"tail of the loads is doubly exponential, but as balls look at the loads of the round's beginning, a bin gets up to "+
			"about ln n/ln ln n of them in a round.", quadrupled(0), quadrupled(len(greedy.sizes)-2)))
	}
}
