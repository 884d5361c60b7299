package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/cappedmath"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// sweetSpot is the capacity with which balls wait least: with a larger one they have a place
// sooner, and wait longer there.
func sweetSpot(r *runner) reproduce.Finding {
	simulated := []int{4, 7, 10}
	r.Runs(len(simulated) * panelCapacities)
	points := map[int][]point{}
	for _, i := range simulated {
		for c := 1; c <= panelCapacities; c++ {
			p := r.longRun(c, i, 10, 1)
			points[i] = append(points[i], p)
		}
	}
	var f reproduce.Finding
	table := reproduce.Table{Name: "best capacity by the limit", Columns: []string{"i of λ = 1−2⁻ⁱ",
		"√ln(1/(1−λ))",
		"best c for the mean wait", "its wait", "with c = 1", "best c for the longest of a round", "its wait", "with c = 1",
		"best c over the root"}}
	low, high := math.Inf(1), 0.0
	for _, i := range []int{2, 4, 6, 8, 10, 12, 13, 14, 20, 26, 32, 40, 52} {
		s := r.spot(i)
		root := cappedmath.SweetSpotScale(halved(i))
		mean, longest := best(s.mean), best(s.longest)
		table.Rows = append(table.Rows, []float64{float64(i), root, float64(mean), s.mean[mean-1], s.mean[0],
			float64(longest),
			s.longest[longest-1], s.longest[0], float64(mean) / root})
		low, high = min(low, float64(mean)/root), max(high, float64(mean)/root)
		if i == 2 || i == 10 || i == 13 {
			const because = "the paper sees the minimum around c = 2 and c = 3"
			f.Between("best capacity for the mean wait, λ = "+halvedName(i), float64(mean), r.theory.sweet[0],
				r.theory.sweet[1], 0, because)
			f.Between("best capacity for the longest wait of a round, on average, λ = "+halvedName(i), float64(longest),
				r.theory.sweet[0], r.theory.sweet[1], 0, because)
		}
		f.For(reproduce.Control).Check("capped.SweetSpot, λ = "+halvedName(i), float64(capped.SweetSpot(halved(i))),
			float64(mean), 0,
			"it is the best of the same limit")
	}
	f.For(reproduce.Printed).AtMost("√ln(1/(1−λ)) over the best capacity, at most, λ = 1−2⁻² … 1−2⁻⁵²",
		1/low,
		reproduce.Chosen("capped: Θ of the root"))
	f.For(reproduce.Printed).AtMost("best capacity over √ln(1/(1−λ)), at most, λ = 1−2⁻² … 1−2⁻⁵²",
		high,
		reproduce.Chosen("capped: Θ of the root"))
	f.Tables = append(f.Tables, table)
	sim := reproduce.Table{Name: "waiting times, simulated and by the limit", Columns: []string{"i of λ = 1−2⁻ⁱ",
		"c", "mean", "SE", "limit",
		"longest of a round, mean", "SE", "by the limit"}}
	for _, i := range simulated {
		off := 0.0
		for _, p := range points[i] {
			off = max(off, estimateOf(p.Wait).Off(p.limit.Wait, restOf(p.limit, p.n)/halved(i)))
			sim.Rows = append(sim.Rows, []float64{float64(i), float64(p.c), p.Wait.Mean, p.Wait.Error, p.limit.Wait,
				p.Longest.Mean,
				p.Longest.Error, longestOf(p.limit, p.n)})
		}
		f.For(reproduce.Control).Check("mean wait off the limit, in standard errors, at most, λ = "+halvedName(i), off, 0,
			reproduce.Sigmas, becauseLimit)
		least, _ := leastWait(points[i])
		f.For(reproduce.Control).Check("capacity with the least mean wait, simulated, λ = "+halvedName(i), least,
			float64(best(r.spot(i).mean)), 0,
			"as by the limit: capacities differ by many standard errors")
	}
	f.Tables = append(f.Tables, sim)
	noteSweetSpot(&f, table)
	f.Chart("mean", sweetChart(r.effort, "Mean wait over the capacity", func(s spot) []float64 { return s.mean }))
	f.Chart("longest", sweetChart(r.effort, "Longest wait of a round over the capacity, "+powerName(r.bins)+" bins",
		func(s spot) []float64 { return s.longest }))
	return f
}

// sweetCapacities is how many capacities are tried.
const sweetCapacities = 8

// A spot has the waits of all capacities at a rate, by the limit.
type spot struct {
	i             int
	mean, longest []float64 // by c−1
}

func (e effort) spot(i int) spot {
	s := spot{i: i}
	for c := 1; c <= sweetCapacities; c++ {
		l := e.theory.capped(c, halved(i))
		s.mean, s.longest = append(s.mean, l.Wait), append(s.longest, longestOf(l, e.bins))
	}
	return s
}

// best is the capacity with the least of these.
func best(waits []float64) int {
	least := 0
	for k, w := range waits {
		if w < waits[least] {
			least = k
		}
	}
	return least + 1
}

func noteSweetSpot(f *reproduce.Finding, t reproduce.Table) {
	last := t.Rows[len(t.Rows)-1]
	three := t.Rows[6] // λ = 1−2⁻¹³
	ends := [2]float64{math.Inf(1), 0}
	for _, row := range t.Rows {
		ends = [2]float64{min(ends[0], row[8]), max(ends[1], row[8])}
	}
	f.Measured = fmt.Sprintf("The best capacity for the mean wait is %g at λ = 1−2⁻², %g at 1−2⁻¹⁰, %g at "+
		"1−2⁻¹³ and %g at 1−2⁻⁵², which is %.2f to "+
		"%.2f times √ln(1/(1−λ)); for the longest wait of a round it is %g, %g, %g and %g.", t.Rows[0][2], t.Rows[4][2],
		three[2], last[2],
		ends[0], ends[1], t.Rows[0][5], t.Rows[4][5], three[5], last[5])
	f.Notes = append(f.Notes,
		fmt.Sprintf("At λ = 1−2⁻¹³ the best capacity, %.0f, makes balls wait for %.2f rounds on average, against "+
			"%.2f with c = 1; "+
			"at λ = 1−2⁻², where there is little to gain, c = %.0f has %.2f against %.2f.",
			three[2], three[3], three[4], t.Rows[0][2], t.Rows[0][3], t.Rows[0][4]),
		fmt.Sprintf("The best capacity is about the root: %.0f at λ = 1−2⁻⁵², where the root is %.2f. Up to λ = "+
			"1−2⁻¹⁴ it is 2 or "+
			"3, and so 2 or 3 is right for all but extreme rates.", last[2], last[1]))
}

func sweetChart(e effort, title string, waits func(spot) []float64) plot.Chart {
	chart := plot.Chart{Title: title, XLabel: "capacity c", YLabel: "rounds", FromZero: true, LegendBeside: true}
	for i := 14; i >= 2; i -= 2 {
		s := plot.Series{Name: "λ = " + halvedName(i)}
		for k, w := range waits(e.spot(i)) {
			s.Add(float64(k+1), w)
		}
		chart.Series = append(chart.Series, s)
	}
	return chart
}
