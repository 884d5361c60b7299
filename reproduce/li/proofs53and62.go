package li

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// The proofs of Theorems 5.3 and 6.2 count tall elements in intervals, and bound the counts by Lemma 5.2 as it is printed, with
// the length of the interval in the exponent and not the mean. With L = log p:
//
// In 5.3 the interval I_k, k ≥ 2, has (1+α)·σ·E_(k−1) = (1+α)·σ·f·L³·L^(k−1)/2 elements, of which each is as high as k·log log
// p with probability 2/L^k. So the mean is μ = (1+α)·σ·f·L², and the proof needs at most (1+β)·μ, with (1+α)(1+β) = 1 + 1/L,
// that is β ≈ 1/(2L). Then β²μ tends to f/4: the count is above with a probability that tends to that of a normal number above
// √f/2, and does not fall with p. By the length of the interval it would be β²·f·L³ = f·L/4, and p^(−O(f)).
//
// In 6.2 t_k counts those of height (k+1)·log log p in I_k, which has s_k ≈ γ0·E_k elements: the mean is γ0·f·L². The proof
// needs (γ0 − γ1/L)·f·L² of them, which is 2/L² less, and that fails with a probability that tends to 1/2. If Lemma 5.2's
// factor (1−β) is not forgotten, with β = 1/L, β²μ tends to f: it fails with the probability of a normal number above √f.

func proofs53And62(r *runner) reproduce.Finding {
	var cells []*proofCell
	for l := 16; l <= 1024; l *= 2 {
		for _, f := range []float64{1, 4, 0} {
			if f == 0 && l > 64 {
				continue // no number has as many digits
			}
			cells = append(cells, newProofCell(r.effort, l, f))
		}
	}
	stretches := r.count(400, 60)
	r.Runs(stretches)
	rng := r.Stream(0)
	first := cells[0]
	for range stretches {
		r.Checkpoint()
		tall := 0
		for range first.length {
			if r.theory.height(&rng) >= 2*4 {
				tall++
			}
		}
		first.many.of++
		first.many.seen += reproduce.Above(float64(tall), (1+first.beta)*first.mean)
		r.Ran()
	}
	return judgeProofs(cells)
}

// A proofCell is how probable it is that an interval has too many tall elements, or too few.
type proofCell struct {
	l      int // log p
	f      float64
	grows  bool // f is log²p
	length int  // of the interval
	mean   float64
	beta   float64
	many   tally   // 5.3: more than (1+β)μ; bound is what Lemma 5.2 has
	levels float64 // log p/log log p

	few, forgotten float64 // 6.2: fewer than (1−β)·γ0·f·log²p, and than (γ0−γ1/log p)·f·log²p
}

func newProofCell(e effort, l int, f float64) *proofCell {
	L := float64(l)
	c := &proofCell{l: l, f: f, grows: f == 0, levels: L / math.Log2(L)}
	if c.grows {
		c.f = L * L
	}
	c.beta = e.theory.slack(L)
	e1, q := c.f*L*L*L*L/2, 2/(L*L)
	c.length = int(math.Round((1 + c.beta) * L / (L - 1) * e1))
	c.mean = float64(c.length) * q
	high := int(math.Floor((1 + c.beta) * c.mean))
	c.many.exact = binomialTail(c.length, 1-q, c.length-high-1)
	c.many.bound = e.theory.above(float64(c.length), c.beta)
	beta := e.theory.slack62(L)
	gamma0, gamma1 := e.theory.gamma(L, beta)
	n := int(math.Round(gamma0 * e1))
	below := func(least float64) float64 { return binomialTail(n, q, int(math.Ceil(least))-1) }
	c.few, c.forgotten = below((1-beta)*gamma0*c.f*L*L), below((gamma0-gamma1/L)*c.f*L*L)
	return c
}

func judgeProofs(cells []*proofCell) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "too many and too few tall elements in an interval", Columns: []string{"log p", "f", "elements of I_2", "μ",
		"β", "β²μ", "too many (5.3)", "in some of log p/log log p levels, if independent", "too few (6.2)", "too few, (1−β) forgotten",
		"Lemma 5.2 as printed"}}
	mended := reproduce.Table{Name: "the same with f = log²p", Columns: table.Columns}
	series := []plot.Series{{Name: "5.3, f = 1"}, {Name: "5.3, f = 4"}, {Name: "6.2, f = 1"}, {Name: "6.2, f = 4"},
		{Name: "6.2, (1−β) forgotten, f = 1"}, {Name: "5.3, f = log²p"}}
	first, middle, last := map[float64]*proofCell{}, map[float64]*proofCell{}, map[float64]*proofCell{}
	for _, c := range cells {
		row := []float64{float64(c.l), c.f, float64(c.length), c.mean, c.beta, c.beta * c.beta * c.mean, c.many.exact,
			-math.Expm1(c.levels * math.Log1p(-c.many.exact)), c.few, c.forgotten, c.many.bound}
		x := float64(c.l)
		if c.grows {
			mended.Rows = append(mended.Rows, row)
			series[5].Add(x, max(c.many.exact, 1e-20))
			continue
		}
		table.Rows = append(table.Rows, row)
		i := 0
		if c.f == 4 {
			i = 1
		} else {
			series[4].Add(x, c.forgotten)
		}
		series[i].Add(x, c.many.exact)
		series[i+2].Add(x, c.few)
		if first[c.f] == nil {
			first[c.f] = c
		}
		last[c.f] = c
		if c.l == 256 {
			middle[c.f] = c
		}
	}
	one, four := last[1], last[4]
	f.Measured = fmt.Sprintf("An interval has too many with probability %.2f at log p = 16 and %.2f at %d for f = 1, %.2f and %.2f for f = 4: "+
		"β²μ tends to f/4, a constant. In 6.2 too few are %.2f and %.3f, and without the forgotten (1−β) %.2f.", first[1].many.exact,
		one.many.exact, one.l, first[4].many.exact, four.many.exact, one.few, four.few, one.forgotten)
	because := "proportional to log p would be 16 times as much at 256, and so 1/2; up to 1 for what stands before the exponential"
	log := func(x float64) float64 { return math.Log(max(x, 1e-300)) }
	for _, k := range []float64{1, 4} {
		f.Between(fmt.Sprintf("5.3: 8 times the logarithm of the probability at log p = 16 over that at 256, f = %g", k),
			8*log(first[k].many.exact)/log(middle[k].many.exact), 0, 1, 0, because)
		f.Between(fmt.Sprintf("6.2: 8 times the logarithm of the probability at log p = 16 over that at 256, f = %g", k),
			8*log(first[k].few)/log(middle[k].few), 0, 1, 0, because)
	}
	f.For(reproduce.Control).Between("probability of the count in lists, log p = 16, f = 1", first[1].many.probability(), rare, 1, 0,
		"what is counted in lists has the exact probability of the binomial law")
	f.Tables = append(f.Tables, table, mended)
	last64 := mended.Rows[len(mended.Rows)-1]
	f.Notes = append(f.Notes,
		"So the step that both proofs take is false where f is “basically a large constant”, as the report's footnote has it. A union over "+
			"log p/log log p levels makes it worse: in some level there are too many with a probability that tends to 1.",
		fmt.Sprintf("The step is right if f grows faster than log p. With f = log²p the probability is %.2g at log p = 16 and %.2g at 64.",
			mended.Rows[0][6], last64[6]),
		"The theorems need not fall with it. What they need is the product of the counts of all levels: its logarithm is a sum of log p/log log p "+
			"terms, each with a variance of about 1/(f·log²p), so that the variance of all is 1/(f·log p·log log p), which tends to 0; and a "+
			"share of 1+ε times the mean for a fixed ε has a probability of about p^(−ε²·f·log log p/2), which is negligible. That is an "+
			"argument and no proof: the counts of the levels are not independent. What is measured agrees with it (spray-theorems-5.3-6.2).",
		"For k = 1 the interval has twice as many tall elements as the proof of 5.3 says, since E_0 is f·log³p and not half of it: that is the "+
			"factor of 2 in spray-theorems-5.3-6.2.")
	f.Chart("probability", plot.Chart{Title: "Too many or too few tall elements in an interval of the proofs", XLabel: "log p",
		YLabel: "probability", LogX: true, LogY: true, LegendBeside: true, Series: series[:5]})
	return f
}
