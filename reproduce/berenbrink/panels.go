package berenbrink

import (
	"fmt"
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

// longRun measures CAPPED(c, 1−2⁻ⁱ) for some relaxation times and blocks of 1000 rounds at least. It begins where the limit
// says that the long run is, and goes on for two relaxation times before it is measured; with Full it begins empty, and goes
// on for ten.
func (r *runner) longRun(c, i int, times float64, blocks int) point {
	p := point{c: c, i: i, n: r.bins, limit: r.theory.capped(c, halved(i))}
	tau := capped.CappedLimit(c, halved(i)).Relaxation()
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

// panels are the points of Figures 4 and 5: over c for some rates, and over the rates 1−2⁻¹ … 1−2⁻¹⁰ for c = 1 and 3. A
// point that is in both is measured once.
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
func (g *panels) draw(f *reproduce.Finding, title, unit string, of func(line []point, name string, x func(point) int) []plot.Series) {
	left := plot.Chart{Title: fmt.Sprintf(title, "left") + " over the capacity", XLabel: "capacity c", YLabel: unit, FromZero: true, LegendBeside: true}
	for _, i := range slices.Backward(g.rates) {
		left.Series = append(left.Series, of(g.left(i), halvedName(i), func(p point) int { return p.c })...)
	}
	right := plot.Chart{Title: fmt.Sprintf(title, "right") + " over the rate", XLabel: "i, of λ = 1−2⁻ⁱ", YLabel: unit, FromZero: true, LegendBeside: true}
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
