package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// If every BasicSpray fails with probability q, independently of the others, a FullSpray makes more
// than m calls with probability q^m. With q fixed, that is a constant for every constant m, and not
// a small probability; it is below 1/p from m = log p/log(1/q) on. With q of about 1.5/log p, as it
// is in the padding of Algorithm 3.2, that is about log p/log log p. The mean number of calls,
// 1/(1−q), is a constant in both cases.

func constantCalls(r *runner) reproduce.Finding {
	largest := 512
	if r.scale < 1 {
		largest = 128
	}
	var points []*callsPoint
	for _, p := range powers(4, largest) {
		points = append(points, &callsPoint{p: p, walk: r.theory.full(p, 1)})
	}
	inLists(r, points, func(c *callsPoint) int { return r.count(min(200, 2e6/float64(c.walk.Reach())), 20) },
		(*callsPoint).measure)
	var f reproduce.Finding
	table := reproduce.Table{Name: "calls of BasicSpray that a FullSpray makes, f = 1", Columns: []string{"p", "lists",
		"a call fails with probability", "calls, mean", "standard error", "exact", "more than 3 calls", "exact", "most " +
			"calls",
		"more than 2·(1 + log p), times p"}}
	mean := plot.Series{Name: "FullSpray, f = 1, mean"}
	off, slow := 0.0, 0.0
	for _, c := range points {
		calls, more := reproduce.Mean(c.calls), reproduce.Mean(c.more)
		want, wantMore := reproduce.Mean(c.want), reproduce.Mean(c.wantMore)
		off = max(off, calls.Minus(want).Off(0, 0))
		slow = max(slow, float64(c.slow)/float64(len(c.calls)*callsEach)*float64(c.p))
		table.Rows = append(table.Rows, []float64{float64(c.p), float64(len(c.calls)), reproduce.Mean(c.fails).Mean,
			calls.Mean,
			calls.SE, want.Mean, more.Mean, wantMore.Mean, float64(c.most),
			float64(c.slow) / float64(len(c.calls)*callsEach) * float64(c.p)})
		mean.Add(logp(c.p), want.Mean)
	}
	orders := reproduce.Table{Name: "calls after which all but 1/p of the FullSprays have succeeded",
		Columns: []string{"log p",
			"each fails with probability 1/2", "FullSpray: probability", "calls"}}
	series := []plot.Series{{Name: "each fails with 1/2"}, {Name: "FullSpray, f = 1"}, mean}
	need := map[float64][2]float64{}
	for L := 4.0; L <= 1024; L *= 2 {
		q := paddingShare(L)
		half, own := math.Ceil(L/-math.Log2(r.theory.fails(L))), math.Ceil(L/-math.Log2(q))
		need[L] = [2]float64{half, own}
		orders.Rows = append(orders.Rows, []float64{L, half, q, own})
		series[0].Add(L, half)
		series[1].Add(L, own)
	}
	first, last := points[0], points[len(points)-1]
	f.Measured = fmt.Sprintf("If each BasicSpray succeeds with probability 1/2, all but 1/p of the FullSprays take "+
		"%.0f calls at "+
		"log p = 16 and %.0f at 1024; with the padding of Algorithm 3.2, f = 1, %.0f and %.0f. The mean is %.2f with p "+
		"= %d "+
		"and %.2f with p = %d.", need[16][0], need[1024][0], need[16][1], need[1024][1], reproduce.Mean(first.want).Mean,
		first.p, reproduce.Mean(last.want).Mean, last.p)
	f.Between("calls after which all but 1/p have succeeded, if each succeeds with probability 1/2, log p = 1024 over 16",
		need[1024][0]/need[16][0], 0, 1, 0, "with high probability in a constant number of calls; computed")
	corrected := f.For(reproduce.Corrected)
	d := reproduce.Mean(last.want).Minus(reproduce.Mean(points[2].want))
	corrected.Between(fmt.Sprintf("expected calls with p = %d less those with p = 16", last.p), d.Mean, -1, 0,
		reproduce.Sigmas*d.SE, "in expectation a constant number, which does not grow; 4.5 standard errors of "+
			"independent lists")
	corrected.Between("share of FullSprays that make more than 2·(1 + log p) calls, times p, largest of all p", slow,
		0, 1, 0,
		"O(log p) calls for all but 1/p of them")
	f.For(reproduce.Control).Check("calls off 1/(1−q), in standard errors, at most", off, 0, reproduce.Sigmas,
		"q is the exact share in the padding of each list; 4.5 standard errors of independent lists")
	f.Tables = append(f.Tables, table, orders)
	f.Chart("calls", plot.Chart{Title: "Calls of BasicSpray until all but 1/p of FullSprays have succeeded",
		XLabel: "log p",
		YLabel: "calls", LogX: true, LogY: true, LegendBeside: true, Series: series})
	r.realCalls(&f)
	return f
}

// paddingShare is the share of BasicSprays that end in the padding, for f = 1: the padding less
// what the lower heights add on average, over what the first height leads to.
func paddingShare(log float64) float64 {
	steps, apart := log*log*log, math.Log2(log)
	lower := (1 + steps) / 2 * math.Exp2(-log) // at height 1, over p
	for h := log - apart; h > 0; h -= apart {
		lower += (1 + steps) / 2 * math.Exp2(math.Ceil(h)-1-log)
	}
	return (log*log - lower) / (steps / 2)
}

// A callsPoint is how many BasicSprays a FullSpray makes.
type callsPoint struct {
	p                  int
	walk               spray.Walk
	fails, calls, more []float64 // probability, mean calls, and share with more than 3, in each list
	want, wantMore     []float64 // the exact ones
	most, slow         int       // calls, and FullSprays that make more than 2·(1 + log p)
}

// callsEach is how many FullSprays there are in each list.
const callsEach = 100

func (c *callsPoint) measure(rng *random.Stream) {
	list := randomSkiplist(c.walk, 0, rng)
	q := 0.0
	for _, s := range list.landing(c.walk)[:c.walk.Padding+1] {
		q += s
	}
	sum, more := 0, 0
	for range callsEach {
		calls := 1
		for list.land(c.walk.Heights, c.walk, rng) <= c.walk.Padding {
			calls++
		}
		sum += calls
		c.most = max(c.most, calls)
		c.slow += reproduce.Above(float64(calls), 2*(1+logp(c.p)))
		more += reproduce.Above(float64(calls), 3)
	}
	c.fails, c.want = append(c.fails, q), append(c.want, 1/(1-q))
	c.wantMore = append(c.wantMore, q*q*q)
	c.calls, c.more = append(c.calls, float64(sum)/callsEach), append(c.more, float64(more)/callsEach)
}
