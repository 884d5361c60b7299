package lookup

import (
	"math"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// TestGuideMissesTheInterval compares with a binary search, also at the edges and a hair beside
// them, for edges that are crowded or equal, and for a single edge.
func TestGuideMissesTheInterval(t *testing.T) {
	s := random.New(1)
	for n := 1; n < 300; n += 1 + n/7 {
		edges := make([]float64, n)
		for i := 1; i < n; i++ {
			edges[i] = edges[i-1]
			switch s.Below(3) {
			case 0: // an interval without width
			case 1:
				edges[i] += s.Exp() * 1e-9
			default:
				edges[i] += s.Exp()
			}
		}
		g := NewGuideTable(edges)
		check := func(x float64) {
			if x < 0 {
				return
			}
			want := searchEdges(edges, x)
			if got := g.Find(x); got != want {
				t.Fatalf("%d edges: %v is in interval %d, want %d", n, x, got, want)
			}
		}
		for _, e := range edges {
			for _, x := range []float64{e, math.Nextafter(e, -1), math.Nextafter(e, math.Inf(1))} {
				check(x)
			}
		}
		for range 1000 {
			check(s.Float64() * 1.2 * edges[n-1])
		}
		check(math.Inf(1))
	}
}

// searchEdges returns the last edge at or before x.
func searchEdges(edges []float64, x float64) int {
	i, _ := slices.BinarySearchFunc(edges, x, func(e, x float64) int {
		if e <= x {
			return -1
		}
		return 1
	})
	return i - 1
}
