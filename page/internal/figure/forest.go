package figure

import (
	"encoding/json"
	"html/template"
	"math"
	"net/url"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// showForest prepares a forest plot for a template.
func (f Figure) showForest(src string, query url.Values) Shown {
	v := f.shownAt(src, query)
	v.SVG = template.HTML(f.Forest.Web(plot.Size{Width: 720, Text: 14}))
	v.Table = Table{Caption: f.Caption, Head: []string{"output", "", f.Forest.Heads[0], f.Forest.Heads[1]}}
	for _, b := range f.Forest.Blocks {
		for _, r := range b.Rows {
			v.Table.Rows = append(v.Table.Rows, []string{b.Name, r.Name, r.Texts[0], r.Texts[1]})
		}
	}
	return v
}

// encodeForest encodes a forest plot in one of the Formats.
func encodeForest(f *plot.Forest, form string, o Options) ([]byte, error) {
	switch {
	case form == "svg" && o.Width > 0:
		return f.Web(plot.Size{Width: o.Width, Text: o.text}), nil
	case form == "svg":
		return f.SVG()
	case form == "png":
		return f.PNG()
	case form == "pdf":
		return f.PDF()
	}
	type row struct {
		Output   string   `json:"output"`
		Scenario string   `json:"scenario"`
		Mean     *float64 `json:"mean_difference"`
		Low      *float64 `json:"mean_ci_low"`
		High     *float64 `json:"mean_ci_high"`
		RunsLow  *float64 `json:"runs_low"`
		RunsHigh *float64 `json:"runs_high"`
	}
	all := []row{}
	rows := [][]string{{"output", "scenario", "mean_difference", "mean_ci_low", "mean_ci_high", "runs_low", "runs_high"}}
	for _, b := range f.Blocks {
		for _, r := range b.Rows {
			cells := []string{b.Name, r.Name}
			for _, x := range []float64{r.Mean, r.Low, r.High, r.OuterLow, r.OuterHigh} {
				cell := ""
				if !math.IsNaN(x) {
					cell = format.Number(x)
				}
				cells = append(cells, cell)
			}
			rows = append(rows, cells)
			all = append(all, row{b.Name, r.Name, Finite(r.Mean), Finite(r.Low), Finite(r.High), Finite(r.OuterLow),
				Finite(r.OuterHigh)})
		}
	}
	if form == "csv" {
		return encodeCSV(rows)
	}
	return json.Marshal(all)
}
