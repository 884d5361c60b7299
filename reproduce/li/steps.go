package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
	"github.com/almanac-sim/almanac/spray"
)

func stepCounts(r *runner) reproduce.Finding {
	r.Runs(23)
	var points []*stepPoint
	for l := 2; l <= 24; l++ {
		c := &stepPoint{l: l, walks: []spray.Walk{r.theory.perfect(1 << l), r.theory.basic(1<<l, 1)}, counts: make([][]float64, 2)}
		rng := r.Stream(uint64(l))
		for i, w := range c.walks {
			heights := w.Heights
			for range r.count(2000, 0) {
				r.Checkpoint()
				steps := 0
				for _, h := range heights {
					steps += drawSteps(w, h, &rng)
				}
				c.counts[i] = append(c.counts[i], float64(steps))
			}
		}
		points = append(points, c)
		r.Ran()
	}
	return judgeSteps(points)
}

// A stepPoint is how many steps PerfectSpray and BasicSpray make.
type stepPoint struct {
	l      int // log p
	walks  []spray.Walk
	counts [][]float64
}

func judgeSteps(points []*stepPoint) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "steps of a spray", Columns: []string{"log p", "PerfectSpray, mean", "at most", "over log²p",
		"BasicSpray, mean", "at most", "over log³p",
		"heights", "⌈log p/log log p⌉ + 1"}}
	series := []plot.Series{{Name: "PerfectSpray, at most"}, {Name: "log²p"}, {Name: "BasicSpray, at most"}, {Name: "BasicSpray, " +
		"mean"}, {Name: "log³p"}, {Name: "log⁴p"}}
	perfect, basic, corrected, off := 0.0, 0.0, 0.0, 0.0
	for _, c := range points {
		L := float64(c.l)
		levels := math.Ceil(L/math.Log2(L)) + 1
		var longest [2]float64
		var means [2]reproduce.Estimate
		for i, w := range c.walks {
			heights := float64(len(w.Heights))
			longest[i] = heights * float64(w.Most)
			means[i] = reproduce.Mean(c.counts[i])
			off = max(off, means[i].Off(heights*float64(w.Least+w.Most)/2, 0))
		}
		perfect, basic = max(perfect, longest[0]/(L*L)), max(basic, longest[1]/(L*L*L))
		corrected = max(corrected, longest[1]/(L*L*L*levels))
		table.Rows = append(table.Rows, []float64{L, means[0].Mean, longest[0], longest[0] / (L * L), means[1].Mean, longest[1],
			longest[1] / (L * L * L),
			float64(len(c.walks[1].Heights)), levels})
		for i, y := range []float64{longest[0], L * L, longest[1], means[1].Mean, L * L * L, L * L * L * L} {
			series[i].Add(L, y)
		}
	}
	c := points[7] // p = 512
	f.Measured = fmt.Sprintf("For p = %d PerfectSpray makes %.0f steps on average and log²p = %d at most; BasicSpray with f = 1 "+
		"makes %.0f and %d at most, which is %.0f times "+
		"log³p, one for each height.", 1<<c.l, reproduce.Mean(c.counts[0]).Mean, len(c.walks[0].Heights)*c.walks[0].Most,
		reproduce.Mean(c.counts[1]).Mean,
		len(c.walks[1].Heights)*c.walks[1].Most, table.Rows[7][6])
	f.Between("PerfectSpray: steps at most over log²p, largest of all p", perfect, 0, 1, 0, "counted")
	f.Between("BasicSpray: steps at most over f·log³p, largest of all p", basic, 0, 1, 0, "counted")
	f.For(reproduce.Corrected).Between("BasicSpray: steps at most over f·log³p·(⌈log p/log log p⌉ + 1), largest of all p", corrected,
		0, 1, 0, "counted")
	f.For(reproduce.Control).Check("mean steps of sprays that are drawn off that of their law, in standard errors, at most", off, 0,
		reproduce.Sigmas, "4.5 standard errors")
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes, "Polylogarithmic it is, as the report needs: about f·log⁴p/log log p for BasicSpray. f·log³p is what "+
		"one of its heights takes.",
		"For few processes that is no small number: a search in a list of a million elements makes 20 steps.")
	f.Chart("steps", plot.Chart{Title: "Steps of a spray", XLabel: "log p", YLabel: "steps", LogX: true, LogY: true,
		LegendBeside: true, Series: series})
	return f
}
