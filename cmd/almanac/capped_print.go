package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/format"
)

// printCapped prints what was measured of a process beside what theory says.
func printCapped(w io.Writer, r *cappedReport) error {
	fmt.Fprintf(w, "%s: %s, λ = %s, %s arrivals, seed %d\n", r.name(), format.Count(r.Bins, "bin"), format.Rate(r.Rate), r.Arrivals, r.Seed)
	if r.Incomplete {
		_, err := fmt.Fprintf(w, "INCOMPLETE: interrupted after round %s of %s, of which the first %s are the burn-in; nothing is measured\n",
			format.Thousands(float64(r.Reached)), format.Thousands(float64(r.BurnIn+r.Rounds)), format.Thousands(float64(r.BurnIn)))
		return err
	}
	fmt.Fprintln(w, r.howLong())
	if r.Least > 0 {
		fmt.Fprintf(w, "at least m* = %s balls are thrown in every round, %.4g per bin\n", format.Thousands(float64(r.Least)), float64(r.Least)/float64(r.Bins))
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "WARNING: %s\n", warning)
	}
	fmt.Fprintln(w)
	if err := r.table(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n", r.Sweet.sentence())
	return printSpeed(w, r.Thrown, r.Seconds)
}

// name is the process with what belongs to it.
func (p *cappedPoint) name() string {
	switch {
	case p.Choices == 1:
		return p.Process + " with 1 choice"
	case p.Choices > 1:
		return fmt.Sprintf("%s with %d choices", p.Process, p.Choices)
	}
	return fmt.Sprintf("%s with capacity %d", p.Process, p.Capacity)
}

// howLong says how many rounds there were, and why.
func (p *cappedPoint) howLong() string {
	rounds, burnIn := float64(p.Rounds), float64(p.BurnIn)
	if p.Tenths != nil {
		s := "warm start from the limit of many bins"
		if p.BurnIn > 0 {
			s += fmt.Sprintf(" and a burn-in of %s rounds", format.Thousands(burnIn))
		}
		return s + fmt.Sprintf("; first and last tenth of the %s rounds measured agree within %.1f standard errors", format.Thousands(rounds), p.Tenths.Errors)
	}
	const moment = 0.1 // of a round: how many of these there were says nothing
	if p.Relaxation == nil || *p.Relaxation < moment {
		return fmt.Sprintf("burn-in %s rounds, then %s measured", format.Thousands(burnIn), format.Thousands(rounds))
	}
	return fmt.Sprintf("burn-in %s rounds, then %s measured: %.3g and %.3g relaxation times of %.4g rounds", format.Thousands(burnIn), format.Thousands(rounds),
		burnIn / *p.Relaxation, rounds / *p.Relaxation, *p.Relaxation)
}

// table prints a row for each quantity.
func (p *cappedPoint) table(w io.Writer) error {
	m, limit, bound, estimate := p.Measured, orNone(p.Limit), orNone(p.Bound), orNone(p.Estimate)
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
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
	fmt.Fprint(out, "\tmeasured\tlimit of\tbound\testimate\t\n")
	fmt.Fprintf(out, "\t\tmany bins\t%s\t%s\t\n", proof, seen)
	row := func(name string, x cappedMean, of func(*cappedTheory) *float64) {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t\n", name, x, x.like(of(limit)), rough(of(bound)), rough(of(estimate)))
	}
	pooled := p.kind != capped.Greedy
	if pooled {
		row("pool per bin", m.Pool, func(t *cappedTheory) *float64 { return t.Pool })
	}
	row("thrown per bin", m.Thrown, func(t *cappedTheory) *float64 { return t.Thrown })
	row("mean wait", m.Wait, func(t *cappedTheory) *float64 { return t.Wait })
	row("longest wait in a round (mean)", m.Longest, func(t *cappedTheory) *float64 { return t.Longest })
	fmt.Fprintf(out, "longest wait altogether\t%d\t%s\t%s\t%s\t\n", m.WaitMax, rough(limit.WaitMax), rough(bound.WaitMax), rough(estimate.WaitMax))
	if pooled {
		row("largest pool per bin", cappedMean{Mean: m.PoolMax}, func(t *cappedTheory) *float64 { return t.PoolMax })
	}
	return out.Flush()
}

// orNone is what theory says, or nothing.
func orNone(t *cappedTheory) *cappedTheory {
	if t == nil {
		return &cappedTheory{}
	}
	return t
}

// decimals is how many a mean is written with: its standard error has two digits then.
func (m cappedMean) decimals() int {
	if m.Error == nil || !(*m.Error > 0) {
		return 4
	}
	return min(max(1-int(math.Floor(math.Log10(*m.Error))), 0), 9)
}

// String is the mean and its standard error.
func (m cappedMean) String() string {
	d := m.decimals()
	switch {
	case m.Error == nil:
		return fmt.Sprintf("%.*f", d, m.Mean)
	case *m.Error == 0:
		return fmt.Sprintf("%.*f ± 0", d, m.Mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", d, m.Mean, d, *m.Error)
}

// like is a number with as many decimals as the mean.
func (m cappedMean) like(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f", m.decimals(), *x)
}

// rough is a number of which nobody needs many decimals.
func rough(x *float64) string {
	switch {
	case x == nil:
		return "–"
	case *x < 1000:
		return fmt.Sprintf("%.2f", *x)
	}
	return format.Thousands(math.Round(*x))
}

// sentence says which capacity is best.
func (s *cappedSweet) sentence() string {
	return fmt.Sprintf("Sweet spot of CAPPED for this λ: capacity %d, with a mean wait of %.4g rounds in the limit; √ln(1/(1−λ)) is %.3g.",
		s.Capacity, s.Wait, s.Scale)
}

// printSpeed prints what it took, the only line that differs between two runs.
func printSpeed(w io.Writer, thrown int, seconds float64) error {
	seconds = max(seconds, 1e-9)
	took := fmt.Sprintf("%.2f s", seconds)
	if seconds < 1 {
		took = fmt.Sprintf("%.3g ms", 1e3*seconds)
	}
	pace, unit := float64(thrown)/seconds/1e6, "million"
	for _, larger := range []string{"billion", "trillion"} {
		if pace >= 1000 {
			pace, unit = pace/1000, larger
		}
	}
	_, err := fmt.Fprintf(w, "\n%s thrown in %s: %.3g %s balls/s\n", format.Count(thrown, "ball"), took, pace, unit)
	return err
}

// printThreshold prints how a batch found its places.
func printThreshold(w io.Writer, r *thresholdReport) error {
	balls := func(n int) string { return format.Count(n, "ball") }
	rounds := format.Count(r.Rounds, "round")
	fmt.Fprintf(w, "threshold, %d accepted by a bin in a round: %s, %s (λ = %s per bin, %s), seed %d\n", r.Capacity, format.Count(r.Bins, "bin"),
		balls(r.Balls), format.Rate(r.Rate), r.Arrivals, r.Seed)
	switch {
	case r.Incomplete:
		fmt.Fprintf(w, "INCOMPLETE: interrupted after %s; %s left without a place\n", rounds, balls(r.Left))
	case r.Left > 0:
		fmt.Fprintf(w, "after %s, as many as were asked for, %s left without a place\n", rounds, balls(r.Left))
	default:
		fmt.Fprintf(w, "all balls have a place after %s\n", rounds)
	}
	compared := ""
	if r.LnLn != nil {
		compared = fmt.Sprintf("; with n bins, ln ln n is %.2f and log₂log₂ n is %.2f", *r.LnLn, *r.LogLog)
	}
	fmt.Fprintf(w, "the largest load is %d%s\n\n", r.Largest, compared)
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "round\task\taccepted\tleft\tleft per bin\t\n")
	const first, last = 15, 5 // of many rounds
	for i, row := range r.rows {
		if len(r.rows) > first+last && i == first {
			fmt.Fprint(out, "…\t\t\t\t\t\n")
		}
		if i >= first && i < len(r.rows)-last {
			continue
		}
		fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%.3g\t\n", row.number, format.Thousands(float64(row.Thrown)), format.Thousands(float64(row.Accepted)), format.Thousands(float64(row.Pool)),
			float64(row.Pool)/float64(r.Bins))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return printSpeed(w, r.Thrown, r.Seconds)
}
