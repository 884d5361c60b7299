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

// countWays is in how many ways walks end at each element of a perfect list, and how many walks there are.
func countWays(w spray.Walk) (ways []uint64, all uint64) {
	ways, all = []uint64{1}, 1
	for _, h := range w.Heights {
		length := 1 << (h - 1)
		spread := make([]uint64, len(ways)+w.Most*length)
		for x := range spread {
			// As many as a step before, with the first that is new and without the last that is out of reach.
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
	return []float64{float64(c.p), float64(c.l), float64(c.walks), float64(len(c.ways) - 1), float64(c.at), float64(c.ways[c.at]), c.share,
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
	f.Measured = fmt.Sprintf("All sprays counted for p = 2 … 2%s: with 0 … log p steps the most frequent element has at most %.3g/p of them, "+
		"and %.3f/p at the largest p; with 1 … log p steps at most %.3g/p from p = 4 on.", reproduce.Superscript(last.l), most, last.share, mostOther)
	f.Check("elements that more than 1/p of the sprays hit, steps 0 … log p", float64(above), 0, 0, "counted in integers")
	f.Check("elements that more than 1/p of the sprays hit, steps 1 … log p, p ≥ 4", float64(aboveOther), 0, 0, "counted in integers")
	f.Tables = append(f.Tables, table, other)
	f.Notes = append(f.Notes,
		fmt.Sprintf("The theorem holds for every p up to 2%s, and for large p with much to spare: the largest share times p "+
			"falls to %.3f, since sprays spread over p·log p elements and not over p. For p = 2 and steps from 1 on there is one spray, which ends "+
			"at the first element.", reproduce.Superscript(last.l), last.share),
		fmt.Sprintf("Its proof says that at most half of the a_k are viable, which needs as many even a_k as odd ones. There "+
			"are log p + 1 of them, and where that is odd, log p being even, (log p + 2)/2 of them are even: 2 of 3 for p = 4. "+
			"What the proof then has is (1 + 1/(log p + 1))^(log p)/p, which is %.2f/p for p = 4 and tends to e/p. The theorem "+
			"itself holds there too, by the count.",
			points[1].byProof),
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
	bound := plot.Series{Name: "Theorem 5.1", X: []float64{0, float64(len(c.ways) - 1)}, Y: []float64{c.reported, c.reported}}
	for x, hit := range c.ways {
		each.Add(float64(x), float64(hit)/float64(c.walks)*float64(c.p))
	}
	return plot.Chart{Title: fmt.Sprintf("Where sprays end on a perfect list, p = %d", c.p), XLabel: "element",
		YLabel: "share of sprays times p", FromZero: true, LegendBeside: true, Series: []plot.Series{each, bound}}
}
