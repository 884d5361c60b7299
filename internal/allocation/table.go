package allocation

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/format"
)

// Table is a row for each quantity: its name, what was measured, the limit of many bins, the bound
// and the estimate, as one reads them. The head says of the last two where they are from, and is
// empty where there are none.
func (p *Point) Table() (head []string, rows [][]string) {
	limit, bound, estimate := p.Theories()
	proof, seen := "Theorem 2", "section V"
	switch {
	case p.kind == capped.Greedy:
		proof, seen = "", ""
	case p.kind == capped.ModCapped && p.Capacity == 1:
		proof = "Lemma 2"
	case p.kind == capped.ModCapped:
		proof = "Lemma 7"
	case p.Capacity == 1:
		proof = "Theorem 1"
	}
	head = []string{"", "measured", "limit of many bins", proof, seen}
	m := p.Measured
	row := func(name string, x Mean, of func(Theory) *float64) {
		rows = append(rows, []string{name, Format(x), Like(x, of(limit)), Rough(of(bound)), Rough(of(estimate))})
	}
	pooled := p.kind != capped.Greedy
	if pooled {
		row("pool per bin", m.Pool, func(t Theory) *float64 { return t.Pool })
	}
	row("thrown per bin", m.Thrown, func(t Theory) *float64 { return t.Thrown })
	row("mean wait", m.Wait, func(t Theory) *float64 { return t.Wait })
	row("longest wait in a round (mean)", m.Longest, func(t Theory) *float64 { return t.Longest })
	rows = append(rows, []string{"longest wait altogether", fmt.Sprint(m.WaitMax), Rough(limit.WaitMax),
		Rough(bound.WaitMax), Rough(estimate.WaitMax)})
	if pooled {
		row("largest pool per bin", Mean{Mean: m.PoolMax}, func(t Theory) *float64 { return t.PoolMax })
	}
	return head, rows
}

// decimals is how many a mean is written with: its standard error has two digits then.
func decimals(m Mean) int {
	if m.Error == nil || !(*m.Error > 0) {
		return 4
	}
	return min(max(1-int(math.Floor(detmath.Log10(*m.Error))), 0), 9)
}

// Format is a mean and its standard error.
func Format(m Mean) string {
	d := decimals(m)
	switch {
	case m.Error == nil:
		return fmt.Sprintf("%.*f", d, m.Mean)
	case *m.Error == 0:
		return fmt.Sprintf("%.*f ± 0", d, m.Mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", d, m.Mean, d, *m.Error)
}

// Like is a number with as many decimals as the mean.
func Like(m Mean, x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f", decimals(m), *x)
}

// Rough is a number of which nobody needs many decimals.
func Rough(x *float64) string {
	switch {
	case x == nil:
		return "–"
	case *x < 1000:
		return fmt.Sprintf("%.2f", *x)
	}
	return format.Thousands(math.Round(*x))
}

// String says which capacity is best.
func (s *Sweet) String() string {
	return fmt.Sprintf("Sweet spot of CAPPED for this λ: capacity %d, with a mean wait of %.4g rounds in the limit; "+
		"√ln(1/(1−λ)) is %.3g.",
		s.Capacity, s.Wait, s.Scale)
}
