package li

import (
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

// The same on spray.List, with concurrent goroutines. Their interleaving differs from run to run,
// and so do the numbers: they are reported as what depends on the machine. The checks are bounds
// that must hold for every schedule, by the number of settings in which one does not.

// procs are the numbers of processors that goroutines are given, one after the other.
func (r *runner) procs() []int {
	if r.scale < 1 {
		return []int{2, 8}
	}
	return []int{1, 2, 4, 8}
}

// A metered is a list that is measured. Its removals are sprays, or exact.
type metered struct {
	*spray.List[float64, uint64]
	exact bool
}

func (q metered) Insert(key float64, id uint64) { q.List.Insert(key, id) }

func (q metered) Remove() (float64, uint64, bool) {
	if q.exact {
		return q.DeleteMin()
	}
	return q.Spray()
}

// A trial is what goroutines do to a list.
type trial struct {
	walk       spray.Walk
	exact      bool // removals are exact
	goroutines int
	fill       int // elements before
	operations int // of all goroutines, about
	workload   func(*relaxedtest.Recorder)
}

// takes removes elements, and puts nothing in their place.
func takes(r *relaxedtest.Recorder) {
	for r.More() {
		r.Remove()
	}
}

// adds inserts elements at places that are chosen uniformly, and piles at one place.
func adds(r *relaxedtest.Recorder) {
	for r.More() {
		r.Insert(r.Float64())
	}
}

func piles(r *relaxedtest.Recorder) {
	for r.More() {
		r.Insert(0.5)
	}
}

// An outcome is the result of a trial.
type outcome struct {
	procs   int
	report  relaxedtest.Report
	stats   spray.Stats // of the filling too
	heights []int       // of the elements that are left
	wrong   error       // elements were lost, doubled or made up
}

// each is a number for each operation of the goroutines.
func (o *outcome) each(n uint64) float64 { return float64(n) / float64(max(1, o.report.Operations())) }

// try makes a trial in some lists for each number of processors.
func (r *runner) try(t trial, lists int) []outcome {
	var all []outcome
	for _, procs := range r.procs() {
		for k := range lists {
			r.Checkpoint()
			all = append(all, t.run(procs, r.Options.Seed<<16+uint64(procs<<8+k)))
		}
	}
	return all
}

// run makes a trial in one list. It changes GOMAXPROCS for as long.
func (t trial) run(procs int, seed uint64) outcome {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	l := spray.New[float64, uint64](spray.Spraying(t.walk), spray.Seed(seed))
	trace := relaxedtest.Meter{Goroutines: t.goroutines, Fill: t.fill, Operations: t.operations/t.goroutines + 1,
		Workload: t.workload, Seed: seed}.Run(metered{l, t.exact})
	o := outcome{procs: procs, stats: l.Stats(), heights: l.Heights()}
	o.report, o.wrong = relaxedtest.Replay(trace)
	if o.wrong == nil && o.report.Left != len(o.heights) {
		o.wrong = fmt.Errorf("%d elements are left, want %d", len(o.heights), o.report.Left)
	}
	return o
}

// settings counts the outcomes that are not as they should be, and adds a check that there are
// none.
func settings(f *reproduce.Finding, kind reproduce.Kind, what string, all []outcome, good func(*outcome) bool,
	because string) {
	bad := 0
	for i := range all {
		if o := &all[i]; o.wrong != nil || !good(o) {
			bad++
		}
	}
	f.For(kind).Check("spray.List, goroutines at once: lists in which "+what, float64(bad), 0, 0,
		because+"; and no element is lost or doubled")
}

// span is the smallest and the largest of something.
func span(all []outcome, what func(*outcome) float64) (low, high float64) {
	for i := range all {
		x := what(&all[i])
		if i == 0 {
			low, high = x, x
		}
		low, high = min(low, x), max(high, x)
	}
	return low, high
}

// timed adds a sentence about what was measured on spray.List.
func timed(f *reproduce.Finding, format string, args ...any) {
	f.Timed = strings.TrimSpace(f.Timed + " " + fmt.Sprintf(format, args...))
}

// realReach has goroutines spray, and looks how far they go: no farther than Corollary 4.3 says
// with 1+α, and as far on average as the walk says.
func (r *runner) realReach(f *reproduce.Finding) {
	const p = 16
	w := r.theory.basic(p, 1)
	all := r.try(trial{walk: w, goroutines: p, fill: 4 * w.Reach(), operations: 2 * w.Reach(), workload: takes},
		r.count(6, 3))
	bound := r.theory.sigma(logp(p)) * p * logp(p) * logp(p) * logp(p)
	settings(f, reproduce.Corrected, "a spray goes farther than σ·p·f·log³p, p = 16", all,
		func(o *outcome) bool { return float64(o.report.Rank.Max+1) <= bound }, "the bound for any α > 0")
	mean, _ := moments(w)
	var low, high []float64
	for i := range all {
		low, high = append(low, all[i].report.Rank.Mean+1), append(high, all[i].report.MeanRankAtMost+1)
	}
	least, most := reproduce.Mean(low), reproduce.Mean(high)
	wrong := reproduce.Above(normal(least.Outside(0, mean), len(low)), reproduce.Sigmas) +
		reproduce.Above(normal(most.Outside(mean, math.Inf(1)), len(high)), reproduce.Sigmas)
	f.For(reproduce.Control).Check("spray.List, goroutines at once: bounds of the mean place of what sprays take, by the "+
		"trace, that the mean of the walk is outside of", float64(wrong), 0, 0, "a lower and an upper one; 4.5 standard "+
		"errors of independent lists, made normal by Student's law")
	_, far := span(all, func(o *outcome) float64 { return float64(o.report.Rank.Max + 1) })
	timed(f, "On spray.List, 16 goroutines and GOMAXPROCS 1 to 8, the farthest of %d BasicSprays takes element %.0f, "+
		"where σ·p·f·log³p is %.0f, and the mean is from %.0f to %.0f (%.0f for the walk).",
		len(all)*all[0].report.Removals, far, bound, least.Mean, most.Mean, mean)
}

// realClean has goroutines spray from lists that keep their length, and compares the front with
// that of a clean list. If worn is set, the front has to be lower.
func (r *runner) realClean(f *reproduce.Finding, kind reproduce.Kind, name string, w spray.Walk, worn bool) {
	lists := r.count(10, 8) // of fewer, the numbers of tall elements may be equal by chance
	all := r.try(trial{walk: w, goroutines: 16, fill: dirtyKept * w.Reach(),
		operations: 2 * max(4*w.Reach(), 4000), workload: relaxedtest.Hold}, lists)
	bad, lost := 0, 0
	var means, tallest []float64
	for _, procs := range r.procs() {
		var height, tall []float64
		for _, o := range all {
			if o.procs != procs {
				continue
			}
			if o.wrong != nil {
				lost++
				continue
			}
			n := min(len(o.heights), w.Reach())
			sum, high := 0, 0
			for _, h := range o.heights[:n] {
				sum += h
				if h >= w.Heights[0] {
					high++
				}
			}
			height = append(height, float64(sum)/float64(2*n))
			tall = append(tall, float64(high)/float64(n)*float64(uint64(1)<<(w.Heights[0]-1)))
		}
		means, tallest = append(means, height...), append(tallest, tall...)
		h, t := reproduce.Mean(height), reproduce.Mean(tall)
		off := max(normal(deviations(h, 1), len(height)), normal(deviations(t, 1), len(tall)))
		if !worn && off > dirtySigmas {
			bad++
		}
	}
	m, t := reproduce.Mean(means), reproduce.Mean(tallest)
	what := "GOMAXPROCS with which the front is not that of a clean list"
	because := "5 standard errors of independent lists"
	if worn {
		what = "the front is as high as that of a clean list (1 if so)"
		bad = reproduce.Above(m.Mean+reproduce.Sigmas*m.SE, 1)
		because = "4.5 standard errors of independent lists"
	}
	f.For(kind).Check("spray.List, goroutines at once: "+what, float64(bad+lost), 0, 0, because+"; and no element is "+
		"lost or doubled")
	timed(f, "On spray.List, 16 goroutines and GOMAXPROCS 1 to 8, %s leaves the front of %d lists with a mean height of "+
		"%.3f ± %.3f of a clean list's and %.3f ± %.3f as many elements of height %d.", name, len(means), m.Mean, m.SE,
		t.Mean, t.SE, w.Heights[0])
}

// realCollisions has goroutines spray as fast as they can.
func (r *runner) realCollisions(f *reproduce.Finding) {
	const p = 16
	share := reproduce.Chosen("spray: constant share")
	var parts []string
	for i, w := range []spray.Walk{r.theory.perfect(p), r.theory.basic(p, 1), r.theory.full(p, 1)} {
		all := r.try(trial{walk: w, goroutines: p, fill: 4*w.Reach() + 8000, operations: 4000, workload: takes},
			r.count(3, 1))
		fails := func(o *outcome) float64 {
			return float64(o.stats.Lost+o.stats.Padding) / float64(max(1, o.stats.Sprays))
		}
		what := fmt.Sprintf("more than a constant share of %ss fails, or 1 %% do 16 times in a row", collisionKinds[i])
		settings(f, reproduce.Printed, what, all,
			func(o *outcome) bool { return fails(o) <= share.Value && o.each(o.stats.Exact) <= 0.01 }, share.Why)
		_, most := span(all, fails)
		var lost, walks uint64
		for _, o := range all {
			lost, walks = lost+o.stats.Lost, walks+o.stats.Sprays
		}
		parts = append(parts, fmt.Sprintf("%d of %d %ss land on an element that another goroutine takes, and %.1f %% "+
			"fail at most", lost, walks, collisionKinds[i], 100*most))
	}
	timed(f, "On spray.List, 16 goroutines and GOMAXPROCS 1 to 8: %s.", strings.Join(parts, "; "))
}

// realLocks counts what spray.List, which has no locks, does instead of waiting: compare-and-swaps
// of links that fail.
func (r *runner) realLocks(f *reproduce.Finding) {
	const p = 16
	w := r.theory.basic(p, 1)
	most := reproduce.Chosen("spray: retries")
	var parts []string
	for i, t := range []trial{
		{walk: w, goroutines: p, fill: 4*w.Reach() + 8000, operations: 4000, workload: takes},
		{walk: w, goroutines: p, fill: 1000, operations: 4000, workload: adds},
		{walk: w, goroutines: p, fill: 1000, operations: 4000, workload: piles},
	} {
		all := r.try(t, r.count(3, 1))
		// What the filling did is in the count too, which makes it an upper bound.
		retries := func(o *outcome) float64 { return o.each(o.stats.Retries) }
		if i < 2 {
			settings(f, reproduce.Printed, lockKinds[i]+" retry more than once each", all,
				func(o *outcome) bool { return retries(o) <= most.Value }, most.Why)
		}
		_, high := span(all, retries)
		parts = append(parts, fmt.Sprintf("%s %.4f", lockKinds[i], high))
	}
	timed(f, "spray.List has no locks. With 16 goroutines and GOMAXPROCS 1 to 8 compare-and-swaps that fail for each "+
		"operation, at most: %s.", strings.Join(parts, "; "))
}

// realDeleteMin has goroutines remove the first element.
func (r *runner) realDeleteMin(f *reproduce.Finding) {
	all := r.try(trial{walk: r.theory.perfect(16), exact: true, goroutines: 16, fill: 8000, operations: 4000,
		workload: takes}, r.count(3, 1))
	settings(f, reproduce.Printed, "a DeleteMin does not take the first element", all,
		func(o *outcome) bool { return o.report.Rank.Max == 0 }, "a rank error of 0 in the trace")
	_, high := span(all, func(o *outcome) float64 { return o.each(o.stats.Retries) })
	timed(f, "On spray.List, 16 goroutines and GOMAXPROCS 1 to 8, all of %d DeleteMins take the first element, with "+
		"%.4f compare-and-swaps that fail for each at most.", len(all)*all[0].report.Removals, high)
}

// realCalls counts the walks that FullSpray makes.
func (r *runner) realCalls(f *reproduce.Finding) {
	const p = 16
	w := r.theory.full(p, 1)
	all := r.try(trial{walk: w, goroutines: p, fill: 4*w.Reach() + 8000, operations: 4000, workload: takes},
		r.count(3, 1))
	walks := func(o *outcome) float64 { return o.each(o.stats.Sprays) }
	settings(f, reproduce.Corrected, "FullSprays take more than 3 calls each, or 1 % more than 16", all,
		func(o *outcome) bool { return walks(o) <= 3 && o.each(o.stats.Exact) <= 0.01 },
		"two in three fail at most, in the padding that a list happens to have")
	low, high := span(all, walks)
	timed(f, "On spray.List, 16 goroutines and GOMAXPROCS 1 to 8, FullSpray with p = 16 makes %.2f to %.2f calls.",
		low, high)
}
