package erickson

import (
	"fmt"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/reproduce"
)

// theorem31 is that jumps which are never longer than β need no more than β/δ + 1 buckets.
func theorem31(r *runner) reproduce.Finding {
	all, ratios := []jumps{uniformJumps(1), triangularJumps()}, []float64{0.5, 1, 4}
	r.Runs(3 * len(all) * len(ratios))
	var f reproduce.Finding
	for _, j := range all {
		table := reproduce.Table{Name: "events whose work differs, " + j.name, Columns: []string{"width over the best", "buckets", "events",
			"with ten times the buckets", "with one bucket less", "with 20% less"}}
		for _, ratio := range ratios {
			h := hold{jumps: j, n: 1000, width: ratio * r.width(1000, 1), events: r.events(400_000), stream: uint64(r.Done())}
			row := r.judgeSupport(&f, h, ratio, r.formulas)
			table.Rows = append(table.Rows, row)
		}
		f.Tables = append(f.Tables, table)
	}
	same, few := 0.0, 0.0
	for _, table := range f.Tables {
		for _, row := range table.Rows {
			same, few = max(same, row[3]/row[2]), max(few, row[5]/row[2])
		}
	}
	f.Measured = fmt.Sprintf("With β/δ + 1 buckets and with ten times as many, %g of the events differ in what they take, "+
		"at three widths and for two jumps; with 20%% fewer, up to %.0f%% of them do.", same, 100*few)
	f.Notes = append(f.Notes, "One bucket less than β/δ + 1 is hardly noticed, since it takes a jump of nearly β from the "+
		"end of a bucket.")
	return f
}

// judgeSupport adds the checks for a width, and returns the row of the table.
func (r *runner) judgeSupport(f *reproduce.Finding, h hold, ratio float64, t formulas) []float64 {
	enough := t.enough(h.jumps.law.Support, h.width)
	few := enough * 8 / 10
	differ := r.sideBySide(h, []int{enough, 10 * enough, enough - 1, few})
	fewer := r.pairs(h, []int{few})
	where := fmt.Sprintf("%s jumps, %g times the best width", h.jumps.name, ratio)
	f.Check("events whose work differs with ten times the buckets, "+where, differ[1], 0, 0, "the theorem is exact")
	low, high := t.extraBounds(h.n, few, h.jumps.law, h.width)
	extra := fewer[0].extra()
	f.Between("entries more for each event with 20% fewer buckets, "+where, extra.Mean, low, high, reproduce.Sigmas*extra.SE,
		"the bounds of Theorem 3.2, and 4.5 standard errors: far from none")
	return []float64{ratio, float64(enough), float64(h.events), differ[1], differ[2], differ[3]}
}

// sideBySide runs calendars with different numbers of buckets on the same jumps, and counts the events, after the warm-up, whose
// work is not what it is in the first calendar.
func (r *runner) sideBySide(h hold, buckets []int) []float64 {
	differ := make([]float64, len(buckets))
	want := make([]calendar.Work, h.events)
	for k, m := range buckets {
		h.buckets = m
		s, rng := r.begin(h)
		r.spend(s, rng, h, h.warmUp())
		for i := range want {
			before := s.Work()
			r.spend(s, rng, h, 1)
			took := s.Work().Since(before)
			if k == 0 {
				want[i] = took
			} else if took != want[i] {
				differ[k]++
			}
		}
	}
	r.Ran()
	return differ
}
