package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

func lemma52(r *runner) reproduce.Finding {
	rounds := r.count(16, 1)
	r.Runs(rounds)
	cells := tallCells(r.effort)
	rng := r.Stream(0)
	for range rounds {
		r.Checkpoint()
		countTall(cells, func() int { return drawHeight(&rng) })
		r.Ran()
	}
	return judgeLemma52(cells)
}

// A tallCell is how often there are too many or too few elements of height i among some neighbours.
type tallCell struct {
	i, neighbours int
	mean          float64
	beta          float64
	many, few     tally
	// As printed, with all neighbours in the exponent.
	printedMany, printedFew float64
}

// tallCells are those that are looked at.
func tallCells(e effort) []tallCell {
	var cells []tallCell
	for _, i := range []int{2, 4, 6, 8} {
		for _, mean := range []int{16, 64, 256} {
			n := mean << (i - 1)
			q := math.Ldexp(1, 1-i)
			for _, spread := range spreads {
				m := float64(mean)
				beta := spread / math.Sqrt(m)
				high, low := int(math.Floor((1+beta)*m)), int(math.Ceil((1-beta)*m))
				cells = append(cells, tallCell{i: i, neighbours: n, mean: m, beta: beta,
					// More than high is at most n−high−1 of those that are lower.
					many:        tally{exact: binomialTail(n, 1-q, n-high-1), bound: e.theory.above(m, beta)},
					few:         tally{exact: binomialTail(n, q, low-1), bound: e.theory.below(m, beta)},
					printedMany: e.theory.above(float64(n), beta), printedFew: e.theory.below(float64(n), beta)})
			}
		}
	}
	return cells
}

// countTall counts in a list of some length, the heights of which are drawn.
func countTall(cells []tallCell, draw func() int) {
	heights := make([]uint8, stretch)
	for x := range heights {
		heights[x] = uint8(draw())
	}
	// Cells that differ in β alone have the same counts.
	for from := 0; from < len(cells); from += len(spreads) {
		same := cells[from : from+len(spreads)]
		n := same[0].neighbours
		for x := n; x <= len(heights); x += n {
			tall := 0
			for _, h := range heights[x-n : x] {
				if int(h) >= same[0].i {
					tall++
				}
			}
			for k := range same {
				c := &same[k]
				c.many.of++
				c.few.of++
				c.many.seen += reproduce.Above(float64(tall), (1+c.beta)*c.mean)
				c.few.seen += reproduce.Above((1-c.beta)*c.mean, float64(tall))
			}
		}
	}
}

func judgeLemma52(cells []tallCell) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "elements of height i or more among k+1 neighbours", Columns: []string{"i", "k+1", "μ", "β", "stretches",
		"above (1+β)μ", "exact", "exp(−β²μ/3)", "printed", "below (1−β)μ", "exact", "exp(−β²μ/2)", "printed"}}
	var many, few []tally
	worst, worstFew := 0.0, 0.0
	var shown tallCell
	series := []plot.Series{{Name: "above (1+β)μ, exact"}, {Name: "below (1−β)μ, exact"}, {Name: "exp(−β²μ/3)"},
		{Name: "exp(−β²μ/2)"},
		{Name: "printed, exp(−β²(k+1)/3)"}}
	for _, c := range cells {
		table.Rows = append(table.Rows, []float64{float64(c.i), float64(c.neighbours), c.mean, c.beta, float64(c.many.of),
			c.many.share(), c.many.exact, c.many.bound, c.printedMany, c.few.share(), c.few.exact, c.few.bound, c.printedFew})
		many, few = append(many, c.many), append(few, c.few)
		worst = max(worst, c.many.exact/c.printedMany)
		worstFew = max(worstFew, c.few.exact/c.printedFew)
		if c.i == 4 && c.mean == 64 {
			if c.beta*math.Sqrt(c.mean) == 2 {
				shown = c
			}
			for k, y := range []float64{c.many.exact, c.few.exact, c.many.bound, c.few.bound, c.printedMany} {
				series[k].Add(c.beta, y)
			}
		}
	}
	f.Measured = fmt.Sprintf("For i = 4, k+1 = %d and β = %.2f there are too many with probability %.3g (in lists %.3g), where the lemma has "+
		"%.2g; with the mean μ = %g for k+1 in the exponent it is %.3g, and that bound holds for all i, μ and β tried.",
		shown.neighbours, shown.beta, shown.many.exact, shown.many.share(), shown.printedMany, shown.mean, shown.many.bound)
	because := "a bound is a bound: no tolerance"
	f.Between("exact probability of too many over the printed exp(−β²(k+1)/3), at most", worst, 0, 1, 0, because)
	f.Between("exact probability of too few over the printed exp(−β²(k+1)/2), at most", worstFew, 0, 1, 0, because)
	judgeCounts(&f, reproduce.Corrected, "too many tall elements", "exp(−β²μ/3)", many)
	judgeCounts(&f, reproduce.Corrected, "too few tall elements", "exp(−β²μ/2)", few)
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes,
		"The bound that the proof begins with, exp(−β²·2^(−i+1)·(k+1)/3), is right. Its last step puts it below exp(−β²(k+1)/3), which is "+
			"smaller, and so goes the wrong way.",
		"The proofs of Theorems 5.3 and 6.2 use it as printed, with β of about 1/log p: then β²(k+1) grows with p, and β²μ does not "+
			"(spray-proofs-5.3-6.2).")
	f.Chart("tails", plot.Chart{Title: "Too many and too few elements of height 4 among 512", XLabel: "β", YLabel: "probability",
		LogY: true, LegendBeside: true, Series: series})
	return f
}
