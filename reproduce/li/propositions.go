package li

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// An element is higher than h with probability 2^(−h), for whole h. For 3·log k, which is whole if
// k is a power of two, that is 1/k³; in between heights are whole and 3·log k is not, so that it is
// 2^(−⌊3·log k⌋), up to twice as much. And “height at least 3·log k”, as the proof has it, has
// twice the probability for powers of two.

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
	var f reproduce.Finding
	table := reproduce.Table{Name: "lists of k elements of which one is higher than 3·log k",
		Columns: []string{"k", "3·log k", "lists", "share",
			"exact", "1/k²", "exact times k²"}}
	rarest := 1.0
	for i, k := range sizes {
		c, x := counts[i], float64(k)
		table.Rows = append(table.Rows, []float64{x, 3 * math.Log2(x), float64(c.of), c.share(), c.exact, 1 / (x * x),
			c.exact * x * x})
		rarest = min(rarest, c.probability())
	}
	above, atLeast := plot.Series{Name: "higher than 3·log k"}, plot.Series{Name: "3·log k or higher"}
	worst, at, twice, powers := 0.0, 0, 0.0, 0.0
	for k := 2; k <= 4096; k++ {
		more, least := higher(r.effort, k)
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
	f.Measured = fmt.Sprintf("One of k elements is higher than 3·log k with a probability of up to %.2f/k² (k = %d), "+
		"not 1/k², since "+
		"heights are whole and 3·log k is "+
		"not; with k a power of two it is at most %.3f/k², and always below 2/k².", worst, at, powers)
	f.Between("probability of a higher one times k², largest of k = 2 … 4096", worst, 0, 1, 0, "computed: no tolerance")
	f.For(reproduce.Corrected).Between("probability of a higher one, or of one as high, times k², largest of k = 2 "+
		"… 4096", twice, 0,
		2, 0, "computed: no tolerance")
	f.For(reproduce.Control).Between("probability of the rarest count, times the number of counts",
		min(1, rarest*float64(len(counts))), rare, 1, 0,
		"what is counted in lists has the exact probability; chance makes it as small once in 5000 runs")
	f.Tables = append(f.Tables, table)
	f.Chart("highest", plot.Chart{Title: "One of the first k elements is too high: probability times k²", XLabel: "k",
		YLabel: "probability times k²", LogX: true,
		FromZero: true, LegendBeside: true, Series: []plot.Series{above, atLeast}})
	return f
}

// higher is the probability that one of k elements is higher than 3·log k, and that one is as high
// at least.
func higher(e effort, k int) (above, least float64) {
	h := e.theory.highest * math.Log2(float64(k))
	if math.Abs(h-math.Round(h)) < 1e-9 {
		h = math.Round(h)
	}
	one := func(h float64) float64 { return -math.Expm1(float64(k) * math.Log1p(-math.Exp2(-h))) } // of k is higher than h
	return one(math.Floor(h)), one(math.Ceil(h) - 1)
}

// A search that passes m elements steps on at height k to those that are exactly so high and have
// nothing higher behind them before the key: there are Σ 2^(−k)·(1−2^(−k))^(m−j) = 1 − (1−2^(−k))^m
// of them on average, over j = 1 … m. So it is less than one step at each height, and in all the
// mean of the greatest height of m elements, which is log m + 1.33 or so.

func proposition22(r *runner) reproduce.Finding {
	lists := r.count(60, 30)
	var points []*searchPoint
	largest := 1 << 14
	if r.scale < 1 {
		largest = 1 << 12
	}
	for n := 1 << 6; n <= largest; n *= 4 {
		points = append(points, &searchPoint{n: n, at: make([][]float64, bits.Len(uint(n))+4)})
	}
	r.Runs(len(points))
	for _, c := range points {
		for k := range lists {
			r.Checkpoint()
			rng := r.Stream(uint64(c.n), uint64(k))
			chain := newChain(len(c.at)-1, true, &rng)
			chain.height = r.theory.height
			for range c.n {
				chain.extend()
			}
			steps := make([]float64, len(c.at))
			for range searches {
				chain.search(float64(1+rng.Below(uint64(c.n))), func(h int) { steps[h] += 1.0 / searches })
			}
			sum := 0.0
			for h, s := range steps {
				c.at[h] = append(c.at[h], s)
				sum += s
			}
			c.all = append(c.all, sum)
		}
		r.Ran()
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "steps of a search", Columns: []string{"n", "lists", "steps on, mean", "standard error",
		"exact",
		"log n", "most at a height, mean"}}
	byHeight := reproduce.Table{Name: "steps at each height, largest n", Columns: []string{"height", "steps on, mean",
		"standard error", "exact"}}
	mean, exact, logs := plot.Series{Name: "steps on, mean"}, plot.Series{Name: "exact"}, plot.Series{Name: "log n"}
	off, most, over := 0.0, 0.0, 0.0
	for _, c := range points {
		want, own := 0.0, 0.0
		for h := 1; h < len(c.at); h++ {
			want += c.exact(h)
			m := reproduce.Mean(c.at[h])
			own, over = max(own, m.Mean), max(over, m.Outside(0, 1))
		}
		m := reproduce.Mean(c.all)
		off = max(off, m.Off(want, 0))
		most = max(most, own)
		x := float64(c.n)
		table.Rows = append(table.Rows, []float64{x, float64(len(c.all)), m.Mean, m.SE, want, math.Log2(x), own})
		mean.Add(x, m.Mean)
		exact.Add(x, want)
		logs.Add(x, math.Log2(x))
	}
	first, last := points[0], points[len(points)-1]
	for h := 1; h < len(last.at); h++ {
		m := reproduce.Mean(last.at[h])
		byHeight.Rows = append(byHeight.Rows, []float64{float64(h), m.Mean, m.SE, last.exact(h)})
	}
	a, b := reproduce.Mean(first.all), reproduce.Mean(last.all)
	doublings := math.Log2(float64(last.n / first.n))
	f.Measured = fmt.Sprintf("A search makes %.1f steps on average with n = %d and %.1f with n = %d, %.2f more for "+
		"each doubling, "+
		"and at most %.2f at a height.",
		a.Mean, first.n, b.Mean, last.n, (b.Mean-a.Mean)/doublings, most)
	f.Check("steps more for each doubling of n", (b.Mean-a.Mean)/doublings, 1, reproduce.Sigmas*math.Hypot(a.SE,
		b.SE)/doublings,
		"one height more, and one step at each; 4.5 standard errors of independent lists")
	f.Check("mean steps at a height above 1, in standard errors, at most of all heights and n", over, 0, reproduce.Sigmas,
		"a fair coin shows 1 head before tails; 4.5 standard errors of independent lists")
	f.For(reproduce.Control).Check("steps off the exact mean, in standard errors, at most", off, 0, reproduce.Sigmas,
		"4.5 standard "+
			"errors of independent lists")
	f.Tables = append(f.Tables, table, byHeight)
	f.Chart("search", plot.Chart{Title: "Steps of a search in a list of n elements", XLabel: "n", YLabel: "steps on",
		LogX:     true,
		FromZero: true, LegendBeside: true,
		Series: []plot.Series{mean, exact, logs}})
	return f
}

// searches is how many there are in each list.
const searches = 64

// A searchPoint is how many steps a search makes.
type searchPoint struct {
	n   int
	at  [][]float64 // at each height, in each list
	all []float64
}

// exact is the mean number of steps at height h: m is uniform from 0 to n−1. The highest that lists
// have stands for all that are higher.
func (c *searchPoint) exact(h int) float64 {
	if h == len(c.at)-1 {
		return float64(c.n-1) / 2 * math.Exp2(float64(1-h)) // to every element that is so high
	}
	q := math.Exp2(float64(-h))
	return 1 + math.Expm1(float64(c.n)*math.Log1p(-q))/(float64(c.n)*q)
}
