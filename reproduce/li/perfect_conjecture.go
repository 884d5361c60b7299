package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// How alike shares are. Of s elements that are in reach of x at some height a share of 2^(−Δ) is as
// tall as the height above, Δ higher; so the share that comes by x varies by Σ(2^Δ−1)/s,
// relatively, over the steps down. With T steps in all, alike at log p/Δ heights, that is
// (2^Δ−1)/Δ²·log²p/T: about log²p/T for Δ = 1 … 4, least for Δ = 2, and other numbers of steps at
// different heights make it more (the sum of 1/s for a given sum of s). So with T = c·log²p it
// tends to about 1/c and not to 0, and with anything that grows faster it vanishes. It is an upper
// estimate for small Δ, where the elements of the height above within s steps do not all have the
// same share.

func perfectConjecture(r *runner) reproduce.Finding {
	sizes := []int{16, 64, 1024}
	if r.scale < 1 {
		sizes = []int{16, 1024}
	}
	if r.Options.Full {
		sizes = powers(16, 4096)
	}
	var points []*evenPoint
	for kind := range evenKinds {
		for _, p := range sizes {
			if kind == basicKind {
				p = min(p, 512) // a list for more has a million elements
				if r.scale < 1 {
					p = min(p, 256)
				}
			}
			points = append(points, newEvenPoint(r.effort, kind, p))
		}
	}
	inLists(r, points, r.evenLists, (*evenPoint).measure)
	return judgeConjecture(r.effort, points, len(sizes))
}

// evenKinds are the walks that are compared.
var evenKinds = []struct {
	name  string
	order string // of the time
	walk  func(y theory, p, log int) spray.Walk
}{
	{"PerfectSpray", "log²p", func(y theory, p, _ int) spray.Walk { return y.perfect(p) }},
	{"0 … log p steps", "log²p", func(y theory, p, _ int) spray.Walk { return y.modified(p) }},
	{"4 log p steps", "log²p", func(_ theory, _, l int) spray.Walk {
		return spray.Walk{Heights: heightsDown(l, 1), Least: 1, Most: 4 * l}
	}},
	{"8 log p steps", "log²p", func(_ theory, _, l int) spray.Walk {
		return spray.Walk{Heights: heightsDown(l, 1), Least: 1, Most: 8 * l}
	}},
	{"8 log p, 2 down", "log²p", func(_ theory, _, l int) spray.Walk {
		return spray.Walk{Heights: heightsDown(l, 2), Least: 1, Most: 8 * l}
	}},
	{"12 log p, 3 down", "log²p", func(_ theory, _, l int) spray.Walk {
		return spray.Walk{Heights: heightsDown(l, 3), Least: 1, Most: 12 * l}
	}},
	{"log²p, 2 down", "log³p", func(_ theory, _, l int) spray.Walk {
		return spray.Walk{Heights: heightsDown(l, 2), Least: 1, Most: l * l}
	}},
	{"BasicSpray, f = 1", "log⁴p/log log p", func(y theory, p, _ int) spray.Walk { return y.basic(p, 1) }},
}

// By Σ(2^Δ−1)/s a relative variance is 0.52 of what it was at p = 16 for p = 1024 with log²p steps
// at heights 2 apart and less for BasicSpray, and 1.1 and more for all with O(log²p) steps;
// standard errors are 8 % or less. So a threshold of 0.75 tells what falls from what does not.

const (
	slowKind  = 6 // the first that takes longer than log²p
	basicKind = 7
)

// An evenPoint is how sprays land in random lists, in the middle of what is within reach.
type evenPoint struct {
	p     int
	kind  int
	walk  spray.Walk
	reach float64

	most, never  []float64 // by list
	eighth, half moment
	share        []float64 // on each element, in the first list
}

// A moment is the mean share of the elements of an interval, and the mean square, in each list.
type moment struct{ shares, squares []float64 }

func (m *moment) add(share, square float64) {
	m.shares, m.squares = append(m.shares, share), append(m.squares, square)
}

// variance is the relative variance of the share of an element over lists.
func (m *moment) variance() reproduce.Estimate {
	mean, square := reproduce.Mean(m.shares).Mean, reproduce.Mean(m.squares).Mean
	each := make([]float64, len(m.shares)) // to first order
	for i := range each {
		each[i] = square/(mean*mean)*(1-2*(m.shares[i]/mean-1)) + (m.squares[i]-square)/(mean*mean) - 1
	}
	return reproduce.Mean(each)
}

func newEvenPoint(e effort, kind, p int) *evenPoint {
	w := evenKinds[kind].walk(e.theory, p, int(logp(p)))
	return &evenPoint{p: p, kind: kind, walk: w, reach: float64(w.Reach())}
}

// evenLists is how many lists a point takes.
func (r *runner) evenLists(c *evenPoint) int {
	least := 40
	if r.scale < 1 && c.kind != slowKind { // which is nearest to what is checked
		least = 20
	}
	if c.reach < 1000 {
		least = 1500
		if r.scale < 1 {
			least = 500
		}
	}
	return r.count(min(1500, 4e6/c.reach), least)
}

// measure takes the shares of a list.
func (c *evenPoint) measure(rng *random.Stream) {
	share := randomSkiplist(c.walk, 0, rng).landing(c.walk)
	if c.share == nil {
		c.share = share
	}
	most := 0.0
	for _, s := range share {
		most = max(most, s)
	}
	shortest := c.shortest()
	span := c.reach - shortest
	share1, square1, _ := evenness(share, shortest+span*7/16, shortest+span*9/16)
	share2, square2, never := evenness(share, shortest+span/4, shortest+span*3/4)
	c.eighth.add(share1, square1)
	c.half.add(share2, square2)
	c.most, c.never = append(c.most, most), append(c.never, never)
}

// shortest is where the shortest walk ends on a perfect list.
func (c *evenPoint) shortest() float64 {
	sum := 0.0
	for _, h := range c.walk.Heights {
		sum += math.Ldexp(float64(least(c.walk, h)), h-1)
	}
	return sum
}

// evenness is the mean share of the elements of an interval, the mean square, and how many of them
// have none.
func evenness(share []float64, from, to float64) (mean, square, never float64) {
	low, high := int(from), int(to)
	n := float64(high - low + 1)
	for x := low; x <= high; x++ {
		s := 0.0
		if x < len(share) {
			s = share[x]
		}
		mean += s / n
		square += s * s / n
		if s == 0 {
			never += 1 / n
		}
	}
	return mean, square, never
}

// expected is the estimate of the relative variance.
func (c *evenPoint) expected() float64 {
	heights, sum := c.walk.Heights, 0.0
	for i := 1; i < len(heights); i++ {
		sum += (math.Ldexp(1, heights[i-1]-heights[i]) - 1) / float64(c.walk.Most)
	}
	return sum
}

func judgeConjecture(e effort, points []*evenPoint, sizes int) reproduce.Finding {
	var f reproduce.Finding
	columns := []string{"p", "steps at most", "within reach", "lists", "relative variance, middle eighth",
		"standard error", "Σ(2^Δ−1)/s",
		"relative variance, middle half", "largest share times p", "largest share times the reach",
		"elements of the middle half " +
			"that no spray hits, %"}
	chart := plot.Chart{Title: "How unlike the shares in the middle eighth are", XLabel: "p", YLabel: "relative variance",
		LogX: true, LogY: true,
		LegendBeside: true}
	var first, last []*evenPoint
	for kind, k := range evenKinds {
		table := reproduce.Table{Name: k.name + ", time " + k.order, Columns: columns}
		series := plot.Series{Name: k.name}
		for _, c := range points[kind*sizes : (kind+1)*sizes] {
			if len(table.Rows) > 0 && table.Rows[len(table.Rows)-1][0] == float64(c.p) {
				continue // BasicSpray goes no further
			}
			v, most := c.eighth.variance(), reproduce.Mean(c.most).Mean
			table.Rows = append(table.Rows, []float64{float64(c.p), float64(len(c.walk.Heights) * c.walk.Most), c.reach,
				float64(len(c.most)), v.Mean,
				v.SE, c.expected(), c.half.variance().Mean, most * float64(c.p), most * c.reach,
				100 * reproduce.Mean(c.never).Mean})
			series.Add(float64(c.p), v.Mean)
			if c.p == 16 {
				first = append(first, c)
			}
		}
		last = append(last, points[(kind+1)*sizes-1])
		f.Tables = append(f.Tables, table)
		chart.Series = append(chart.Series, series)
	}
	growth := func(kind int) reproduce.Estimate {
		a, b := first[kind].eighth.variance(), last[kind].eighth.variance()
		return reproduce.Estimate{Mean: b.Mean / a.Mean, SE: b.Mean / a.Mean * math.Hypot(a.SE/a.Mean, b.SE/b.Mean)}
	}
	variance := func(kind int) float64 { return last[kind].eighth.variance().Mean }
	p := last[0].p
	f.Measured = fmt.Sprintf("At p = %d the relative variance of the shares in the middle is %.2f for PerfectSpray, "+
		"%.2f with 4 log p steps and %.3f with 8 log p, and %.2f, %.2f and %.2f times that at p = 16: smaller with "+
		"more steps, but it does not fall. With log²p steps at heights 2 apart, O(log³p), it is %.3f, and falls (%.2f "+
		"times).", p, variance(0), variance(2), variance(3), growth(0).Mean, growth(2).Mean, growth(3).Mean,
		variance(slowKind), growth(slowKind).Mean)
	least := math.Inf(1)
	for kind := range slowKind {
		least = min(least, growth(kind).Mean)
	}
	// “Some variant” is confirmed by one that falls, and not refuted by six that do not. So there is
	// a check of what is printed only if one does.
	falls, control := reproduce.Chosen("spray: falls"), f.For(reproduce.Control)
	what := fmt.Sprintf("relative variance at p = %d over that at 16, smallest of all in O(log²p)", p)
	if least <= falls.Value {
		f.For(reproduce.Printed).AtMost(what, least, falls)
	} else {
		control.AtLeast(what+": evidence against", least, falls)
	}
	control.AtMost(fmt.Sprintf("%s: relative variance at p = %d over that at 16", evenKinds[slowKind].name, p),
		growth(slowKind).Mean, falls)
	// The measurement shows what Theorems 5.3 and 6.2 say of BasicSpray.
	control.AtMost(fmt.Sprintf("%s: relative variance at p = %d over that at 16", evenKinds[basicKind].name,
		last[basicKind].p), growth(basicKind).Mean, falls)
	noteConjecture(&f, last)
	f.Chart("variance", chart)
	f.Chart("where", conjectureChart(e, points[1]))
	return f
}

func noteConjecture(f *reproduce.Finding, last []*evenPoint) {
	perfect := last[0]
	most := reproduce.Mean(perfect.most).Mean
	f.Notes = append(f.Notes,
		"Six variants do not refute “some variant”; they are evidence against it. Tested were those that make up to a "+
			"fixed number of steps, alike, at heights at "+
			"even distances. Of these none in O(log²p) has BasicSpray's property: with T steps in all the relative "+
			"variance is about log²p/T, which vanishes if and only if T grows faster than log²p. With T = c·log²p it "+
			"is a constant of about 1/c; for a fixed element a share of twice the mean then has a probability that "+
			"does not fall with p.",
		fmt.Sprintf("PerfectSpray's largest share of all elements of a random list is %.2f/p at p = %d, and %.1f times "+
			"the even "+
			"share: it grows slowly with p.",
			most*float64(perfect.p), perfect.p, most*perfect.reach),
		"One height down at a time also has another shape: a bell with a flat top even on a perfect list "+
			"(spray-perfect-uniform). "+
			"Two heights at a time are "+
			"flat in the middle half.")
}

// conjectureChart draws where sprays end on one random list and on the perfect one.
func conjectureChart(e effort, c *evenPoint) plot.Chart {
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
