package law

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// uniform has a constant density from A to b, with 0 ≤ A < b:
//
//	P(X > x) = (b−x)/(b−A) for A ≤ x ≤ b
type uniform Law

// Uniform returns the law between two bounds.
func Uniform(low, high float64) Law { return Law{family: familyUniform, a: low, b: high} }

func (l *uniform) draw(s *random.Stream) float64 { return l.a + float64((l.b-l.a)*s.Float64()) }

func (l *uniform) drawAll(streams []random.Stream, out []float64) {
	for i := range streams {
		out[i] = l.a + float64((l.b-l.a)*streams[i].Float64())
	}
}

func (l *uniform) drawBeyond(s *random.Stream, age float64) float64 {
	low := max(l.a, age)
	return low + float64((l.b-low)*s.Float64())
}

func (l *uniform) survival(x float64) float64 { return min(1, max(0, (l.b-x)/(l.b-l.a))) }

// logSurvival needs no expansion: below b, b−x is at least half a unit in the last place of b, so
// that the probability is 10⁻¹⁷ or more.
func (l *uniform) logSurvival(x float64) float64 { return detmath.Log(l.survival(x)) }

func (l *uniform) mean() float64 { return (l.a + l.b) / 2 }

func (l *uniform) longest() float64 { return l.b }

func (l *uniform) whyEndless() string { return "" }

func (l *uniform) sound() bool { return true }

func (l *uniform) words(u Unit) string {
	return fmt.Sprintf("uniform between %s and %s", u.Duration(l.a), u.Duration(l.b))
}
