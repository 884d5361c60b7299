package li

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

func redraw(r *runner) reproduce.Finding {
	sizes, replicas := []int{16, 64}, r.count(16, 16)
	if r.scale < 1 {
		sizes = sizes[:1]
	}
	var points []*redrawPoint
	for _, p := range sizes {
		for kind := range redrawKinds {
			points = append(points, newRedrawPoint(r.effort, p, kind))
		}
	}
	r.Runs(len(points) * replicas)
	for i, c := range points {
		for k := range replicas {
			r.redraws(c, i, k)
			r.Ran()
		}
	}
	return judgeRedraw(points, len(redrawKinds))
}

// redrawKinds are how often a list is cleaned, and how much of it, in eighths of the reach.
var redrawKinds = []struct{ every, front int }{{0, 0}, {8 * dirtyKept, 8 * dirtyKept}, {8, 8 * dirtyKept}, {8, 16},
	{2, 16}, {1, 16}}

const (
	redrawNever = 0
	redrawAll   = 1 // one new height for each removal
	redrawFront = 5
)

// A redrawPoint is lists that are cleaned now and then.
type redrawPoint struct {
	p, kind      int
	every, front int // removals between cleanings, and elements that get new heights
	run          *dirtyRun

	// over those of a clean list, in each replica: before cleanings, and the mean height after them
	height, lands, after []float64
}

// redrawRounds is how many times n elements are removed.
const redrawRounds = 8

func newRedrawPoint(e effort, p, kind int) *redrawPoint {
	w := e.theory.modified(p)
	w.Exact = 2 * p
	k, reach := redrawKinds[kind], w.Reach()
	return &redrawPoint{p: p, kind: kind, every: k.every * reach / 8, front: k.front * reach / 8,
		run: newDirtyRun(p, w, false, dirtyKept, 1, redrawRounds*dirtyKept*reach)}
}

func (r *runner) redraws(c *redrawPoint, stream, k int) {
	own := r.Stream(uint64(stream), uint64(k), 1)
	s := newDirtyList(c.run, r.Stream(uint64(stream), uint64(k), 0), &own)
	every := c.every
	if every == 0 {
		every = dirtyKept * c.run.walk.Reach()
	}
	// The first half is passed over, so that what is not cleaned is as dirty as it gets. Of what is
	// cleaned often not every time is looked at.
	from, times := c.run.removals/2, 0.0
	height, lands, after := 0.0, 0.0, 0.0
	look := from
	for n := every; n <= c.run.removals; n += every {
		s.until(r, n)
		looks := n >= look
		if looks {
			h, _, l := s.compare()
			height, lands, times = height+h, lands+l, times+1
			look = n + c.run.removals/32
		}
		if c.every > 0 {
			s.chain.redraw(c.front)
		}
		if looks {
			h, _, _ := s.compare()
			after += h
		}
	}
	c.height, c.lands, c.after = append(c.height, height/times), append(c.lands, lands/times), append(c.after,
		after/times)
}

func judgeRedraw(points []*redrawPoint, kinds int) reproduce.Finding {
	var f reproduce.Finding
	chart := plot.Chart{Title: "Modified PerfectSpray: where sprays land before a cleaning",
		XLabel: "new heights for each removal",
		YLabel: "mean over that of a clean list", LogX: true, FromZero: true,
		LegendBeside: true}
	drift, clean := map[int]float64{}, 0.0
	for at := 0; at < len(points); at += kinds {
		own := points[at : at+kinds]
		p := own[0].p
		table := reproduce.Table{Name: fmt.Sprintf("cleaned now and then, p = %d", p), Columns: []string{"removals " +
			"between " +
			"cleanings", "elements that are cleaned", "new heights for each removal", "lists",
			"mean height before over clean", "standard error", "mean height after",
			"mean of where sprays land before, over clean", "standard error"}}
		all, front := plot.Series{Name: fmt.Sprintf("all, p = %d", p)}, plot.Series{Name: fmt.Sprintf("the front, p = "+
			"%d", p)}
		for kind, c := range own {
			height, lands, after := reproduce.Mean(c.height), reproduce.Mean(c.lands), reproduce.Mean(c.after)
			cost := 0.0
			if c.every > 0 {
				cost = float64(c.front) / float64(c.every)
				clean = max(clean, normal(after.Off(1, 0), len(c.after)))
				if c.front == own[redrawAll].front {
					all.Add(cost, lands.Mean)
				} else {
					front.Add(cost, lands.Mean)
				}
			}
			drift[kind] = max(drift[kind], lands.Mean-reproduce.Sigmas*lands.SE)
			table.Rows = append(table.Rows, []float64{float64(c.every), float64(c.front), cost, float64(len(c.lands)),
				height.Mean,
				height.SE, after.Mean, lands.Mean, lands.SE})
		}
		f.Tables = append(f.Tables, table)
		chart.Series = append(chart.Series, all, front)
		land := func(kind int) float64 { return reproduce.Mean(own[kind].lands).Mean }
		f.Measured = fmt.Sprintf("With p = %d sprays land %.2f times as far as in a clean list if it is never cleaned, "+
			"%.2f if all "+
			"of it is every n removals, which is one new height for each, %.2f every r (8 for each), and "+
			"%.2f if the first 2r elements are every r/8 (16 for each).", p, land(redrawNever), land(redrawAll), land(2),
			land(redrawFront))
	}
	clear := reproduce.Chosen("spray: clean")
	f.For(reproduce.Own).AtLeast("where sprays land before a cleaning of all every n removals over a clean list, less "+
		"4.5 standard errors, largest", drift[redrawAll], clear)
	f.For(reproduce.Own).AtMost("where sprays land before a cleaning of the front every r/8 removals over a clean list, "+
		"less 4.5 standard errors, largest", drift[redrawFront], clear)
	f.For(reproduce.Control).Check("mean height after a cleaning off that of a clean list, in standard errors, at most",
		clean, 0,
		reproduce.Sigmas, "4.5 standard errors of independent lists")
	f.Chart("cost", chart)
	return f
}
