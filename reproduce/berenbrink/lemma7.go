package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// Steps of the proof of Lemma 7, in numbers. Exponents are per bin.

// lemma7Capacities and lemma7Rates, i of λ = 1−2⁻ⁱ, are where the formulas are compared.
var (
	lemma7Capacities = []int{1, 2, 3, 4, 5, 8, 16, 64}
	lemma7Rates      = []int{1, 2, 6, 10, 13, 20, 30}
)

// leastPerBin is m*/n of section IV, for c = 1 as well.
func leastPerBin(c, lambda float64) float64 { return -2/c*math.Log1p(-lambda) + 6*c }

// lemma7Equality is the line of the proof that bounds the expected number of buffers that delete
// less than c balls:
//
//	Δn·2^(2c−1)·e^(−c·m*/(2n)) = (1−λ)Δn/(2e)·(4/e^(3−1/c))^c ≤ (1−λ)Δn/(2e).
//
// As c·m*/(2n) = ln(1/(1−λ)) + 3c², the left side is (1−λ)Δn/2·4^c·e^(−3c²), and the middle
// (1−λ)Δn/2·4^c·e^(−3c). Their logarithms differ by 3c(c−1): they are equal for c = 1, and for c ≥
// 2 the left side is smaller. So ≤ is right, and = is not.
func lemma7Equality(r *runner) reproduce.Finding {
	r.Checkpoint()
	var f reproduce.Finding
	table := reproduce.Table{Name: "logarithms of the three expressions over Δn", Columns: []string{"c",
		"i of λ = 1−2⁻ⁱ", "left", "middle", "right"}}
	differ, above, last, most := 0, 0, 0, 0.0
	lefts, middles := plot.Series{Name: "left"}, plot.Series{Name: "middle, as printed"}
	for _, capacity := range lemma7Capacities {
		for _, i := range lemma7Rates {
			c, lambda := float64(capacity), halved(i)
			left := (2*c-1)*math.Ln2 - c*leastPerBin(c, lambda)/2
			middle := math.Log1p(-lambda) - 1 - math.Ln2 + r.theory.lemma7Middle(c)
			right := math.Log1p(-lambda) - 1 - math.Ln2
			table.Rows = append(table.Rows, []float64{c, float64(i), left, middle, right})
			off := 1e-9 * math.Abs(left) // rounding
			differ += reproduce.Above(math.Abs(left-middle), off)
			above += reproduce.Above(left-middle, off)
			last += reproduce.Above(middle-right, off)
			most = max(most, middle-left)
			if i == 10 && capacity <= 5 {
				lefts.Add(c, left)
				middles.Add(c, middle)
			}
		}
	}
	n := len(table.Rows)
	f.Check(fmt.Sprintf("cases of %d in which left and middle differ", n), float64(differ), 0, 0, "the printed “=”")
	f.For(reproduce.Corrected).Check(fmt.Sprintf("cases of %d in which the left is above the "+
		"middle", n), float64(above), 0,
		0, "≤ for =; it is < for c ≥ 2")
	f.For(reproduce.Corrected).Check(fmt.Sprintf("cases of %d in which the middle is above the "+
		"right", n), float64(last), 0,
		0, "the next step of the line")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("The two sides of the “=” differ in %d of %d cases, in all with c ≥ 2, by a factor "+
		"of up to "+
		"e^%.0f; the left side is never the larger one.", differ, n, most)
	f.Chart("sides", plot.Chart{Title: "The two sides of “=”, λ = " + halvedName(10), XLabel: "capacity c",
		YLabel: "natural logarithm, per buffer", LegendBeside: true, Series: []plot.Series{lefts, middles}})
	return f
}

// lemma7Increase is the step before equation (8), which bounds by how much the pool grows.
//
// The pool loses the balls that are accepted, and the proof counts those that are deleted: in the
// phases σ … τ by the buffers σ … τ. Buffer σ has accepted up to c−1 of them in the phase before,
// when they left the pool. Buffer τ+1 makes up for that if it accepts as many in phase τ, but it
// need not. What is missing is counted once, whatever the number of phases: the pool grows by at
// most
//
//	Δcλn − c(Δn−X) + (c−1)n,
//
// so that X ≥ m*/c + (1−λ)Δn − 2λn − (c−1)n/c. As m*/c ≥ 6n, that is still (1−λ)Δn and 3n more, and
// the probability at most 2^(−3n).
func lemma7Increase(r *runner) reproduce.Finding {
	r.Checkpoint()
	var f reproduce.Finding
	table := reproduce.Table{Name: "a phase in which bins get no balls after its first round", Columns: []string{"c", "n",
		"bins without balls", "balls accepted", "buffers that delete less than c", "counted as printed", "missing"}}
	missing, slack := math.Inf(-1), math.Inf(-1)
	series := plot.Series{Name: "missing"}
	for _, c := range []int{2, 3, 4, 7} {
		for _, n := range []int{2, 16, 100} {
			for _, dry := range []int{0, 1, n - 1} {
				accepted, failed := phase(c, n, dry)
				counted := r.theory.lemma7Deleted(c, n, failed)
				table.Rows = append(table.Rows, []float64{float64(c), float64(n), float64(dry), float64(accepted),
					float64(failed), counted, counted - float64(accepted)})
				missing = max(missing, (counted-float64(accepted))/float64(n))
				slack = max(slack, counted-float64(accepted)-float64((c-1)*n))
				if n == 100 && dry == n-1 {
					series.Add(float64(c), (counted-float64(accepted))/float64(n))
				}
			}
		}
	}
	over := math.Inf(-1)
	for _, c := range lemma7Capacities {
		for _, i := range lemma7Rates {
			size := float64(c)
			over = max(over, -leastPerBin(size, halved(i))/size+2*halved(i)+(size-1)/size+2)
		}
	}
	f.Check("balls per bin by which the pool grows more than printed, at most", max(0, missing), 0, 0,
		"an upper bound; balls are counted, without chance")
	f.For(reproduce.Corrected).Check("balls by which the pool grows more than with (c−1)n added, at "+
		"most", max(0, slack), 0,
		0, "an upper bound")
	f.For(reproduce.Corrected).Check("exponent of 2 in the bound on the probability, per bin, above −2, at most",
		max(0, over), 0, 0, "Lemma 7 needs 2^(−2n), with m*/c − 2λn − (c−1)n/c in the exponent")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("If bins get many balls up to the first round of a phase and then none, the pool grows by "+
		"up "+
		"to %.2f balls a bin more than the printed bound. With (c−1)n added the bound holds, and the exponent is still "+
		"%.2f n below the −2n that the lemma needs.", missing, -over)
	f.Chart("missing", plot.Chart{Title: "What the printed bound misses, 100 bins, 99 of them without balls",
		XLabel: "capacity c", YLabel: "balls per bin", FromZero: true, Series: []plot.Series{series}})
	return f
}

// phase runs the buffers of n bins of MODCAPPED, red being ⌊t/c⌋, through a phase in which some
// bins get no ball after its first round, and all others more than fit, as all did before. It
// returns how many balls were accepted in the phase, and how many buffers deleted less than c.
func phase(c, n, dry int) (accepted, failed int) {
	for bin := range n {
		red, blue := c-1, 0 // what the buffer accepted in the phase before
		deleted := 0
		for t := range c {
			if t == 0 || bin >= dry {
				accepted += c - t - red + t - blue
				red, blue = c-t, t
			}
			if red > 0 {
				red--
				deleted++
			}
		}
		if deleted < c {
			failed++
		}
	}
	return accepted, failed
}

// equation10 is the last step of the proof of Lemma 7, in numbers.
//
// The sum of the line before it is 2^(−m*/c + 2λn) times a geometric series, which is below 1 as
// (1−λ)n ≥ 1. The printed line has 2^(−m* + 2λn), which for c ≥ 2 is less. What the lemma needs is
// 2^(−2n); and m*/c = (2/c²)·ln(1/(1−λ))·n + 6n, so that m*/c − 2λn is above 4n.
func equation10(r *runner) reproduce.Finding {
	r.Checkpoint()
	var f reproduce.Finding
	table := reproduce.Table{Name: "exponents of 2, per bin", Columns: []string{"c", "i of λ = 1−2⁻ⁱ", "m*/n",
		"of the sum", "printed", "needed"}}
	above, over, where, cases, below := 0.0, math.Inf(-1), 0.0, 0, 0
	sums, prints := plot.Series{Name: "the sum"}, plot.Series{Name: "printed"}
	needed := plot.Series{Name: "needed", Dashed: true}
	for _, c := range lemma7Capacities {
		for _, i := range lemma7Rates {
			lambda, size := halved(i), float64(c)
			least := leastPerBin(size, lambda)
			sum, printed := -least/size+2*lambda, -r.theory.equation10(least, size)+2*lambda
			table.Rows = append(table.Rows, []float64{size, float64(i), least, sum, printed, -2})
			cases += reproduce.Above(sum, printed)
			if sum-printed > above {
				above, where = sum-printed, size
			}
			over = max(over, sum+2)
			below += reproduce.Above(sum, -2)
			if i == 10 && c <= 8 {
				sums.Add(size, sum)
				prints.Add(size, printed)
				needed.Add(size, -2)
			}
		}
	}
	const because = "a bound on a probability is not below it"
	f.Check(fmt.Sprintf("cases of %d in which the exponent of the sum is above the printed one", len(table.Rows)),
		float64(cases), 0, 0, because)
	f.For(reproduce.Corrected).Check(fmt.Sprintf("cases of %d in which the exponent of the sum is above −2n",
		len(table.Rows)), float64(below), 0, 0,
		because+", and the lemma needs 2^(−2n)")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("For c ≥ 2 the exponent of the sum is above the printed one, by up to %.0f n at c = "+
		"%.0f; but it is below −2n by %.2f n or "+
		"more for every c and λ, so that Lemma 7 stands.", above, where, -over)
	f.Chart("exponents", plot.Chart{Title: "Exponents of 2 in equation (10), λ = " + halvedName(10), XLabel: "capacity c",
		YLabel:       "exponent, per bin",
		LegendBeside: true, Series: []plot.Series{sums, prints, needed}})
	return f
}
