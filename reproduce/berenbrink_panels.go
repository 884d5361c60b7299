package reproduce

import (
	"context"
	"fmt"

	"github.com/almanac-sim/almanac/capped"
)

// A cappedPoint is CAPPED(c, 1−2⁻ⁱ) in the long run, measured and in the limit.
type cappedPoint struct {
	c, i  int
	n     int
	limit *capped.Limit
	*capped.Measured
	blocks []int // the longest wait of each 1000 rounds
}

// cappedBlock is the number of rounds that the paper averages over.
const cappedBlock = 1000

// longRun measures CAPPED(c, 1−2⁻ⁱ) for some relaxation times and blocks of 1000 rounds at least. It begins where the limit
// says that the long run is, and goes on for two relaxation times before it is measured; with Full it begins empty, and goes
// on for ten.
func (r *cappedRunner) longRun(e cappedEffort, c, i int, times float64, blocks int) (cappedPoint, error) {
	p := cappedPoint{c: c, i: i, n: e.bins, limit: e.theory.capped(c, halved(i))}
	tau := capped.CappedLimit(c, halved(i)).Relaxation()
	rounds := max(int(e.scale*times*tau), blocks*cappedBlock)
	burnIn := 1 + int(2*tau*min(1, e.scale))
	if r.Options.Full {
		rounds, burnIn = max(int(100*tau), 10*cappedBlock), int(10*tau)+100
	}
	seen := 0
	plan := capped.Plan{BurnIn: burnIn, Rounds: rounds, Watch: func(_ *capped.Process, round capped.Round) {
		if seen++; seen > burnIn {
			if (seen-burnIn-1)%cappedBlock == 0 {
				p.blocks = append(p.blocks, 0)
			}
			last := &p.blocks[len(p.blocks)-1]
			*last = max(*last, round.WaitMax)
		}
	}}
	var err error
	p.Measured, err = r.measure(capped.Config{Bins: e.bins, Capacity: c, Rate: halved(i), Warm: !r.Options.Full}, plan, 100*i+c)
	if whole := rounds / cappedBlock; err == nil {
		p.blocks = p.blocks[:whole]
	}
	return p, err
}

// pool is the pool per bin.
func (p cappedPoint) pool() Estimate {
	n := float64(p.n)
	return Estimate{Mean: p.Pool.Mean / n, SE: p.Pool.Error / n}
}

// longest is the longest wait of 1000 rounds, on average.
func (p cappedPoint) longest() float64 {
	sum := 0
	for _, b := range p.blocks {
		sum += b
	}
	return float64(sum) / float64(len(p.blocks))
}

// cappedPanels are the points of Figures 4 and 5: over c for some rates, and over the rates 1−2⁻¹ … 1−2⁻¹⁰ for c = 1 and 3. A
// point that is in both is measured once.
type cappedPanels struct {
	rates  []int // i of the left panel
	points map[[2]int]cappedPoint
}

const (
	panelCapacities = 5
	panelRates      = 10
)

var panelRight = []int{1, 3} // c of the right panel

// keys are c and i of all points, without repetitions.
func (g *cappedPanels) keys() [][2]int {
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

// measure measures all points of the panels, each for some relaxation times.
func (g *cappedPanels) measure(ctx context.Context, e cappedEffort, o Options, name string, times func(i int) float64) error {
	keys := g.keys()
	r := newCappedRunner(ctx, o, name, len(keys))
	g.points = map[[2]int]cappedPoint{}
	for _, k := range keys {
		p, err := r.longRun(e, k[0], k[1], times(k[1]), 2)
		if err != nil {
			return err
		}
		g.points[k] = p
	}
	return nil
}

// left is the points of a rate, by c; right those of a c, by rate.
func (g *cappedPanels) left(i int) []cappedPoint {
	var all []cappedPoint
	for c := 1; c <= panelCapacities; c++ {
		all = append(all, g.points[[2]int{c, i}])
	}
	return all
}

func (g *cappedPanels) right(c int) []cappedPoint {
	var all []cappedPoint
	for i := 1; i <= panelRates; i++ {
		all = append(all, g.points[[2]int{c, i}])
	}
	return all
}

// lines are all of these, with their names.
func (g *cappedPanels) lines() (names []string, lines [][]cappedPoint) {
	for _, i := range g.rates {
		names, lines = append(names, "λ = "+halvedName(i)), append(lines, g.left(i))
	}
	for _, c := range panelRight {
		names, lines = append(names, fmt.Sprintf("c = %d", c)), append(lines, g.right(c))
	}
	return names, lines
}
