package li

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

func perfectConjecture(e effort) reproduce.Claim {
	const name = "spray-perfect-conjecture"
	return reproduce.Claim{
		Name: name, Paper: paper, Place: "section 7.1", Found: reproduce.DoesNotHold,
		Says: "We conjecture that PerfectSpray, or some variant which still runs in O(log²p) time, also has the same " +
			"distributional properties as BasicSpray on random clean skip lists.",
		How: "The share of PerfectSprays on every element of random lists is computed exactly, for p up to 4096, and compared " +
			"with that of BasicSprays, for p up to 512 and f = 1. The properties are: (1) no spray goes farther than O(p·log " +
			"p), as Corollary 4.3; (2) no element has more than a constant over p of the sprays, as Theorem 5.1, and the most " +
			"that one has is a constant times the even share, as Theorem 5.3; (3) in an interval that most sprays end in, here " +
			"the middle half of the reach, shares become alike as p grows, and every element has its share, as Theorems 5.3 " +
			"and 6.2.",
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			perfect, basic := 4096, 512
			if o.Full {
				perfect = 1 << 14
			}
			if e.scale < 1 {
				perfect, basic = 1024, 256
			}
			var points []*middlePoint
			for _, p := range powers(4, perfect) {
				points = append(points, newMiddlePoint(p, "PerfectSpray", e.theory.perfect(p)))
			}
			for _, p := range powers(16, basic) {
				points = append(points, newMiddlePoint(p, "BasicSpray", e.theory.basic(p, 1)))
			}
			r := newRunner(ctx, o, name, len(points))
			for i, c := range points {
				if err := r.middle(e, c, i); err != nil {
					return reproduce.Finding{}, err
				}
				r.Ran()
			}
			return judgeConjecture(e, points), nil
		},
	}
}

// A middlePoint is how sprays land in random lists, in the middle half of what is within reach.
type middlePoint struct {
	p         int
	name      string
	walk      spray.Walk
	reach     float64
	low, high int

	ends, most, variances, never, collide, inside []float64
	share                                         []float64 // on each element, in the first list
}

func newMiddlePoint(p int, name string, w spray.Walk) *middlePoint {
	c := &middlePoint{p: p, name: name, walk: w, reach: float64(w.Reach())}
	c.low, c.high = w.Reach()/4, w.Reach()*3/4
	return c
}

func (r *runner) middle(e effort, c *middlePoint, stream int) error {
	for k := range e.count(r.Options, min(300, 3e6/c.reach), 20) {
		if r.Context.Err() != nil {
			return r.Context.Err()
		}
		rng := r.Stream(uint64(stream), uint64(k))
		list := randomSkiplist(c.walk, 0, &rng)
		share := list.landing(c.walk)
		if k == 0 {
			c.share = share
		}
		c.ends = append(c.ends, float64(list.longest(c.walk)))
		c.add(share)
	}
	return nil
}

// add takes the shares of a list.
func (c *middlePoint) add(share []float64) {
	n := float64(c.high - c.low + 1)
	most, sum, squares, never, pairs := 0.0, 0.0, 0.0, 0.0, 0.0
	for x, s := range share {
		most = max(most, s)
		pairs += s * s
		if x >= c.low && x <= c.high {
			sum += s
			squares += s * s
			if s == 0 {
				never++
			}
		}
	}
	never += max(0, float64(c.high-max(len(share)-1, c.low-1)))
	c.most = append(c.most, most)
	c.variances = append(c.variances, squares*n/(sum*sum)-1)
	c.never = append(c.never, never/n)
	c.inside = append(c.inside, sum)
	c.collide = append(c.collide, pairs)
}

func judgeConjecture(e effort, points []*middlePoint) reproduce.Finding {
	var f reproduce.Finding
	columns := []string{"p", "within reach", "lists", "end of the longest over that", "standard error", "largest share times p",
		"standard error", "largest share times the reach",
		"sprays in the middle half, %", "relative variance there", "standard error", "elements there that no spray hits, %",
		"two sprays collide, times the reach"}
	tables := map[string]*reproduce.Table{"PerfectSpray": {Name: "PerfectSpray on random lists", Columns: columns},
		"BasicSpray": {Name: "BasicSpray on random lists", Columns: columns}}
	variances := map[string]*plot.Series{"PerfectSpray": {Name: "PerfectSpray"}, "BasicSpray": {Name: "BasicSpray, f = 1"}}
	most := plot.Series{Name: "times p"}
	even := plot.Series{Name: "times the reach"}
	first, last := map[string]*middlePoint{}, map[string]*middlePoint{}
	off, largest, never := 0.0, 0.0, math.Inf(1)
	for _, c := range points {
		ends, top, variance, missed := reproduce.Mean(c.ends), reproduce.Mean(c.most), reproduce.Mean(c.variances), reproduce.Mean(c.never)
		p := float64(c.p)
		tables[c.name].Rows = append(tables[c.name].Rows, []float64{p, c.reach, float64(len(c.ends)), ends.Mean / c.reach,
			ends.SE / c.reach, top.Mean * p, top.SE * p,
			top.Mean * c.reach, 100 * reproduce.Mean(c.inside).Mean, variance.Mean, variance.SE, 100 * missed.Mean,
			reproduce.Mean(c.collide).Mean * c.reach})
		variances[c.name].Add(p, variance.Mean)
		off = max(off, deviations(ends, c.reach))
		if c.name == "PerfectSpray" {
			largest = max(largest, top.Mean*p)
			most.Add(p, top.Mean*p)
			even.Add(p, top.Mean*c.reach)
			if c.p >= 16 {
				never = min(never, missed.Mean*float64(c.high-c.low+1))
			}
		}
		if c.p == 64 {
			first[c.name] = c
		}
		last[c.name] = c
	}
	perfect, small := last["PerfectSpray"], first["PerfectSpray"]
	basic, smallBasic := last["BasicSpray"], first["BasicSpray"]
	growth := reproduce.Mean(perfect.variances).Mean / reproduce.Mean(small.variances).Mean
	f.Check("end of the longest walk off that on a perfect list, in standard errors, at most", off, 0, reproduce.Sigmas,
		"property 1; the means are the same, and 4.5 standard errors of lists")
	f.Between("PerfectSpray, largest share times p, of all p", largest, 0, 2, 0,
		"property 2, first part: a constant over p, for these p; on perfect lists it is 1, and the largest of a random list's "+
			"shares is up to twice that")
	f.Between(fmt.Sprintf("PerfectSpray, growth of the largest share times the reach from p = 64 to p = %d", perfect.p),
		reproduce.Mean(perfect.most).Mean*perfect.reach/(reproduce.Mean(small.most).Mean*small.reach), 1.3, 10, 0, "property 2, second part; "+
			"the conjecture fails: the largest share is no constant times the even one")
	f.Between(fmt.Sprintf("BasicSpray, growth of the relative variance from p = 64 to p = %d", basic.p),
		reproduce.Mean(basic.variances).Mean/reproduce.Mean(smallBasic.variances).Mean, 0, 0.85, 0,
		"property 3 is what BasicSpray has: shares become alike, as 1/(log p·log log p) does, which is less than 0.8 times as "+
			"much")
	f.Between(fmt.Sprintf("PerfectSpray, growth of the relative variance from p = 64 to p = %d", perfect.p), growth, 0.95, 3, 0,
		"property 3, first part; the conjecture fails: shares do not become alike")
	f.Between("PerfectSpray, elements of the middle half of a list that no spray hits, on average, least for p ≥ 16",
		never, 0.5, 1e6, 0, "property 3, second part; the conjecture fails: some have no share at all")
	f.Tables = append(f.Tables, *tables["PerfectSpray"], *tables["BasicSpray"])
	noteConjecture(&f, e, small, perfect, basic)
	f.Chart("variance", plot.Chart{Title: "How unlike the shares in the middle half are", XLabel: "p", YLabel: "relative variance",
		LogX: true, LogY: true, LegendBeside: true, Series: []plot.Series{*variances["PerfectSpray"], *variances["BasicSpray"]}})
	f.Chart("largest", plot.Chart{Title: "PerfectSprays on the most frequent element of a random list", XLabel: "p",
		YLabel: "share", LogX: true, FromZero: true, LegendBeside: true, Series: []plot.Series{most, even}})
	f.Chart("where", conjectureChart(e, small))
	return f
}

func noteConjecture(f *reproduce.Finding, e effort, small, perfect, basic *middlePoint) {
	ways, all := countWays(e.theory.perfect(512))
	low, high := math.Inf(1), 0.0
	for _, w := range ways[len(ways)/4 : len(ways)*3/4] {
		share := float64(w) / float64(all)
		low, high = min(low, share), max(high, share)
	}
	f.Notes = append(f.Notes,
		fmt.Sprintf("What is shared: sprays go no further than p·log p, no element has more than about 1/p of them (%.2f/p at "+
			"p = %d), and few collide (spray-collisions). What is not: they are not spread evenly. At p = %d the relative "+
			"variance of the shares in the middle half is %.2f, and not %.3f as that of BasicSpray at p = %d, and it does not "+
			"fall.", reproduce.Mean(perfect.most).Mean*float64(perfect.p), perfect.p, perfect.p, reproduce.Mean(perfect.variances).Mean,
			reproduce.Mean(basic.variances).Mean, basic.p),
		"The reason is what section 3.1 says of groups of low elements. A spray makes at most log p steps at a height, and of "+
			"log p elements of a height about half are higher, give or take √(log p)/2: the share that comes by varies by a "+
			"factor of 1 ± 1/√(log p) at each height, and there are log p heights, so that it does not average out. Some "+
			"groups are longer than log p, and what is behind them no spray hits at all. With f·log³p steps, and log log p "+
			"heights at a time, the factors are 1 ± 1/(√f·log p).",
		fmt.Sprintf("Nor are PerfectSprays spread evenly on a perfect list: they are a sum of steps of p/2, p/4 … of which "+
			"each is uniform, which is a bell with a flat top in the limit (the derivative of Fabius' function). For p = 512 "+
			"shares in the middle half differ by a factor of %.2f.", high/low))
}

// conjectureChart draws where sprays end on one random list and on the perfect one.
func conjectureChart(e effort, c *middlePoint) plot.Chart {
	random, perfect := plot.Series{Name: "a random list"}, plot.Series{Name: "the perfect list"}
	for x, s := range c.share {
		random.Add(float64(x), s*c.reach)
	}
	ways, all := countWays(e.theory.perfect(c.p))
	for x, w := range ways {
		perfect.Add(float64(x), float64(w)/float64(all)*c.reach)
	}
	return plot.Chart{Title: fmt.Sprintf("Where PerfectSprays end, p = %d", c.p), XLabel: "element",
		YLabel: "share times the reach", FromZero: true, LegendBeside: true, Series: []plot.Series{random, perfect}}
}
