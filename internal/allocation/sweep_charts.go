package allocation

import (
	"fmt"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// Charts are the charts of a sweep: what was measured with a band of two standard errors, and what
// theory says.
func (r *Swept) Charts() (pool, waits plot.Chart) {
	label := "capacity"
	if r.Sweep == Rate {
		label = "1/(1−λ)"
	}
	title := fmt.Sprintf("%s, %s", r.Subject(), format.Count(r.Config.Bins, "bin"))
	pool = plot.Chart{Title: title, XLabel: label, YLabel: "pool per bin", LogX: r.Sweep == Rate, FromZero: true,
		Headroom: true, LegendBeside: true}
	waits = plot.Chart{Title: title, XLabel: label, YLabel: "wait, in rounds", LogX: r.Sweep == Rate, FromZero: true,
		Headroom: true, LegendBeside: true}
	var xs []float64
	for i := range r.Points {
		xs = append(xs, r.x(r.Values[i].Value))
	}
	measured := func(name string, of func(*Measured) Mean) plot.Series {
		s := plot.Series{Name: name, X: xs}
		for _, p := range r.Points {
			m := of(p.Measured)
			off := 0.0
			if m.Error != nil {
				off = 2 * *m.Error
			}
			s.Y, s.Low, s.High = append(s.Y, m.Mean), append(s.Low, m.Mean-off), append(s.High, m.Mean+off)
		}
		return s
	}
	pool.Series = append(pool.Series, measured("measured", func(m *Measured) Mean { return m.Pool }))
	waits.Series = append(waits.Series,
		measured("longest in a round", func(m *Measured) Mean { return m.Longest }),
		measured("mean", func(m *Measured) Mean { return m.Wait }))
	curve := r.theory()
	pool.Series = append(pool.Series,
		curve("limit", func(t sweepTheory) *float64 { return t.limit.Pool }),
		curve("estimate", func(t sweepTheory) *float64 { return t.estimate.Pool }))
	waits.Series = append(waits.Series,
		curve("longest, limit", func(t sweepTheory) *float64 { return t.limit.Longest }),
		curve("mean, limit", func(t sweepTheory) *float64 { return t.limit.Wait }),
		curve("longest, estimate", func(t sweepTheory) *float64 { return t.estimate.Longest }))
	return pool, waits
}

// x is where a value stands on the axis.
func (r *Swept) x(value float64) float64 {
	if r.Sweep == Rate {
		return 1 / (1 - value)
	}
	return value
}

// sweepTheory is what theory says somewhere on the axis.
type sweepTheory struct {
	x               float64
	limit, estimate Theory
}

// theory returns how to draw a curve of it, through the points and, where that makes it rounder,
// between them.
func (r *Swept) theory() func(name string, of func(sweepTheory) *float64) plot.Series {
	var all []sweepTheory
	for i, p := range r.Points {
		all = append(all, sweepTheory{r.x(r.Values[i].Value), orNone(p.Limit), orNone(p.Estimate)})
		if r.Sweep == Capacity || r.Config.Kind != capped.Capped || i+1 == len(r.Points) {
			continue
		}
		from, to := all[len(all)-1].x, r.x(r.Points[i+1].Rate)
		const between = 10
		for k := 1; k < between; k++ {
			c := r.Config
			x := from * detmath.Pow(to/from, float64(k)/between)
			if c.Rate = 1 - 1/x; c.Rate > 0 && c.Rate < 1 {
				limit, _, estimate := theoryOf(c, capped.NewLimit(c.Capacity, c.Rate), 1)
				all = append(all, sweepTheory{x, orNone(limit), orNone(estimate)})
			}
		}
	}
	return func(name string, of func(sweepTheory) *float64) plot.Series {
		s := plot.Series{Dashed: true}
		for _, t := range all {
			if y := of(t); y != nil {
				s.X, s.Y = append(s.X, t.x), append(s.Y, *y)
			}
		}
		if len(s.X) > 0 {
			s.Name = name
		}
		return s
	}
}
