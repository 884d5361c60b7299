package main

import "math"

// A graph is a made-up road network: crossings on a grid, moved about at random, with roads to the
// neighbours. Every sixteenth row and column is a main road, three times as fast; of the others
// some are missing. Roads from a crossing lie side by side.
type graph struct {
	first  []uint32 // roads from crossing v are first[v] … first[v+1]−1
	to     []uint32
	length []float32 // minutes
}

// noise is a number from 0 to 1 that depends on three others and the seed alone.
func noise(seed, a, b, c uint64) float64 {
	z := seed*0x9e3779b97f4a7c15 + a*0xbf58476d1ce4e5b9 + b*0x94d049bb133111eb + c*0xd6e8feb86659fd93
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// roads makes a network of side × side crossings.
func roads(side int, seed uint64) *graph {
	place := func(x, y int) (float64, float64) {
		return float64(x) + 0.6*noise(seed, uint64(x), uint64(y), 1), float64(y) + 0.6*noise(seed, uint64(x), uint64(y), 2)
	}
	g := &graph{first: make([]uint32, 1, side*side+1)}
	for y := range side {
		for x := range side {
			for _, d := range [][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
				a, b := x+d[0], y+d[1]
				if a < 0 || b < 0 || a >= side || b >= side {
					continue
				}
				// A road is the same in both directions: it is named by its smaller end.
				u, v := uint64(min(y*side+x, b*side+a)), uint64(max(y*side+x, b*side+a))
				main := x%16 == 0 && a%16 == 0 || y%16 == 0 && b%16 == 0
				if !main && noise(seed, u, v, 3) < 0.1 {
					continue // there is none
				}
				x0, y0 := place(x, y)
				x1, y1 := place(a, b)
				minutes := math.Hypot(x1-x0, y1-y0)
				if main {
					minutes /= 3
				}
				g.to = append(g.to, uint32(b*side+a))
				g.length = append(g.length, float32(minutes))
			}
			g.first = append(g.first, uint32(len(g.to)))
		}
	}
	return g
}
