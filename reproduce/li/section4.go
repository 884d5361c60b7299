package li

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

func lemma41(r *runner) reproduce.Finding {
	sizes := powers(4, 512)
	r.Runs(len(sizes))
	var cells []distanceCell
	for _, p := range sizes {
		cells = append(cells, r.distances(p)...)
		r.Ran()
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "walks of f·log³p steps that go farther than (1+α)·2^(k−1)·f·log³p",
		Columns: []string{"p", "height k",
			"steps",
			"α", "walks in lists", "share of them", "exact", "Chernoff bound", "as a power of p"}}
	var counts []tally
	seen, exact, bound := plot.Series{Name: "in lists"}, plot.Series{Name: "exact"}, plot.Series{Name: "Chernoff bound"}
	for _, c := range cells {
		if c.of == 0 {
			continue
		}
		counts = append(counts, c.tally)
		table.Rows = append(table.Rows, []float64{float64(c.p), float64(c.k), float64(c.steps), c.alpha, float64(c.of),
			c.share(),
			c.exact, c.bound, math.Log(c.bound) / math.Log(float64(c.p))})
		if c.p == 64 && c.k == 6 {
			seen.Add(c.alpha, c.share())
			exact.Add(c.alpha, c.exact)
			bound.Add(c.alpha, c.bound)
		}
	}
	worst := 0.0
	for _, c := range counts {
		worst = max(worst, c.exact/c.bound)
	}
	quarter := binomialTail(int(1.25*729*256), math.Ldexp(1, -8), 728)
	f.Measured = fmt.Sprintf("The exact probability is at most %.2f of exp(−α²·f·log³p/(2(1+α))) for p = 4 … "+
		"512, f = 1 and α from 0.5 to "+
		"3 over √(log³p), and %d walks in lists have it; a quarter too far goes one in %.1g for p = 512.", worst,
		counts[0].of, 1/quarter)
	printed := math.Inf(1) // the smallest of all bounds, with the sign as printed
	for _, c := range cells {
		L := logp(c.p)
		printed = min(printed, math.Exp(r.theory.sign41*c.alpha*c.alpha*L*L*L/(2*(1+c.alpha))))
	}
	f.Between("bound as printed, p^(O(α²·log²p)), smallest of all p and α", printed, 0, 1, -1e-9,
		"a bound of 1 or more on a probability says nothing")
	judgeCounts(&f, reproduce.Corrected, "walks that go too far", "the Chernoff bound", counts)
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes,
		"As printed the exponent has no minus sign, so that the bound is above 1, and no f; both are in the proof.",
		"With constants the bound is exp(−α²·f·log³p/(2(1+α))), which is p to the power of "+
			"−α²/(2(1+α))·log₂e·f·log²p: that α is fixed makes it negligible.",
		fmt.Sprintf("At p = 512, f = 1 and α = 1/4 it is %.2g, and at p = 16 still %.2g: for few processes a walk may "+
			"well go "+
			"a quarter too far.",
			math.Exp(-729.0/16/2.5), math.Exp(-64.0/16/2.5)))
	f.Chart("far", plot.Chart{Title: "Walks that go farther than (1+α) times their mean, p = 64, height 6", XLabel: "α",
		YLabel: "share", LogY: true, LegendBeside: true, Series: []plot.Series{seen, exact, bound}})
	return f
}

// spreads are the α or β that are looked at, in units of one over the root of the mean number.
var spreads = []float64{0.5, 1, 1.5, 2, 2.5, 3}

// A distanceCell is how often a number of steps at a height leads further than some distance.
type distanceCell struct {
	p, k, steps int
	spread      float64 // α·√s
	alpha       float64
	tally
}

// stretch is the number of elements of a list from which stretches are taken.
const stretch = 1 << 20

// distances counts in random lists.
func (r *runner) distances(p int) []distanceCell {
	l := int(logp(p))
	steps := l * l * l
	var cells []distanceCell
	heights := []int{2}
	if l > 2 {
		heights = append(heights, l)
	}
	for _, k := range heights {
		for _, spread := range spreads {
			alpha := spread / math.Sqrt(float64(steps))
			far := int((1 + alpha) * float64(steps) * math.Ldexp(1, k-1))
			cells = append(cells, distanceCell{p: p, k: k, steps: steps, spread: spread, alpha: alpha, tally: tally{
				exact: binomialTail(far, math.Ldexp(1, 1-k), steps-1), bound: r.theory.below((1+alpha)*float64(steps),
					alpha/(1+alpha)),
			}})
		}
	}
	rng := r.Stream(uint64(p))
	for range r.count(4, 1) {
		r.Checkpoint()
		list := newSkiplist(l, stretch)
		for range stretch {
			list.add(drawHeight(&rng))
		}
		for i := range cells {
			c := &cells[i]
			far := (1 + c.alpha) * float64(steps) * math.Ldexp(1, c.k-1)
			at := list.at[c.k]
			for k := steps; k < len(at); k += steps {
				c.of++
				c.seen += reproduce.Above(float64(at[k]-at[k-steps]), far)
			}
		}
	}
	return cells
}

// Two sprays are about to walk at level k, at height k·log log p, and below; one is at the head and
// the other at an element that is some way ahead. They can meet if the longest walk of the first
// leads to where the second has to go at least. The longest walk leads E_0 + … + E_k on, which is
// σ·E_k but for E_0·(1 − σ/2), and further than (1+α) times that with the probability of Lemma 4.1
// at some height.
//
// The theorem prints α·σ·E_k, for any fixed α. With α < 1 the second is within reach, and they meet
// with a probability of about (1−α)/E_k: a power of 1/p, and not negligible. The proof begins with
// 1+α and loses the 1 in its last line.

func theorem42(r *runner) reproduce.Finding {
	var points []*apartPoint
	for _, at := range [][2]int{{2, 1}, {2, 2}, {3, 1}, {3, 2}, {4, 1}, {4, 2}, {5, 1}} {
		c := newApartPoint(r.effort, at[0], at[1])
		if r.scale < 1 && c.walk.Reach() > 50_000 {
			continue
		}
		points = append(points, c)
	}
	count := func(c *apartPoint) int { return r.count(min(1000, 1e6/float64(c.walk.Reach())), 4) }
	inLists(r, points, count, func(c *apartPoint, rng *random.Stream) { c.measure(r.effort, rng) })
	var f reproduce.Finding
	printed := reproduce.Table{Name: "two sprays σ·E_k/2 apart", Columns: []string{"log p", "k", "σ·E_k", "lists",
		"they meet with probability",
		"standard error", "that times E_k", "as a power of 1/p", "c"}}
	corrected := reproduce.Table{Name: "two sprays (1+α)·σ·E_k apart", Columns: []string{"log p", "k", "α", "lists",
		"in which they can meet",
		"Chernoff bounds"}}
	series := []plot.Series{{Name: "c, for k = 1"}, {Name: "c, for k = 2"}}
	excess := 0.0
	var first, last *apartPoint
	for _, c := range points {
		m := reproduce.Mean(c.meet)
		L := float64(c.l)
		printed.Rows = append(printed.Rows, []float64{L, float64(c.k), c.sigmaE, float64(len(c.meet)), m.Mean, m.SE,
			m.Mean * c.sigmaE * (L - 1) / L, -math.Log2(max(m.Mean, 1e-300)) / L, c.exponent()})
		series[c.k-1].Add(L, min(10, c.exponent()))
		if c.k == 1 {
			if first == nil {
				first = c
			}
			last = c
		}
		for i, t := range c.can {
			corrected.Rows = append(corrected.Rows, []float64{L, float64(c.k), apartAlphas[i], float64(t.of), t.share(),
				t.bound})
			excess = max(excess, t.excess())
		}
	}
	can, of := withAlphaHalf(points)
	f.Measured = fmt.Sprintf("σ·E_k/2 apart two sprays meet with a probability of %.2g at log p = %d and %.2g at %d "+
		"(k = 1), about 1/(2·E_k): c "+
		"falls from %.2g to %.2g. (1+α)·σ·E_k apart, α = 1/2, they can meet in %d of %d lists of log p ≥ 8.",
		reproduce.Mean(first.meet).Mean,
		first.l, reproduce.Mean(last.meet).Mean, last.l, first.exponent(), last.exponent(), can, of)
	f.For(reproduce.Printed).AtMost(fmt.Sprintf("c as printed, α = 1/2, k = 1, at log p = %d over that at %d", first.l,
		last.l), first.exponent()/last.exponent(), reproduce.Chosen("spray: exponent"))
	f.For(reproduce.Corrected).Between("lists in which two sprays (1+α)·σ·E_k apart can meet, beyond the Chernoff "+
		"bounds, in "+
		"standard errors, at most",
		excess, 0, reproduce.Sigmas, 0, "a bound, and 4.5 standard errors of the count")
	f.Tables = append(f.Tables, printed, corrected)
	f.Chart("exponent", plot.Chart{Title: "c, if two sprays σ·E_k/2 apart meet with probability p^(−c·log²p/4)",
		XLabel: "log p", YLabel: "c",
		LogX: true, FromZero: true, LegendBeside: true, Series: series})
	return f
}

// apartAlphas are the α of the correction.
var apartAlphas = []float64{0.25, 0.5, 0.75}

// An apartPoint is two sprays that are some way apart.
type apartPoint struct {
	loglog, l, k int
	walk         spray.Walk // of what is left
	sigmaE       float64    // σ·E_k
	meet         []float64  // probability that they do, as printed, in each list
	can          []tally    // lists in which they can, for each of apartAlphas
}

func newApartPoint(e effort, loglog, k int) *apartPoint {
	c := &apartPoint{loglog: loglog, l: 1 << loglog, k: k, can: make([]tally, len(apartAlphas))}
	L := float64(c.l)
	steps := c.l * c.l * c.l
	c.walk = spray.Walk{Heights: heightsDown(k*loglog, loglog), Least: 1, Most: steps}
	c.sigmaE = e.theory.sigma(L) * math.Ldexp(float64(steps), k*loglog-1)
	for i, alpha := range apartAlphas {
		c.can[i].bound = min(1, float64(k)*e.theory.below((1+alpha)*float64(steps), alpha/(1+alpha)))
	}
	return c
}

// measure sprays twice in a list.
func (c *apartPoint) measure(e effort, rng *random.Stream) {
	list := randomSkiplist(c.walk, int(1.75*c.sigmaE)+3*c.walk.Reach(), rng)
	ends := list.landing(c.walk)
	// ahead is the first of the elements of the first height that is so far away, or further.
	ahead := func(distance float64) int {
		i, _ := slices.BinarySearch(list.at[c.walk.Heights[0]], int32(math.Ceil(distance)))
		return i
	}
	meet := 0.0
	for x, s := range list.landingFrom(c.walk, ahead(e.theory.separated(0.5)*c.sigmaE)) {
		if x < len(ends) {
			meet += s * ends[x]
		}
	}
	c.meet = append(c.meet, meet)
	for i, alpha := range apartAlphas {
		second := ahead((1 + alpha) * c.sigmaE)
		c.can[i].of++
		for x, s := range list.landingFrom(c.walk, second) {
			if s > 0 {
				c.can[i].seen += reproduce.Above(float64(len(ends)), float64(x))
				break
			}
		}
	}
}

// exponent is c if they meet with probability p^(−c·α²·f·log²p), for α = 1/2.
func (c *apartPoint) exponent() float64 {
	p := reproduce.Mean(c.meet).Mean
	if p == 0 {
		return 1e9
	}
	L := float64(c.l)
	return -math.Log2(p) / L / (L * L / 4)
}

// withAlphaHalf is in how many lists with log p ≥ 8 two sprays 3/2·σ·E_k apart can meet, and how
// many there are.
func withAlphaHalf(points []*apartPoint) (can, of int) {
	for _, c := range points {
		if c.l >= 8 {
			can, of = can+c.can[1].seen, of+c.can[1].of
		}
	}
	return can, of
}

func corollary43(r *runner) reproduce.Finding {
	sizes := powers(4, 512)
	if r.Options.Full {
		sizes = powers(4, 2048)
	} else if r.scale < 1 {
		sizes = powers(4, 128)
	}
	r.Runs(len(sizes))
	var points []reachPoint
	for _, p := range sizes {
		points = append(points, r.reaches(p))
		r.Ran()
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "where the longest BasicSpray ends", Columns: []string{"p", "σ(p)", "heights", "lists",
		"mean",
		"standard error", "on a perfect list",
		"farthest over σ·p·f·log³p", "mean over σ·(p/2)·f·log³p", "farthest over σ·(p/2)·f·log³p"}}
	mean, farthest := plot.Series{Name: "mean"}, plot.Series{Name: "farthest of all lists"}
	half, quarter := plot.Series{Name: "σ·(p/2)·f·log³p"}, plot.Series{Name: "a quarter of σ·p·f·log³p"}
	beyond, printed, lists, off, farthestOf := 0, 0, 0, 0.0, 0.0
	excess := 0.0 // over the Chernoff bound, in standard errors
	for _, c := range points {
		m := reproduce.Mean(c.ends)
		far := 0.0
		for _, end := range c.ends {
			beyond += reproduce.Above(end, c.bound)
			printed += reproduce.Above(end, r.theory.separated(0.25)*c.bound)
			far = max(far, end)
		}
		lists += len(c.ends)
		off = max(off, deviations(m, float64(c.walk.Reach())))
		farthestOf = max(farthestOf, far/c.bound)
		for _, k := range c.farFor {
			excess = max(excess, k.excess())
		}
		p := float64(c.p)
		table.Rows = append(table.Rows, []float64{p, c.sigma, float64(len(c.walk.Heights)), float64(len(c.ends)), m.Mean,
			m.SE,
			float64(c.walk.Reach()), far / c.bound, m.Mean / c.bound * 2, far / c.bound * 2})
		mean.Add(p, m.Mean/c.bound)
		farthest.Add(p, far/c.bound)
		half.Add(p, 0.5)
		quarter.Add(p, 0.25)
	}
	f.Measured = fmt.Sprintf("In %d of %d lists sprays can go beyond a quarter of σ·p·f·log³p; in %d beyond all "+
		"of it. The farthest of all ends "+
		"is at %.2f of it, and the mean of the longest at about a half.", printed, lists, beyond, farthestOf)
	f.For(reproduce.Printed).AtMost("share of lists in which a spray can go farther than α·σ·p·f·log³p, α = 1/4",
		float64(printed)/float64(lists), reproduce.Chosen("spray: negligible"))
	f.For(reproduce.Control).Check("end of the longest walk off that on a perfect list, in standard errors, at most", off,
		0, reproduce.Sigmas,
		"the mean over random lists is the same, since s steps at height h lead s·2^(h−1) elements on; 4.5 standard "+
			"errors of "+
			"independent lists")
	f.For(reproduce.Corrected).Check("lists in which a spray can go farther than σ·p·f·log³p", float64(beyond), 0, 0,
		"the bound for any α > 0, and the longest walk is half as long; the probability of twice that is below one in a "+
			"million")
	f.For(reproduce.Corrected).Between("share of lists beyond (1+α) times the end on a perfect list, beyond the "+
		"Chernoff bounds of "+
		"all heights, in standard errors, at most",
		excess, 0, reproduce.Sigmas, 0, "a bound, and 4.5 standard errors of the count")
	f.Tables = append(f.Tables, table)
	f.Chart("longest", plot.Chart{Title: "Where the longest BasicSpray ends, over σ·p·f·log³p", XLabel: "p",
		YLabel: "end over σ·p·f·log³p", LogX: true,
		FromZero: true, LegendBeside: true, Series: []plot.Series{farthest, mean, half, quarter}})
	r.realReach(&f)
	return f
}

// A reachPoint is how far the longest walks go.
type reachPoint struct {
	p      int
	walk   spray.Walk
	sigma  float64
	bound  float64   // σ·p·f·log³p
	ends   []float64 // in each list
	farFor []tally   // beyond (1+α) of the mean, for each of spreads; bound is the sum of Chernoff's
}

// reaches walks the longest walk in random lists.
func (r *runner) reaches(p int) reachPoint {
	l := logp(p)
	c := reachPoint{p: p, walk: r.theory.basic(p, 1), sigma: l / (l - 1), farFor: make([]tally, len(spreads))}
	c.bound = c.sigma * float64(p) * l * l * l
	rng := r.Stream(uint64(p))
	lists := r.count(min(1000, 8e6/float64(c.walk.Reach())), 30)
	for range lists {
		r.Checkpoint()
		c.ends = append(c.ends, float64(randomSkiplist(c.walk, 0, &rng).longest(c.walk)))
	}
	for i, spread := range spreads {
		steps := float64(c.walk.Most)
		alpha := spread / math.Sqrt(steps)
		far := &c.farFor[i]
		for _, end := range c.ends {
			far.of++
			far.seen += reproduce.Above(end, (1+alpha)*float64(c.walk.Reach()))
		}
		// At height 1 every step leads one element on.
		far.bound = float64(slices.Index(c.walk.Heights, 1)) * r.theory.below((1+alpha)*steps, alpha/(1+alpha))
	}
	return c
}
