package compile

import (
	"testing"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// TestCellProductOverflows checks that numbers of cells do not overflow where an int has 32 bits.
func TestCellProductOverflows(t *testing.T) {
	for _, c := range [][3]int{
		{0, 7, 0}, {3, 7, 21}, {1 << 15, 1 << 15, maxCells}, {1 << 16, 1 << 16, maxCells}, {maxCells, 65535, maxCells},
	} {
		if got := cellProduct(c[0], c[1]); got != c[2] {
			t.Errorf("%d × %d is %d, want %d", c[0], c[1], got, c[2])
		}
	}
	c := &compiler{List: new(diag.List), file: new(syntax.File)}
	if c.reserveEntries(10) && c.reserveEntries(maxCells) || c.reserveEntries(maxCells) || c.reserveEntries(1) {
		t.Error("there is room for more entries than there may be")
	}
}
