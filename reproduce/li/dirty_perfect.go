package li

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

func dirtyPerfect(e effort) reproduce.Claim {
	const name = "spray-dirty-perfect"
	return reproduce.Claim{
		Name: name, Paper: paper, Place: "section 3.2", Found: reproduce.DoesNotHold,
		Says: "Even after any number of sprays, the structure of the skip list is distributed as the structure of a clean skip " +
			"list; here for PerfectSpray, which section 7.1 expects to do as well as BasicSpray.",
		How: "As in spray-dirty, for PerfectSpray: by itself; with every 2p-th removal that of the first element, so that none " +
			"is passed over for ever; and so that the element after the one at which the walk ends is removed, with which the " +
			"argument of spray-dirty holds. The criterion for drift: the mean height of the front is more than 5 standard " +
			"errors and more than 5 % below that of a clean list. For one without end: where sprays land goes on to grow, by " +
			"20 % or more from the second quarter of the time to the second half.",
		Run: func(ctx context.Context, o reproduce.Options) (reproduce.Finding, error) {
			sizes, replicas := powers(2, 64), e.count(reproduce.Options{}, 24, 10)
			removals := e.count(reproduce.Options{}, 60_000, 15_000)
			if o.Full {
				sizes, replicas, removals = powers(2, 512), 40, 1_000_000
			}
			var runs []*dirtyRun
			total := 0
			for _, v := range dirtyVariants {
				for _, p := range sizes {
					w := e.theory.perfect(p)
					if v.exact {
						w.Exact = 2 * p
					}
					// Short fronts vary more, and take less time.
					n := replicas * max(1, 32/p)
					runs = append(runs, newDirtyRun(p, w, v.next, v.kept, n, max(16*w.Reach(), min(removals, 1024*w.Reach()))))
					total += n
				}
			}
			r := newRunner(ctx, o, name, total)
			for i, d := range runs {
				if err := r.soil(d, i); err != nil {
					return reproduce.Finding{}, err
				}
			}
			return judgeDirtyPerfect(runs, len(sizes)), nil
		},
	}
}

// dirtyVariants are ways to remove elements by PerfectSpray.
var dirtyVariants = []struct {
	name, short string
	exact, next bool
	kept        int
}{
	{"PerfectSpray", "PerfectSpray", false, false, 0},
	{"every 2p-th removal exact", "exact", true, false, 0},
	{"every 2p-th exact, hold model", "exact, hold", true, false, dirtyKept},
	{"next element", "next", false, true, 0},
	{"next element, every 2p-th exact", "next, exact", true, true, 0},
	{"next element, every 2p-th exact, hold model", "next, exact, hold", true, true, dirtyKept},
}

func judgeDirtyPerfect(runs []*dirtyRun, sizes int) reproduce.Finding {
	var f reproduce.Finding
	var clean []*dirtyRun
	chart := plot.Chart{Title: "Where sprays land as a list is used up", XLabel: "removals over the reach",
		YLabel: "mean over that of a clean list", LogX: true, FromZero: true, LegendBeside: true}
	heights := plot.Chart{Title: "Mean height of the front, late", XLabel: "p", YLabel: "over that of a clean list", LogX: true,
		FromZero: true, LegendBeside: true}
	for i, v := range dirtyVariants {
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
		if v.next {
			clean = append(clean, own...)
			continue
		}
		judgeDrift(&f, v.name, own[1:]) // with p = 2 a walk has no height but 1 to look at
	}
	chart.Title += fmt.Sprintf(", p = %d", runs[sizes-1].p)
	alone, exact, hold := runs[:sizes], runs[sizes:2*sizes], runs[2*sizes:3*sizes]
	judgeEndless(&f, alone)
	judgeClean(&f, "next element, ", clean)
	noteDirtyPerfect(&f, alone, exact, hold)
	f.Chart("course", chart)
	f.Chart("heights", heights)
	return f
}

// judgeDrift checks that the heights of the front fall.
func judgeDrift(f *reproduce.Finding, name string, runs []*dirtyRun) {
	highest, unclear, near := 0.0, 0, 0
	for _, d := range runs {
		h, lands := d.late(d.height), d.late(d.lands)
		highest = max(highest, h.Mean)
		unclear += reproduce.Above(h.Mean+dirtySigmas*h.SE, 1)
		near += reproduce.Above(1.1, lands.Mean-dirtySigmas*lands.SE)
	}
	f.Between(name+": mean height of the front over that of a clean list, p ≥ 4, at most", highest, 0.5, 0.95, 1e-9,
		"the claim fails: it is more than 5 % lower for every p; height 1 for all would be 0.5")
	f.Check(fmt.Sprintf("%s: of %d p ≥ 4 those for which it is not lower by 5 standard errors", name, len(runs)),
		float64(unclear), 0, 0,
		"the claim fails: for no p is this by chance")
	f.Check(fmt.Sprintf("%s: of %d p ≥ 4 those for which sprays do not land more than 10 %% and 5 standard errors further than "+
		"in a clean list", name, len(runs)),
		float64(near), 0, 0, "the claim fails: sprays go further")
}

// judgeEndless checks that PerfectSpray by itself drifts on.
func judgeEndless(f *reproduce.Finding, runs []*dirtyRun) {
	slowest := math.Inf(1)
	for _, d := range runs {
		if d.p >= 8 && d.p <= 64 { // with more it takes longer to show
			slowest = min(slowest, d.growth())
		}
	}
	f.Between("PerfectSpray: growth of the mean of where sprays land from the second quarter of the time to the second half, p "+
		"= 8 … 64, at least", slowest, 1.2, 2.2, 0,
		"the claim fails: it does not settle; it would be 1 if it did, and tends to 1.92 if the growth is steady")
}

func noteDirtyPerfect(f *reproduce.Finding, alone, exact, hold []*dirtyRun) {
	list := func(runs []*dirtyRun, what func(d *dirtyRun) float64, format string) string {
		var all []string
		for _, d := range runs[1:] {
			all = append(all, fmt.Sprintf("p = %d: "+format, d.p, what(d)))
		}
		return strings.Join(all, ", ")
	}
	lands := func(d *dirtyRun) float64 { return d.late(d.lands).Mean }
	f.Notes = append(f.Notes,
		"PerfectSpray makes no step at height 1 with probability 1/(log p + 1), and then removes an element that it has come "+
			"to at a greater height. So it removes tall elements more often than others, and those that remain are low. Before "+
			"the first tall element that is left there is a growing run of low ones, which sprays pass over: from the head "+
			"they step to the tall one, unless they make no step at any height above.",
		"PerfectSpray by itself does not settle, but for p = 4. Sprays leave elements behind, which practically none comes "+
			"back to, of each hundred removals: "+
			list(alone, func(d *dirtyRun) float64 { return 100 * max(0, d.behind()) }, "%.2f")+".",
		"If every 2p-th removal is that of the first element, it takes away of these, of each hundred removals: "+
			list(exact, func(d *dirtyRun) float64 { return 100 / float64(d.walk.Exact) }, "%.2g")+". Where that is more than "+
			"what is left behind the drift settles, and where it is less it goes on, more slowly. Where sprays land, over "+
			"a clean list, in the second half of the time: "+list(exact, lands, "%.2f")+". Its growth from the second "+
			"quarter of the time to the second half, which is 1 if it has settled: "+list(exact, (*dirtyRun).growth,
			"%.2f")+".",
		"In the hold model, where elements with new heights come in at the front too, it settles. Where sprays land, over a "+
			"clean list, with eight times as many elements as are within reach: "+
			list(hold, lands, "%.2f")+". The longer the list, the more it is.",
		"Heights need not be restored. If the element after the one at which the walk ends is removed, no spray looks at the "+
			"height of what it removes, and lists stay exactly clean (spray-dirty): the checks find nothing. It costs one "+
			"step, and a walk that ends at the head needs no rule of its own. One step at least at height 1 does the same.",
		"With p = 2 PerfectSpray walks at height 1 alone, and heights do not matter.")
}
