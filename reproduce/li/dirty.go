package li

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// A list that has been sprayed upon is not clean by itself. What decides is whether a spray looks
// at the height of the element that it removes.
//
// Assume that the last step of every walk is one at height 1, as where each walk makes at least one
// there. Then whether it ends at element x depends on the heights of the elements before x and on
// the numbers of steps, but not on the height of x: only the heights before x have been observed.
// Removing one of several independent heights, chosen by the heights before it and not by itself,
// leaves independent heights of the same law (Doob's theorem on optional skipping). So after the
// removal the list is exactly as clean as before; and by induction after any number of them. The
// same holds for several sprays at once, for one that goes on to the next element where it
// collides, for one that removes the first element, and for insertions behind the place of a
// removal, the heights of which are new.

func dirty(r *runner) reproduce.Finding {
	sizes, replicas := powers(2, 32), r.count(24, 10)
	removals := r.count(10_000, 4000)
	if r.Options.Full {
		sizes, replicas, removals = powers(2, 128), 60, 200_000
	} else if r.scale < 1 {
		sizes = powers(2, 16)
	}
	var runs []*dirtyRun
	for _, kept := range []int{0, dirtyKept} {
		for _, p := range sizes {
			w := r.theory.basic(p, 1)
			// Often enough that what is within reach has been exchanged twice.
			runs = append(runs, newDirtyRun(p, w, false, kept, replicas, max(2*w.Reach(), min(removals, 500*w.Reach()))))
		}
	}
	r.Runs(len(runs) * replicas)
	for i, d := range runs {
		r.soil(d, i)
	}
	f := judgeDirty(runs)
	r.realClean(&f, reproduce.Printed, "BasicSpray, p = 16,", r.theory.basic(16, 1), false)
	return f
}

const (
	// dirtyKept is how many times as many elements as are within reach a list of the hold model has.
	dirtyKept = 8
	// dirtyTimes is how often a list is looked at, at even distances; and before that after 1/2,
	// 1/4 … of the first of them.
	dirtyTimes = 16
	// dirtySprays is the number of sprays whose ends are recorded, each time.
	dirtySprays = 64
	// dirtySigmas is how many standard errors a mean of all replicas may be off, taken as normal:
	// one in a million is further.
	dirtySigmas = 5
)

// A dirtyRun is a measurement of lists from which sprays remove elements.
type dirtyRun struct {
	p        int
	walk     spray.Walk
	next     bool // the element after the one at which a walk ends is removed
	kept     int  // times as many elements as within reach, or 0 for no end
	replicas int
	removals int

	times               []int       // removals after which the list is looked at
	height, tall, lands [][]float64 // over those of a clean list, by time and replica
	squares             []float64   // of where sprays land, mean of all replicas, by time
	cleanMean           float64     // of where sprays land
	cleanVariance       float64
}

func newDirtyRun(p int, w spray.Walk, next bool, kept, replicas, removals int) *dirtyRun {
	d := &dirtyRun{p: p, walk: w, next: next, kept: kept, replicas: replicas, removals: removals}
	d.cleanMean, d.cleanVariance = moments(w)
	if next {
		d.cleanMean++
	} else if least(w, 1) == 0 {
		// A walk of no steps takes the first element.
		d.cleanMean += math.Pow(float64(w.Most+1), -float64(len(w.Heights)))
	}
	for t := removals / dirtyTimes; t >= max(1, w.Reach()/4); t /= 2 {
		d.times = append([]int{t}, d.times...)
	}
	if len(d.times) > 0 {
		d.times = d.times[:len(d.times)-1]
	}
	for k := 1; k <= dirtyTimes; k++ {
		d.times = append(d.times, removals/dirtyTimes*k)
	}
	for range d.times {
		d.height, d.tall, d.lands = append(d.height, nil), append(d.tall, nil), append(d.lands, nil)
	}
	d.squares = make([]float64, len(d.times))
	return d
}

// soil removes elements from lists.
func (r *runner) soil(d *dirtyRun, stream int) {
	for k := range d.replicas {
		own := r.Stream(uint64(stream), uint64(k), 1)
		s := newDirtyList(d, r.Stream(uint64(stream), uint64(k), 0), &own)
		for i, t := range d.times {
			s.until(r, t)
			s.look(i)
		}
		r.Ran()
	}
}

// A dirtyList is one of the replicas of a run.
type dirtyList struct {
	run     *dirtyRun
	heights []int
	chain   *chain
	random  random.Stream
	removed int
}

// newDirtyList is a clean list, of which heights are drawn from a stream of their own.
func newDirtyList(d *dirtyRun, r random.Stream, heights *random.Stream) *dirtyList {
	s := &dirtyList{run: d, heights: d.walk.Heights, random: r}
	n := d.kept * d.walk.Reach()
	s.chain = newChain(max(d.walk.Heights[0], bits.Len(uint(n))), d.kept == 0, heights)
	for range n {
		s.chain.insert(s.random.Exp())
	}
	return s
}

// spray is the element that a spray removes.
func (s *dirtyList) spray() int32 {
	for {
		i, ok := s.chain.land(s.heights, s.run.walk, &s.random)
		if ok && (s.run.next || i == 0) {
			i = s.chain.after(1, i)
		}
		if i != 0 {
			return i
		}
		// It came to the end of the list, which is long enough that this is rare, and is tried again.
	}
}

// until goes on until so many elements have been removed.
func (s *dirtyList) until(r *runner, removals int) {
	exact := s.run.walk.Exact
	for ; s.removed < removals; s.removed++ {
		r.CheckpointEvery(4096, s.removed)
		var i int32
		if exact > 0 && (s.removed+1)%exact == 0 {
			i = s.chain.after(1, 0)
		} else {
			i = s.spray()
		}
		key := s.chain.remove(i)
		if s.run.kept > 0 {
			s.chain.insert(key + s.random.Exp())
		}
	}
}

// look compares the list with a clean one, and keeps that.
func (s *dirtyList) look(time int) {
	d := s.run
	height, tall, lands := s.compareAt(time)
	d.height[time] = append(d.height[time], height)
	d.tall[time] = append(d.tall[time], tall)
	d.lands[time] = append(d.lands[time], lands)
}

// compare is the mean height of the front, the number of elements of height log p in it, and the
// mean of where sprays land, over those of a clean list.
func (s *dirtyList) compare() (height, tall, lands float64) { return s.compareAt(0) }

// compareAt also adds to the squares of where sprays land at that time.
func (s *dirtyList) compareAt(time int) (height, many, lands float64) {
	d := s.run
	var landed [dirtySprays]int32
	for k := range landed {
		landed[k] = s.spray()
	}
	n := d.walk.Reach()
	sum, tall := 0, 0
	i := int32(0)
	for range n {
		i = s.chain.after(1, i)
		sum += int(s.chain.heights[i])
		if int(s.chain.heights[i]) >= d.walk.Heights[0] {
			tall++
		}
	}
	ranks := s.chain.ranks()
	mean := 0.0
	for _, i := range landed {
		x := float64(ranks[i])
		mean += x / dirtySprays
		d.squares[time] += x * x / dirtySprays / float64(d.replicas)
	}
	return float64(sum) / float64(2*n), float64(tall) / float64(n) * math.Ldexp(1, d.walk.Heights[0]-1),
		mean / d.cleanMean
}

// late averages something over the second half of the time.
func (d *dirtyRun) late(what [][]float64) reproduce.Estimate {
	return d.over(what, len(d.times)-dirtyTimes/2, len(d.times))
}

// over averages something over some times, for each replica, and these.
func (d *dirtyRun) over(what [][]float64, from, to int) reproduce.Estimate {
	each := make([]float64, d.replicas)
	for _, row := range what[from:to] {
		for k, x := range row {
			each[k] += x / float64(to-from)
		}
	}
	return reproduce.Mean(each)
}

// spread is the standard deviation of where sprays land in the second half of the time, over that
// of a clean list.
func (d *dirtyRun) spread() float64 {
	if d.cleanVariance == 0 {
		return 1
	}
	from := len(d.times) - dirtyTimes/2
	squares := 0.0
	for _, s := range d.squares[from:] {
		squares += s / (dirtyTimes / 2)
	}
	mean := d.late(d.lands).Mean * d.cleanMean
	return math.Sqrt(max(0, squares-mean*mean) / d.cleanVariance)
}

// growth is by how much the mean of where sprays land grows from the second quarter of the time to
// the second half.
func (d *dirtyRun) growth() float64 {
	n := len(d.times)
	return d.late(d.lands).Mean / d.over(d.lands, n-3*dirtyTimes/4, n-dirtyTimes/2).Mean
}

// behind is how many elements more there are before the mean of where sprays land, for each that is
// removed, in the last three quarters of the time.
func (d *dirtyRun) behind() float64 {
	n := len(d.times)
	early := d.over(d.lands, n-3*dirtyTimes/4, n-dirtyTimes/2).Mean
	return (d.late(d.lands).Mean - early) * d.cleanMean / (float64(d.removals) * (0.78125 - 0.40625))
}

// dirtyColumns are those of the tables of runs, and row is a row of one.
func dirtyColumns() []string {
	return []string{"p", "within reach", "replicas", "removals", "mean height over clean", "standard error",
		"elements of height log p over clean", "standard error", "mean of where sprays land over clean",
		"standard error", "its standard deviation over clean", "growth", "left behind of 100"}
}

func (d *dirtyRun) row() []float64 {
	height, tall, lands := d.late(d.height), d.late(d.tall), d.late(d.lands)
	return []float64{float64(d.p), float64(d.walk.Reach()), float64(d.replicas), float64(d.removals), height.Mean,
		height.SE,
		tall.Mean, tall.SE, lands.Mean, lands.SE, d.spread(), d.growth(), 100 * d.behind()}
}

// off is how many standard errors a run is off a clean list, at most.
func (d *dirtyRun) off() (height, tall, lands float64) {
	off := func(what [][]float64) float64 { return normal(deviations(d.late(what), 1), d.replicas) }
	return off(d.height), off(d.tall), off(d.lands)
}

// course draws the mean of where sprays land over time.
func (d *dirtyRun) course(name string) plot.Series {
	s := plot.Series{Name: name}
	for i, t := range d.times {
		s.Add(float64(t)/float64(d.walk.Reach()), reproduce.Mean(d.lands[i]).Mean)
	}
	return s
}

// judgeClean checks that lists are as clean as they were.
func judgeClean(f *reproduce.Finding, kind reproduce.Kind, what string, runs []*dirtyRun) {
	height, tall, lands := 0.0, 0.0, 0.0
	for _, d := range runs {
		h, t, l := d.off()
		height, tall, lands = max(height, h), max(tall, t), max(lands, l)
	}
	because := "nothing changes; 5 standard errors of independent lists, made normal by Student's law, for all p"
	f.For(kind).Check(what+"mean height of the front off 2, in standard errors, at most", height, 0, dirtySigmas, because)
	f.For(kind).Check(what+"elements of height log p in the front off those of a clean list, in standard errors, at most",
		tall, 0,
		dirtySigmas, because)
	f.For(kind).Check(what+"mean of where sprays land off that of a clean list, in standard errors, at most", lands, 0,
		dirtySigmas,
		because)
}

func judgeDirty(runs []*dirtyRun) reproduce.Finding {
	var f reproduce.Finding
	tables := map[int]*reproduce.Table{0: {Name: "BasicSpray, lists without end", Columns: dirtyColumns()},
		dirtyKept: {Name: "BasicSpray, hold model", Columns: dirtyColumns()}}
	chart := plot.Chart{Title: "BasicSpray: where sprays land as a list is used up", XLabel: "removals over the reach",
		YLabel: "mean over that of a clean list", FromZero: true, LegendBeside: true, LogX: true}
	for _, d := range runs {
		tables[d.kept].Rows = append(tables[d.kept].Rows, d.row())
		if d.kept == 0 && d.p >= 8 {
			chart.Series = append(chart.Series, d.course(fmt.Sprintf("p = %d", d.p)))
		}
	}
	most := 0.0
	replicas := 0
	for _, d := range runs {
		most = max(most, math.Abs(d.late(d.height).Mean-1))
		replicas += d.replicas
	}
	f.Measured = fmt.Sprintf("After up to %d removals by BasicSpray the front of %d lists has the heights of a clean "+
		"list within %.1f %%, and "+
		"sprays land where they would in a clean list, both within 5 standard errors for every p.",
		runs[len(runs)-1].removals, replicas, 100*most)
	judgeClean(&f, reproduce.Printed, "", runs)
	f.Tables = append(f.Tables, *tables[0], *tables[dirtyKept])
	f.Notes = append(f.Notes,
		fmt.Sprintf("The assumption holds for BasicSpray, and exactly. The mean height of the front is within %.1f %% "+
			"of a "+
			"clean list's for every p, which is by chance.", 100*most),
		"It can be proved. A walk whose last step is at height 1 ends at an element whose height it has not looked at: "+
			"whether "+
			"it ends at x depends on the heights before x alone. To leave out of independent heights one that is chosen by "+
			"those before it leaves independent heights of the same law (optional skipping, Doob 1936). So a list is clean "+
			"after any number of BasicSprays, also of several at once, and with insertions behind the place of a removal; "+
			"there is nothing to be cleaned, and no error that accumulates, which section 3.2 expects to be polynomially "+
			"small. FullSpray is the same: the padding is part of what is before x.",
		"It holds for PerfectSpray too (spray-dirty-perfect), but not for the modified one, which may make no step at "+
			"height 1 "+
			"(spray-dirty-modified).")
	f.Chart("course", chart)
	return f
}
