package law

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/random"
)

// gompertz is the lifetime of Gompertz and Makeham. Its hazard at age x is c + a·exp(b·x), with
// rate a, growth b and Makeham's constant c:
//
//	P(X > x) = exp(−H(x)), H(x) = c·x + a/b·(exp(b·x) − 1)
//
// The part that grows is drawn by inverting its integral. The constant part is an exponential clock
// beside it, and the lifetime is the lesser of the two, so that no equation has to be solved
// numerically.
//
// With b below 0 the hazard falls. Unless c is above 0, a share exp(a/b) of the durations is then
// endless.
type gompertz Law

// Gompertz returns the law with the given rate at age 0, growth per unit of time, and Makeham's
// constant. Without growth it is exponential.
func Gompertz(rate, growth, makeham float64) Law {
	if growth == 0 {
		return Exponential(rate + makeham)
	}
	return Law{family: familyGompertz, a: rate, b: growth, c: makeham}
}

func (l *gompertz) draw(s *random.Stream) float64 { return l.residual(s, 0) }

func (l *gompertz) drawBeyond(s *random.Stream, age float64) float64 { return age + l.residual(s, age) }

// residual draws what is left of a duration at an age. From that age on the hazard is of the same
// kind, with rate a·exp(b·age).
func (l *gompertz) residual(s *random.Stream, age float64) float64 {
	left := detmath.Log1p(l.b/l.a*detmath.Exp(-l.b*age)*s.Exp()) / l.b
	if math.IsNaN(left) { // b < 0, and the whole integral of the hazard is below the exponential number
		left = math.Inf(1)
	}
	if l.c > 0 {
		left = min(left, s.Exp()/l.c)
	}
	return left
}

// cumulative returns H(x), the integral of the hazard up to x.
func (l *gompertz) cumulative(x float64) float64 {
	x = max(x, 0)
	return float64(l.c*x) + float64(l.a/l.b*detmath.Expm1(l.b*x))
}

func (l *gompertz) survival(x float64) float64 { return detmath.Exp(-l.cumulative(x)) }

func (l *gompertz) logSurvival(x float64) float64 { return -l.cumulative(x) }

// mean integrates the survival function up to an end beyond which less than 10⁻¹⁶ of it is left, by
// the Gauss–Legendre rule with 16 nodes on each of 64 panels.
func (l *gompertz) mean() float64 {
	if l.whyEndless() != "" {
		return math.Inf(1)
	}
	const enough = 37 // exp(−37) is 8.5·10⁻¹⁷
	end := 1.0
	for l.cumulative(end) > enough && end > 0 {
		end /= 2
	}
	for l.cumulative(end) < enough && !math.IsInf(end, 1) {
		end *= 2
	}
	const panels = 64
	sum, half := 0.0, end/panels/2
	for i := range panels {
		middle := float64(float64(2*i+1) * half)
		for _, n := range legendre {
			off := float64(n.at * half)
			sum += float64(n.weight * (l.survival(middle-off) + l.survival(middle+off)))
		}
	}
	return sum * half
}

// legendre has the positive nodes of the Gauss–Legendre rule with 16 nodes on [−1, 1], and their
// weights: Abramowitz and Stegun, Handbook of Mathematical Functions, table 25.4, n = 16.
var legendre = [...]struct{ at, weight float64 }{
	{0.09501250983763744, 0.18945061045506850},
	{0.28160355077925891, 0.18260341504492359},
	{0.45801677765722739, 0.16915651939500254},
	{0.61787624440264375, 0.14959598881657673},
	{0.75540440835500303, 0.12462897125553387},
	{0.86563120238783174, 0.09515851168249278},
	{0.94457502307323258, 0.06225352393864789},
	{0.98940093499164993, 0.02715245941175409},
}

func (l *gompertz) longest() float64 { return math.Inf(1) }

func (l *gompertz) whyEndless() string {
	if l.b < 0 && l.c == 0 {
		return "a hazard whose growth is negative may have no end"
	}
	return ""
}

// sound reports whether the parameters, and the quotient b/a that a draw multiplies with, are so
// far from the ends of float64 that draws are numbers: a draw takes up to some hundred times as
// much.
func (l *gompertz) sound() bool {
	const far = 1e300
	within := func(x float64) bool { return x > 1/far && x < far }
	return within(l.a) && within(math.Abs(l.b)) && within(math.Abs(l.b/l.a)) && (l.c == 0 || within(l.c))
}

func (l *gompertz) words(u Unit) string {
	words := fmt.Sprintf("Gompertz with rate %s and growth %s", u.Rate(l.a), u.Rate(l.b))
	if l.c > 0 {
		words += " and " + u.Rate(l.c) + " at all ages"
	}
	return words + ", mean " + u.Duration(l.mean())
}
