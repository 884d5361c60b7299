package figure

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/url"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// A Map is a heat map whose cells are links.
type Map struct {
	plot.Heat
	Link func(i, j int) string // address of a cell, or empty; nil for a map without links
	// Starts says that a link starts a run: the script posts a form, and without script the page
	// behind the link has a button.
	Starts bool
}

// showMap prepares a map for a template.
func (f Figure) showMap(src string, query url.Values) Shown {
	m := f.Map
	v := f.shownAt(src, query)
	v.SVG = template.HTML(m.web(plot.Size{Width: 560, Height: 400, Text: 14}))
	v.Table = Table{Caption: f.Caption + ": " + m.YLabel + " down, " + m.XLabel + " across",
		Head: append([]string{""}, m.X...)}
	for j := len(m.Y) - 1; j >= 0; j-- { // the top row first
		row := []string{m.Y[j]}
		for _, z := range m.Z[j] {
			cell := "–"
			if !math.IsNaN(z) {
				cell = Short(z)
			}
			row = append(row, cell)
		}
		v.Table.Rows = append(v.Table.Rows, row)
	}
	return v
}

// web renders the map for a page, with a text for screen readers in each cell.
func (m *Map) web(size plot.Size) []byte {
	if m.Link == nil {
		return m.Web(size, nil)
	}
	return m.Web(size, func(i, j int) (string, string) {
		value := "no number"
		if z := m.Z[j][i]; !math.IsNaN(z) {
			value = Short(z)
		}
		return m.Link(i, j), fmt.Sprintf("%s %s, %s %s: %s", m.XLabel, m.X[i], m.YLabel, m.Y[j], value)
	})
}

// form encodes the map in one of the Formats.
func (m *Map) form(kind string, o Options) ([]byte, error) {
	switch {
	case kind == "svg" && o.Width > 0:
		return m.web(plot.Size{Width: o.Width, Height: min(0.72*o.Width, 520), Text: o.text}), nil
	case kind == "svg":
		return m.SVG()
	case kind == "png":
		return m.PNG()
	case kind == "pdf":
		return m.PDF()
	case kind == "csv":
		rows := [][]string{{m.XLabel, m.YLabel, m.Title}}
		for j, row := range m.Z {
			for i, z := range row {
				cell := ""
				if !math.IsNaN(z) {
					cell = format.Number(z)
				}
				rows = append(rows, []string{m.X[i], m.Y[j], cell})
			}
		}
		return encodeCSV(rows)
	}
	z := make([][]*float64, len(m.Z))
	for j, row := range m.Z {
		for _, x := range row {
			z[j] = append(z[j], Finite(x))
		}
	}
	return json.Marshal(map[string]any{"of": m.Title, "x": map[string]any{"name": m.XLabel, "values": m.X},
		"y": map[string]any{"name": m.YLabel, "values": m.Y}, "z": z})
}
