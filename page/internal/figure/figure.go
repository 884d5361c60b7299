// Package figure prepares charts for pages and files.
//
//	figure.go  a chart with its table; encoding as SVG, PNG, CSV and JSON
//	map.go     heat maps whose cells are links
//	forest.go  forest plots
//	drawing.go pictures that are no charts
//	pages.go   long lists of charts, page by page
//	diff.go    what has changed since the last event
package figure

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/httperr"
)

// A Figure is a chart in a page, with its table and downloads.
type Figure struct {
	ID      string // part of addresses
	Caption string
	Small   bool   // one of many, side by side
	Group   string // heading of adjacent figures
	Chart   plot.Chart
	Map     *Map         // shown instead of Chart, if not nil
	Forest  *plot.Forest // the same
	Drawing *Drawing     // the same

	Band string // what a band is; by default the quantiles of the replicas

	// Per returns the chart with numbers per so many individuals: the same lines in the same order.
	// It is nil if there is none.
	Per func(individuals float64) plot.Chart
}

// A Table holds numbers that no chart shows.
type Table struct {
	Caption string
	Head    []string
	Rows    [][]string // the first cell is the row's heading
	Links   []string   // of the first cells; nil for none
	Starts  bool       // links start a run, as in a Map

	Note  string // sentences above the table
	Words bool   // cells are sentences, and wrap
}

// A File is a download.
type File struct {
	Name, About string
	Write       func(io.Writer) error
}

// maxPoints is the number of points of a series in a page. Files have all points.
const maxPoints = 512

// Thin keeps every 2ᵏ-th point of long series, and the last point.
func (f Figure) Thin() Figure {
	series := make([]plot.Series, len(f.Chart.Series))
	for i, s := range f.Chart.Series {
		step := 1
		for len(s.X)/step > maxPoints {
			step *= 2
		}
		if step > 1 {
			var some []int
			for k := 0; k < len(s.X); k += step {
				some = append(some, k)
			}
			if last := len(s.X) - 1; last%step != 0 {
				some = append(some, last)
			}
			s = s.Pick(some)
		}
		series[i] = s
	}
	f.Chart.Series = series
	return f
}

// JSON encodes a value, with <, > and & escaped.
func JSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("page: " + err.Error())
	}
	return b
}

// A Shown is a figure prepared for a template.
type Shown struct {
	Figure
	Src, Query string // the address of a file is Src, an extension and Query
	SVG        template.HTML
	Data       template.JS
	Lines      []shownLine
	Table      Table
	Every      int // the table has every n-th row
	Bands      bool
}

type shownLine struct {
	Name   string
	Swatch template.HTML
}

// Default sizes of charts, for browsers without script. They are legible on a phone.
var (
	defaultSize = plot.Size{Width: 560, Height: 330, Text: 14}
	smallSize   = plot.Size{Width: 320, Height: 210, Text: 12}
)

// show prepares a figure whose files are at src with an extension and query.
func (f Figure) show(src string, query url.Values) (Shown, error) {
	if f.Map != nil {
		return f.showMap(src, query), nil
	}
	if f.Forest != nil {
		return f.showForest(src, query), nil
	}
	if f.Drawing != nil {
		return f.showDrawing(src, query), nil
	}
	size := defaultSize
	if f.Small {
		size = smallSize
	}
	svg, err := f.Chart.Web(size)
	if err != nil {
		return Shown{}, err
	}
	v := f.shownAt(src, query)
	v.SVG, v.Data = template.HTML(svg), template.JS(f.data())
	for i, swatch := range f.Chart.Swatches() {
		v.Lines = append(v.Lines, shownLine{f.Chart.Series[i].Name, template.HTML(swatch)})
		v.Bands = v.Bands || f.Chart.Series[i].Low != nil
	}
	v.Table, v.Every = f.table()
	return v, nil
}

// shownAt returns a Shown without drawing and table.
func (f Figure) shownAt(src string, query url.Values) Shown {
	v := Shown{Figure: f, Src: src, Query: "?", Every: 1}
	if len(query) > 0 {
		v.Query += query.Encode() + "&"
	}
	return v
}

// A Group is a heading and its figures.
type Group struct {
	Heading, Note string
	Small         bool
	Figures       []Shown
}

// Show prepares figures; src returns their addresses.
func Show(ctx context.Context, figures []Figure, src func(Figure) (string, url.Values)) (all []Group,
	err error) {
	for i, f := range figures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at, query := src(f)
		v, err := f.show(at, query)
		if err != nil {
			return nil, err
		}
		if i == 0 || f.Group != figures[i-1].Group || f.Small != figures[i-1].Small {
			all = append(all, Group{Heading: f.Group, Small: f.Small})
			if f.Small {
				all[len(all)-1].Note = f.Chart.Note
			}
		}
		last := &all[len(all)-1]
		last.Figures = append(last.Figures, v)
	}
	return all, nil
}

// Size estimates the bytes of prepared figures.
func Size(all []Group) (n int) {
	for _, g := range all {
		for _, f := range g.Figures {
			n += 1<<10 + len(f.SVG) + len(f.Data)
			for _, row := range f.Table.Rows {
				n += 32 * len(row)
			}
		}
	}
	return n
}

// MaxRows is the number of rows of the table beside a chart.
const MaxRows = 200

// table has a row for each x, or every 2ᵏ-th x, and a column for each series.
func (f Figure) table() (t Table, every int) {
	t = Table{Caption: f.Caption, Head: []string{f.Chart.XLabel}}
	var xs []float64
	for _, s := range f.Chart.Series {
		t.Head = append(t.Head, s.Name)
		xs = append(xs, s.X...)
	}
	slices.Sort(xs)
	xs = slices.Compact(slices.DeleteFunc(xs, math.IsNaN))
	every = 1
	for len(xs)/every > MaxRows {
		every *= 2
	}
	for i := 0; i < len(xs); i += every {
		row := make([]string, len(t.Head))
		row[0] = f.when(xs[i])
		t.Rows = append(t.Rows, row)
	}
	for k, s := range f.Chart.Series {
		for j, x := range s.X {
			i, there := slices.BinarySearch(xs, x)
			if !there || i%every != 0 || math.IsNaN(s.Y[j]) {
				continue
			}
			cell := Short(s.Y[j])
			if s.Low != nil {
				cell += " (" + Short(s.Low[j]) + "–" + Short(s.High[j]) + ")"
			}
			t.Rows[i/every][k+1] = cell
		}
	}
	return t, every
}

// when formats an x: a date, with the time of the day if it is not midnight, or a number.
func (f Figure) when(x float64) string {
	if f.Chart.Dates == nil {
		return format.Number(math.Round(x*1e9) / 1e9)
	}
	at := f.Chart.Dates.At(x)
	if at.Unix()%86400 == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02 15:04")
}

// Short formats a number for reading.
func Short(x float64) string {
	if whole := math.Round(x); math.Abs(x-whole) < 1e-9*math.Abs(x) { // rounding of a mean
		x = whole
	}
	if x != math.Trunc(x) && math.Abs(x) < 1 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return format.Thousands(x)
}

// Formats are the file formats of a figure.
var Formats = []string{"svg", "pdf", "png", "csv", "json"}

// Options say how to render a chart. They are all that a rendering depends on, besides the data.
type Options struct {
	Width, text float64 // of a chart in the page; a width of 0 means a file
	log         string  // "y": logarithmic y axis; "n": linear; empty: the chart's own
	from, to    float64 // range of x; all if equal
	hide        []int   // series, sorted and unique
	per         bool    // numbers per 100,000 individuals
	title       string  // of a file; the chart's own if empty
}

// Individuals is the number that the page gives shares of.
const Individuals = 100_000

// maxTitle is the length of a title in bytes.
const maxTitle = 300

// ParseOptions reads w, text, log, from, to, hide, per and title. A bad width is an error; other
// bad values are ignored.
func ParseOptions(q url.Values) (Options, error) {
	var o Options
	number := func(name string, least, most float64) (float64, bool) {
		x, err := strconv.ParseFloat(q.Get(name), 64)
		return x, err == nil && x >= least && x <= most
	}
	if q.Has("w") {
		var ok bool
		if o.Width, ok = number("w", 160, 4000); !ok {
			return o, httperr.Errorf(http.StatusBadRequest, "w: %q is not a width in pixels, from 160 to 4000", q.Get("w"))
		}
		if o.text, ok = number("text", 6, 60); !ok {
			o.text = 13
		}
		o.Width, o.text = math.Round(o.Width), math.Round(10*o.text)/10
	}
	if log := q.Get("log"); log == "y" || log == "n" {
		o.log = log
	}
	o.per = q.Get("per") == "y"
	if title := strings.TrimSpace(q.Get("title")); len(title) <= maxTitle && utf8.ValidString(title) {
		o.title = title
	}
	from, ok := number("from", -math.MaxFloat64, math.MaxFloat64)
	if to, also := number("to", -math.MaxFloat64, math.MaxFloat64); ok && also && from < to {
		o.from, o.to = from, to
	}
	for word := range strings.SplitSeq(q.Get("hide"), ",") {
		if i, err := strconv.Atoi(word); err == nil && i >= 0 && i < maxHidden {
			o.hide = append(o.hide, i)
		}
	}
	slices.Sort(o.hide)
	o.hide = slices.Compact(o.hide)
	return o, nil
}

// maxHidden is more than the number of series of any chart.
const maxHidden = 1000

// Key identifies equal options.
func (o Options) Key() string {
	return fmt.Sprintf("%g %g %q %g %g %v %t %q", o.Width, o.text, o.log, o.from, o.to, o.hide, o.per, o.title)
}

// Encode returns the figure with an ID in one of the Formats. An SVG is for the page if the options
// have a width.
func Encode(figures []Figure, id, form string, o Options) ([]byte, error) {
	for _, f := range figures {
		if f.ID != id {
			continue
		}
		if f.Map != nil {
			return f.Map.form(form, o)
		}
		if f.Forest != nil {
			return encodeForest(f.Forest, form, o)
		}
		if f.Drawing != nil {
			return f.Drawing.form(form, o)
		}
		if o.per && f.Per != nil {
			f.Chart = f.Per(Individuals)
		}
		switch {
		case form == "json":
			return o.visible(f).json(allDigits), nil
		case form == "csv":
			return o.visible(f).csv()
		}
		c := o.apply(f.Chart)
		switch {
		case form == "png":
			return c.PNG()
		case form == "pdf":
			return c.PDF()
		case o.Width == 0:
			return c.SVG()
		}
		return c.Web(plot.Size{Width: o.Width, Height: max(190, min(0.58*o.Width, 460)), Text: o.text})
	}
	return nil, httperr.NotFound("there is no figure %q", id)
}

// apply returns the chart with the options set. Hidden series keep their colours.
func (o Options) apply(c plot.Chart) plot.Chart {
	c.LogY = o.log == "y" || c.LogY && o.log != "n"
	c.Title = cmp.Or(o.title, c.Title)
	if o.from < o.to {
		c.Zoom = [2]float64{o.from, o.to}
	}
	if len(o.hide) > 0 {
		c.Series = slices.Clone(c.Series)
		for _, i := range o.hide {
			if i < len(c.Series) {
				s := c.Series[i]
				c.Series[i] = plot.Series{Name: s.Name, Same: s.Same, Dashed: s.Dashed}
			}
		}
	}
	return c
}

// FileName replaces characters that are not safe in headers and file systems.
func FileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, s)
}

// Significant digits: in pages, and in files.
const (
	webDigits = 9
	allDigits = -1
)

// Finite returns nil, which is null in JSON, for NaN and infinities.
func Finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// data is the figure for the script, as JSON.
func (f Figure) data() []byte { return f.Thin().json(webDigits) }

// json encodes the label of the x axis and the columns of each series.
func (f Figure) json(digits int) []byte {
	b := append([]byte(`{"x":`), JSON(f.Chart.XLabel)...)
	if d := f.Chart.Dates; d != nil { // seconds since 1970 of 0, and in a unit
		b = fmt.Appendf(b, `,"zero":%d,"unit":%g`, d.Zero.Unix(), d.Unit)
	}
	b = append(b, `,"series":[`...)
	for i, s := range f.Chart.Series {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"name":`...), JSON(s.Name)...)
		b = append(b, `,"steps":`+strconv.FormatBool(s.Steps)+`,"drawn":`+strconv.FormatBool(s.Bars > 0)...)
		b = appendSeries(b, s, 0, len(s.X), digits)
		b = append(b, '}')
	}
	return append(b, `]}`...)
}

// appendWeb appends the points of a series as ,"x":[…],"y":[…] and the edges of its band.
func appendWeb(b []byte, s plot.Series, from, to int) []byte {
	return appendSeries(b, s, from, to, webDigits)
}

func appendSeries(b []byte, s plot.Series, from, to, digits int) []byte {
	column := func(name string, all []float64) {
		if all == nil && name != "x" && name != "y" { // the script needs x and y
			return
		}
		b = append(b, `,"`+name+`":[`...)
		for i, x := range all[from:to] {
			if i > 0 {
				b = append(b, ',')
			}
			switch {
			case math.IsNaN(x) || math.IsInf(x, 0):
				b = append(b, "null"...)
			case x == math.Trunc(x) && math.Abs(x) < 1e15:
				b = strconv.AppendInt(b, int64(x), 10)
			default:
				b = strconv.AppendFloat(b, x, 'g', digits, 64)
			}
		}
		b = append(b, ']')
	}
	column("x", s.X)
	column("y", s.Y)
	column("lo", s.Low)
	column("hi", s.High)
	return b
}

// csv has a row for each point, as the tables of runs.
func (f Figure) csv() ([]byte, error) {
	rows := [][]string{{"series", "x", "y", "low", "high"}}
	for _, s := range f.Chart.Series {
		for i := range s.X {
			row := []string{s.Name, format.Number(s.X[i]), format.Number(s.Y[i]), "", ""}
			if s.Low != nil {
				row[3], row[4] = format.Number(s.Low[i]), format.Number(s.High[i])
			}
			rows = append(rows, row)
		}
	}
	return encodeCSV(rows)
}

func encodeCSV(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// visible keeps what the options show: the series that are not hidden and the points in the range
// of x. A step belongs to the interval that ends at its x, and is kept if part of the interval is
// visible.
func (o Options) visible(f Figure) Figure {
	var seen []plot.Series
	for i, s := range f.Chart.Series {
		if slices.Contains(o.hide, i) {
			continue
		}
		if o.from < o.to {
			s = o.visiblePoints(s)
		}
		seen = append(seen, s)
	}
	f.Chart.Series = seen
	return f
}

func (o Options) visiblePoints(s plot.Series) plot.Series {
	var keep []int
	for k, x := range s.X {
		in := x >= o.from && x <= o.to
		if s.Steps && k > 0 {
			in = x > o.from && s.X[k-1] < o.to
		}
		if in {
			keep = append(keep, k)
		}
	}
	return s.Pick(keep)
}

// A Download is a link to a file.
type Download struct{ Name, About, Link string }

// Arrow returns the name of a flow as charts show it; names of states are unchanged.
func Arrow(name string) string { return strings.ReplaceAll(name, "->", " → ") }

// MaxLines is the number of lines of a chart, and of charts of a kind.
const MaxLines = 24

// WriteJSON writes indented JSON, as the command does.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
