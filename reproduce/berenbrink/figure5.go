package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// figure5 is the waiting time over the capacity and over the rate, and the line that the authors saw it stay below.
//
// The paper does not say what it calls the maximum. The simulator that it refers to takes the longest wait of each round and
// has the mean of 1000 of them. Here are both that and the longest wait of 1000 rounds, which is longer. The simulator also
// settles the base of the logarithm: the line is drawn with log₂log₂n.
func figure5(r *runner) reproduce.Finding {
	return judgeFigure5(r.effort, r.panels([]int{2, 10, 13}, func(i int) float64 {
		if i > panelRates {
			return 4
		}
		return 10
	}))
}

func judgeFigure5(e effort, g *panels) reproduce.Finding {
	var f reproduce.Finding
	names, lines := g.lines()
	table := reproduce.Table{Name: "waiting times", Columns: []string{"c", "i of λ = 1−2⁻ⁱ", "mean", "SE", "limit of many bins",
		"longest of a round, mean", "SE", "by the limit", "longest of 1000 rounds, mean", "at most", "dashed line",
		"with natural logarithms", "bound of the theorem", "rounds"}}
	natural := map[string]int{}
	var highest [3]float64
	for k, line := range lines {
		mean, round, block, off := 0.0, 0.0, 0.0, 0.0
		for _, p := range line {
			lambda := halved(p.i)
			dashed := e.theory.waitEstimate(p.n, p.c, lambda)
			n := float64(p.n)
			ln := dashed - math.Log2(math.Log2(n)) + math.Log(math.Log(n))
			most := 0
			for _, b := range p.blocks {
				most = max(most, b)
			}
			mean, round = max(mean, p.Wait.Mean/dashed), max(round, p.Longest.Mean/dashed)
			block = max(block, p.longest()/dashed)
			off = max(off, estimateOf(p.Wait).Off(p.limit.Wait, restOf(p.limit, p.n)/lambda))
			table.Rows = append(table.Rows, []float64{float64(p.c), float64(p.i), p.Wait.Mean, p.Wait.Error, p.limit.Wait,
				p.Longest.Mean, p.Longest.Error, longestOf(p.limit, p.n), p.longest(), float64(most), dashed, ln,
				e.theory.waitBound(p.n, p.c, lambda), float64(p.Rounds)})
			if k < len(g.rates) || p.i != 2 && p.i != 10 { // what is in both panels once
				natural["points"]++
				natural["round"] += reproduce.Above(p.Longest.Mean, ln)
				natural["block"] += reproduce.Above(p.longest(), ln)
			}
		}
		highest = [3]float64{max(highest[0], mean), max(highest[1], round), max(highest[2], block)}
		const because = "the paper has every point below the line"
		f.Between("mean wait over the dashed line, at most, "+names[k], mean, 0, 1, 0, because)
		f.Between("longest wait of a round, on average, over the dashed line, at most, "+names[k], round, 0, 1, 0, because)
		f.Between("longest wait of 1000 rounds over the dashed line, at most, "+names[k], block, 0, 1, 0,
			because+", and this is the larger of two readings of the maximum")
		f.For(reproduce.Control).Check("mean wait off the limit, in standard errors, at most, "+names[k], off, 0, reproduce.Sigmas, becauseLimit)
	}
	spots := ""
	for _, i := range g.rates {
		mean, longest := leastWait(g.left(i))
		spots += fmt.Sprintf(", %g and %g at λ = %s", mean, longest, halvedName(i))
		const because = "the paper sees the minimum around c = 2 and c = 3"
		f.Between("capacity with the least mean wait, λ = "+halvedName(i), mean, e.theory.sweet[0], e.theory.sweet[1], 0, because)
		f.Between("capacity with the least longest wait of a round, on average, λ = "+halvedName(i), longest, e.theory.sweet[0], e.theory.sweet[1], 0, because)
	}
	f.Measured = fmt.Sprintf("The mean wait is at most %.2f of the line with log₂log₂n, the longest wait of a round %.2f on average, and that of 1000 "+
		"rounds %.2f; mean and longest are least at c ="+spots[1:]+".", highest[0], highest[1], highest[2])
	f.Tables = append(f.Tables, table)
	noteFigure5(&f, g, natural)
	g.draw(&f, "Figure 5, %s: waiting time", "rounds", e.figure5Series)
	return f
}

// leastWait is the capacity with the least mean wait, and that with the least longest wait of a round.
func leastWait(line []point) (mean, longest float64) {
	m, l := line[0], line[0]
	for _, p := range line {
		if p.Wait.Mean < m.Wait.Mean {
			m = p
		}
		if p.Longest.Mean < l.Longest.Mean {
			l = p
		}
	}
	return float64(m.c), float64(l.c)
}

func noteFigure5(f *reproduce.Finding, g *panels, natural map[string]int) {
	top := g.left(g.rates[len(g.rates)-1])
	p := top[0]
	f.Notes = append(f.Notes,
		"The logarithms are to base 2: the simulator that the paper refers to draws the line with log₂log₂n, and the O(1) of the "+
			"theorems leaves the base open, not the factor 1 before log log n, which belongs to base 2 by the induction of Lemma 5, "+
			"where what is left over is squared in every round.",
		fmt.Sprintf("With natural logarithms, ln ln n = %.2f for %.2f, the line would be crossed by %d of %d points if the maximum "+
			"is the longest wait of a round, on average, and by %d if it is the longest of 1000 rounds.",
			math.Log(math.Log(float64(p.n))), math.Log2(math.Log2(float64(p.n))), natural["round"], natural["points"], natural["block"]),
		"The text of section V has ln(1/(1−λ)) + log log n + c, without the 1/c of the figure's caption. What is below the line of "+
			"the caption is below that too.",
		fmt.Sprintf("The paper does not say what its maximum is. Its simulator has the mean over 1000 rounds of the longest wait of "+
			"a round: %.2f for c = 1 at λ = %s, where the longest of 1000 rounds is %.2f on average.",
			p.Longest.Mean, halvedName(p.i), p.longest()),
		fmt.Sprintf("Section I-B has the waiting time “decrease by a factor of essentially c”. At λ = %s it is %.2f, %.2f, %.2f, %.2f and "+
			"%.2f for c = 1 … 5: a ball has a place sooner, and waits longer there.", halvedName(p.i), p.Wait.Mean, top[1].Wait.Mean,
			top[2].Wait.Mean, top[3].Wait.Mean, top[4].Wait.Mean))
}

// figure5Series are the lines of a rate or of a capacity.
func (e effort) figure5Series(line []point, name string, x func(point) int) []plot.Series {
	round := plot.Series{Name: name + ", longest"} // of a round, on average; that of 1000 rounds is in the table
	mean, dashed := plot.Series{Name: name + ", mean", Same: true, Triangles: true}, plot.Series{Name: name + ", paper's line", Same: true, Dashed: true}
	for _, p := range line {
		dashed.Add(float64(x(p)), e.theory.waitEstimate(p.n, p.c, halved(p.i)))
		round.Add(float64(x(p)), p.Longest.Mean)
		mean.Add(float64(x(p)), p.Wait.Mean)
	}
	return []plot.Series{round, mean, dashed}
}
