package berenbrink

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/reproduce"
)

// algorithm1 compares the two definitions of CAPPED: section II accepts min{c−ℓ(t), ν} balls, where
// ℓ(t) is the load at the end of the round, and Algorithm 1 min{c−ℓ(t−1), ν}.
//
// The first is an equation, as ℓ(t) = max{0, ℓ(t−1)+a−1} for a balls that are accepted. With c = 2,
// an empty bin and two requests a = 1 gives ℓ(t) = 0 and so a = 2, and a = 2 gives ℓ(t) = 1 and so
// a = 1.
func algorithm1(r *runner) reproduce.Finding {
	r.Checkpoint()
	var f reproduce.Finding
	table := reproduce.Table{Name: "bins by capacity", Columns: []string{"c", "cases of a load and a number of requests",
		"section II: none or several numbers of accepted balls", "Algorithm 1: room left and a ball refused, or too full"}}
	undefined, wrong, cases := 0, 0, 0
	series := plot.Series{Name: "section II"}
	for c := 1; c <= 8; c++ {
		all, open, bad := 0, 0, 0
		for load := range c { // at the beginning of a round: every bin with a ball has deleted one
			for requests := range 2*c + 1 {
				all++
				solutions := 0
				for accepted := range requests + 1 {
					if accepted == min(c-r.theory.sectionII(load, accepted), requests) {
						solutions++
					}
				}
				open += reproduce.Above(math.Abs(float64(solutions-1)), 0.5)
				accepted := min(c-load, requests)
				if load+accepted > c || accepted < requests && load+accepted < c {
					bad++
				}
			}
		}
		table.Rows = append(table.Rows, []float64{float64(c), float64(all), float64(open), float64(bad)})
		undefined, wrong, cases = undefined+open, wrong+bad, cases+all
		series.Add(float64(c), float64(open)/float64(all))
	}
	f.Check(fmt.Sprintf("cases of %d in which section II gives no number of accepted balls, or several", cases),
		float64(undefined), 0, 0, "a definition; all loads and requests for c = 1 … 8")
	f.For(reproduce.Corrected).Check(fmt.Sprintf("cases of %d in which Algorithm 1 refuses a ball and has room, or "+
		"exceeds the capacity", cases), float64(wrong), 0, 0, "each bin accepts as many balls as possible")
	f.Tables = append(f.Tables, table)
	f.Measured = fmt.Sprintf("With ℓ(t), as section II has it, the number of accepted balls is not defined in %d of %d "+
		"cases, the first with c = 2, an empty bin and two requests; with ℓ(t−1), as in Algorithm 1, it always is.",
		undefined, cases)
	f.Chart("undefined", plot.Chart{Title: "Share of cases in which ℓ(t) defines no number of accepted balls",
		XLabel: "capacity c", YLabel: "share", FromZero: true, Series: []plot.Series{series}})
	return f
}

// infiniteCapacity compares CAPPED with a capacity that no bin reaches with GREEDY[1], ball by
// ball.
//
// With c = ∞ a bin accepts min{∞, ν} = ν balls, all that ask it, so that no ball is ever in the
// pool and each stays in the one bin that it chose. GREEDY[1] puts each ball into the least loaded
// of one bin.
func infiniteCapacity(r *runner) reproduce.Finding {
	type point struct {
		n    int
		rate float64
	}
	var points []point
	for _, n := range []int{16, 1000} {
		for _, rate := range []float64{0.5, 0.75, 0.95} {
			points = append(points, point{n, rate})
		}
	}
	r.Runs(len(points))
	var f reproduce.Finding
	table := reproduce.Table{Name: "CAPPED(∞, λ) beside GREEDY[1] with the same choices", Columns: []string{"n", "λ",
		"rounds", "rounds that differ", "bins that differ", "largest load", "largest pool"}}
	differ, bins, rounds, compared, largest := 0, 0, r.rounds(2000, 500), 0, 0
	for k, p := range points {
		config := capped.Config{Bins: p.n, Capacity: r.theory.infinite, Rate: p.rate, Seed: r.seed(k), ByBin: true}
		greedy := config
		greedy.Kind, greedy.Choices = capped.Greedy, r.theory.choices
		a, b := reproduce.Must(capped.NewProcess(config)), reproduce.Must(capped.NewProcess(greedy))
		apart, binsApart, load, pool := 0, 0, 0, 0
		r.each(a, rounds, func(one capped.Round) {
			if one != b.Round() {
				apart++
			}
			pool = max(pool, one.Pool)
			for bin := range p.n {
				load = max(load, a.Load(bin))
				if a.Load(bin) != b.Load(bin) {
					binsApart++
				}
			}
		})
		table.Rows = append(table.Rows, []float64{float64(p.n), p.rate, float64(rounds), float64(apart), float64(binsApart),
			float64(load), float64(pool)})
		differ, bins, compared, largest = differ+apart, bins+binsApart, compared+rounds*p.n, max(largest, load)
		r.Ran()
	}
	f.Check(fmt.Sprintf("rounds of %d in which pool, balls served or their waits differ", rounds*len(points)),
		float64(differ), 0, 0, "identical")
	f.Check(fmt.Sprintf("bins of %d that differ after a round", compared), float64(bins), 0, 0, "identical")
	limits := reproduce.Table{Name: "mean wait by the limit", Columns: []string{"λ", "c", "CAPPED(c, λ)", "GREEDY[1]"}}
	chart := plot.Chart{Title: "Mean wait of CAPPED(c, λ) and of GREEDY[1], by the limit", XLabel: "capacity c",
		YLabel: "rounds", LogX: true, FromZero: true, LegendBeside: true}
	off := 0.0
	for _, rate := range []float64{0.75, 0.95} {
		queue := rate / (2 * (1 - rate)) // of one bin with Poisson arrivals that serves one in a round
		s := plot.Series{Name: fmt.Sprintf("λ = %g", rate)}
		line := plot.Series{Name: "GREEDY[1]", Same: true, Dashed: true}
		for c := 1; c <= 512; c *= 2 {
			wait := r.theory.capped(c, rate).Wait
			limits.Rows = append(limits.Rows, []float64{rate, float64(c), wait, queue})
			s.Add(float64(c), wait)
			line.Add(float64(c), queue)
			if c == 512 {
				off = max(off, math.Abs(wait/queue-1))
			}
		}
		chart.Series = append(chart.Series, s, line)
	}
	f.Check("mean wait of CAPPED(512, λ) off λ/(2(1−λ)), by the limit, as a share, at most", off, 0, 1e-9,
		"the tails of the loads fall by 2 or more in ten places for λ = 0.95; rounding")
	f.Tables = append(f.Tables, table, limits)
	f.Measured = fmt.Sprintf("With the same choices CAPPED, with a capacity that no bin reaches, and GREEDY[1] differ "+
		"in %d "+
		"of %d rounds and %d of %d bins; the largest load is %d. By the limit the mean wait goes to λ/(2(1−λ)) as "+
		"c grows.",
		differ, rounds*len(points), bins, compared, largest)
	f.Chart("waits", chart)
	return f
}
