package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// An element is higher than h with probability 2^(−h), for whole h. For 3·log k, which is whole if k is a power of two, that is
// 1/k³; in between heights are whole and 3·log k is not, so that it is 2^(−⌊3·log k⌋), up to twice as much. And “height at
// least 3·log k”, as the proof has it, has twice the probability for powers of two.

func proposition21(r *runner) reproduce.Finding {
	sizes := []int{2, 3, 4, 5, 6, 8, 10, 12}
	r.Runs(len(sizes))
	counts := make([]tally, len(sizes))
	for i, k := range sizes {
		rng := r.Stream(uint64(k))
		c := &counts[i]
		c.exact, _ = higher(r.effort, k)
		for range r.count(200_000, 0) {
			r.CheckpointEvery(4096, c.of)
			highest := 0
			for range k {
				highest = max(highest, r.theory.height(&rng))
			}
			c.of++
			c.seen += reproduce.Above(float64(highest), r.theory.highest*math.Log2(float64(k)))
		}
		r.Ran()
	}
	return judgeProposition21(r.effort, sizes, counts)
}

// higher is the probability that one of k elements is higher than 3·log k, and that one is as high at least.
func higher(e effort, k int) (above, least float64) {
	h := e.theory.highest * math.Log2(float64(k))
	if math.Abs(h-math.Round(h)) < 1e-9 {
		h = math.Round(h)
	}
	one := func(h float64) float64 { return -math.Expm1(float64(k) * math.Log1p(-math.Exp2(-h))) } // of k is higher than h
	return one(math.Floor(h)), one(math.Ceil(h) - 1)
}

func judgeProposition21(e effort, sizes []int, counts []tally) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "lists of k elements of which one is higher than 3·log k", Columns: []string{"k", "3·log k", "lists", "share",
		"exact", "1/k²", "exact times k²"}}
	rarest := 1.0
	for i, k := range sizes {
		c, x := counts[i], float64(k)
		table.Rows = append(table.Rows, []float64{x, 3 * math.Log2(x), float64(c.of), c.share(), c.exact, 1 / (x * x), c.exact * x * x})
		rarest = min(rarest, c.probability())
	}
	above, atLeast := plot.Series{Name: "higher than 3·log k"}, plot.Series{Name: "3·log k or higher"}
	worst, at, twice, powers := 0.0, 0, 0.0, 0.0
	for k := 2; k <= 4096; k++ {
		more, least := higher(e, k)
		x := float64(k)
		if more*x*x > worst {
			worst, at = more*x*x, k
		}
		twice = max(twice, more*x*x, least*x*x)
		if k&(k-1) == 0 {
			powers = max(powers, more*x*x)
		}
		if k <= 256 {
			above.Add(x, more*x*x)
			atLeast.Add(x, least*x*x)
		}
	}
	f.Measured = fmt.Sprintf("One of k elements is higher than 3·log k with a probability of up to %.2f/k² (k = %d), not 1/k², since "+
		"heights are whole and 3·log k is "+
		"not; with k a power of two it is at most %.3f/k², and always below 2/k².", worst, at, powers)
	f.Between("probability of a higher one times k², largest of k = 2 … 4096", worst, 0, 1, 0, "computed: no tolerance")
	f.For(reproduce.Corrected).Between("probability of a higher one, or of one as high, times k², largest of k = 2 … 4096", twice, 0,
		2, 0, "computed: no tolerance")
	f.For(reproduce.Control).Between("probability of the rarest count, times the number of counts", min(1, rarest*float64(len(counts))), rare, 1, 0,
		"what is counted in lists has the exact probability; chance makes it as small once in 5000 runs")
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes, "The height is i with probability 2^(−i); the report prints 2^i. The proof has “at least 3·log k” with "+
		"a probability of 2^(−3·log k): "+
		"that is the probability of being higher. Nothing depends on the factor of 2.")
	f.Chart("highest", plot.Chart{Title: "One of the first k elements is too high: probability times k²", XLabel: "k",
		YLabel: "probability times k²", LogX: true,
		FromZero: true, LegendBeside: true, Series: []plot.Series{above, atLeast}})
	return f
}
