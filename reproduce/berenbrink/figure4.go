package berenbrink

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// figure4 is the pool over the capacity and over the rate, and the line that the authors saw it stay below.
func figure4(r *runner) reproduce.Finding {
	return judgeFigure4(r.effort, r.panels([]int{2, 10}, func(int) float64 { return 20 }))
}

func judgeFigure4(e effort, g *panels) reproduce.Finding {
	var f reproduce.Finding
	names, lines := g.lines()
	table := reproduce.Table{Name: "pool per bin", Columns: []string{"c", "i of λ = 1−2⁻ⁱ", "measured", "SE", "limit of many bins",
		"dashed line", "bound of the theorem", "relaxation time", "rounds"}}
	most, near, count := 0.0, "", 0
	for k, line := range lines {
		above, off := 0.0, 0.0
		for _, p := range line {
			pool := p.pool()
			n, lambda := float64(p.n), halved(p.i)
			dashed := e.theory.poolEstimate(p.n, p.c, lambda) / n
			above = max(above, pool.Mean/dashed)
			if count++; pool.Mean/dashed > most {
				most, near = pool.Mean/dashed, fmt.Sprintf("c = %d, λ = %s", p.c, halvedName(p.i))
			}
			off = max(off, pool.Off(p.limit.Pool, restOf(p.limit, p.n)))
			table.Rows = append(table.Rows, []float64{float64(p.c), float64(p.i), pool.Mean, pool.SE, p.limit.Pool, dashed,
				e.theory.poolBound(p.n, p.c, lambda) / n, p.Relaxation, float64(p.Rounds)})
		}
		f.Between("pool over the dashed line, at most, "+names[k], above, 0, 1, 0,
			"the paper has every point below the line; standard errors are under a hundredth of what is between")
		f.For(reproduce.Control).Check("pool off the limit, in standard errors, at most, "+names[k], off, 0, reproduce.Sigmas, becauseLimit)
	}
	f.Measured = fmt.Sprintf("All %d points are below the line: the pool is at most %.2f of it, at %s.", count, most, near)
	f.Tables = append(f.Tables, table)
	noteFigure4(&f, g)
	g.draw(&f, "Figure 4, %s: pool", "pool per bin", e.figure4Series)
	f.Chart("limit", figure4Limit(g))
	return f
}

func noteFigure4(f *reproduce.Finding, g *panels) {
	i := g.rates[len(g.rates)-1]
	top := g.left(i)
	one, two, five := top[0].pool().Mean, top[1].pool().Mean, top[4].pool().Mean
	thrown := func(p point) float64 { return p.Thrown.Mean / float64(p.n) }
	f.Notes = append(f.Notes,
		"For c = 1 the limit of many bins is exactly ln(1/(1−λ)) − λ, so that the dashed line is 1+λ above it, whatever λ is; it is "+
			"less than 2 above it for larger c as well.",
		fmt.Sprintf("Section I-B has the balls in the pool “decrease by a factor of essentially c”. At λ = %s there are %.2f a bin "+
			"with c = 1, %.2f with c = 2 and %.2f with c = 5: a factor of %.2f and of %.2f. What decreases by about c is the balls "+
			"thrown in a round, which are λn more than the pool: %.2f, %.2f and %.2f a bin.",
			halvedName(i), one, two, five, one/two, one/five, thrown(top[0]), thrown(top[1]), thrown(top[4])),
		"These are stationary values. For what the authors' simulator reads after 2000 rounds, see capped-burn-in.")
}

// figure4Series are the lines of a rate or of a capacity. The limit is not drawn: it would be hidden.
func (e effort) figure4Series(line []point, name string, x func(point) int) []plot.Series {
	measured, dashed := plot.Series{Name: name + ", measured"}, plot.Series{Name: name + ", paper's line", Same: true, Dashed: true}
	for _, p := range line {
		dashed.Add(float64(x(p)), e.theory.poolEstimate(p.n, p.c, halved(p.i))/float64(p.n))
		measured.Add(float64(x(p)), p.pool().Mean)
	}
	return []plot.Series{measured, dashed}
}

// figure4Limit is how far the right panel is from the limit, with what is allowed around it.
func figure4Limit(g *panels) plot.Chart {
	chart := plot.Chart{Title: "Figure 4, right: pool measured less that of the limit", XLabel: "i, of λ = 1−2⁻ⁱ",
		YLabel: "thousandths of a ball per bin", LegendBeside: true}
	for _, c := range panelRight {
		s := plot.Series{Name: fmt.Sprintf("c = %d", c)}
		for _, p := range g.right(c) {
			pool := p.pool()
			off, allowed := 1000*(pool.Mean-p.limit.Pool), 1000*(reproduce.Sigmas*pool.SE+restOf(p.limit, p.n))
			s.Add(float64(p.i), off)
			s.Low, s.High = append(s.Low, off-allowed), append(s.High, off+allowed)
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}
