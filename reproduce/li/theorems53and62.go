package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

func theorems53And62(r *runner) reproduce.Finding {
	var points []*uniformPoint
	for _, f := range []float64{1, 4} {
		for higher := range 2 {
			for _, p := range powers(8, 512) {
				if r.scale < 1 && p*int(f) > 256 {
					continue
				}
				points = append(points, newUniformPoint(r.effort, p, f, higher))
			}
		}
	}
	count := func(c *uniformPoint) int { return r.count(min(100, 1.2e6/c.even), 4) }
	inLists(r, points, count, (*uniformPoint).measure)
	return judgeUniform(points)
}

// A uniformPoint is how evenly sprays land in random lists.
type uniformPoint struct {
	p         int
	f         float64
	higher    int // by how much the first height is above log p
	walk      spray.Walk
	even      float64 // as many elements as sprays are spread over: f·log³p·2^(h−1) for the first height h
	unit      float64 // p·f·log³p, the report's
	low, high int     // the interval; printed is the end that the report has
	printed   int
	want      float64 // relative variance

	means, most, all, least, variances, inside, unreached, often []float64

	bins []float64 // share of sprays in hundredths of the reach, of the first list
}

// uniformBins is into how many parts the reach is cut in the chart, and a bit beyond it.
const uniformBins = 110

func newUniformPoint(e effort, p int, f float64, higher int) *uniformPoint {
	l := logp(p)
	w := raised(e.theory.basic(p, f), higher)
	c := &uniformPoint{p: p, f: f, higher: higher, walk: w, unit: float64(p) * f * l * l * l}
	c.even = float64(w.Most) * math.Ldexp(1, w.Heights[0]-1)
	// Below the first of these not all that is reachable at the lower heights is in reach, which
	// asymptotically is the second.
	c.low = int(max((1+1/l)*(float64(w.Reach())-c.even), float64(p)*f*l*l))
	c.high = max(c.low, int(c.even/(1+1/l)))
	c.printed = int(c.unit / (1 + 1/l))
	heights := w.Heights
	for i := 1; i < len(heights); i++ {
		c.want += (math.Ldexp(1, heights[i-1]-heights[i]) - 1) / float64(w.Most)
	}
	return c
}

// measure takes the shares of a list.
func (c *uniformPoint) measure(rng *random.Stream) {
	share := randomSkiplist(c.walk, 0, rng).landing(c.walk)
	if c.bins == nil {
		c.bins = make([]float64, uniformBins)
		for x, s := range share {
			if bin := 100 * x / c.walk.Reach(); bin < len(c.bins) {
				c.bins[bin] += s
			}
		}
	}
	n := float64(c.high - c.low + 1)
	sum, squares, all := 0.0, 0.0, 0.0
	most, least := 0.0, math.Inf(1)
	for x := c.low; x <= c.high; x++ {
		s := 0.0
		if x < len(share) {
			s = share[x] * c.even
		}
		sum += s
		squares += (s - 1) * (s - 1)
		most, least = max(most, s), min(least, s)
	}
	often := 0.0
	for _, s := range share {
		all = max(all, s*c.even)
		often += float64(reproduce.Above(c.constant(s*c.even), uniformC)) / float64(len(share))
	}
	c.often = append(c.often, often)
	c.means = append(c.means, sum/n)
	c.variances = append(c.variances, squares/n)
	c.most, c.least, c.all = append(c.most, most), append(c.least, least), append(c.all, all)
	c.inside = append(c.inside, sum/c.even)
	beyond := max(0, c.printed-max(len(share)-1, c.low-1))
	c.unreached = append(c.unreached, float64(beyond)/float64(c.printed-c.low+1))
}

// uniformC is the C with which Theorem 5.3 is checked as it is stated.
const uniformC = 3

// constant is a share in units of 1/(p·f·log³p) for one in units of what is even.
func (c *uniformPoint) constant(x float64) float64 { return x * c.unit / c.even }

// uniformEdge is what the mean in the interval may be off besides: the ends of the interval are
// near where shares rise and fall, within a standard deviation or two of how far the lists let a
// spray go.
const uniformEdge = 0.03

func judgeUniform(points []*uniformPoint) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "shares of sprays on elements, in units of 1/(p·f·log³p)",
		Columns: []string{"p", "f", "first height",
			"lists", "from", "to",
			"mean in between", "standard error", "largest (C)", "smallest (C')", "largest of all x", "relative variance",
			"expected",
			"sprays in between, %", "of the printed interval out of reach, %", "elements with more than 3, %"}}
	type group struct {
		f      float64
		higher int
	}
	off, ratios := map[int]float64{}, map[group][]float64{}
	offOne, needed := 0.0, 0.0
	var sixteen *uniformPoint
	largest, smallest := map[group]*plot.Series{}, map[group]*plot.Series{}
	var last, fine *uniformPoint
	for _, c := range points {
		g := group{c.f, c.higher}
		mean, variance := reproduce.Mean(c.means), reproduce.Mean(c.variances)
		first := c.constant(1)
		table.Rows = append(table.Rows, []float64{float64(c.p), c.f, float64(c.walk.Heights[0]), float64(len(c.means)),
			float64(c.low), float64(c.high), c.constant(mean.Mean), c.constant(mean.SE),
			c.constant(reproduce.Mean(c.most).Mean), c.constant(reproduce.Mean(c.least).Mean),
			c.constant(reproduce.Mean(c.all).Mean), variance.Mean, c.want, 100 * reproduce.Mean(c.inside).Mean,
			100 * reproduce.Mean(c.unreached).Mean, 100 * reproduce.Mean(c.often).Mean})
		if c.p >= 16 {
			// What the report says with a first height one higher, and twice that as it is.
			want := float64(2 - c.higher)
			scaled := reproduce.Estimate{Mean: first * mean.Mean, SE: first * mean.SE}
			off[c.higher] = max(off[c.higher], scaled.Outside(want*(1-uniformEdge), want*(1+uniformEdge)))
			for _, v := range c.variances {
				ratios[g] = append(ratios[g], v/c.want)
			}
			if c.higher == 0 {
				offOne = max(offOne, scaled.Outside(1-uniformEdge, 1+uniformEdge))
				needed = max(needed, c.constant(reproduce.Mean(c.all).Mean))
				if c.p == 16 && c.f == 1 {
					sixteen = c
				}
			}
		}
		if largest[g] == nil {
			name := fmt.Sprintf("f = %g", c.f)
			largest[g], smallest[g] = &plot.Series{Name: "largest, " + name}, &plot.Series{Name: "smallest, " + name}
		}
		largest[g].Add(float64(c.p), c.constant(reproduce.Mean(c.all).Mean))
		smallest[g].Add(float64(c.p), c.constant(reproduce.Mean(c.least).Mean))
		if c.higher == 0 {
			if c.f == 1 {
				last = c
			} else {
				fine = c
			}
		}
	}
	because := "4.5 standard errors of independent lists, beyond 3 % for the ends of the interval, near which shares " +
		"rise and " +
		"fall"
	f.Measured = fmt.Sprintf("The mean share in the interval is %.2f/(p·f·log³p) at p = %d, not 1: a start at "+
		"height log p leads p/2 "+
		"on. The largest of all "+
		"shares is %.2f and the smallest in the interval %.2f (f = 1), %.2f and %.2f (f = 4, p = %d). So 5.3 as stated "+
		"holds with a "+
		"C above 2 (more than 3 have %.2g %% of the elements, %.2g %% at p = 16), and 6.2 in half the "+
		"interval; %.0f %% of the printed one is out of reach.", last.constant(reproduce.Mean(last.means).Mean), last.p,
		last.constant(reproduce.Mean(last.all).Mean), last.constant(reproduce.Mean(last.least).Mean),
		fine.constant(reproduce.Mean(fine.all).Mean), fine.constant(reproduce.Mean(fine.least).Mean), fine.p,
		100*reproduce.Mean(last.often).Mean,
		100*reproduce.Mean(sixteen.often).Mean, 100*reproduce.Mean(last.unreached).Mean)
	a, b := reproduce.Mean(sixteen.often), reproduce.Mean(last.often)
	a.Mean = max(a.Mean, 1e-9) // there may be none
	f.Between(fmt.Sprintf("5.3, “there is a constant C”, here %d: elements with a larger share, p = %d over p = "+
		"16, f = 1", uniformC,
		last.p), b.Mean/a.Mean, 0, 0.5,
		reproduce.Sigmas*math.Hypot(b.SE/a.Mean, a.SE*b.Mean/a.Mean/a.Mean),
		"a fixed x has a larger share with a probability that "+
			"tends to 0: less than half; 4.5 standard errors")
	f.Check("5.3 and 6.2, constants close to 1: mean share in the interval off 1/(p·f·log³p), in standard errors, "+
		"at most", offOne,
		0, reproduce.Sigmas, because)
	f.For(reproduce.Printed).AtMost(fmt.Sprintf("6.2: share of the printed interval that no spray reaches, p = %d, f = 1",
		last.p), reproduce.Mean(last.unreached).Mean, reproduce.Chosen("spray: negligible"))
	corrected := f.For(reproduce.Corrected)
	corrected.Check("mean share in the interval off 2/(p·f·log³p), in standard errors, at most", off[0], 0,
		reproduce.Sigmas, because)
	corrected.Check("mean share if walks begin at height log p + 1 off 1/(p·f·log³p), in standard errors, at most",
		off[1], 0, reproduce.Sigmas,
		because)
	corrected.Between("C that is needed, largest of all p ≥ 16", needed, 2, 4, 0,
		"C ≥ 2, and a constant: the largest share of all x "+
			"is less than twice the mean one")
	corrected.Between(fmt.Sprintf("C' that is needed, p = %d, f = 1", last.p),
		last.constant(reproduce.Mean(last.least).Mean), 1, 2, 0,
		"the smallest share in the interval is more than half of the mean one")
	for _, factor := range []float64{1, 4} {
		ratio := reproduce.Mean(ratios[group{factor, 0}])
		corrected.Between(fmt.Sprintf("relative variance of the shares over Σ(2^Δ−1)/(f·log³p), f = %g, mean of "+
			"all lists", factor),
			ratio.Mean, 0.85, 1, reproduce.Sigmas*ratio.SE, "elements of one height among f·log³p of the height below, Δ "+
				"lower, are "+
				"binomial, and vary independently of each "+
				"other; somewhat less, since those in reach do not all have the same share; 4.5 standard errors of lists")
	}
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes,
		"Sprays land nearly uniformly, but on half as many elements as the theorems have, and twice as often. The proof "+
			"of "+
			"Theorem 5.3 has f·log³p/log p elements of height k·log log p in I_k for every k; but E_0 = f·log³p, and "+
			"not half "+
			"of that as E_k for k = 0 would be, so that for k = 1 there are twice as many. If walks begin at height log p "+
			"+ 1 "+
			"and go on at heights k·log log p + 1, E_k is f·log³p·(log p)^k for all k, and the theorems hold as printed.",
		fmt.Sprintf("The constants: the largest share is %.2f and the smallest in the interval %.2f for p = %d and f = "+
			"1, and "+
			"%.2f and %.2f for p = %d and f = 4, in units of 1/(p·f·log³p); 2 would be uniform.",
			last.constant(reproduce.Mean(last.all).Mean), last.constant(reproduce.Mean(last.least).Mean), last.p,
			fine.constant(reproduce.Mean(fine.all).Mean), fine.constant(reproduce.Mean(fine.least).Mean), fine.p),
		"Theorem 5.3 as stated asks for some constant C for a fixed x: any C above 2 will do for large p. Its proof and "+
			"Theorem 6.2 "+
			"say that the constants come "+
			"as close to 1 as one likes, and that does not hold. Both proofs have another gap, which is filled otherwise "+
			"(spray-proofs-5.3-6.2).",
		"How fast they get there: the relative variance is Σ(2^Δ−1)/(f·log³p) over the steps down by Δ, which "+
			"is about "+
			"1/(f·log p·log log p). It vanishes, but slowly, and the largest of p·f·log³p shares is several standard "+
			"deviations off: that is a factor of about exp(√(2 ln p/(f·log p·log log p))), which for fixed f only log log p "+
			"brings to 1. So f must grow, as the report says.",
		"The interval is taken from (1+β) times what the lower heights can add, if that is more than p·f·log²p; "+
			"heights are "+
			"rounded up to whole ones.")
	var constants, uppers []plot.Series
	for _, factor := range []float64{1, 4} {
		g := group{factor, 0}
		constants = append(constants, *largest[g], *smallest[g])
		g.higher = 1
		uppers = append(uppers, *largest[g], *smallest[g])
	}
	f.Chart("constants", plot.Chart{Title: "C and C' that are needed, BasicSpray", XLabel: "p",
		YLabel: "share times p·f·log³p",
		LogX:   true, FromZero: true, LegendBeside: true, Series: constants})
	f.Chart("constants-higher", plot.Chart{Title: "C and C' if walks begin at height log p + 1", XLabel: "p",
		YLabel: "share times p·f·log³p", LogX: true, FromZero: true, LegendBeside: true, Series: uppers})
	f.Chart("where", uniformChart(last, fine))
	return f
}

// uniformChart draws where sprays end in one list.
func uniformChart(points ...*uniformPoint) plot.Chart {
	chart := plot.Chart{Title: "Where BasicSprays end in one random list", XLabel: "element over p·f·log³p",
		YLabel: "share times p·f·log³p", FromZero: true, LegendBeside: true}
	for _, c := range points {
		s := plot.Series{Name: fmt.Sprintf("p = %d, f = %g", c.p, c.f)}
		width := float64(c.walk.Reach()) / 100
		for k, share := range c.bins {
			s.Add((float64(k)+0.5)*width/c.unit, share/width*c.unit)
		}
		chart.Series = append(chart.Series, s)
	}
	l := logp(points[0].p)
	chart.Series = append(chart.Series, plot.Series{Name: "as printed", X: []float64{1 / l, 1 / l, 1 / (1 + 1/l),
		1 / (1 + 1/l)},
		Y: []float64{0, 1, 1, 0}})
	return chart
}
