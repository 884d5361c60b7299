package sim

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// table lays out rows of cells in columns, the first aligned to the left and the others to the right.
func table(rows [][]string) string {
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

// short is a number with up to six digits, and a dash for what is not known.
func short(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// percent is a share with as many digits as it needs.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 6, 64) + " %" }
