// Package text lays out tables and numbers for reports and messages.
package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Table lays out rows of cells in columns, the first aligned to the left and the others to the
// right.
func Table(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString(cell + space)
			} else {
				line.WriteString("  " + space + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// Short returns a number with up to six digits, and a dash for NaN.
func Short(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// Percent returns a share as a percentage, with as many digits as it needs.
func Percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 6, 64) + " %" }

// Quoted returns a list of names for a message.
func Quoted(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q", name))
	}
	return strings.Join(all, ", ")
}
