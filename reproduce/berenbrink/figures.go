package berenbrink

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// A point is CAPPED(c, 1−2⁻ⁱ) in the long run, measured and in the limit.
type point struct {
	c, i  int
	n     int
	limit *capped.Limit
	*capped.Measured
	blocks []int // the longest wait of each 1000 rounds
}

// blockRounds is the number of rounds that the paper averages over.
const blockRounds = 1000

// longRun measures CAPPED(c, 1−2⁻ⁱ) for some relaxation times and blocks of 1000 rounds at least.
// It begins where the limit says that the long run is, and goes on for two relaxation times before
// it is measured; with Full it begins empty, and goes on for ten.
func (r *runner) longRun(c, i int, times float64, blocks int) point {
	p := point{c: c, i: i, n: r.bins, limit: r.theory.capped(c, halved(i))}
	tau := capped.NewLimit(c, halved(i)).Relaxation()
	rounds := max(int(r.scale*times*tau), blocks*blockRounds)
	burnIn := 1 + int(2*tau*min(1, r.scale))
	if r.Options.Full {
		rounds, burnIn = max(int(100*tau), 10*blockRounds), int(10*tau)+100
	}
	seen := 0
	plan := capped.Plan{BurnIn: burnIn, Rounds: rounds, Watch: func(_ *capped.Process, round capped.Round) {
		if seen++; seen > burnIn {
			if (seen-burnIn-1)%blockRounds == 0 {
				p.blocks = append(p.blocks, 0)
			}
			last := &p.blocks[len(p.blocks)-1]
			*last = max(*last, round.WaitMax)
		}
	}}
	p.Measured = r.measure(capped.Config{Bins: r.bins, Capacity: c, Rate: halved(i), Warm: !r.Options.Full}, plan, 100*i+c)
	p.blocks = p.blocks[:rounds/blockRounds] // whole ones
	return p
}

// pool is the pool per bin.
func (p point) pool() reproduce.Estimate {
	n := float64(p.n)
	return reproduce.Estimate{Mean: p.Pool.Mean / n, SE: p.Pool.Error / n}
}

// longest is the longest wait of 1000 rounds, on average.
func (p point) longest() float64 {
	sum := 0
	for _, b := range p.blocks {
		sum += b
	}
	return float64(sum) / float64(len(p.blocks))
}

// panels are the points of Figures 4 and 5: over c for some rates, and over the rates 1−2⁻¹ …
// 1−2⁻¹⁰ for c = 1 and 3. A point that is in both is measured once.
type panels struct {
	rates  []int // i of the left panel
	points map[[2]int]point
}

const (
	panelCapacities = 5
	panelRates      = 10
)

var panelRight = []int{1, 3} // c of the right panel

// keys are c and i of all points, without repetitions.
func (g *panels) keys() [][2]int {
	var all [][2]int
	for _, i := range g.rates {
		for c := 1; c <= panelCapacities; c++ {
			all = append(all, [2]int{c, i})
		}
	}
	seen := map[[2]int]bool{}
	for _, k := range all {
		seen[k] = true
	}
	for _, c := range panelRight {
		for i := 1; i <= panelRates; i++ {
			if k := [2]int{c, i}; !seen[k] {
				all = append(all, k)
			}
		}
	}
	return all
}

// panels measures all points of the panels, each for some relaxation times.
func (r *runner) panels(rates []int, times func(i int) float64) *panels {
	g := &panels{rates: rates, points: map[[2]int]point{}}
	keys := g.keys()
	r.Runs(len(keys))
	for _, k := range keys {
		g.points[k] = r.longRun(k[0], k[1], times(k[1]), 2)
	}
	return g
}

// draw adds the charts of both panels. of is what is drawn of a line of points, over x.
func (g *panels) draw(f *reproduce.Finding, title, unit string, of func(line []point, name string,
	x func(point) int) []plot.Series) {
	left := plot.Chart{Title: fmt.Sprintf(title, "left") + " over the capacity", XLabel: "capacity c", YLabel: unit,
		FromZero: true, LegendBeside: true}
	for _, i := range slices.Backward(g.rates) {
		left.Series = append(left.Series, of(g.left(i), halvedName(i), func(p point) int { return p.c })...)
	}
	right := plot.Chart{Title: fmt.Sprintf(title, "right") + " over the rate", XLabel: "i, of λ = 1−2⁻ⁱ",
		YLabel: unit, FromZero: true, LegendBeside: true}
	for _, c := range panelRight {
		right.Series = append(right.Series, of(g.right(c), fmt.Sprintf("c = %d", c), func(p point) int { return p.i })...)
	}
	f.Chart("left", left)
	f.Chart("right", right)
}

// left is the points of a rate, by c; right those of a c, by rate.
func (g *panels) left(i int) []point {
	var all []point
	for c := 1; c <= panelCapacities; c++ {
		all = append(all, g.points[[2]int{c, i}])
	}
	return all
}

func (g *panels) right(c int) []point {
	var all []point
	for i := 1; i <= panelRates; i++ {
		all = append(all, g.points[[2]int{c, i}])
	}
	return all
}

// lines are all of these, with their names.
func (g *panels) lines() (names []string, lines [][]point) {
	for _, i := range g.rates {
		names, lines = append(names, "λ = "+halvedName(i)), append(lines, g.left(i))
	}
	for _, c := range panelRight {
		names, lines = append(names, fmt.Sprintf("c = %d", c)), append(lines, g.right(c))
	}
	return names, lines
}

// figure4 is the pool over the capacity and over the rate, and the line that the authors saw it
// stay below.
func figure4(r *runner) reproduce.Finding {
	return judgeFigure4(r.effort, r.panels([]int{2, 10}, func(int) float64 { return 20 }))
}

func judgeFigure4(e effort, g *panels) reproduce.Finding {
	var f reproduce.Finding
	names, lines := g.lines()
	table := reproduce.Table{Name: "pool per bin", Columns: []string{"c", "i of λ = 1−2⁻ⁱ", "measured", "SE",
		"limit of many bins",
		"dashed line", "bound of the theorem", "relaxation time", "rounds"}}
	most, near, count := 0.0, "", 0
	for k, line := range lines {
		above, off := 0.0, 0.0
		for _, p := range line {
			pool := p.pool()
			n, lambda := float64(p.n), halved(p.i)
			dashed := e.theory.poolEstimate(p.n, p.c, lambda) / n
			above = max(above, pool.Mean/dashed)
			if count++; pool.Mean/dashed > most {
				most, near = pool.Mean/dashed, fmt.Sprintf("c = %d, λ = %s", p.c, halvedName(p.i))
			}
			off = max(off, pool.Off(p.limit.Pool, restOf(p.limit, p.n)))
			table.Rows = append(table.Rows, []float64{float64(p.c), float64(p.i), pool.Mean, pool.SE, p.limit.Pool, dashed,
				e.theory.poolBound(p.n, p.c, lambda) / n, p.Relaxation, float64(p.Rounds)})
		}
		f.Between("pool over the dashed line, at most, "+names[k], above, 0, 1, 0,
			"the paper has every point below the line; standard errors are under a hundredth of what is between")
		f.For(reproduce.Control).Check("pool off the limit, in standard errors, at most, "+names[k], off, 0, reproduce.Sigmas,
			becauseLimit)
	}
	f.Measured = fmt.Sprintf("All %d points are below the line: the pool is at most %.2f of it, at %s.", count, most, near)
	f.Tables = append(f.Tables, table)
	noteFigure4(&f, g)
	g.draw(&f, "Figure 4, %s: pool", "pool per bin", e.figure4Series)
	f.Chart("limit", figure4Limit(g))
	return f
}

func noteFigure4(f *reproduce.Finding, g *panels) {
	i := g.rates[len(g.rates)-1]
	top := g.left(i)
	one, two, five := top[0].pool().Mean, top[1].pool().Mean, top[4].pool().Mean
	thrown := func(p point) float64 { return p.Thrown.Mean / float64(p.n) }
	f.Notes = append(f.Notes,
		"For c = 1 the limit of many bins is exactly ln(1/(1−λ)) − λ, so that the dashed line is 1+λ above it, "+
			"whatever λ is; it is "+
			"less than 2 above it for larger c as well.",
		fmt.Sprintf("Section I-B has the balls in the pool “decrease by a factor of essentially c”. At λ = %s there "+
			"are %.2f a bin "+
			"with c = 1, %.2f with c = 2 and %.2f with c = 5: a factor of %.2f and of %.2f. What decreases by about c is "+
			"the balls "+
			"thrown in a round, which are λn more than the pool: %.2f, %.2f and %.2f a bin.",
			halvedName(i), one, two, five, one/two, one/five, thrown(top[0]), thrown(top[1]), thrown(top[4])),
		"These are stationary values. For what the authors' simulator reads after 2000 rounds, see capped-burn-in.")
}

// figure4Series are the lines of a rate or of a capacity. The limit is not drawn: it would be
// hidden.
func (e effort) figure4Series(line []point, name string, x func(point) int) []plot.Series {
	measured, dashed := plot.Series{Name: name + ", measured"}, plot.Series{Name: name + ", paper's line", Same: true,
		Dashed: true}
	for _, p := range line {
		dashed.Add(float64(x(p)), e.theory.poolEstimate(p.n, p.c, halved(p.i))/float64(p.n))
		measured.Add(float64(x(p)), p.pool().Mean)
	}
	return []plot.Series{measured, dashed}
}

// figure4Limit is how far the right panel is from the limit, with what is allowed around it.
func figure4Limit(g *panels) plot.Chart {
	chart := plot.Chart{Title: "Figure 4, right: pool measured less that of the limit", XLabel: "i, of λ = 1−2⁻ⁱ",
		YLabel: "thousandths of a ball per bin", LegendBeside: true}
	for _, c := range panelRight {
		s := plot.Series{Name: fmt.Sprintf("c = %d", c)}
		for _, p := range g.right(c) {
			pool := p.pool()
			off, allowed := 1000*(pool.Mean-p.limit.Pool), 1000*(reproduce.Sigmas*pool.SE+restOf(p.limit, p.n))
			s.Add(float64(p.i), off)
			s.Low, s.High = append(s.Low, off-allowed), append(s.High, off+allowed)
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}

// figure5 is the waiting time over the capacity and over the rate, and the line that the authors
// saw it stay below.
//
// The paper does not say what it calls the maximum. The simulator that it refers to takes the
// longest wait of each round and has the mean of 1000 of them. Here are both that and the longest
// wait of 1000 rounds, which is longer. The simulator also settles the base of the logarithm: the
// line is drawn with log₂log₂n.
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
	table := reproduce.Table{Name: "waiting times", Columns: []string{"c", "i of λ = 1−2⁻ⁱ", "mean", "SE",
		"limit of many bins",
		"longest of a round, mean", "SE", "by the limit", "longest of 1000 rounds, mean", "at most", "dashed line",
		"with natural logarithms", "bound of the theorem", "rounds"}}
	natural := map[string]int{}
	var highest [3]float64
	apart := 0.0 // the line of the text beyond that of the caption
	for k, line := range lines {
		mean, round, block, off := 0.0, 0.0, 0.0, 0.0
		for _, p := range line {
			lambda := halved(p.i)
			dashed := e.theory.waitEstimate(p.n, p.c, lambda)
			apart = max(apart, math.Abs(e.theory.waitText(p.n, p.c, lambda)-dashed))
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
		f.For(reproduce.Control).Check("mean wait off the limit, in standard errors, at most, "+names[k], off, 0,
			reproduce.Sigmas, becauseLimit)
	}
	f.Check("rounds by which the line of the text is off that of Theorem 2 without constant factors, at "+
		"most", apart, 0, 1e-9,
		"section V: “which is again the bound of Theorem 2 omitting the constant factors”; rounding")
	f.For(reproduce.Corrected).Between("longest wait of 1000 rounds over the line with 1/c, at most", highest[2], 0, 1, 0,
		"as in the caption; all other waits are shorter")
	spots := ""
	for _, i := range g.rates {
		mean, longest := leastWait(g.left(i))
		spots += fmt.Sprintf(", %g and %g at λ = %s", mean, longest, halvedName(i))
		const because = "the paper sees the minimum around c = 2 and c = 3"
		f.Between("capacity with the least mean wait, λ = "+halvedName(i), mean, e.theory.sweet[0], e.theory.sweet[1], 0,
			because)
		f.Between("capacity with the least longest wait of a round, on average, λ = "+halvedName(i), longest,
			e.theory.sweet[0], e.theory.sweet[1], 0, because)
	}
	f.Measured = fmt.Sprintf("The mean wait is at most %.2f of the line with log₂log₂n, the longest wait of a "+
		"round %.2f on average, and that of 1000 "+
		"rounds %.2f; mean and longest are least at c ="+spots[1:]+".", highest[0], highest[1], highest[2])
	f.Tables = append(f.Tables, table)
	noteFigure5(&f, g, natural)
	g.draw(&f, "Figure 5, %s: waiting time", "rounds", e.figure5Series)
	return f
}

// leastWait is the capacity with the least mean wait, and that with the least longest wait of a
// round.
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
		"The logarithms are to base 2: the simulator that the paper refers to draws the line with log₂log₂n, and the "+
			"O(1) of the "+
			"theorems leaves the base open, not the factor 1 before log log n, which belongs to base 2 by the induction of "+
			"Lemma 5, "+
			"where what is left over is squared in every round.",
		fmt.Sprintf("With natural logarithms, ln ln n = %.2f for %.2f, the line would be crossed by %d of %d points if "+
			"the maximum "+
			"is the longest wait of a round, on average, and by %d if it is the longest of 1000 rounds.",
			math.Log(math.Log(float64(p.n))), math.Log2(math.Log2(float64(p.n))), natural["round"], natural["points"],
			natural["block"]),
		"The text of section V has ln(1/(1−λ)) + log log n + c, without the 1/c of the figure's caption, which is not the "+
			"bound of Theorem 2 without constant factors. What is below the line of the caption is below that too.",
		fmt.Sprintf("The paper does not say what its maximum is. Its simulator has the mean over 1000 rounds of the "+
			"longest wait of "+
			"a round: %.2f for c = 1 at λ = %s, where the longest of 1000 rounds is %.2f on average.",
			p.Longest.Mean, halvedName(p.i), p.longest()),
		fmt.Sprintf("Section I-B has the waiting time “decrease by a factor of essentially c”. At λ = %s it is %.2f, "+
			"%.2f, %.2f, %.2f and "+
			"%.2f for c = 1 … 5: a ball has a place sooner, and waits longer there.", halvedName(p.i), p.Wait.Mean,
			top[1].Wait.Mean,
			top[2].Wait.Mean, top[3].Wait.Mean, top[4].Wait.Mean))
}

// figure5Series are the lines of a rate or of a capacity.
func (e effort) figure5Series(line []point, name string, x func(point) int) []plot.Series {
	round := plot.Series{Name: name + ", longest"} // of a round, on average; that of 1000 rounds is in the table
	mean, dashed := plot.Series{Name: name + ", mean", Same: true, Triangles: true},
		plot.Series{Name: name + ", paper's line", Same: true, Dashed: true}
	for _, p := range line {
		dashed.Add(float64(x(p)), e.theory.waitEstimate(p.n, p.c, halved(p.i)))
		round.Add(float64(x(p)), p.Longest.Mean)
		mean.Add(float64(x(p)), p.Wait.Mean)
	}
	return []plot.Series{round, mean, dashed}
}
