package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// burnIn asks whether the system of section V was stable when it was measured.
//
// The point of Figure 5, left, at c = 1 and λ = 1−2⁻¹³ would show it: the mean wait is 8.0 in the
// long run, and smaller in the rounds that each published version of the authors' simulator
// averages over. The text of the paper has no number of that point, and the copy that was checked
// has no picture. So nothing is read from the figure, and the claim is undecided. A value of
// theory.figure5 would decide.
func burnIn(r *runner) reproduce.Finding {
	limit := r.theory.capped(1, halved(burnInRate))
	last := simulatorMean
	for _, v := range r.theory.versions {
		last = max(last, v.rounds)
	}
	p := reproduce.Must(capped.NewProcess(capped.Config{Bins: r.bins, Capacity: 1, Rate: halved(burnInRate),
		Seed: r.seed(0)}))
	n := float64(r.bins)
	var pools, served, waits []float64
	drawn := plot.Series{Name: "mean wait of a round, simulated"}
	r.each(p, last, func(round capped.Round) {
		pools = append(pools, float64(round.Pool)/n)
		served, waits = append(served, float64(round.Served)), append(waits, float64(round.WaitSum))
		if logarithmicRound(p.Rounds()) {
			drawn.Add(float64(p.Rounds()), float64(round.WaitSum)/float64(max(1, round.Served)))
		}
	})
	mean := func(x []float64, rounds int) float64 {
		sum := 0.0
		for _, v := range x[rounds-simulatorMean : rounds] {
			sum += v / simulatorMean
		}
		return sum
	}
	own := emptyStart(r.bins, halved(burnInRate), 0, last)
	theirs := emptyStart(simulatorBins, halved(burnInRate), 1, last)

	var f reproduce.Finding
	table := reproduce.Table{Name: "c = 1, λ = " + halvedName(burnInRate) + ", in the last 1000 rounds of each version",
		Columns: []string{"rounds", "mean wait, simulated here", "long run", "pool per bin, simulated here",
			"by the recursion", "pool of the authors' program", "by the recursion with > for ≥",
			"mean wait of the authors' program"}}
	control := f.For(reproduce.Control)
	said := ""
	for _, v := range r.theory.versions {
		wait := mean(waits, v.rounds) / mean(served, v.rounds)
		pool, field, biased := mean(pools, v.rounds), mean(own, v.rounds), mean(theirs, v.rounds)
		table.Rows = append(table.Rows, []float64{float64(v.rounds), wait, limit.Wait, pool, field, v.pool, biased, v.wait})
		said += fmt.Sprintf(", %.2f after %d rounds", v.wait, v.rounds)
		const because = "4.5 standard deviations of the pool in the long run, √(n/2), for a mean of correlated rounds"
		control.Check(fmt.Sprintf("pool per bin less that of the recursion, %v", v), pool-field, 0,
			reproduce.Sigmas*math.Sqrt(0.5/n)+restOf(limit, r.bins), because)
		control.Check(fmt.Sprintf("pool per bin of the authors' program less that of the recursion with > for ≥, %v", v),
			v.pool-biased, 0, reproduce.Sigmas*math.Sqrt(0.5/simulatorBins), because)
	}
	if read := r.theory.figure5; read != nil {
		f.Check("mean wait as read from Figure 5, left, c = 1, λ = "+
			""+halvedName(burnInRate), read.wait, limit.Wait, read.error,
			"how well the figure can be read")
	}
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("Not stable in the published code (capped-published-code), undecided for the figures. At c "+
		"= "+
		"1 and λ = %s the authors' program has mean waits of %s, and the long run has %.2f. Which of these Figure 5 shows "+
		"cannot be read from the text.", halvedName(burnInRate), said[2:], limit.Wait)
	long := plot.Series{Name: "long run", Dashed: true}
	long.Add(1, limit.Wait)
	long.Add(float64(last), limit.Wait)
	programs := plot.Series{Name: "authors' program, by version", Triangles: true}
	for _, v := range r.theory.versions {
		programs.Add(float64(v.rounds), v.wait)
	}
	f.Chart("waits", plot.Chart{Title: "Mean wait from an empty start, c = 1, λ = " + halvedName(burnInRate),
		XLabel: "round", YLabel: "rounds", LogX: true, FromZero: true, LegendBeside: true,
		Series: []plot.Series{drawn, programs, long}})
	return f
}

// burnInRate is i of λ = 1−2⁻ⁱ, the largest rate of Figure 5.
const burnInRate = 13

// A reading is a value that was read from a printed figure, and how far off it may be.
type reading struct{ wait, error float64 }

// emptyStart is the pool per bin of CAPPED(1, λ) after each round, begun empty, if the number of
// empty bins is its mean in every round. m balls leave n(1−1/n)^m bins empty; where they count as
// so many more than they are, as in the authors' simulator, e+more of them fall as e does else.
func emptyStart(n int, lambda float64, more, rounds int) []float64 {
	bins, extra := float64(n), float64(more)
	pools := make([]float64, rounds)
	pool := 0.0
	for t := range pools {
		balls := pool + lambda*bins
		empty := max(0, (bins+extra)*math.Exp(balls*math.Log1p(-1/bins))-extra)
		pool = balls - (bins - empty)
		pools[t] = pool / bins
	}
	return pools
}
