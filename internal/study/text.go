package study

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/almanac-sim/almanac/internal/format"
)

// A textTable has columns as wide as their cells, aligned right; the first is aligned left.
type textTable struct{ rows [][]string }

func (t *textTable) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *textTable) print(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.rows {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				b.WriteString("   " + pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// Short formats a number with four digits, or all before the decimal point, with commas.
func Short(x float64) string {
	a := math.Abs(x)
	if !(a >= 1000 && a < 1e15) {
		return strings.Replace(strconv.FormatFloat(x, 'g', 4, 64), "e+", "e", 1)
	}
	return format.Thousands(math.RoundToEven(x))
}
