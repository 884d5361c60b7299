package figure

import (
	"bytes"
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

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/httperr"
)

// A Figure is a chart in a page, with the table beside it and what can be taken away of both.
type Figure struct {
	ID      string // in addresses, and so of letters that they can have
	Caption string
	Small   bool   // one of many side by side
	Group   string // what stands above those that belong together
	Chart   plot.Chart
	Map     *Map // in place of the chart, if it is not nil

	Band string // what numbers with a band are; those of replicas if it is empty
}

// A Table is numbers that no chart shows.
type Table struct {
	Caption string
	Head    []string
	Rows    [][]string // the first cell is what the row is about
	Links   []string   // where the first cell of each row leads to; nil for nowhere
	Starts  bool       // that is something to run, as those of a map

	Note  string // what is to be said of it, in sentences
	Words bool   // cells are sentences, and are wrapped
}

// A File is something to take away.
type File struct {
	Name, About string
	Write       func(io.Writer) error
}

// maxPoints is how many points of a series a page has; a chart in a file has them all.
const maxPoints = 512

// Thin leaves out points that nobody could tell apart: of many, each second, or fourth, and so on,
// and the last.
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

// JSON is a value that can be written as JSON, with <, > and & escaped.
func JSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("page: " + err.Error())
	}
	return b
}

// A Shown is a figure as a template has it.
type Shown struct {
	Figure
	Src, Query string // its address: Src, the ending, and Query
	SVG        template.HTML
	Data       template.JS
	Lines      []shownLine
	Table      Table
	Every      int // which rows the table has: each, or each second, …
	Bands      bool
}

type shownLine struct {
	Name   string
	Swatch template.HTML
}

// The sizes of charts when nobody says how wide the window is: legible on a phone, where they are
// made narrower.
var (
	defaultSize = plot.Size{Width: 560, Height: 330, Text: 14}
	smallSize   = plot.Size{Width: 320, Height: 210, Text: 12}
)

// show prepares a figure for a template. Its files are at src, a dot and an ending, with a query if
// there is one.
func (f Figure) show(src string, query url.Values) (Shown, error) {
	if f.Map != nil {
		return f.showMap(src, query), nil
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

// shownAt is a figure without what is drawn of it.
func (f Figure) shownAt(src string, query url.Values) Shown {
	v := Shown{Figure: f, Src: src, Query: "?", Every: 1}
	if len(query) > 0 {
		v.Query += query.Encode() + "&"
	}
	return v
}

// A Group is figures that stand together, below a heading.
type Group struct {
	Heading, Note string
	Small         bool
	Figures       []Shown
}

// Show prepares figures for a template, each with its address from a function.
func Show(ctx context.Context, figures []Figure, src func(Figure) (string, url.Values)) (all []Group,
	err error) {
	for i, f := range figures {
		if err := ctx.Err(); err != nil { // nobody waits for it any more
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

// Size is about how many bytes there are in figures that are prepared.
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

// MaxRows is how many rows the table beside a chart has.
const MaxRows = 200

// table is the numbers of a figure, a column for each series: a row for each x, or, of many, for
// each second, or fourth.
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
		row[0] = format.Number(math.Round(xs[i]*1e9) / 1e9)
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

// Short is a number to be read.
func Short(x float64) string {
	if whole := math.Round(x); math.Abs(x-whole) < 1e-9*math.Abs(x) { // a mean is a little off
		x = whole
	}
	if x != math.Trunc(x) && math.Abs(x) < 1 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return format.Thousands(x)
}

// Formats are the forms that a figure can be had in.
var Formats = []string{"svg", "png", "csv", "json"}

// A Options is how a visitor wants to see a chart. It is all of an address that a picture depends on.
type Options struct {
	Width, text float64 // of a picture in the page; a width of 0 is that of a file
	log         string  // y on a logarithmic axis: "y", or "n" for one that is not; empty as the chart is
	from, to    float64 // of x; all if they are the same
	hide        []int   // series, in order, each once
}

// ParseOptions reads a wish: w, text, log=y or n, from and to, hide=0,2. Only a width that is none is an
// error; what else makes no sense is left out.
func ParseOptions(q url.Values) (Options, error) {
	var w Options
	number := func(name string, least, most float64) (float64, bool) {
		x, err := strconv.ParseFloat(q.Get(name), 64)
		return x, err == nil && x >= least && x <= most
	}
	if q.Has("w") {
		var ok bool
		if w.Width, ok = number("w", 160, 4000); !ok {
			return w, httperr.Errorf(http.StatusBadRequest, "w: %q is not a width in pixels, from 160 to 4000", q.Get("w"))
		}
		if w.text, ok = number("text", 6, 60); !ok {
			w.text = 13
		}
		w.Width, w.text = math.Round(w.Width), math.Round(10*w.text)/10
	}
	if log := q.Get("log"); log == "y" || log == "n" {
		w.log = log
	}
	from, ok := number("from", -math.MaxFloat64, math.MaxFloat64)
	if to, also := number("to", -math.MaxFloat64, math.MaxFloat64); ok && also && from < to {
		w.from, w.to = from, to
	}
	for word := range strings.SplitSeq(q.Get("hide"), ",") {
		if i, err := strconv.Atoi(word); err == nil && i >= 0 && i < maxHidden {
			w.hide = append(w.hide, i)
		}
	}
	slices.Sort(w.hide)
	w.hide = slices.Compact(w.hide)
	return w, nil
}

// maxHidden is how many series of a chart can be switched off, more than one has.
const maxHidden = 1000

// Key tells wishes apart.
func (w Options) Key() string {
	return fmt.Sprintf("%g %g %q %g %g %v", w.Width, w.text, w.log, w.from, w.to, w.hide)
}

// Encode is one of some figures in a form; an svg is for the page if the wish has a width.
func Encode(figures []Figure, id, form string, w Options) ([]byte, error) {
	for _, f := range figures {
		if f.ID != id {
			continue
		}
		if f.Map != nil {
			return f.Map.form(form, w)
		}
		switch {
		case form == "json":
			return w.visible(f).json(allDigits), nil
		case form == "csv":
			return w.visible(f).csv()
		}
		c := w.apply(f.Chart)
		switch {
		case form == "png":
			return c.PNG()
		case w.Width == 0:
			return c.SVG()
		}
		return c.Web(plot.Size{Width: w.Width, Height: max(190, min(0.58*w.Width, 460)), Text: w.text})
	}
	return nil, httperr.Errorf(http.StatusNotFound, "there is no figure %q", id)
}

// apply is a chart as it is wished for. Series that are hidden keep their colours.
func (w Options) apply(c plot.Chart) plot.Chart {
	c.LogY = w.log == "y" || c.LogY && w.log != "n"
	if w.from < w.to {
		c.Zoom = [2]float64{w.from, w.to}
	}
	if len(w.hide) > 0 {
		c.Series = slices.Clone(c.Series)
		for _, i := range w.hide {
			if i < len(c.Series) {
				s := c.Series[i]
				c.Series[i] = plot.Series{Name: s.Name, Same: s.Same, Dashed: s.Dashed}
			}
		}
	}
	return c
}

// FileName is a name that a header and every file system can have.
func FileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, s)
}

// The numbers of a figure: for the script, and as files.

// How many digits numbers have: those that a script draws with, and all.
const (
	webDigits = 9
	allDigits = -1
)

// Finite is a number as JSON has it: null stands where there is none.
func Finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// data is what the script knows of a figure, as JSON.
func (f Figure) data() []byte { return f.Thin().json(webDigits) }

// json is the name of the x axis, and for each series its columns.
func (f Figure) json(digits int) []byte {
	b := append([]byte(`{"x":`), JSON(f.Chart.XLabel)...)
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

// appendWeb writes points of a series: ,"x":[…],"y":[…] and the edges of its band, if it has
// one.
func appendWeb(b []byte, s plot.Series, from, to int) []byte {
	return appendSeries(b, s, from, to, webDigits)
}

func appendSeries(b []byte, s plot.Series, from, to, digits int) []byte {
	column := func(name string, all []float64) {
		if all == nil && name != "x" && name != "y" { // which the script relies on
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

// csv is a row for each point: tidy, as the tables of a run are.
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

// visible is a figure with the numbers that are seen of it: without hidden series, and with the
// points in the part of x that is shown. What happened in an interval stands at its end, and is
// seen if some of the interval is.
func (w Options) visible(f Figure) Figure {
	var seen []plot.Series
	for i, s := range f.Chart.Series {
		if slices.Contains(w.hide, i) {
			continue
		}
		if w.from < w.to {
			s = w.visiblePoints(s)
		}
		seen = append(seen, s)
	}
	f.Chart.Series = seen
	return f
}

func (w Options) visiblePoints(s plot.Series) plot.Series {
	var keep []int
	for k, x := range s.X {
		in := x >= w.from && x <= w.to
		if s.Steps && k > 0 {
			in = x > w.from && s.X[k-1] < w.to
		}
		if in {
			keep = append(keep, k)
		}
	}
	return s.Pick(keep)
}

// A Download is a file to take away, where it stands on a page.
type Download struct{ Name, About, Link string }

// Arrow is the name of a flow as charts of runs have it; that of a state stays as it is.
func Arrow(name string) string { return strings.ReplaceAll(name, "->", " → ") }

// MaxLines is how many lines or charts of a kind are shown: of more lines the first, of more groups
// and states the largest.
const MaxLines = 24

// WriteJSON writes JSON as the command does.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
