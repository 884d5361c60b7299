package pictures

import (
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/population"
)

// Outcomes has a chart for each of at most most outcomes of a model: what has accrued since the
// start.
func Outcomes(r *population.Result, most int) plot.Panels {
	panels := plot.Panels{Title: title(r), Note: "accrued since the start; " + linesAndBands(r)}
	for i, name := range r.Model.Outcomes() {
		if i == most {
			break
		}
		c := plot.Chart{Title: name, FromZero: true, Series: []plot.Series{overReplicas(r, r.Outcome(i))}}
		c.Series[0].Name = name
		SetTime(&c, r.Model)
		panels.Charts = append(panels.Charts, c)
	}
	return panels
}
