package compile

import (
	"fmt"
	"strings"
	"testing"
)

// TestTooManyCellsAccepted checks that a few lines cannot ask for more cells than the tables may
// have.
func TestTooManyCellsAccepted(t *testing.T) {
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
	const want = "the tables of the model have more than 1,000,000 entries"
	if _, err := compileText(text); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
