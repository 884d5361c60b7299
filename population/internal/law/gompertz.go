package law

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/internal/random"
)

// Lifetimes of Gompertz and Makeham: the hazard at age x is c + a·exp(bx). The part that grows is drawn by inversion of its
// integral, a/b·(exp(bx) − 1), and the one that does not is an exponential clock beside it: the lifetime is the lesser of the two, and
// nothing has to be solved. With b below 0 the hazard falls, and unless c is above 0 a share exp(a/b) lives for ever.

// Gompertz has rate a at age 0, growing by b per unit of time, and c at all ages. Without growth it is exponential.
func Gompertz(rate, growth, makeham float64) Law {
	if growth == 0 {
		return Exponential(rate + makeham)
	}
	return Law{Family: lawGompertz, A: rate, b: growth, c: makeham}
}

// gompertzLeft draws what is left at an age.
func (l *Law) gompertzLeft(s *random.Stream, age float64) float64 {
	// From an age on the hazard is again one of the kind, with the rate that it has reached.
	left := portable.Log1p(l.b/l.A*portable.Exp(-l.b*age)*s.Exp()) / l.b
	if math.IsNaN(left) { // the logarithm of less than nothing: all that the hazard adds up to is not enough
		left = math.Inf(1)
	}
	if l.c > 0 {
		left = min(left, s.Exp()/l.c)
	}
	return left
}

// gompertzHazard is the integral of the hazard up to x.
func (l *Law) gompertzHazard(x float64) float64 {
	x = max(x, 0)
	return float64(l.c*x) + float64(l.A/l.b*portable.Expm1(l.b*x))
}

// gompertzMean is the integral of the survival function up to where less than 10⁻¹⁶ of all are left.
func (l *Law) gompertzMean() float64 {
	if l.Endless() {
		return math.Inf(1)
	}
	const enough = 37
	end := 1.0
	for l.gompertzHazard(end) > enough && end > 0 {
		end /= 2
	}
	for l.gompertzHazard(end) < enough && !math.IsInf(end, 1) {
		end *= 2
	}
	const panels = 64
	sum, half := 0.0, end/panels/2
	for i := range panels {
		middle := float64(float64(2*i+1) * half)
		for _, n := range legendre {
			off := float64(n.at * half)
			sum += float64(n.weight * (l.Survival(middle-off) + l.Survival(middle+off)))
		}
	}
	return sum * half
}

// legendre are the nodes above 0 of the formula of Gauss and Legendre with 16 nodes, on [−1, 1], and their weights: DLMF table 3.5.4.
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

// gompertzSound tells whether what draws are made of are numbers.
func (l *Law) gompertzSound() bool {
	const far = 1e300 // a draw takes up to some hundred times as much
	ratio := math.Abs(l.b / l.A)
	return l.A > 1/far && l.A < far && math.Abs(l.b) > 1/far && math.Abs(l.b) < far && ratio > 1/far && ratio < far && l.c >= 0 && l.c < far && (l.c == 0 || l.c > 1/far)
}

func (l *Law) gompertzWords(u Unit) string {
	words := fmt.Sprintf("Gompertz with rate %s and growth %s", u.Rate(l.A), u.Rate(l.b))
	if l.c > 0 {
		words += " and " + u.Rate(l.c) + " at all ages"
	}
	return words + ", mean " + u.Duration(l.Mean())
}
