package proposal

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// A mixture draws what it says it does: over a grid, its density integrates to 1, and the share of
// draws in a quarter of the plane is that of the density there, within 4.5 standard errors.
func TestMixture(t *testing.T) {
	points := [][]float64{{-1, 0.5}, {1, 1}, {0.5, -2}, {2, 0}}
	m := NewMixture(points, []float64{0.4, 0.3, 0.2, 0.1}, 0.5, 0.1)
	if err := m.Prepare(2); err != nil {
		t.Fatal(err)
	}
	sum, quarter := 0.0, 0.0
	const step = 0.05
	for x := -10 + step/2; x < 10; x += step {
		for y := -10 + step/2; y < 10; y += step {
			d := math.Exp(m.LogDensity([]float64{x, y})) / (2 * math.Pi) * step * step
			if sum += d; x > 0 && y > 0 {
				quarter += d
			}
		}
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("the density integrates to %v", sum)
	}
	s, hits := random.New(4), 0
	const n = 20_000
	for range n {
		if z := m.Draw(2, &s); z[0] > 0 && z[1] > 0 {
			hits++
		}
	}
	if z := (float64(hits) - n*quarter) / math.Sqrt(n*quarter*(1-quarter)); math.Abs(z) > 4.5 {
		t.Errorf("%d of %d where %.0f belong: off by %.1f standard errors", hits, n, n*quarter, z)
	}
}
