package compile

import (
	"testing"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

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
