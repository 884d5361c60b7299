package law

import (
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// exactly is the distribution with all its probability at one duration, A ≥ 0:
//
//	P(X > x) = 1 for x < A, 0 otherwise
type exactly Law

// Exactly returns the law of a duration that is always x.
func Exactly(x float64) Law { return Law{family: familyExactly, a: x} }

func (l *exactly) draw(*random.Stream) float64 { return l.a }

func (l *exactly) drawBeyond(*random.Stream, float64) float64 { return l.a }

func (l *exactly) survival(x float64) float64 {
	if x < l.a {
		return 1
	}
	return 0
}

func (l *exactly) logSurvival(x float64) float64 { return detmath.Log(l.survival(x)) }

func (l *exactly) mean() float64 { return l.a }

func (l *exactly) longest() float64 { return l.a }

func (l *exactly) whyEndless() string { return "" }

func (l *exactly) sound() bool { return true }

func (l *exactly) words(u Unit) string { return "exactly " + u.Duration(l.a) }
