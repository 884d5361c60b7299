package li

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// mostPower is the largest log p for which every number of ways fits in 64 bits: 16¹⁵ = 2⁶⁰.
const mostPower = 15

func theorem51(r *runner) reproduce.Finding {
	most := mostPower
	if r.scale < 1 {
		most = 10
	}
	r.Runs(most)
	var points, defined []perfectPoint
	for l := 1; l <= most; l++ {
		r.Checkpoint()
		points = append(points, perfectPointOf(r.effort, r.theory.modified(1<<l), l))
		defined = append(defined, perfectPointOf(r.effort, r.theory.perfect(1<<l), l))
		r.Ran()
	}
	return judgeTheorem51(points, defined)
}

// countWays is in how many ways walks end at each element of a perfect list, and how many walks
// there are.
func countWays(w spray.Walk) (ways []uint64, all uint64) {
	ways, all = []uint64{1}, 1
	for _, h := range w.Heights {
		length := 1 << (h - 1)
		spread := make([]uint64, len(ways)+w.Most*length)
		for x := range spread {
			// As many as a step before, with the first that is new and without the last that is out
			// of reach.
			if x >= length {
				spread[x] = spread[x-length]
			}
			if k := x - w.Least*length; k >= 0 && k < len(ways) {
				spread[x] += ways[k]
			}
			if k := x - (w.Most+1)*length; k >= 0 && k < len(ways) {
				spread[x] -= ways[k]
			}
		}
		ways = spread
		all *= uint64(w.Most - w.Least + 1)
	}
	return ways, all
}

// A perfectPoint is how often the elements of a perfect list are hit.
type perfectPoint struct {
	l, p     int
	walks    uint64
	ways     []uint64
	at       int     // the element that is hit most often
	share    float64 // times p
	above    int     // elements that are hit by more than the bound, in integers
	viable   float64 // of the a_k, at most
	byProof  float64 // the bound of the proof with that, times p
	even     float64 // share·p if all that can be reached were hit alike
	reach    int
	reported float64 // the bound
}

func perfectPointOf(e effort, w spray.Walk, l int) perfectPoint {
	p := 1 << l
	c := perfectPoint{l: l, p: p, reach: w.Reach(), reported: e.theory.share(p) * float64(p)}
	c.ways, c.walks = countWays(w)
	// The bound as an integer ratio: hit·p ≤ walks.
	bound := uint64(math.Round(1 / e.theory.share(p)))
	for x, hit := range c.ways {
		if hit > c.ways[c.at] {
			c.at = x
		}
		if high, low := bits.Mul64(hit, bound); high > 0 || low > c.walks {
			c.above++
		}
	}
	c.share = float64(c.ways[c.at]) / float64(c.walks) * float64(p)
	values := w.Most - w.Least + 1
	c.viable = float64((values+1)/2) / float64(values)
	c.byProof = math.Pow(2*c.viable, float64(l))
	c.even = float64(p) / float64(len(c.ways)-w.Least*(p-1))
	return c
}

// row is a row of the tables.
func (c *perfectPoint) row() []float64 {
	return []float64{float64(c.p), float64(c.l), float64(c.walks), float64(len(c.ways) - 1), float64(c.at),
		float64(c.ways[c.at]), c.share,
		c.even, c.viable, c.byProof}
}

func judgeTheorem51(points, defined []perfectPoint) reproduce.Finding {
	var f reproduce.Finding
	columns := []string{"p", "log p", "sprays", "elements in reach", "the most frequent", "its sprays", "share times p",
		"if all were hit alike", "viable a_k, at most", "the proof's bound with that, times p"}
	table := reproduce.Table{Name: "the element that is hit most often, steps 0 … log p", Columns: columns}
	other := reproduce.Table{Name: "the element that is hit most often, steps 1 … log p", Columns: columns}
	share, bound := plot.Series{Name: "largest share"}, plot.Series{Name: "Theorem 5.1"}
	even, proof := plot.Series{Name: "all alike"}, plot.Series{Name: "its proof, log p even"}
	above, most := 0, 0.0
	aboveOther, mostOther := 0, 0.0
	for _, c := range defined {
		other.Rows = append(other.Rows, c.row())
		if c.p >= 4 {
			aboveOther += c.above
			mostOther = max(mostOther, c.share)
		}
	}
	for _, c := range points {
		table.Rows = append(table.Rows, c.row())
		above += c.above
		most = max(most, c.share)
		p := float64(c.p)
		share.Add(p, c.share)
		bound.Add(p, c.reported)
		even.Add(p, c.even)
		if c.l%2 == 0 {
			proof.Add(p, c.byProof)
		}
	}
	last := points[len(points)-1]
	f.Measured = fmt.Sprintf("All sprays counted for p = 2 … 2%s: with 0 … log p steps the most frequent element "+
		"has at most %.3g/p of them, "+
		"and %.3f/p at the largest p; with 1 … log p steps at most %.3g/p from p = 4 on.", reproduce.Superscript(last.l),
		most, last.share, mostOther)
	f.Check("elements that more than 1/p of the sprays hit, steps 0 … log p", float64(above), 0, 0,
		"counted in integers")
	f.Check("elements that more than 1/p of the sprays hit, steps 1 … log p, p ≥ 4", float64(aboveOther), 0, 0,
		"counted in integers")
	f.Tables = append(f.Tables, table, other)
	f.Notes = append(f.Notes,
		fmt.Sprintf("The theorem holds for every p up to 2%s, and for large p with much to spare: the largest share "+
			"times p "+
			"falls to %.3f, since sprays spread over p·log p elements and not over p. For p = 2 and steps from 1 on there "+
			"is one spray, which ends "+
			"at the first element.", reproduce.Superscript(last.l), last.share),
		fmt.Sprintf("Its proof says that at most half of the a_k are viable, which needs as many even a_k as odd "+
			"ones. There are log p + 1 of them, and where that is odd, log p being even, (log p + 2)/2 of them are "+
			"even: 2 of 3 for p = 4. What the proof then has is (1 + 1/(log p + 1))^(log p)/p, which is %.2f/p for p "+
			"= 4 and tends to e/p. The theorem itself holds there too, by the count.", points[1].byProof),
	)
	f.Chart("share", plot.Chart{Title: "Sprays on the most frequent element of a perfect list, times p", XLabel: "p",
		YLabel: "share of sprays times p",
		LogX:   true, FromZero: true, LegendBeside: true, Series: []plot.Series{share, bound, even, proof}})
	// The shape for one p.
	for _, c := range points {
		if c.l == 9 {
			f.Chart("where", perfectChart(c))
		}
	}
	return f
}

// perfectChart draws where sprays end, for one p.
func perfectChart(c perfectPoint) plot.Chart {
	each := plot.Series{Name: "share times p"}
	bound := plot.Series{Name: "Theorem 5.1", X: []float64{0, float64(len(c.ways) - 1)},
		Y: []float64{c.reported, c.reported}}
	for x, hit := range c.ways {
		each.Add(float64(x), float64(hit)/float64(c.walks)*float64(c.p))
	}
	return plot.Chart{Title: fmt.Sprintf("Where sprays end on a perfect list, p = %d", c.p), XLabel: "element",
		YLabel: "share of sprays times p", FromZero: true, LegendBeside: true, Series: []plot.Series{each, bound}}
}

// On a perfect list a spray ends at Σ a_i·2^(i−1) with a_i uniform. Over the reach p·log p that
// tends to U_1/2 + U_2/4 + … with U_i uniform from 0 to 1, of which the density is 2·F(2x) for x ≤
// 1/2, F being Fabius' function, which goes from 0 to 1, and the same from the other side. So it is
// 2 in the middle and not 1, which uniform would be; F(7/8) = 287/288 makes it within 0.35 % of
// that in the middle eighth; and near the front it vanishes: F(1/8) = 1/288 of the most at a
// sixteenth of the reach.

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
	var f reproduce.Finding
	columns := []string{"log p", "elements in reach", "over p·log²p", "largest share, in units", "middle eighth: mean",
		"least",
		"most", "at a sixteenth"}
	tables := []reproduce.Table{{Name: "PerfectSpray on a perfect list, steps 0 … log p", Columns: columns},
		{Name: "PerfectSpray on " +
			"a perfect list, steps 1 … log p", Columns: columns}}
	var even [2]fabiusPoint // the last with an even number of values
	size := 0.0
	for _, c := range points {
		L := float64(c.l)
		size = c.span / (math.Exp2(L) * L * L)
		tables[c.from].Rows = append(tables[c.from].Rows, []float64{L, c.span, size, c.most, c.middle, c.low, c.high,
			c.front})
		if c.values%2 == 0 {
			even[c.from] = c
		}
	}
	basic := reproduce.Table{Name: "BasicSpray on a perfect list, shares in units of 1/(p·f·log³p)",
		Columns: []string{"p", "from",
			"to", "least", "most"}}
	near, off := 0.0, 0.0
	for _, c := range basics {
		basic.Rows = append(basic.Rows, []float64{float64(c.p), float64(c.from), float64(c.to), c.low, c.high})
		near = max(near, math.Abs(c.low-2), math.Abs(c.high-2))
	}
	c, odd := even[0], oddest(points)
	for _, p := range even {
		off = max(off, math.Abs(p.middle-2))
	}
	f.Measured = fmt.Sprintf("At p = 2%s PerfectSpray reaches %.3f of p·log²p elements; shares in units of one over "+
		"the reach are "+
		"%.3f … %.3f in the middle eighth, and %.4f at a sixteenth of the reach: a bell with a flat top. Where the "+
		"number of steps has an odd number of values, the top differs between even and odd places by %.0f %% at "+
		"log p = %d and %.0f %% at %d.", reproduce.Superscript(c.l), size, c.low, c.high, c.front,
		100*(odd[0].high/odd[0].low-1), odd[0].l, 100*(odd[1].high/odd[1].low-1), odd[1].l)
	f.Between("elements in the middle eighth of the reach over p·log²p, largest p", size/8, 0, 1, 0,
		"an interval of size O(p·log²p), within the first p·log p elements")
	for from, p := range even {
		f.For(reproduce.Printed).AtMost(fmt.Sprintf("most over least in the middle eighth, less 1, steps %d … log p, "+
			"largest p", from), p.high/p.low-1, reproduce.Chosen("spray: flat"))
	}
	f.For(reproduce.Printed).AtMost("the same with an odd number of values, largest p over smallest",
		(odd[1].high/odd[1].low-1)/(odd[0].high/odd[0].low-1), reproduce.Chosen("spray: tends to 0"))
	control := f.For(reproduce.Control)
	control.Check("mean share in the middle eighth off 2, largest p with an even number of values, both readings", off,
		0, 2.0/288, "2·F(7/8) = 2·287/288 at the ends of the interval")
	control.Check("BasicSpray: shares between what the lower heights can add and the end of the first, off "+
		"2/(p·f·log³p), at most", near, 0, 0.05,
		"where the lower heights have an odd number of values even places are before odd ones by up to 1/log³p, which is "+
			"1.6 % at p = 16")
	f.Tables = append(f.Tables, tables[0], tables[1], basic)
	f.Notes = append(f.Notes,
		"Where the number of steps has an odd number of values, even and odd places differ by about 2 over that number, "+
			"which vanishes slowly.",
		"PerfectSpray has no more than p·log p elements in reach, and near the front shares vanish, faster than any "+
			"power. An "+
			"interval in which they are uniform in the limit, to 0.35 %, is the middle eighth of the reach; "+
			"there the share is 2/(p·log p). So O(p·log²p) holds as an upper bound; no interval of that order is in reach.",
		"BasicSpray on a perfect list is uniform: every element between has 2/(p·f·log³p), the factor of 2 of "+
			"spray-theorems-5.3-6.2 "+
			"without any chance in it.")
	series := []plot.Series{even[0].curve, even[1].curve, {Name: "uniform", X: []float64{0, 1}, Y: []float64{1, 1},
		Dashed: true}}
	for from := range even {
		series[from].Name = fmt.Sprintf("steps %d … log p, log p = %d", from, even[from].l)
	}
	f.Chart("bell", plot.Chart{Title: "Where PerfectSprays end on a perfect list", XLabel: "place over the reach",
		YLabel: "share " +
			"times the reach", FromZero: true, LegendBeside: true,
		Series: series})
	return f
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

// oddest is the first and the last point with steps from 1 on and an odd number of values.
func oddest(points []fabiusPoint) [2]fabiusPoint {
	var ends [2]fabiusPoint
	for _, c := range points {
		if c.from == 1 && c.values%2 == 1 {
			if ends[0].l == 0 {
				ends[0] = c
			}
			ends[1] = c
		}
	}
	return ends
}
