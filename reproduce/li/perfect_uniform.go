package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// On a perfect list a spray ends at Σ a_i·2^(i−1) with a_i uniform. Over the reach p·log p that tends to U_1/2 + U_2/4 + … with
// U_i uniform from 0 to 1, of which the density is 2·F(2x) for x ≤ 1/2, F being Fabius' function, which goes from 0 to 1, and
// the same from the other side. So it is 2 in the middle and not 1, which uniform would be; F(7/8) = 287/288 makes it within
// 0.35 % of that in the middle eighth; and near the front it vanishes: F(1/8) = 1/288 of the most at a sixteenth of the reach.

func perfectUniform(r *runner) reproduce.Finding {
	most := mostPower
	if r.scale < 1 {
		most = 11
	}
	r.Runs(most - 3 + 6)
	var points []fabiusPoint
	for l := 4; l <= most; l++ {
		r.Checkpoint()
		points = append(points, newFabiusPoint(r.theory.perfect(1<<l), l, 1), newFabiusPoint(r.theory.modified(1<<l), l, 0))
		r.Ran()
	}
	var basics []basicPoint
	for _, p := range powers(16, 512) {
		r.Checkpoint()
		basics = append(basics, newBasicPoint(r.effort, p))
		r.Ran()
	}
	return judgePerfectUniform(points, basics)
}

// A fabiusPoint is how evenly sprays end on a perfect list.
type fabiusPoint struct {
	l, from           int // log p, and the fewest steps
	values            int // of the number of steps at a height
	span              float64
	most              float64 // share, times p·values, as are the others
	low, high, middle float64 // in the middle eighth: least, most and mean
	front             float64 // at a sixteenth, mean of as many as there are heights
	curve             plot.Series
}

func newFabiusPoint(w spray.Walk, l, from int) fabiusPoint {
	ways, all := countWays(w)
	shortest := from * (1<<l - 1)
	ways = ways[min(shortest, len(ways)-1):]
	c := fabiusPoint{l: l, from: from, values: w.Most - w.Least + 1, span: float64(len(ways)), low: math.Inf(1)}
	unit := math.Exp2(float64(l)) * float64(c.values)
	share := func(x int) float64 { return float64(ways[x]) / float64(all) * unit }
	for x := range ways {
		c.most = max(c.most, share(x))
		if len(ways) < 2000 || x%(len(ways)/500) == 0 {
			c.curve.Add(float64(x)/c.span, share(x))
		}
	}
	first, last := int(c.span*7/16), int(c.span*9/16)
	for x := first; x <= last; x++ {
		s := share(x)
		c.low, c.high, c.middle = min(c.low, s), max(c.high, s), c.middle+s/float64(last-first+1)
	}
	for k := range 2 * l {
		c.front += share(max(0, int(c.span/16)-l)+k) / float64(2*l)
	}
	return c
}

// A basicPoint is how evenly BasicSprays end on a perfect list, in units of 1/(p·f·log³p).
type basicPoint struct {
	p         int
	low, high float64
	from, to  int
}

func newBasicPoint(e effort, p int) basicPoint {
	w := e.theory.basic(p, 1)
	l := logp(p)
	unit := float64(p) * l * l * l
	first := float64(w.Most) * math.Ldexp(1, w.Heights[0]-1)
	c := basicPoint{p: p, low: math.Inf(1), from: int(float64(w.Reach()) - first), to: int(first)}
	for x, s := range perfectSkiplist(w.Heights[0], w.Reach()).landing(w) {
		if x > c.from && x < c.to {
			c.low, c.high = min(c.low, s*unit), max(c.high, s*unit)
		}
	}
	return c
}

func judgePerfectUniform(points []fabiusPoint, basics []basicPoint) reproduce.Finding {
	var f reproduce.Finding
	columns := []string{"log p", "elements in reach", "over p·log²p", "largest share, in units", "middle eighth: mean", "least",
		"most", "at a sixteenth"}
	tables := []reproduce.Table{{Name: "PerfectSpray on a perfect list, steps 0 … log p", Columns: columns}, {Name: "PerfectSpray on " +
		"a perfect list, steps 1 … log p", Columns: columns}}
	var even [2]fabiusPoint // the last with an even number of values
	size := 0.0
	for _, c := range points {
		L := float64(c.l)
		size = c.span / (math.Exp2(L) * L * L)
		tables[c.from].Rows = append(tables[c.from].Rows, []float64{L, c.span, size, c.most, c.middle, c.low, c.high, c.front})
		if c.values%2 == 0 {
			even[c.from] = c
		}
	}
	basic := reproduce.Table{Name: "BasicSpray on a perfect list, shares in units of 1/(p·f·log³p)", Columns: []string{"p", "from",
		"to", "least", "most"}}
	near, off := 0.0, 0.0
	for _, c := range basics {
		basic.Rows = append(basic.Rows, []float64{float64(c.p), float64(c.from), float64(c.to), c.low, c.high})
		near = max(near, math.Abs(c.low-2), math.Abs(c.high-2))
	}
	c := even[0]
	for _, p := range even {
		off = max(off, math.Abs(p.middle-2))
	}
	f.Measured = fmt.Sprintf("At p = 2%s PerfectSpray reaches %.3f of p·log²p elements; shares in units of one over the reach are "+
		"%.3f at most, %.3f … %.3f in the middle eighth, and %.4f at a sixteenth of the "+
		"reach: a bell with a flat top of 2, not 1.", reproduce.Superscript(c.l), size, c.most, c.low, c.high, c.front)
	f.Between("p·log²p over elements in reach, largest p", 1/size, 0, 1, 0, "every element of the interval is hit")
	f.Check("largest share in units of one over the reach, largest p", c.most, 1, 0.1, "uniform, within a tenth")
	corrected := f.For(reproduce.Corrected)
	corrected.Check("mean share in the middle eighth off 2, largest p with an even number of values, both readings", off, 0, 2.0/288,
		"2·F(7/8) = 2·287/288 at the ends of the interval")
	for from, p := range even {
		corrected.Between(fmt.Sprintf("most over least in the middle eighth, steps %d … log p, log p = %d", from, p.l), p.high/p.low,
			1, 288.0/287, 0.002,
			"F(7/8) = 287/288, and 0.2 % for sums of finitely many numbers")
	}
	corrected.Check("BasicSpray: shares between what the lower heights can add and the end of the first, off 2/(p·f·log³p), at most", near, 0, 0.05,
		"where the lower heights have an odd number of values even places are before odd ones by up to 1/log³p, which is 1.6 % at p = 16")
	f.Tables = append(f.Tables, tables[0], tables[1], basic)
	f.Notes = append(f.Notes,
		fmt.Sprintf("Where the number of steps has an odd number of values, even and odd places differ by about 2 over that number, "+
			"which vanishes slowly: most over least in the middle eighth is %.3f for steps 1 … log p and log p = %d.",
			oddest(points).high/oddest(points).low, oddest(points).l),
		"PerfectSpray has no more than p·log p elements in reach, and near the front shares vanish, faster than any power. An "+
			"interval in which they are uniform in the limit, to 0.35 %, is the middle eighth of the reach; "+
			"there the share is 2/(p·log p).",
		"BasicSpray on a perfect list is uniform: every element between has 2/(p·f·log³p), the factor of 2 of spray-theorems-5.3-6.2 "+
			"without any chance in it.")
	series := []plot.Series{even[0].curve, even[1].curve, {Name: "uniform", X: []float64{0, 1}, Y: []float64{1, 1}, Dashed: true}}
	for from := range even {
		series[from].Name = fmt.Sprintf("steps %d … log p, log p = %d", from, even[from].l)
	}
	f.Chart("bell", plot.Chart{Title: "Where PerfectSprays end on a perfect list", XLabel: "place over the reach", YLabel: "share " +
		"times the reach", FromZero: true, LegendBeside: true,
		Series: series})
	return f
}

// oddest is the last point with steps from 1 on and an odd number of values.
func oddest(points []fabiusPoint) fabiusPoint {
	var last fabiusPoint
	for _, c := range points {
		if c.from == 1 && c.values%2 == 1 {
			last = c
		}
	}
	return last
}
