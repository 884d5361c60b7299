package law

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// TestLifeTableOff compares a life table with results by hand: rate 0.5 up to age 1, 0 up to age 5,
// and 0.25 from then on.
func TestLifeTableOff(t *testing.T) {
	for x, want := range map[float64]float64{
		0:   1,
		0.5: math.Exp(-0.25),
		1:   math.Exp(-0.5),
		3:   math.Exp(-0.5),
		5:   math.Exp(-0.5),
		9:   math.Exp(-1.5),
		21:  math.Exp(-4.5),
	} {
		if p := lifeTable.Survival(x); math.Abs(p-want) > 1e-15 {
			t.Errorf("survival of %v is %v, want %v", x, p, want)
		}
	}
	for h, want := range map[float64]float64{0.25: 0.5, 0.49: 0.98, 0.75: 6, 1.5: 9} {
		if x := (*hazard)(&lifeTable).inverse(h); math.Abs(x-want) > 1e-15 {
			t.Errorf("the cumulative hazard is %v at %v, want %v", h, x, want)
		}
	}
	for x, want := range map[float64]int{0: 0, 0.99: 0, 1: 1, 4.99: 1, 5: 2, 100: 2} {
		if i := lifeTable.byAge.Find(x); i != want {
			t.Errorf("%v is in step %d, want %d", x, i, want)
		}
	}
}

// TestTableWithoutEndEnds has a table whose last rate is 0: a known share of the durations is
// endless.
func TestTableWithoutEndEnds(t *testing.T) {
	l := Hazard([]float64{0, 2}, []float64{0.5, 0})
	if m := l.Mean(); m != inf {
		t.Errorf("mean %v of an endless duration", m)
	}
	s := random.New(2030)
	endless, beyond := 0, 0
	for range draws {
		if x := l.Draw(&s); x == inf {
			endless++
		} else if x > 2 {
			t.Fatalf("a draw of %v", x)
		}
		if l.DrawBeyond(&s, 1) == inf {
			beyond++
		}
	}
	checkShare(t, "endless", endless, draws, math.Exp(-1))
	checkShare(t, "endless beyond 1", beyond, draws, math.Exp(-0.5))
	if x := l.DrawBeyond(&s, 3); x != inf {
		t.Errorf("beyond the last step it draws %v", x)
	}
}
