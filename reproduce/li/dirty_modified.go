package li

import (
	"fmt"
	"math"
	"strings"

	"github.com/almanac-sim/almanac/reproduce"
)

func dirtyModified(r *runner) reproduce.Finding {
	runs, sizes := r.soilAll(r.theory.modified, dirtyReadings)
	return judgeDirtyModified(runs, sizes)
}

func judgeDirtyModified(runs []*dirtyRun, sizes int) reproduce.Finding {
	var f reproduce.Finding
	alone, exact, hold := runs[:sizes], runs[sizes:2*sizes], runs[2*sizes:3*sizes]
	last := alone[sizes-1]
	lowest, highest := math.Inf(1), 0.0
	for _, d := range runs[:3*sizes] {
		h := d.late(d.height).Mean
		lowest, highest = min(lowest, h), max(highest, h)
	}
	f.Measured = fmt.Sprintf("The mean height of the front falls to %.2f … %.2f of a clean list's, p = 4 … %d; by itself, with p = %d, sprays land "+
		"%.1f times as far as in a clean list after %d removals, and %.2f times as far in the hold model with every 2p-th removal exact.",
		lowest, highest, last.p, last.p, last.late(last.lands).Mean, last.removals, hold[sizes-1].late(hold[sizes-1].lands).Mean)
	for i, v := range dirtyReadings[:3] {
		judgeClean(&f, reproduce.Printed, v.name+": ", runs[i*sizes:(i+1)*sizes])
	}
	judgeClean(&f, reproduce.Control, "no spray looks at the height of what it removes: ", runs[3*sizes:])
	dirtyFigures(&f, "Modified PerfectSpray", runs, sizes, dirtyReadings)
	noteDirtyModified(&f, alone, exact, hold)
	return f
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
		"With steps from 0 on a spray makes no step at height 1 with probability 1/(log p + 1), and then removes an element that it has come "+
			"to at a greater height. So it removes tall elements more often than others, and those that remain are low. Before "+
			"the first tall element that is left there is a growing run of low ones, which sprays pass over: from the head "+
			"they step to the tall one, unless they make no step at any height above.",
		"By itself it does not settle, but for p = 4. Sprays leave elements behind, which practically none comes "+
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
		"Heights need not be restored. One step at least at height 1, as in PerfectSpray itself and in the walk that spray.List "+
			"takes by default, or "+
			"removing the element after the one at which the walk ends, leaves lists exactly clean.")
}
