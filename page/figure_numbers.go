package page

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/plot"
)

// The numbers of a figure: for the script, and as files.

// How many digits numbers have: those that a script draws with, and all.
const (
	drawnDigits = 9
	allDigits   = -1
)

// finite is a number as JSON has it: null stands where there is none.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// data is what the script knows of a figure, as JSON.
func (f Figure) data() []byte { return f.thin().json(drawnDigits) }

// json is the name of the x axis, and for each series its columns.
func (f Figure) json(digits int) []byte {
	b := append([]byte(`{"x":`), asJSON(f.Chart.XLabel)...)
	b = append(b, `,"series":[`...)
	for i, s := range f.Chart.Series {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"name":`...), asJSON(s.Name)...)
		b = append(b, `,"steps":`+strconv.FormatBool(s.Steps)+`,"drawn":`+strconv.FormatBool(s.Bars > 0)...)
		b = appendExactly(b, s, 0, len(s.X), digits)
		b = append(b, '}')
	}
	return append(b, `]}`...)
}

// appendColumns writes points of a series: ,"x":[…],"y":[…] and the edges of its band, if it has one.
func appendColumns(b []byte, s plot.Series, from, to int) []byte {
	return appendExactly(b, s, from, to, drawnDigits)
}

func appendExactly(b []byte, s plot.Series, from, to, digits int) []byte {
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
	return asCSV(rows)
}

func asCSV(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// numbersOf is a figure with the numbers that are seen of it: without hidden series, and with the points in the part of x that is shown. What happened in an
// interval stands at its end, and is seen if some of the interval is.
func (w wish) numbersOf(f Figure) Figure {
	var seen []plot.Series
	for i, s := range f.Chart.Series {
		if slices.Contains(w.hide, i) {
			continue
		}
		if w.from < w.to {
			s = w.pointsOf(s)
		}
		seen = append(seen, s)
	}
	f.Chart.Series = seen
	return f
}

func (w wish) pointsOf(s plot.Series) plot.Series {
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
