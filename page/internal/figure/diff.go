package figure

import (
	"fmt"
	"strings"

	"github.com/almanac-sim/almanac/internal/plot"
)

// SameSeries reports whether figures have the same series, so that a Diff can refer to them by
// number.
func SameSeries(a, b []Figure) bool { return seriesNames(a) == seriesNames(b) }

func seriesNames(figures []Figure) string {
	var b strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&b, "%q:", f.ID)
		for _, s := range f.Chart.Series {
			fmt.Fprintf(&b, "%q,", s.Name)
		}
	}
	return b.String()
}

// Equal reports whether figures look the same. Maps, forest plots and drawings are never equal.
func Equal(a, b []Figure) bool {
	if !SameSeries(a, b) {
		return false
	}
	for i, f := range b {
		if f.Map != nil || a[i].Map != nil || f.Forest != nil || a[i].Forest != nil || f.Drawing != nil ||
			a[i].Drawing != nil || a[i].Caption != f.Caption || a[i].Chart.Note != f.Chart.Note {
			return false
		}
		for k, s := range f.Chart.Series {
			was := a[i].Chart.Series[k]
			if from, to := changedRange(was, s); from < to || len(was.X) != len(s.X) {
				return false
			}
		}
	}
	return true
}

// Diff encodes the points that have changed as JSON: for each changed series the first changed
// point, the new ones, and the number of points. Without figures before, it encodes everything.
func Diff(before, now []Figure) []byte {
	b := []byte{'['}
	for i, f := range now {
		var old Figure
		if before != nil {
			old = before[i]
		}
		part := []byte{}
		for k, s := range f.Chart.Series {
			var was plot.Series
			if before != nil {
				was = old.Chart.Series[k]
			}
			from, to := changedRange(was, s)
			if before != nil && from == to && len(was.X) == len(s.X) {
				continue
			}
			if len(part) > 0 {
				part = append(part, ',')
			}
			part = fmt.Appendf(part, `{"i":%d,"from":%d,"n":%d`, k, from, len(s.X))
			part = appendWeb(part, s, from, to)
			part = append(part, '}')
		}
		if before != nil && len(part) == 0 && f.Chart.Note == old.Chart.Note {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"id":%s,"note":%s,"series":[`, JSON(f.ID), JSON(f.Chart.Note))
		b = append(append(b, part...), ']', '}')
	}
	return append(b, ']')
}

// changedRange returns the range of points that differ.
func changedRange(was, now plot.Series) (from, to int) {
	if (was.Low == nil) != (now.Low == nil) {
		return 0, len(now.X)
	}
	same := func(i int) bool {
		return i < len(was.X) && was.X[i] == now.X[i] && was.Y[i] == now.Y[i] &&
			(now.Low == nil || was.Low[i] == now.Low[i] && was.High[i] == now.High[i])
	}
	for from < len(now.X) && same(from) {
		from++
	}
	for to = len(now.X); to > from && same(to-1); to-- {
	}
	return from, to
}
