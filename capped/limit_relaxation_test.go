//go:build !race

package capped

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// derivative returns the derivative of the mean field by differences, in pool and loads; the last
// load follows from the others.
func derivative(c int, lambda float64) *mat.Dense {
	l := NewLimit(c, lambda)
	const step = 1e-6
	m := mat.NewDense(c, c, nil)
	for j := range c {
		var after [2]*field
		for i, h := range []float64{step, -step} {
			f := &field{c: c, lambda: lambda, pool: l.Pool, loads: slices.Clone(l.Loads)}
			if j == 0 {
				f.pool += h
			} else {
				f.loads[j] += h
				f.loads[0] -= h
			}
			f.round()
			after[i] = f
		}
		m.Set(0, j, (after[0].pool-after[1].pool)/(2*step))
		for i := 1; i < c; i++ {
			m.Set(i, j, (after[0].loads[i]-after[1].loads[i])/(2*step))
		}
	}
	return m
}

// radius is the largest modulus of an eigenvalue.
func radius(m *mat.Dense) float64 {
	var eigen mat.Eigen
	if !eigen.Factorize(m, mat.EigenNone) {
		panic("no eigenvalues")
	}
	most := 0.0
	for _, v := range eigen.Values(nil) {
		most = max(most, math.Hypot(real(v), imag(v)))
	}
	return most
}

func TestRelaxation(t *testing.T) {
	for _, c := range []int{1, 2, 3, 4, 5, 8, 15} {
		for _, lambda := range []float64{0.01, 0.3, 0.75, 0.95, short(10), short(13)} {
			got := NewLimit(c, lambda).Relaxation()
			wantClose(t, fmt.Sprintf("c = %d, λ = %v: the relaxation", c, lambda), got,
				-1/math.Log(radius(derivative(c, lambda))), 1e-4)
		}
	}
	// By iteration: the deviation of the pool falls by μ in a round.
	for c, lambda := range map[int]float64{2: short(6), 5: 0.9, 30: 0.97} {
		l := NewLimit(c, lambda)
		far := int(8 * l.Relaxation())
		pools := l.FromEmpty(far + 1)
		mu := (l.Pool - pools[far]) / (l.Pool - pools[far-1])
		wantClose(t, fmt.Sprintf("c = %d, λ = %v: the relaxation", c, lambda), l.Relaxation(), -1/math.Log(mu), 1e-3)
	}
	// λ near 1 and few places: the pool is about ln(1/(1−λ))/c and a share of about c(1−λ) of the
	// deviation vanishes in a round.
	for _, c := range []int{1, 2, 3} {
		for _, gap := range []float64{1e-9, 1e-12} {
			got := NewLimit(c, 1-gap).Relaxation() * gap * float64(c)
			if !(got > 0.9 && got < 1.1) {
				t.Errorf("c = %d: the relaxation times c(1−λ) is %v", c, got)
			}
		}
	}
	// Many places, and the walk hits both walls: of order c².
	long, longer := NewLimit(500, 0.9999).Relaxation(), NewLimit(1000, 0.9999).Relaxation()
	if ratio := longer / long; !(ratio > 1 && ratio < 4) {
		t.Errorf("twice the places relax %v times as slowly", ratio)
	}
}

// 2000 rounds are not enough for λ = 1−2⁻¹³ and c = 1, which takes 8191.5 to fall by e.
func TestFromEmpty(t *testing.T) {
	l := NewLimit(1, short(13))
	pools := l.FromEmpty(2000)
	wantClose(t, "the pool", l.Pool, 8.011035417592, 1e-12)
	wantClose(t, "the pool of round 2000", pools[1999], 6.484148780681, 1e-12)
	wantClose(t, "the relaxation", l.Relaxation(), 8191.499989827, 1e-12)
	if !slices.IsSorted(pools) {
		t.Error("the pool does not grow")
	}
	if got := l.FromEmpty(0); len(got) != 0 {
		t.Errorf("no rounds have %v", got)
	}
}
