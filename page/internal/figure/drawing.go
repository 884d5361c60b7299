package figure

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// A Drawing is a picture that is no chart, such as a network, with a row for each thing that is
// drawn.
type Drawing struct {
	Note    string
	Picture Picture
	Head    []string // of the columns
	Rows    [][]any  // numbers and texts
}

// A Picture can be had in all formats of a picture.
type Picture interface {
	Web(plot.Size) []byte
	SVG() ([]byte, error)
	PNG() ([]byte, error)
	PDF() ([]byte, error)
}

// showDrawing prepares a drawing for a template.
func (f Figure) showDrawing(src string, query url.Values) Shown {
	d := f.Drawing
	v := f.shownAt(src, query)
	v.SVG = template.HTML(d.Picture.Web(plot.Size{Width: 720, Text: 14}))
	v.Table = Table{Caption: f.Caption, Head: d.Head}
	if len(d.Rows) > MaxRows {
		v.Table.Note = fmt.Sprintf("The first %d of %s rows; all are in the CSV.", MaxRows,
			format.Thousands(float64(len(d.Rows))))
	}
	for _, row := range d.Rows[:min(MaxRows, len(d.Rows))] {
		v.Table.Rows = append(v.Table.Rows, cells(row))
	}
	return v
}

// cells are the texts of a row.
func cells(row []any) (all []string) {
	for _, cell := range row {
		if x, ok := cell.(float64); ok {
			cell = format.Number(x)
		}
		all = append(all, fmt.Sprint(cell))
	}
	return all
}

// form encodes a drawing in one of the Formats. The JSON is a list of rows, as objects.
func (d *Drawing) form(kind string, o Options) ([]byte, error) {
	switch {
	case kind == "svg" && o.Width > 0:
		return d.Picture.Web(plot.Size{Width: o.Width, Text: o.text}), nil
	case kind == "svg":
		return d.Picture.SVG()
	case kind == "png":
		return d.Picture.PNG()
	case kind == "pdf":
		return d.Picture.PDF()
	case kind == "csv":
		rows := [][]string{d.Head}
		for _, row := range d.Rows {
			rows = append(rows, cells(row))
		}
		return encodeCSV(rows)
	}
	all := []map[string]any{}
	for _, row := range d.Rows {
		one := map[string]any{}
		for i, cell := range row {
			one[d.Head[i]] = cell
		}
		all = append(all, one)
	}
	return json.Marshal(all)
}
