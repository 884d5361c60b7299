package li

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// A search that passes m elements steps on at height k to those that are exactly so high and have nothing higher behind them
// before the key: there are Σ 2^(−k)·(1−2^(−k))^(m−j) = 1 − (1−2^(−k))^m of them on average, over j = 1 … m. So it is less than
// one step at each height, and in all the mean of the greatest height of m elements, which is log m + 1.33 or so.

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
	return judgeProposition22(points)
}

// searches is how many there are in each list.
const searches = 64

// A searchPoint is how many steps a search makes.
type searchPoint struct {
	n   int
	at  [][]float64 // at each height, in each list
	all []float64
}

// exact is the mean number of steps at height h: m is uniform from 0 to n−1. The highest that lists have stands for all that
// are higher.
func (c *searchPoint) exact(h int) float64 {
	if h == len(c.at)-1 {
		return float64(c.n-1) / 2 * math.Exp2(float64(1-h)) // to every element that is so high
	}
	q := math.Exp2(float64(-h))
	return 1 + math.Expm1(float64(c.n)*math.Log1p(-q))/(float64(c.n)*q)
}

func judgeProposition22(points []*searchPoint) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "steps of a search", Columns: []string{"n", "lists", "steps on, mean", "standard error", "exact",
		"log n", "most at a height, mean"}}
	byHeight := reproduce.Table{Name: "steps at each height, largest n", Columns: []string{"height", "steps on, mean", "standard error", "exact"}}
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
	f.Measured = fmt.Sprintf("A search makes %.1f steps on average with n = %d and %.1f with n = %d, %.2f more for each doubling, "+
		"and at most %.2f at a height.",
		a.Mean, first.n, b.Mean, last.n, (b.Mean-a.Mean)/doublings, most)
	f.Check("steps more for each doubling of n", (b.Mean-a.Mean)/doublings, 1, reproduce.Sigmas*math.Hypot(a.SE, b.SE)/doublings,
		"one height more, and one step at each; 4.5 standard errors of independent lists")
	f.Check("mean steps at a height above 1, in standard errors, at most of all heights and n", over, 0, reproduce.Sigmas,
		"a fair coin shows 1 head before tails; 4.5 standard errors of independent lists")
	f.For(reproduce.Control).Check("steps off the exact mean, in standard errors, at most", off, 0, reproduce.Sigmas, "4.5 standard "+
		"errors of independent lists")
	f.Tables = append(f.Tables, table, byHeight)
	f.Notes = append(f.Notes, "The mean is Σ(1 − (1−2^(−k))^m) over the heights: the mean greatest height of the m elements that are "+
		"passed, about log m + 1.33. Going down adds one "+
		"look at each height.")
	f.Chart("search", plot.Chart{Title: "Steps of a search in a list of n elements", XLabel: "n", YLabel: "steps on", LogX: true,
		FromZero: true, LegendBeside: true,
		Series: []plot.Series{mean, exact, logs}})
	return f
}
