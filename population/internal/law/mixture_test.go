package law

import (
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// TestPartWithoutShareIsDrawn has parts with share 0, first and last, that would be +Inf.
func TestPartWithoutShareIsDrawn(t *testing.T) {
	s := random.New(2031)
	l := Mixture([]float64{0, 1, 0}, []Law{Exponential(0), Exactly(2), Hazard([]float64{0}, []float64{0})})
	for range 1000 {
		if x := l.Draw(&s); x != 2 {
			t.Fatalf("a draw of %v from a part without a share", x)
		}
		if x := l.DrawBeyond(&s, 1); x != 2 {
			t.Fatalf("a draw of %v from a part without a share", x)
		}
	}
	if m := l.Mean(); m != 2 {
		t.Errorf("mean %v, want 2", m)
	}
	if x := l.Longest(); x != 2 {
		t.Errorf("longest %v, want 2", x)
	}
}
