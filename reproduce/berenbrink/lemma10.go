package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/reproduce"
)

// lemma10 is Azuma's inequality for the empty bins: to know where the i-th of m balls went changes the expected number by (1−1/n)^(m−i) at most, and the
// squares of these sum to (n²−E[Z]²)/(2n−1).
func lemma10(r *runner) reproduce.Finding {
	var f reproduce.Finding
	table := reproduce.Table{Name: "where the bound is nearest", Columns: []string{"n", "m", "λ", "E[Z]", "probability", "bound", "share of the bound"}}
	worst, cases := 0.0, 0
	for _, n := range []int{2, 3, 4, 8, 16, 32, 64, 128} {
		size, row := float64(n), []float64{}
		empties(n, 8*n, func(m int, law []float64) {
			mean := size * math.Pow(1-1/size, float64(m))
			for z := range law {
				// The left side, at the λ that Z = z has: what is as far from the mean, or farther.
				lambda := math.Abs(float64(z) - mean)
				left := 0.0
				for k, p := range law {
					if math.Abs(float64(k)-mean) >= lambda*(1-1e-12) {
						left += p
					}
				}
				bound := 2 * math.Exp(-r.theory.lemma10*lambda*lambda*(size-0.5)/(size*size-mean*mean))
				if left < 1e-200 || lambda < 1e-9 {
					continue
				}
				cases++
				if len(row) == 0 || left/bound > row[6] {
					row = []float64{size, float64(m), lambda, mean, left, bound, left / bound}
				}
			}
		})
		r.Checkpoint()
		table.Rows = append(table.Rows, row)
		worst = max(worst, row[6])
	}
	f.Between("probability over its bound, at most", worst, 0, 1, 0, "the lemma; both sides are exact")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("In %d exact cases the probability is at most %.2f of the bound.", cases, worst)
	f.Notes = append(f.Notes, "It is far from tight: the variance of Z is at most about n/10, so that the exponent could be more than four times as large. Equation (3) "+
		"uses one side of it, without the factor 2; with λ = n/e − n/e² the exponent is about −0.055 n.")
	const bins, balls = 64, 128
	empties(bins, balls, func(m int, law []float64) {
		if m == balls {
			c := tailCase{law, func(k int, mean float64) (float64, bool) {
				lambda := float64(k) - mean
				return 2 * math.Exp(-r.theory.lemma10*lambda*lambda*(bins-0.5)/(bins*bins-mean*mean)), lambda > 0
			}}
			f.Chart("tails", tailChart(fmt.Sprintf("Lemma 10: empty bins of %d after %d balls", bins, balls), c))
		}
	})
	return f
}

// empties calls each with the law of the number of empty bins, of n, after m = 1 … most balls.
func empties(n, most int, each func(m int, law []float64)) {
	empty := make([]float64, n+1)
	occupied(n, most, func(m int, law []float64) bool {
		clear(empty)
		for k, p := range law {
			empty[n-k] = p
		}
		if m > 0 {
			each(m, empty)
		}
		return true
	})
}
