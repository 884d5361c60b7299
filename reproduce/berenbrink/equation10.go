package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// equation10 is the last step of the proof of Lemma 7, in numbers.
//
// The sum of the line before it is 2^(−m*/c + 2λn) times a geometric series, which is below 1 as (1−λ)n ≥ 1. The printed line has
// 2^(−m* + 2λn), which for c ≥ 2 is less. What the lemma needs is 2^(−2n); and m*/c = (2/c²)·ln(1/(1−λ))·n + 6n, so that m*/c − 2λn is above 4n.
func equation10(r *runner) reproduce.Finding {
	r.Checkpoint()
	var f reproduce.Finding
	table := reproduce.Table{Name: "exponents of 2, per bin", Columns: []string{"c", "i of λ = 1−2⁻ⁱ", "m*/n", "of the sum", "printed", "needed"}}
	above, over, where, cases, below := 0.0, math.Inf(-1), 0.0, 0, 0
	sums, prints := plot.Series{Name: "the sum"}, plot.Series{Name: "printed"}
	needed := plot.Series{Name: "needed", Dashed: true}
	for _, c := range []int{1, 2, 3, 4, 5, 8, 16, 64} {
		for _, i := range []int{1, 2, 6, 10, 13, 20, 30} {
			lambda, size := halved(i), float64(c)
			least := 2/size*math.Log(1/(1-lambda)) + 6*size // m*, of section IV for c = 1 as well
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
	f.Check(fmt.Sprintf("cases of %d in which the exponent of the sum is above the printed one", len(table.Rows)), float64(cases), 0, 0, because)
	f.For(reproduce.Corrected).Check(fmt.Sprintf("cases of %d in which the exponent of the sum is above −2n", len(table.Rows)), float64(below), 0, 0,
		because+", and the lemma needs 2^(−2n)")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("For c ≥ 2 the exponent of the sum is above the printed one, by up to %.0f n at c = %.0f; but it is below −2n by %.2f n or "+
		"more for every c and λ, so that Lemma 7 stands.", above, where, -over)
	f.Notes = append(f.Notes, "In the last line of equation (10), and in the sentence after it, m* stands where m*/c is meant. With m*/c the proof gives "+
		"2^(−4n), which is more than the lemma claims.")
	f.Chart("exponents", plot.Chart{Title: "Exponents of 2 in equation (10), λ = " + halvedName(10), XLabel: "capacity c", YLabel: "exponent, per bin",
		LegendBeside: true, Series: []plot.Series{sums, prints, needed}})
	return f
}
