package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// With L = log p, section 6 defines a_k = b_(k−1) − E_k/(1+β) and b_k = a_(k−1) − 1, so that s_k = b_k − a_k + 1 = E_k/(1+β) −
// s_(k−1) + 1. The proof drops the 1, which is one element, and takes E_(k−1) = E_k/L for all k ≥ 1; then s_k = ξ_k·E_k with
// ξ_k = 1/(1+β) − ξ_(k−1)/L and ξ_0 = 1, and its solution γ0 + γ1·(−1/L)^k is right. But E_0 = f·L³ and E_1 = f·L³·L/2, so that
// E_0 is E_1·2/L: ξ_1 = 1/(1+β) − 2/L, which is 1/L too small, and ξ_2 is above the bound, by about 1/L².

func lemma61(r *runner) reproduce.Finding {
	r.Runs(7)
	var points []lengthPoint
	for l := 4; l <= 256; l *= 2 {
		r.Checkpoint()
		for _, f := range []float64{1, 4} {
			points = append(points, newLengthPoint(r.effort, float64(l), f, 0.5), newLengthPoint(r.effort, float64(l), f, 1))
		}
		r.Ran()
	}
	return judgeLemma61(points)
}

// A lengthPoint is how long the intervals of section 6 are.
type lengthPoint struct {
	l, f           float64
	half           float64   // E_k is this times f·log³p·(log p)^k, for k ≥ 1
	xi             []float64 // s_k/E_k
	gamma0, gamma1 float64
	beyond         float64 // elements above the upper bound or below the lower one, at most
	off            float64 // |s_k/E_k − γ0|·log²p, at most, but for one element
}

func newLengthPoint(e effort, l, f, half float64) lengthPoint {
	c := lengthPoint{l: l, f: f, half: half}
	beta := e.theory.slack62(l)
	c.gamma0, c.gamma1 = e.theory.gamma(l, beta)
	length := f * l * l * l // of I_0, and E_0
	c.xi = append(c.xi, 1)
	for k := 1; k <= 6; k++ {
		own := half * f * l * l * l * math.Pow(l, float64(k))
		length = own/(1+beta) - length + 1
		c.xi = append(c.xi, length/own)
		if k >= 2 {
			c.beyond = max(c.beyond, length-(c.gamma0+c.gamma1/(l*l))*own, (c.gamma0-c.gamma1/l)*own-length)
			c.off = max(c.off, (math.Abs(length/own-c.gamma0)-1/own)*l*l)
		}
	}
	return c
}

func judgeLemma61(points []lengthPoint) reproduce.Finding {
	var f reproduce.Finding
	columns := []string{"log p", "f", "γ0", "γ1", "s_1/E_1", "s_2/E_2", "s_3/E_3", "s_4/E_4", "lower bound", "upper bound",
		"elements beyond, at most"}
	tables := []reproduce.Table{{Name: "lengths of the intervals over E_k, as printed", Columns: columns}, {Name: "lengths of the " +
		"intervals over E_k, one height higher", Columns: columns}}
	second, upper, higher := plot.Series{Name: "as defined"}, plot.Series{Name: "the lemma's upper bound", Dashed: true},
		plot.Series{Name: "one height higher"}
	beyond, corrected, off := 0.0, 0.0, 0.0
	var shown lengthPoint
	for _, c := range points {
		i := 0
		scale := (c.xi[2] - c.gamma0) * c.l * c.l
		if c.half == 1 {
			i = 1
			corrected = max(corrected, c.beyond)
			if c.f == 1 {
				higher.Add(c.l, scale)
				upper.Add(c.l, c.gamma1)
			}
		} else {
			beyond, off = max(beyond, c.beyond), max(off, c.off)
			if c.f == 1 {
				second.Add(c.l, scale)
			}
			if c.f == 1 && c.l == 16 {
				shown = c
			}
		}
		tables[i].Rows = append(tables[i].Rows, []float64{c.l, c.f, c.gamma0, c.gamma1, c.xi[1], c.xi[2], c.xi[3], c.xi[4],
			c.gamma0 - c.gamma1/c.l, c.gamma0 + c.gamma1/(c.l*c.l), c.beyond})
	}
	f.Measured = fmt.Sprintf("At log p = 16, f = 1, I_2 has %.5f·E_2 elements, above the bound of %.5f·E_2, since E_0 is 2·E_1/log p "+
		"and not E_1/log p. With E_k one height "+
		"higher all are within the bounds; as defined they are within %.2f/log²p of γ0.", shown.xi[2], shown.gamma0+shown.gamma1/256, off)
	f.Between("elements of I_k beyond the bounds, at most, k ≥ 2", beyond, 0, 1, 0, "computed; the proof leaves out one element")
	f.For(reproduce.Corrected).Between("elements of I_k beyond the bounds, at most, k ≥ 2, walks one height higher", corrected, 0, 1,
		1e-6, "computed; the proof leaves out one element, and rounding")
	f.For(reproduce.Corrected).Between("distance of s_k/E_k from γ0, times log²p, at most, k ≥ 2", off, 0, 2, 0, "computed: (2/L − "+
		"1/((1+β)(L+1)))/L for k = 2")
	f.Tables = append(f.Tables, tables...)
	f.Notes = append(f.Notes, "The recurrence is solved rightly. What fails is E_(k−1) = E_k/log p for k = 1, the same factor of 2 "+
		"as in Theorem 5.3. Theorem 6.2 needs the sum of all s_k and "+
		"each t_k to a factor that tends to 1, and both corrections give that.",
		"If I_0 has log³p elements, as section 6 prints, and not f·log³p, the lemma is right for f = 2 by chance, and for no other f.")
	f.Chart("second", plot.Chart{Title: "How far s_2/E_2 is above γ0, f = 1", XLabel: "log p", YLabel: "times log²p", LogX: true,
		FromZero: true, LegendBeside: true, Series: []plot.Series{second, higher, upper}})
	return f
}
