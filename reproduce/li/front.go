package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
)

// What the front of a list is like: the first element, which sprays practically never hit, and runs
// of low elements, of which they reach the end by many steps at height 1 alone.

// A spray with steps from 0 on stays at the head if it makes none at any of its n heights, with
// probability (c+1)^(−n). It ends at the first element if it makes one step at one of the heights
// that the first element has, and none elsewhere: with as many times that probability as the walk
// has heights up to its height h. For PerfectSpray n = c = log p, and on average it is E(min(h, log
// p)) = 2 − 2^(1−log p) times (log p + 1)^(−log p). For BasicSpray c = f·log³p and n is about log
// p/log log p, so that the probability is p^(−3) for f = 1, and not p^(−log log p).

func firstElement(r *runner) reproduce.Finding {
	var points []*firstPoint
	for l := 2; l <= 6; l++ {
		points = append(points, &firstPoint{l: l})
	}
	inLists(r, points, func(c *firstPoint) int {
		return r.count(min(4000, 1e6/math.Exp2(float64(c.l))/float64(c.l)),
			400)
	},
		func(c *firstPoint, rng *random.Stream) { c.measure(r.effort, rng) })
	var f reproduce.Finding
	table := reproduce.Table{Name: "modified PerfectSprays that hit the first element", Columns: []string{"log p",
		"lists",
		"over (log p + 1)^(−log p), mean", "standard error", "2 − 2^(1−log p)", "on a perfect list"}}
	off, printed, exact, perfect := 0.0, 0.0, 0.0, 0.0
	for _, c := range points {
		m, L := reproduce.Mean(c.ratio), float64(c.l)
		want := 2 - math.Exp2(1-L)
		w := r.theory.modified(1 << c.l)
		ways, all := countWays(w)
		ideal := float64(ways[1]) / float64(all) / r.theory.first(L)
		table.Rows = append(table.Rows, []float64{L, float64(len(c.ratio)), m.Mean, m.SE, want, ideal})
		printed, off = max(printed, m.Off(1, 0)), max(off, m.Off(want, 0))
		exact, perfect = max(exact, c.off), max(perfect, math.Abs(ideal-1))
	}
	orders := reproduce.Table{Name: "−log_p of the probability to make no step", Columns: []string{"log p",
		"PerfectSpray, steps 0 … log p", "log log p", "BasicSpray, f = 1, steps 0 … log³p"}}
	series := []plot.Series{{Name: "PerfectSpray"}, {Name: "log log p"}, {Name: "BasicSpray, f = 1"}, {Name: "3",
		Dashed: true}}
	exponents := map[float64][2]float64{}
	short := math.Inf(1)
	for L := 4.0; L <= 1<<14; L *= 2 {
		a := -math.Log2(r.theory.first(L)) / L
		if L > 64 {
			a = math.Log2(L + 1) // the probability itself is no number any more
		}
		n := math.Ceil(L/math.Log2(L)) + 1
		b := n * math.Log2(L*L*L+1) / L
		exponents[L] = [2]float64{a, b}
		short = min(short, a-math.Log2(L))
		orders.Rows = append(orders.Rows, []float64{L, a, math.Log2(L), b})
		for i, y := range []float64{a, math.Log2(L), b, 3} {
			series[i].Add(L, y)
		}
	}
	first, last := exponents[16], exponents[1<<14]
	f.Measured = fmt.Sprintf("On random lists the first element is hit %.2f to %.2f times as often as (log p + "+
		"1)^(−log p), "+
		"since it is 2 high on average; on a perfect list as often. With BasicSpray it is p^(−%.2f) at log p = 16 and "+
		"p^(−%.2f) at 2¹⁴, where PerfectSpray has p^(−%.2f) and p^(−%.2f).", table.Rows[0][2],
		table.Rows[len(points)-1][2],
		first[1], last[1], first[0], last[0])
	f.Check("share of sprays on the first element off (log p + 1)^(−log p), in standard errors, at most", printed, 0,
		reproduce.Sigmas, "4.5 standard errors of independent lists")
	f.Between("exponent of 1/p in (log p + 1)^(−log p) less log log p, smallest", short, 0, 1, 0, "computed")
	f.For(reproduce.Printed).AtLeast("“similarly small”: exponent of BasicSpray over that of PerfectSpray, log p = "+
		"2¹⁴ over 16",
		last[1]/last[0]/(first[1]/first[0]), reproduce.Chosen("spray: roughly, at least"))
	corrected := f.For(reproduce.Corrected)
	corrected.Check("share of sprays on the first element off (2 − 2^(1−log p))·(log p + 1)^(−log p), in standard "+
		"errors, "+
		"at most", off, 0, reproduce.Sigmas, "4.5 standard errors of independent lists")
	corrected.Between("exponent of BasicSpray, f = 1, log p = 2¹⁴", last[1], 3, 3.1, 0,
		"(log³p)^(−log p/log log p) = p^(−3), and one height more")
	f.For(reproduce.Control).Check("share off min(h, log p)·(log p + 1)^(−log p) in each list, relatively, at most",
		exact, 0,
		1e-6, "exact, and rounding")
	f.For(reproduce.Control).Check("share on a perfect list off (log p + 1)^(−log p), relatively, at most", perfect,
		0, 1e-9,
		"the first element of a perfect list is 1 high")
	f.Tables = append(f.Tables, table, orders)
	f.Chart("exponents", plot.Chart{Title: "−log_p of the probability to make no step", XLabel: "log p",
		YLabel: "exponent",
		LogX:   true, FromZero: true, LegendBeside: true, Series: series})
	return f
}

// A firstPoint is how many sprays hit the first element.
type firstPoint struct {
	l     int
	ratio []float64 // over (log p + 1)^(−log p), in each list
	off   float64   // from its exact value, at most
}

func (c *firstPoint) measure(e effort, rng *random.Stream) {
	w := e.theory.modified(1 << c.l)
	list := newSkiplist(w.Heights[0], 2*w.Reach())
	list.add(e.theory.height(rng))
	for n := w.Reach() + 16; ; n += n/8 + 16 {
		for list.elements() < n {
			list.add(drawHeight(rng))
		}
		if list.longest(w) >= 0 {
			break
		}
	}
	ratio := list.landing(w)[1] / e.theory.first(float64(c.l))
	c.ratio = append(c.ratio, ratio)
	c.off = max(c.off, math.Abs(ratio/float64(min(int(list.heights[1]), c.l))-1))
}

// Of n elements a run of at least m that are 1 high begins at the first with probability 2^(−m),
// and at each of the next n−m with 2^(−m−1), where the one before has to be higher. So with m = log
// p there are 1/p + (p − log p)/(2p) of them among the first p elements on average, which tends to
// a half, and 2^(−a) times as many that are a longer. The m-th element of a run is reached from the
// last higher one before it, by m steps at height 1, and in no other way.

func runs(r *runner) reproduce.Finding {
	var points []*runPoint
	for _, l := range []int{4, 6, 8} {
		points = append(points, &runPoint{l: l})
	}
	inLists(r, points, func(c *runPoint) int { return r.count(min(4000, 2e6/math.Exp2(float64(c.l))/float64(c.l)), 100) },
		func(c *runPoint, rng *random.Stream) { c.measure(r.effort, rng) })
	var f reproduce.Finding
	table := reproduce.Table{Name: "runs of log p elements of height 1 among the first p", Columns: []string{"log p",
		"lists",
		"mean", "standard error", "exact", "ends of runs in reach", "hit with log p − 1 steps at most",
		"hit with log p steps at most"}}
	off, early, seen, hit := 0.0, 0, 0, 0
	for _, c := range points {
		m := reproduce.Mean(c.count)
		want := runsExpected(r.effort, c.l, 0)
		off = max(off, math.Abs(m.Mean-want)/max(m.SE, math.Sqrt(want/float64(len(c.count)))))
		table.Rows = append(table.Rows, []float64{float64(c.l), float64(len(c.count)), m.Mean, m.SE, want, float64(c.ends),
			float64(c.early), float64(c.hit)})
		early, seen, hit = early+c.early, seen+c.ends, hit+c.hit
	}
	more := reproduce.Table{Name: "runs among the first p elements, exact", Columns: []string{"log p", "log p or longer",
		"log p + 1", "log p + 2", "log p + 4"}}
	series := []plot.Series{{Name: "log p"}, {Name: "log p + 1"}, {Name: "log p + 2"}, {Name: "log p + 4"}}
	for l := 2; l <= 30; l++ {
		row := []float64{float64(l)}
		for i, a := range []int{0, 1, 2, 4} {
			row = append(row, runsExpected(r.effort, l, a))
			series[i].Add(float64(l), row[i+1])
		}
		more.Rows = append(more.Rows, row)
	}
	f.Measured = fmt.Sprintf("The first p elements have %.3f runs of log p or more elements of height 1 on average at "+
		"p = 16 and "+
		"%.3f at p = 2³⁰, and %.3f that are 2 longer. Of %d ends of such runs within reach %d are hit by PerfectSprays "+
		"with "+
		"log p steps at most, and %d with log p − 1.", more.Rows[2][1], more.Rows[28][1], more.Rows[28][3], seen, hit,
		early)
	for i, a := range []int{0, 2} {
		f.Between(fmt.Sprintf("runs of log p + %d among the first p elements, p = 2³⁰ over p = 16", a),
			more.Rows[28][1+2*i]/more.Rows[2][1+2*i], 1, 2, 0, "at least a constant number does not fall")
	}
	f.Check("ends of runs of log p or more that sprays with at most log p − 1 steps at a height hit", float64(early),
		0, 0,
		"they can only be reached by log p steps at height 1")
	control := f.For(reproduce.Control)
	control.Check("runs in lists off the exact mean, in standard errors, at most", off, 0, reproduce.Sigmas,
		"4.5 standard errors of independent lists")
	control.Between("ends of runs that sprays with log p steps hit", float64(hit), 1, 1e9, 0, "there are some")
	f.Tables = append(f.Tables, table, more)
	f.Chart("runs", plot.Chart{Title: "Runs of elements of height 1 among the first p", XLabel: "log p", YLabel: "runs",
		FromZero: true, LegendBeside: true, Series: series})
	return f
}

// runsExpected is the mean number of runs that are log p + a long or longer among the first p
// elements.
func runsExpected(e effort, l, a int) float64 {
	n, m := math.Exp2(float64(l)), e.theory.run(float64(l))+float64(a)
	return math.Exp2(-m) + max(0, n-m)*math.Exp2(-m-1)
}

// A runPoint is runs of low elements in lists.
type runPoint struct {
	l                int
	count            []float64 // among the first p, in each list
	ends, early, hit int       // ends of runs in reach, and those that sprays hit
}

func (c *runPoint) measure(e effort, rng *random.Stream) {
	w := e.theory.perfect(1 << c.l)
	list := randomSkiplist(w, 0, rng)
	shorter := w
	shorter.Most--
	share, less := list.landing(w), list.landing(shorter)
	found, length := 0, 0
	for x := 1; x < len(share); x++ {
		if list.heights[x] > 1 {
			length = 0
			continue
		}
		if length++; length != int(e.theory.run(float64(c.l))) {
			continue
		}
		if x <= 1<<c.l {
			found++
		}
		c.ends++
		c.hit += reproduce.Above(share[x], 0)
		if x < len(less) {
			c.early += reproduce.Above(less[x], 0)
		}
	}
	c.count = append(c.count, float64(found))
}
