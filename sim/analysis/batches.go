package analysis

import (
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// Batch means [S82]: a run is cut into batches of equal length, so long that their means are as
// good as independent, and the interval is that of so many independent observations. How long that
// is, is found by von Neumann's test [N41] for means that depend on their neighbours, as Fishman
// and Yarberry [FY97] and the procedures ASAP and Skart [TW11] do: lengths 1, 2, 4, … are tried
// until the test has no objection.
//
// The test sees little with few batches. So it must be passed by many, and the interval is made of
// fewer and longer ones: what was just too weak to be seen is then weaker by as much, and the means
// of longer batches are closer to normal. A quantile of Student's t with 31 degrees of freedom is
// only 4 % above that of the normal distribution, so that little is lost.
//
// [S82]: https://doi.org/10.1287/opre.30.3.556
// [N41]: https://doi.org/10.1214/aoms/1177731677
// [FY97]: https://doi.org/10.1287/ijoc.9.3.296
// [TW11]: https://doi.org/10.1080/0740817X.2010.504688
const (
	leastTested = 100 // batches that must pass the test
	finalMost   = 32  // batches that the interval is made of
	finalLeast  = 8   // below which there is none
	testSize    = 0.1 // the probability that independent means fail the test
)

// VonNeumann tests whether numbers depend on their neighbours. It returns a correlation, which is
// that of neighbours but for a term for the ends, and the probability that independent normal
// numbers have a correlation at least as large. A small probability means that neighbours are
// alike. With fewer than 8 numbers, or if all are the same, both results are NaN.
//
// The correlation is 1 − V/2 with von Neumann's ratio V of the squares of differences to those of
// distances from the mean. For n independent normal numbers it has mean 0 and variance
// (n−2)/(n²−1), and is close to normal itself from 8 on.
func VonNeumann(x []float64) (correlation, p float64) {
	n := float64(len(x))
	if n < 8 {
		return math.NaN(), math.NaN()
	}
	mean := mean(x)
	differences, squares := 0.0, 0.0
	for i, v := range x {
		squares += float64((v - mean) * (v - mean))
		if i > 0 {
			differences += float64((v - x[i-1]) * (v - x[i-1]))
		}
	}
	if squares == 0 {
		return math.NaN(), math.NaN()
	}
	correlation = 1 - differences/(2*squares)
	return correlation, detmath.NormalCDF(-correlation * math.Sqrt((float64(n*n)-1)/(n-2)))
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// batched are the means of batches. What is left over at the beginning is left out, as it is the
// least like the rest.
func batched(x []float64, size int) []float64 {
	k := len(x) / size
	x = x[len(x)-k*size:]
	means := make([]float64, k)
	for i := range means {
		means[i] = mean(x[i*size : (i+1)*size])
	}
	return means
}

// A cut is how a run was cut into batches.
type cut struct {
	passed      int     // the shortest batches that passed the test; 0 if none did
	tested      int     // how many of them there were
	correlation float64 // of the means of the last batches that were tested
	p           float64
	size        int // of the batches that the interval is made of
	means       []float64
	constant    bool // all values are the same
}

// cutUp finds the batches.
func cutUp(x []float64) cut {
	var c cut
	for size, means := 1, x; len(means) >= finalLeast; size, means = 2*size, batched(means, 2) {
		c.correlation, c.p = VonNeumann(means)
		c.tested = len(means)
		if c.constant = math.IsNaN(c.p); c.constant || c.p > testSize {
			c.passed = size
			break
		}
	}
	c.size = max(1, len(x)/finalMost)
	if len(x) < finalMost {
		c.size = 1
	}
	c.means = batched(x, c.size)
	if len(c.means) > finalMost { // a remainder makes more of them, not longer ones
		c.size++
		c.means = batched(x, c.size)
	}
	return c
}
