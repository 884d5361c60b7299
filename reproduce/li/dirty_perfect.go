package li

import (
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

func dirtyPerfect(r *runner) reproduce.Finding {
	runs, sizes := r.soilAll(r.theory.perfect, dirtyReadings[:3])
	var f reproduce.Finding
	most, far := 0.0, 0.0
	for _, d := range runs {
		most, far = max(most, math.Abs(d.late(d.height).Mean-1)), max(far, math.Abs(d.late(d.lands).Mean-1))
	}
	f.Measured = fmt.Sprintf("After up to %d removals by PerfectSpray with 1 … log p steps, p = 4 … %d, the mean "+
		"height of the front is within "+
		"%.1f %% of a clean list's and where sprays land within %.1f %%, which is chance: within 5 standard errors for "+
		"every p.",
		runs[sizes-1].removals, runs[sizes-1].p, 100*most, 100*far)
	judgeClean(&f, reproduce.Printed, "", runs)
	dirtyFigures(&f, "PerfectSpray", runs, sizes, dirtyReadings[:3])
	r.realClean(&f, reproduce.Printed, "PerfectSpray, p = 64,", r.theory.perfect(64), false)
	return f
}

// A dirtyVariant is a way to remove elements.
type dirtyVariant struct {
	name, short        string
	exact, next, final bool
	kept               int
}

// dirtyReadings are the ways in which PerfectSpray, modified or not, removes elements. The last two
// are such that no spray looks at the height of what it removes.
var dirtyReadings = []dirtyVariant{
	{name: "by itself", short: "by itself"},
	{name: "every 2p-th removal exact", short: "exact", exact: true},
	{name: "every 2p-th exact, hold model", short: "exact, hold", exact: true, kept: dirtyKept},
	{name: "next element, every 2p-th exact", short: "next, exact", exact: true, next: true},
	{name: "one step at least at height 1, every 2p-th exact, hold model", short: "one step, exact, hold", exact: true,
		final: true,
		kept:  dirtyKept},
}

// soilAll removes elements in several ways from lists for several p, and returns the runs by
// variant, and how many p there are.
func (r *runner) soilAll(walk func(int) spray.Walk, variants []dirtyVariant) ([]*dirtyRun, int) {
	sizes, replicas, removals := powers(4, 64), r.count(20, 10), r.count(20_000, 5_000)
	if r.Options.Full {
		sizes, replicas, removals = powers(4, 512), 40, 1_000_000
	} else if r.scale < 1 {
		sizes = powers(4, 32)
	}
	var runs []*dirtyRun
	total := 0
	for _, v := range variants {
		for _, p := range sizes {
			w := walk(p)
			if v.exact {
				w.Exact = 2 * p
			}
			if v.final {
				w.Final = 1
			}
			// Short fronts vary more, and take less time.
			n := replicas * max(1, 16/p)
			runs = append(runs, newDirtyRun(p, w, v.next, v.kept, n, max(16*w.Reach(), min(removals, 1024*w.Reach()))))
			total += n
		}
	}
	r.Runs(total)
	for i, d := range runs {
		r.soil(d, i)
	}
	return runs, len(sizes)
}

// dirtyFigures adds the tables and the charts of runs.
func dirtyFigures(f *reproduce.Finding, title string, runs []*dirtyRun, sizes int, variants []dirtyVariant) {
	chart := plot.Chart{Title: fmt.Sprintf("%s: where sprays land as a list is used up, p = %d", title, runs[sizes-1].p),
		XLabel: "removals over the reach", YLabel: "mean over that of a clean list", LogX: true, FromZero: true,
		LegendBeside: true}
	heights := plot.Chart{Title: title + ": mean height of the front, late", XLabel: "p",
		YLabel: "over that of a clean list", LogX: true,
		FromZero: true, LegendBeside: true}
	for i, v := range variants {
		own := runs[i*sizes : (i+1)*sizes]
		table := reproduce.Table{Name: v.name, Columns: dirtyColumns()}
		height := plot.Series{Name: v.short}
		for _, d := range own {
			table.Rows = append(table.Rows, d.row())
			height.Add(float64(d.p), d.late(d.height).Mean)
		}
		f.Tables = append(f.Tables, table)
		heights.Series = append(heights.Series, height)
		chart.Series = append(chart.Series, own[len(own)-1].course(v.short))
	}
	f.Chart("course", chart)
	f.Chart("heights", heights)
}

func dirtyModified(r *runner) reproduce.Finding {
	runs, sizes := r.soilAll(r.theory.modified, dirtyReadings)
	var f reproduce.Finding
	alone, exact, hold := runs[:sizes], runs[sizes:2*sizes], runs[2*sizes:3*sizes]
	last := alone[sizes-1]
	lowest, highest := math.Inf(1), 0.0
	for _, d := range runs[:3*sizes] {
		h := d.late(d.height).Mean
		lowest, highest = min(lowest, h), max(highest, h)
	}
	f.Measured = fmt.Sprintf("The mean height of the front falls to %.2f … %.2f of a clean list's, p = 4 … %d; by "+
		"itself, with p = %d, sprays land "+
		"%.1f times as far as in a clean list after %d removals, and %.2f times as far in the hold model with every 2p-th "+
		"removal exact.",
		lowest, highest, last.p, last.p, last.late(last.lands).Mean, last.removals,
		hold[sizes-1].late(hold[sizes-1].lands).Mean)
	for i, v := range dirtyReadings[:3] {
		judgeWorn(&f, v.name+", ", runs[(i+1)*sizes-1])
	}
	judgeClean(&f, reproduce.Control, "no spray looks at the height of what it removes: ", runs[3*sizes:])
	dirtyFigures(&f, "Modified PerfectSpray", runs, sizes, dirtyReadings)
	noteDirtyModified(&f, alone, exact, hold)
	worn := r.theory.modified(64)
	worn.Exact = 128
	r.realClean(&f, reproduce.Own, "the modified PerfectSpray, p = 64,", worn, true)
	return f
}

// judgeWorn checks, as a statement of ours, that lists are worn down: elements of the front are
// lower and fewer of them tall, and sprays land farther. With fewer processes it is less, and in
// the tables.
func judgeWorn(f *reproduce.Finding, what string, d *dirtyRun) {
	beyond := func(what [][]float64, sign float64) float64 {
		e := d.late(what)
		return math.Copysign(normal(deviations(e, 1), d.replicas), sign*(e.Mean-1))
	}
	own, because := f.For(reproduce.Own), "more than chance: 4.5 standard errors of independent lists, made normal by "+
		"Student's law"
	what = fmt.Sprintf("%sp = %d: ", what, d.p)
	own.Between(what+"mean height of the front below 2, in standard errors", beyond(d.height, -1), reproduce.Sigmas,
		1e9, 0,
		because)
	own.Between(what+"elements of height log p fewer than in a clean list, in standard errors", beyond(d.tall, -1),
		reproduce.Sigmas, 1e9, 0, because)
	own.Between(what+"mean of where sprays land beyond that of a clean list, in standard errors", beyond(d.lands, 1),
		reproduce.Sigmas, 1e9, 0, because)
}

func noteDirtyModified(f *reproduce.Finding, alone, exact, hold []*dirtyRun) {
	list := func(runs []*dirtyRun, what func(d *dirtyRun) float64, format string) string {
		var all []string
		for _, d := range runs {
			all = append(all, fmt.Sprintf("p = %d: "+format, d.p, what(d)))
		}
		return strings.Join(all, ", ")
	}
	lands := func(d *dirtyRun) float64 { return d.late(d.lands).Mean }
	f.Notes = append(f.Notes,
		"With steps from 0 on a spray makes no step at height 1 with probability 1/(log p + 1), and then removes an "+
			"element that it has come "+
			"to at a greater height. So it removes tall elements more often than others, and those that remain are low. "+
			"Before "+
			"the first tall element that is left there is a growing run of low ones, which sprays pass over: from the head "+
			"they step to the tall one, unless they make no step at any height above.",
		"By itself it does not settle, but for p = 4. Sprays leave elements behind, which practically none comes "+
			"back to, of each hundred removals: "+
			list(alone, func(d *dirtyRun) float64 { return 100 * max(0, d.behind()) }, "%.2f")+".",
		"If every 2p-th removal is that of the first element, it takes away of these, of each hundred removals: "+
			list(exact, func(d *dirtyRun) float64 { return 100 / float64(d.walk.Exact) }, "%.2g")+". Where that is more "+
			"than "+
			"what is left behind the drift settles, and where it is less it goes on, more slowly. Where sprays land, over "+
			"a clean list, in the second half of the time: "+list(exact, lands, "%.2f")+". Its growth from the second "+
			"quarter of the time to the second half, which is 1 if it has settled: "+list(exact, (*dirtyRun).growth,
			"%.2f")+".",
		"In the hold model, where elements with new heights come in at the front too, it settles. Where sprays land, "+
			"over a "+
			"clean list, with eight times as many elements as are within reach: "+
			list(hold, lands, "%.2f")+". The longer the list, the more it is.",
		"Heights need not be restored. One step at least at height 1, as in PerfectSpray itself and in the walk that "+
			"spray.List "+
			"takes by default, or "+
			"removing the element after the one at which the walk ends, leaves lists exactly clean.")
}
