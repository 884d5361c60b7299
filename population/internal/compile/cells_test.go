package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A few lines cannot ask for more cells than there is room for.
func TestTooManyCells(t *testing.T) {
	text := `
name: cells
time: {unit: day, end: 1}
population: {size: 10, start: {a: rest}}
attributes:
`
	rate := "1 per day"
	for k := range 5 {
		text += fmt.Sprintf("  x%d: {", k)
		for i := range 20 {
			text += fmt.Sprintf("v%d: 0.05, ", i)
		}
		text += "}\n"
		rate = fmt.Sprintf("{by: x%d, v0: 2 per day, other: %s}", k, rate)
	}
	text += "states: {a: {race: [{rate: " + rate + ", to: a}]}}\n"
	if _, err := compiledText(text); err == nil || !strings.Contains(err.Error(), "the tables of the model have more than 1,000,000 entries") {
		t.Error(err)
	}
}

// TestCellProduct checks that numbers of cells do not wrap where an int has 32 bits.
func TestCellProduct(t *testing.T) {
	for _, c := range [][3]int{{0, 7, 0}, {3, 7, 21}, {1 << 15, 1 << 15, mostCells}, {1 << 16, 1 << 16, mostCells}, {mostCells, 65535, mostCells}} {
		if got := cellProduct(c[0], c[1]); got != c[2] {
			t.Errorf("%d × %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
	c := &compiler{List: new(diag.List), f: new(syntax.File)}
	if c.room(10) && c.room(mostCells) || c.room(mostCells) || c.room(1) {
		t.Error("there is room for more entries than there may be")
	}
}
