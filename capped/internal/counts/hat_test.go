package counts

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// plain is what draw must give for p ≤ 1/2, from the probabilities alone: no squeeze, no expansion,
// no bounds.
func (l law) plain(s *random.Stream, first int, mass []float64) int {
	if l.mean < manyMean {
		u := s.Float64()
		for i, x := range mass {
			if u -= x; u < 0 {
				return first + i
			}
		}
		panic("the sum is below 1")
	}
	h := l.hat()
	for {
		u, v := s.Float64()-0.5, s.Positive()
		us := 0.5 - math.Abs(u)
		k := int(min(max(math.Floor((2*h.a/us+h.b)*u+h.c), -1e18), 1e18)) - first
		if k >= 0 && k < len(mass) && v <= h.chance(us, mass[k]) {
			return first + k
		}
	}
}

type hat struct{ a, b, c, sigma, height float64 }

func (l law) hat() hat {
	sigma := math.Sqrt(l.variance())
	b := bConst + bSlope*sigma
	return hat{aConst + aSlope*b + aByP*l.p, b, l.mean + center, sigma, (hatConst + hatSlope/b) / math.Sqrt(2*math.Pi)}
}

// chance is the probability to accept a count with that mass at a distance us from the nearer end
// of the interval.
func (h hat) chance(us, mass float64) float64 { return mass * (h.a/(us*us) + h.b) / h.height }

// place is the us that is mapped to y, measured from the center on either side.
func (h hat) place(y float64) float64 {
	// The smaller root t = 1/2 − us of b·t² − (2a + b/2 + y)·t + y/2 = 0.
	y = math.Abs(y)
	w := 2*h.a + h.b/2 + y
	return 0.5 - y/(w+math.Sqrt(w*w-2*h.b*y))
}

// Every number is the one that the probabilities demand, so that neither the squeezes nor the
// expansion change anything.
func TestCountsArePlain(t *testing.T) {
	const draws = 50_000
	for i, l := range laws {
		half := l
		if l.p > 0.5 {
			half = binomialLaw(l.n, 1-l.p)
		}
		first, mass := half.masses()
		s := random.New(35, uint64(i))
		for j := range draws {
			other := s
			got, want := l.draw(&s), half.plain(&other, first, mass)
			if l.p > 0.5 {
				want = int(l.n) - want
			}
			if got != want || s != other {
				t.Fatalf("%v: draw %d is %d, want %d", l, j, got, want)
			}
		}
	}
}

// The constants do what is said of them, with something to spare: for means from 10 on, wherever
// the mean lies between two counts, and for all skewnesses.
func TestConstants(t *testing.T) {
	means := []float64{10, 10.02, 10.1}
	for mean := 10.2; mean < 30; mean += 0.1 {
		means = append(means, mean)
	}
	for mean := 30.0; mean < 3e6; mean *= 1.1 {
		means = append(means, mean)
		if mean > 1000 {
			mean *= 2
		}
	}
	highest, lowest, farthest := 0.0, math.Inf(1), 0.0
	for _, p := range []float64{0, 1e-6, 0.003, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5} {
		for _, mean := range means {
			l := poissonLaw(mean)
			if p > 0 {
				n := math.Ceil(mean / p)
				l = binomialLaw(int64(n), mean/n)
			}
			first, mass := l.masses()
			h := l.hat()
			sure := sureChance - sureLess/h.b
			enough := chanceError/h.sigma + cellError
			check := func(us, x float64) {
				chance := h.chance(us, x)
				highest = max(highest, chance)
				if us >= sureEnds {
					lowest = min(lowest, chance-sure)
				}
				// On the border of two cells, either may be asked.
				cell := us * chanceCells
				for _, near := range []float64{cell - 1e-9, cell + 1e-9} {
					at := min(max(int(near), 0), len(chances)-1)
					farthest = max(farthest, math.Abs(chance-chances[at])/enough)
				}
			}
			// The chance is monotonic where the count is the same, so that it is enough to look
			// where a count or a cell ends. Outside of the masses it is 0.
			for k := -1; k <= len(mass); k++ {
				x := 0.0
				if k >= 0 && k < len(mass) {
					x = mass[k]
				}
				left := float64(first+k) - h.c
				check(h.place(left), x)
				check(h.place(left+1), x)
				if left < 0 && left+1 > 0 {
					check(0.5, x)
				}
			}
			for i := 1; i < len(chances); i++ {
				us := float64(i) / chanceCells
				for _, u := range []float64{0.5 - us, us - 0.5} {
					k := int(math.Floor((2*h.a/us+h.b)*u+h.c)) - first
					if k >= 0 && k < len(mass) {
						check(us, mass[k])
					} else {
						check(us, 0)
					}
				}
			}
		}
	}
	t.Logf("the chance to be accepted is at most %.4f; it exceeds the sure one by at least %.4f; it comes to %.3f of "+
		"its error",
		highest, lowest, farthest)
	if highest > 0.998 {
		t.Errorf("the hat is too low: a chance of %v", highest)
	}
	if lowest < 0.002 {
		t.Errorf("the sure chance is too high: the true one differs by %v", lowest)
	}
	if farthest > 0.99 {
		t.Errorf("the normal chance is off by %v of the error allowed", farthest)
	}
}
