package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/format"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/progress"
)

// A cappedSweep is several processes that differ in one quantity.
type cappedSweep struct {
	what   string // capacity or rate
	values []sweepValue
}

// A sweepValue is a value of what is swept, as it was written.
type sweepValue struct {
	name  string
	value float64
}

// mostSwept is how many processes a sweep may have.
const mostSwept = 1000

// parseSweep reads what to sweep: capacity=1..8 or a list, rate=1-2^-1..1-2^-10 or a list. The values are put in order.
func parseSweep(s string, c capped.Config, given func(string) bool) (*cappedSweep, error) {
	const wanted = "wanted is capacity=1..8, capacity=1,2,4, rate=1-2^-1..1-2^-10 or rate=0.5,0.9,0.99"
	what, values, ok := strings.Cut(s, "=")
	if !ok {
		return nil, usagef("--sweep %q has no values; %s", s, wanted)
	}
	names := []string{"capacity", "rate"}
	i, err := chooseOne("--sweep", what, names)
	if err != nil {
		return nil, err
	}
	sweep := &cappedSweep{what: names[i]}
	switch {
	case given(sweep.what):
		return nil, usagef("--%s and --sweep %s=…: give one of them", sweep.what, sweep.what)
	case sweep.what == "capacity" && c.Kind == capped.Greedy:
		return nil, usagef("--sweep capacity does not apply to greedy: its bins have no limit; sweep the rate")
	case sweep.what == "capacity":
		err = sweep.capacities(values)
	default:
		err = sweep.rates(values, c.Kind)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(sweep.values, func(a, b sweepValue) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	sweep.values = slices.CompactFunc(sweep.values, func(a, b sweepValue) bool { return a.value == b.value })
	return sweep, nil
}

// capacities reads 1..8 or 1,2,4.
func (s *cappedSweep) capacities(values string) error {
	one := func(text string) (int, error) { return parseWhole("--sweep capacity", text, "balls", 1, 1<<20) }
	add := func(c int) { s.values = append(s.values, sweepValue{strconv.Itoa(c), float64(c)}) }
	if first, last, ok := strings.Cut(values, ".."); ok {
		low, err := one(first)
		if err != nil {
			return err
		}
		high, err := one(last)
		if err != nil {
			return err
		}
		if err := sweepable("--sweep capacity", values, low, high); err != nil {
			return err
		}
		for c := low; c <= high; c++ {
			add(c)
		}
		return nil
	}
	for _, text := range strings.Split(values, ",") {
		c, err := one(text)
		if err != nil {
			return err
		}
		add(c)
	}
	return nil
}

// sweepable refuses ranges that are backwards or too long.
func sweepable(flag, values string, low, high int) error {
	switch {
	case low > high:
		return usagef("%s: %s goes backwards; begin with the smaller one", flag, values)
	case high-low >= mostSwept:
		return usagef("%s: %s has %d values; at most %d can be swept at once", flag, values, high-low+1, mostSwept)
	}
	return nil
}

// rates reads 1-2^-1..1-2^-10, one rate for every exponent, or 0.5,0.9,0.99.
func (s *cappedSweep) rates(values string, kind capped.Kind) error {
	values = strings.ReplaceAll(values, "−", "-")
	add := func(name string) error {
		rate, err := parseRate("--sweep rate", name, kind)
		s.values = append(s.values, sweepValue{strings.TrimSpace(name), rate})
		return err
	}
	if first, last, ok := strings.Cut(values, ".."); ok {
		base, low, good := nearOne(first)
		base2, high, good2 := nearOne(last)
		if !good || !good2 || base != base2 {
			return usagef("--sweep rate: %q is not a range; wanted is one of exponents, as 1-2^-1..1-2^-10, or a list, as 0.5,0.9,0.99", values)
		}
		if err := sweepable("--sweep rate", values, low, high); err != nil {
			return err
		}
		for e := low; e <= high; e++ {
			if err := add(fmt.Sprintf("1-%s^-%d", base, e)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, text := range strings.Split(values, ",") {
		if err := add(text); err != nil {
			return err
		}
	}
	return nil
}

// nearOne takes 1-2^-10 apart, into "2" and 10.
func nearOne(s string) (base string, exponent int, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "1-")
	if !ok {
		return "", 0, false
	}
	base, power, ok := strings.Cut(rest, "^-")
	exponent, err := strconv.Atoi(power)
	return base, exponent, ok && err == nil
}

// config is the process of a value.
func (s *cappedSweep) config(c capped.Config, v sweepValue) capped.Config {
	if s.what == "capacity" {
		c.Capacity = int(v.value)
	} else {
		c.Rate = v.value
	}
	return c
}

// A sweepReport is what almanac capped --sweep --json prints.
type sweepReport struct {
	Command    string         `json:"command"`
	Incomplete bool           `json:"incomplete,omitempty"` // interrupted: some points are missing
	Sweep      string         `json:"sweep"`
	Best       int            `json:"best_capacity,omitempty"` // of those measured: which waits least on average
	Points     []*cappedPoint `json:"points"`

	sweep  *cappedSweep
	config capped.Config // of all points, but for what is swept
}

// measureSweep runs the processes one after the other.
func (t *cappedTask) measureSweep(ctx context.Context, bar *progress.Bar) (*sweepReport, error) {
	report := &sweepReport{Command: t.command, Sweep: t.sweep.what, Points: []*cappedPoint{}, sweep: t.sweep, config: t.config}
	var all []*cappedPoint
	rounds := 0
	for _, v := range t.sweep.values {
		if ctx.Err() != nil { // theory takes its time, too
			break
		}
		p, err := newPoint(t.sweep.config(t.config, v), t.plan)
		if err != nil {
			var wrong usageError
			if errors.As(err, &wrong) {
				return nil, usagef("%s %s: %w", t.sweep.what, v.name, wrong.error)
			}
			return nil, err
		}
		rounds += p.BurnIn + p.Rounds
		all = append(all, p)
	}
	done := 0
	for i, p := range all {
		v := t.sweep.values[i]
		err := p.measure(ctx, t.sweep.config(t.config, v), t.plan, func(r *cappedRecord) {
			bar.Set(done+r.done, rounds, fmt.Sprintf("%s %s, %d of %d", t.sweep.what, v.name, i+1, len(all)))
		})
		if ctx.Err() != nil && err != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		done += p.Reached
		report.Points = append(report.Points, p)
	}
	if t.sweep.what == "capacity" {
		least := 0.0
		for _, p := range report.Points {
			if wait := p.Measured.Wait.Mean; report.Best == 0 || wait < least {
				report.Best, least = p.Capacity, wait
			}
		}
	}
	if report.Incomplete = len(report.Points) < len(t.sweep.values); report.Incomplete {
		return report, ctx.Err()
	}
	return report, nil
}

// subject is the process with what is not swept.
func (r *sweepReport) subject() string {
	if r.Sweep == "capacity" {
		return fmt.Sprintf("%v, λ = %s", r.config.Kind, format.Rate(r.config.Rate))
	}
	p := cappedPoint{Process: r.config.Kind.String(), Capacity: r.config.Capacity, Choices: r.config.Choices}
	return p.name()
}

// printSweep prints a row for each point.
func printSweep(w io.Writer, r *sweepReport) error {
	fmt.Fprintf(w, "%s, %s from %s to %s: %s, %v arrivals, seed %d\n", r.subject(), r.Sweep, r.sweep.values[0].name,
		r.sweep.values[len(r.sweep.values)-1].name, format.Count(r.config.Bins, "bin"), r.config.Arrivals, r.config.Seed)
	if r.Incomplete {
		fmt.Fprintf(w, "INCOMPLETE: interrupted; %d of %d points are measured\n", len(r.Points), len(r.sweep.values))
	}
	if len(r.Points) == 0 {
		return nil
	}
	for i, p := range r.Points {
		for _, warning := range p.Warnings {
			fmt.Fprintf(w, "WARNING: %s %s: %s\n", r.Sweep, r.sweep.values[i].name, warning)
		}
	}
	pooled := r.config.Kind != capped.Greedy
	if pooled {
		fmt.Fprint(w, "\npool per bin\n\n")
		if err := r.table(w, "measured\tlimit\tbound\testimate\tlargest\t", func(m *cappedMeasured, limit, bound, estimate *cappedTheory) string {
			return fmt.Sprintf("%s\t%s\t%s\t%s\t%.4f\t", m.Pool, m.Pool.like(limit.Pool), rough(bound.Pool), rough(estimate.Pool), m.PoolMax)
		}); err != nil {
			return err
		}
	}
	fmt.Fprint(w, "\nmean wait, and longest wait of a round on average and of all rounds\n\n")
	head := "mean\tlimit\tlongest\tlimit\taltogether\tlimit\t"
	if pooled {
		head += "bound\testimate\t"
	}
	if err := r.table(w, head, func(m *cappedMeasured, limit, bound, estimate *cappedTheory) string {
		s := fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%s\t", m.Wait, m.Wait.like(limit.Wait), m.Longest, m.Longest.like(limit.Longest), m.WaitMax, rough(limit.WaitMax))
		if pooled {
			s += fmt.Sprintf("%s\t%s\t", rough(bound.Longest), rough(estimate.Longest))
		}
		return s
	}); err != nil {
		return err
	}
	if r.Best > 0 {
		fmt.Fprintf(w, "\n* waits least on average of those measured. %s\n", r.Points[0].Sweet.sentence())
	}
	thrown, seconds := 0, 0.0
	for _, p := range r.Points {
		thrown += p.Thrown
		seconds += p.Seconds
	}
	return printSpeed(w, thrown, seconds)
}

// table prints a line for each point; that of the best capacity is marked.
func (r *sweepReport) table(w io.Writer, head string, row func(m *cappedMeasured, limit, bound, estimate *cappedTheory) string) error {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(out, "%s\t%s\n", r.Sweep, head)
	for i, p := range r.Points {
		name := r.sweep.values[i].name
		if r.Best > 0 && p.Capacity == r.Best {
			name = "* " + name
		}
		fmt.Fprintf(out, "%s\t%s\n", name, row(p.Measured, orNone(p.Limit), orNone(p.Bound), orNone(p.Estimate)))
	}
	return out.Flush()
}

// writeSweep writes the numbers of a sweep and its pictures.
func writeSweep(dir string, r *sweepReport) error {
	return errors.Join(
		writeFile(dir, "capped.json", func(w io.Writer) error { return printJSON(w, r) }),
		writeFile(dir, "sweep.csv", func(w io.Writer) error { return sweepCSV(w, r) }),
		plotSweep(dir, r))
}

// sweepCSV writes a line for each point. What there is none of is empty.
func sweepCSV(w io.Writer, r *sweepReport) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"process", "bins", "capacity", "choices", "rate", "burn_in", "rounds",
		"pool", "pool_error", "pool_limit", "pool_bound", "pool_estimate", "wait", "wait_error", "wait_limit",
		"longest", "longest_error", "longest_limit", "longest_bound", "longest_estimate", "wait_max", "pool_max"}}
	for _, p := range r.Points {
		m, limit, bound, estimate := p.Measured, orNone(p.Limit), orNone(p.Bound), orNone(p.Estimate)
		lines = append(lines, []string{p.Process, strconv.Itoa(p.Bins), atLeastOne(p.Capacity), atLeastOne(p.Choices), format.Number(p.Rate),
			strconv.Itoa(p.BurnIn), strconv.Itoa(p.Rounds),
			format.Number(m.Pool.Mean), optional(m.Pool.Error), optional(limit.Pool), optional(bound.Pool), optional(estimate.Pool),
			format.Number(m.Wait.Mean), optional(m.Wait.Error), optional(limit.Wait),
			format.Number(m.Longest.Mean), optional(m.Longest.Error), optional(limit.Longest), optional(bound.Longest), optional(estimate.Longest),
			strconv.Itoa(m.WaitMax), format.Number(m.PoolMax)})
	}
	return out.WriteAll(lines)
}

// optional is a number, or nothing.
func optional(x *float64) string {
	if x == nil {
		return ""
	}
	return format.Number(*x)
}

// atLeastOne is a number, or nothing if it is 0.
func atLeastOne(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
