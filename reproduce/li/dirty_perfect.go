package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

func dirtyPerfect(r *runner) reproduce.Finding {
	runs, sizes := r.soilAll(r.theory.perfect, dirtyReadings[:3])
	return judgeDirtyPerfect(runs, sizes)
}

// A dirtyVariant is a way to remove elements.
type dirtyVariant struct {
	name, short        string
	exact, next, final bool
	kept               int
}

// dirtyReadings are the ways in which PerfectSpray, modified or not, removes elements. The last two are such that no spray
// looks at the height of what it removes.
var dirtyReadings = []dirtyVariant{
	{name: "by itself", short: "by itself"},
	{name: "every 2p-th removal exact", short: "exact", exact: true},
	{name: "every 2p-th exact, hold model", short: "exact, hold", exact: true, kept: dirtyKept},
	{name: "next element, every 2p-th exact", short: "next, exact", exact: true, next: true},
	{name: "one step at least at height 1, every 2p-th exact, hold model", short: "one step, exact, hold", exact: true, final: true,
		kept: dirtyKept},
}

// soilAll removes elements in several ways from lists for several p, and returns the runs by variant, and how many p there are.
func (r *runner) soilAll(walk func(int) spray.Walk, variants []dirtyVariant) ([]*dirtyRun, int) {
	sizes, replicas, removals := powers(4, 64), r.count(24, 10), r.count(40_000, 5_000)
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
		XLabel: "removals over the reach", YLabel: "mean over that of a clean list", LogX: true, FromZero: true, LegendBeside: true}
	heights := plot.Chart{Title: title + ": mean height of the front, late", XLabel: "p", YLabel: "over that of a clean list", LogX: true,
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

func judgeDirtyPerfect(runs []*dirtyRun, sizes int) reproduce.Finding {
	var f reproduce.Finding
	most, far := 0.0, 0.0
	for _, d := range runs {
		most, far = max(most, math.Abs(d.late(d.height).Mean-1)), max(far, math.Abs(d.late(d.lands).Mean-1))
	}
	f.Measured = fmt.Sprintf("After up to %d removals by PerfectSpray with 1 … log p steps, p = 4 … %d, the mean height of the front is within "+
		"%.1f %% of a clean list's and where sprays land within %.1f %%, which is chance: within 5 standard errors for every p.",
		runs[sizes-1].removals, runs[sizes-1].p, 100*most, 100*far)
	judgeClean(&f, reproduce.Printed, "", runs)
	dirtyFigures(&f, "PerfectSpray", runs, sizes, dirtyReadings[:3])
	f.Notes = append(f.Notes,
		"A spray that makes a step at height 1 last does not look at the height of what it removes, so that the heights of the others remain "+
			"independent (spray-dirty). That PerfectSpray wears its list down is so only for the modified one, with 0 … log p steps, of which the "+
			"proof of Theorem 5.1 speaks (spray-dirty-modified).",
		"Section 7.1, which expects PerfectSpray to do as well as BasicSpray, speaks of clean lists only (spray-perfect-conjecture).")
	return f
}
