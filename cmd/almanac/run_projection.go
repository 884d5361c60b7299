package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// writeProjection writes what would be reported, with the data over it, if the run goes on with
// runs of a fit. Without it, the run stands.
func (f *runFlags) writeProjection(c *cobra.Command, dir string, s *study.Study) error {
	if s.Posterior == nil || s.Posterior.Past == nil {
		return nil
	}
	p, err := s.Posterior.Project(c.Context(), s.Plain, s.Seed, s.Replica, s.Replicas)
	if err != nil {
		if c.Context().Err() == nil {
			tell(c, "there is no picture of the projection: "+err.Error())
		}
		return nil
	}
	panels := projectionCharts(p, s.Plain)
	var picture interface{ Save(path string) error } = panels
	if len(panels.Charts) == 1 {
		c := panels.Charts[0]
		c.YLabel, c.Title, c.Note = c.Title, panels.Title, panels.Note
		picture = c
	}
	return errors.Join(outdir.WriteFile(dir, "projection.csv", p.WriteCSV), plot.SaveBoth(dir, "projection", picture))
}

// projectionCharts draw the bands up to the last data point and after it, and the data as dots.
func projectionCharts(p *study.Projection, m *population.Model) plot.Panels {
	ps := plot.Panels{Title: m.Name(), Common: true, Note: fmt.Sprintf("reports in %s that the fit accepted, and what "+
		"follows; line: median; bands: middle 50 and 90 %%", format.Count(p.Runs, "run"))}
	for _, column := range p.Columns {
		part := func(name string, from, to int) []plot.Series {
			of := func(share int) (y []float64) {
				for _, q := range column.Quantiles[from:to] {
					y = append(y, q[share])
				}
				return y
			}
			x := p.Times[from:to]
			return []plot.Series{{Name: name, X: x, Y: of(2), Low: of(0), High: of(4), Unmarked: true},
				{X: x, Y: of(2), Low: of(1), High: of(3), Unmarked: true, Same: true}}
		}
		chart := plot.Chart{Title: column.Name, FromZero: true, Headroom: true}
		pictures.SetTime(&chart, m)
		if p.Last > 0 { // a band needs a width
			chart.Series = append(chart.Series, part("up to the last data point", 0, p.Last+1)...)
		}
		if p.Last < len(p.Times)-1 {
			chart.Series = append(chart.Series, part("projected", p.Last, len(p.Times))...)
		}
		data := plot.Series{Name: "data", Points: true}
		for row, y := range column.Data {
			if !math.IsNaN(y) {
				data.Add(p.Times[row], y)
			}
		}
		chart.Series = append(chart.Series, data)
		ps.Charts = append(ps.Charts, chart)
	}
	return ps
}
