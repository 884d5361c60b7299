package examples_test

import (
	"math"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// coldChains are the chains of Heasman and Reid: how many came down with the cold in each
// generation after the first, and in how many of the 664 families.
var coldChains = []struct {
	generations []int
	families    int
}{
	{nil, 423}, {[]int{1}, 131}, {[]int{1, 1}, 36}, {[]int{2}, 24}, {[]int{1, 1, 1}, 14}, {[]int{1, 2}, 8},
	{[]int{2, 1}, 11}, {[]int{3}, 3}, {[]int{1, 1, 1, 1}, 4}, {[]int{1, 1, 2}, 2}, {[]int{1, 2, 1}, 2}, {[]int{1, 3}, 2},
	{[]int{2, 1, 1}, 3}, {[]int{2, 2}, 1},
}

// reedFrost calls do for every chain that a family of five can have, with its probability.
func reedFrost(p float64, do func(generations []int, probability float64)) {
	var next func(chain []int, ill, well int, probability float64)
	next = func(chain []int, ill, well int, probability float64) {
		escape := math.Pow(1-p, float64(ill))
		ways := 1.0 // well over k
		for k := 0; k <= well; k++ {
			q := probability * ways * math.Pow(1-escape, float64(k)) * math.Pow(escape, float64(well-k))
			if k == 0 {
				do(chain, q)
			} else {
				next(append(chain[:len(chain):len(chain)], k), k, well-k, q)
			}
			ways *= float64(well-k) / float64(k+1)
		}
	}
	next(nil, 1, 4, 1)
}

// The data are what the chains say, and the likelihood of the chains is largest at 0.116, which is
// what Becker and others give.
func TestColdsData(t *testing.T) {
	var sums [4]int
	families := 0
	for _, c := range coldChains {
		families += c.families
		for g, n := range c.generations {
			sums[g] += n * c.families
		}
	}
	if families != 664 || sums != [4]int{286, 98, 27, 4} {
		t.Errorf("%d families, generations %v", families, sums)
	}
	likelihood := func(p float64) (sum float64) {
		reedFrost(p, func(generations []int, probability float64) {
			for _, c := range coldChains {
				same := len(c.generations) == len(generations)
				for g := 0; same && g < len(generations); g++ {
					same = c.generations[g] == generations[g]
				}
				if same {
					sum += float64(c.families) * math.Log(probability)
				}
			}
		})
		return sum
	}
	best := 0.0
	for p := 0.05; p < 0.3; p += 0.0005 {
		if best == 0 || likelihood(p) > likelihood(best) {
			best = p
		}
	}
	if math.Abs(best-0.116) > 0.0005 {
		t.Errorf("the likelihood of the chains is largest at %g", best)
	}
}

// The model has the law of Reed and Frost: mean and variance of each generation, over families that
// are independent.
func TestColdsLaw(t *testing.T) {
	m, err := population.Load("colds.yaml", population.Set("p", "11.6%"))
	if err != nil {
		t.Fatal(err)
	}
	const replicas, families = 100, 664
	r, err := m.Run(t.Context(), population.Options{Seed: 1, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	flow := -1
	for i, f := range m.Flows() {
		if f.String() == "well->incubating" {
			flow = i
		}
	}
	for g := range 4 {
		var mean, square float64
		reedFrost(0.116, func(generations []int, probability float64) {
			if g < len(generations) {
				n := float64(generations[g])
				mean, square = mean+probability*n, square+probability*n*n
			}
		})
		variance := families * (square - mean*mean)
		mean *= families
		var sum, squares float64
		for i := range r.Runs {
			n := float64(r.Runs[i].Flow(g+1, flow) - r.Runs[i].Flow(g, flow))
			sum, squares = sum+n, squares+(n-mean)*(n-mean)
		}
		if z := (sum/replicas - mean) / math.Sqrt(variance/replicas); math.Abs(z) > 4 {
			t.Errorf("generation %d: %g on average, expected %g, off by %.1f standard errors", g+2, sum/replicas, mean, z)
		}
		// The sum of many families is nearly normal, so that the variance is off by √(2/n) of itself.
		if z := (squares/replicas/variance - 1) / math.Sqrt(2.0/replicas); math.Abs(z) > 4.5 {
			t.Errorf("generation %d: variance %g, expected %g, off by %.1f standard errors", g+2, squares/replicas, variance, z)
		}
	}
}
