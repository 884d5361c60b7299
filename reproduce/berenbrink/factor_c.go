package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// factorC is what a larger capacity does for λ near 1.
//
// With L = ln(1/(1−λ)) the limit has a pool of L/c − 1 a bin for large L, and c−1 balls in a bin, so that a ball waits for L/c + c − 2 rounds. So both fall by a factor
// that goes to c, and is off it by a share below c²/L. That is what “large values of λ and c not too large” must mean.
func factorC(r *runner) reproduce.Finding {
	r.Checkpoint()
	var f reproduce.Finding
	table := reproduce.Table{Name: "by what pool and mean wait fall, by the limit", Columns: []string{"ln(1/(1−λ))", "c", "pool per bin", "with c = 1", "factor",
		"over c", "mean wait", "with c = 1", "factor", "over c"}}
	chart := plot.Chart{Title: "Factor by which pool and mean wait fall, over c", XLabel: "ln(1/(1−λ))", YLabel: "factor over c", LogX: true, LegendBeside: true}
	near := ""
	for c := 2; c <= 4; c++ {
		pools, waits := plot.Series{Name: fmt.Sprintf("c = %d, pool", c)}, plot.Series{Name: fmt.Sprintf("c = %d, mean wait", c), Same: true, Triangles: true}
		var pool, wait float64
		for _, log := range []float64{10 * math.Ln2, 13 * math.Ln2, 20 * math.Ln2, 30 * math.Ln2, 52 * math.Ln2, 80, 150, 300, 600} {
			one, more := newFarLimit(1, log), newFarLimit(c, log)
			pool, wait = one.pool()/more.pool(), one.wait()/more.wait()
			size := float64(c)
			table.Rows = append(table.Rows, []float64{log, size, more.pool(), one.pool(), pool, pool / size, more.wait(), one.wait(), wait, wait / size})
			pools.Add(log, pool/size)
			waits.Add(log, wait/size)
			if c == 3 && log == 13*math.Ln2 {
				near = fmt.Sprintf("%.2f and %.2f", pool, wait)
			}
		}
		want := r.theory.factor(float64(c))
		because := fmt.Sprintf("essentially: within a share of c²/ln(1/(1−λ)), which is %.1f %%", 100*float64(c*c)/600)
		f.Check(fmt.Sprintf("factor by which the pool falls, c = %d, λ = 1−e^(−600)", c), pool, want, want*float64(c*c)/600, because)
		f.Check(fmt.Sprintf("factor by which the mean wait falls, c = %d, λ = 1−e^(−600)", c), wait, want, want*float64(c*c)/600, because)
		if c == 3 {
			f.Measured = fmt.Sprintf("With c = 3 for c = 1 pool and mean wait fall by factors of %s at λ = 1−2⁻¹³, and of %.2f and %.2f at λ = 1−e^(−600): both go to 3.", near, pool, wait)
		}
		chart.Series = append(chart.Series, pools, waits)
	}
	f.Tables = append(f.Tables, table)
	f.Notes = append(f.Notes, "At the rates of the paper's experiments it is not yet so: the pool falls by more, as it is what is thrown, less λ, and the mean wait by less, as "+
		"balls also wait in their bins. What falls by c there already is the balls thrown in a round.")
	f.Chart("factors", chart)
	return f
}
