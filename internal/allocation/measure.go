package allocation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/internal/cappedmath"
	"github.com/almanac-sim/almanac/internal/format"
)

// Measure runs one process. When the context is done the point says that it is incomplete, and has
// its rounds; with it comes the context's error. Rounds are kept if they are asked for.
func Measure(ctx context.Context, c capped.Config, plan capped.Plan, keep bool, tell Tell) (*Point, error) {
	p, err := New(c, plan, keep)
	if err != nil {
		return nil, err
	}
	if err = p.Run(ctx, tell, nil); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return p, err
}

// Run runs a process that is new: see [Measure]. After each round watch is called, if it is not
// nil; in it, and only in it, [Point.Now] may be.
func (p *Point) Run(ctx context.Context, tell Tell, watch func(*capped.Process)) error {
	plan := p.plan
	if watch != nil {
		plan.Watch = func(process *capped.Process, _ capped.Round) { watch(process) }
	}
	began := time.Now()
	err := p.measure(ctx, p.config, plan, func(r *record) { tell(r.done, p.BurnIn+p.Rounds, r.pace(time.Since(began))) })
	p.Incomplete = err != nil
	return err
}

// Now is what there is to see of a process while it runs: its rounds until now, and, as what is
// measured, where the balls are after this round and how long those waited that were served in it.
// It shares nothing with the point that will change.
func (p *Point) Now(process *capped.Process) *Point {
	now, rounds := *p, *p.record // rows are only appended to
	now.record = &rounds
	now.Incomplete = true
	now.Reached, now.Thrown = rounds.done, rounds.thrown
	now.Measured = &Measured{Waits: process.Waits(nil), Loads: Shares(process.Loads())}
	now.compare(p.config)
	return &now
}

// A SlowError says that a process takes too long to forget its start, so that the number of rounds
// is not to be decided for those who ask.
type SlowError struct{ Relaxation float64 }

func (e SlowError) Error() string {
	return fmt.Sprintf("the process takes %.3g rounds to relax, and 110 times as many to be measured", e.Relaxation)
}

// Unwrap is what package capped says of it.
func (e SlowError) Unwrap() error { return capped.ErrSlow }

// New is a process before its first round, with what theory says of it. Rounds will be kept if they
// are asked for.
func New(c capped.Config, plan capped.Plan, keep bool) (*Point, error) {
	burnIn, rounds, relaxation, err := plan.Decide(c)
	switch {
	case errors.Is(err, capped.ErrSlow):
		return nil, SlowError{relaxation}
	case err != nil:
		return nil, err
	}
	p := &Point{
		Process: c.Kind.String(), Bins: c.Bins, Capacity: c.Capacity, Choices: c.Choices, Rate: c.Rate,
		Arrivals: c.Arrivals.String(),
		ByBin:    c.ByBin || c.Kind == capped.ModCapped, Warm: c.Warm, Seed: c.Seed, Least: c.MinThrown,
		Warnings: []string{}, kind: c.Kind, config: c, plan: plan,
	}
	if c.Kind == capped.ModCapped && p.Least == 0 {
		p.Least = int(cappedmath.MinThrown(c.Bins, c.Capacity, c.Rate))
	}
	if c.Kind == capped.Greedy {
		p.limit = capped.GreedyLimit(c.Choices, c.Rate)
	} else {
		p.limit = capped.NewLimit(c.Capacity, c.Rate)
	}
	p.Relaxation = finite(relaxation)
	if c.Kind == capped.ModCapped { // it is taken to relax as CAPPED does, and has no limit of its own
		p.limit = nil
	}
	p.BurnIn, p.Rounds = burnIn, rounds
	p.record = &record{burnIn: burnIn, rounds: rounds}
	if keep {
		p.record.every = max(1, (burnIn+rounds+mostRows-1)/mostRows)
	}
	best := capped.SweetSpot(c.Rate)
	_, wait := capped.MeanField(best, c.Rate)
	p.Sweet = &Sweet{Capacity: best, Wait: wait, Scale: cappedmath.SweetSpotScale(c.Rate)}
	p.warn(c, relaxation)
	return p, nil
}

// warn tells what is known to be wrong with a measurement before it is made.
func (p *Point) warn(c capped.Config, relaxation float64) {
	add := func(format string, args ...any) { p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...)) }
	const burnt, enough = 5, 20
	switch {
	case !proved(c) && c.Kind != capped.Greedy:
		add("the theorems are for λ ≤ 1−1/n, and so there is no bound")
	case c.Arrivals != capped.Exact && c.Kind != capped.Greedy:
		add("the bound is proved for exact arrivals, not for %v ones", c.Arrivals)
	}
	switch {
	case math.IsInf(relaxation, 1):
		add("small deviations from the limit of many bins grow, and the process does not settle there: its relaxation " +
			"time is infinite, " +
			"and there are no standard errors")
		return
	case float64(p.Rounds) < enough*relaxation:
		add("%s rounds are %.2g relaxation times; below %d (%s rounds) the means and their standard errors are not to be "+
			"trusted",
			format.Thousands(float64(p.Rounds)), float64(p.Rounds)/relaxation, enough, many(enough*relaxation))
	}
	if !c.Warm && float64(p.BurnIn) < burnt*relaxation {
		add("a burn-in of %s rounds is %.2g relaxation times; below %d (%s rounds) what is measured depends on the "+
			"empty start",
			format.Thousands(float64(p.BurnIn)), float64(p.BurnIn)/relaxation, burnt, many(burnt*relaxation))
	}
}

// many is a number of rounds, however large.
func many(rounds float64) string {
	if rounds > 1e9 {
		return fmt.Sprintf("%.2g", rounds)
	}
	return format.Thousands(math.Ceil(rounds))
}

// measure runs the process. When the context is done the point stays without what is measured.
func (p *Point) measure(ctx context.Context, c capped.Config, plan capped.Plan, tell func(*record)) error {
	began := time.Now()
	step := max(1, (p.BurnIn+p.Rounds)/1000)
	watch := plan.Watch
	plan.Watch = func(process *capped.Process, r capped.Round) {
		p.record.note(r)
		if watch != nil {
			watch(process, r)
		}
		if p.record.done%step == 0 {
			tell(p.record)
		}
	}
	m, err := capped.Measure(ctx, c, plan)
	p.Reached, p.Thrown, p.Seconds = p.record.done, p.record.thrown, time.Since(began).Seconds()
	if err != nil {
		return err
	}
	p.BurnIn, p.Rounds = m.BurnIn, m.Rounds
	n := float64(c.Bins)
	perBin := func(x capped.Estimate) Mean { return Mean{x.Mean / n, finite(x.Error / n)} }
	plain := func(x capped.Estimate) Mean { return Mean{x.Mean, finite(x.Error)} }
	p.Measured = &Measured{
		Pool: perBin(m.Pool), Thrown: perBin(m.Thrown), Wait: plain(m.Wait), Longest: plain(m.Longest),
		WaitMax: m.WaitMax, PoolMax: float64(m.PoolMax) / n, Waits: append([]int{}, m.Waits...), Loads: m.Loads,
	}
	p.compare(c)
	if c.Warm {
		p.compareTenths(c.Bins, m.Pool.Error)
	}
	return nil
}

// compareTenths tells whether a warm start stays where it began. The mean of a tenth of the rounds
// has √10 times the standard error of that of all, as long as a tenth is many relaxation times, and
// the difference of two that have nothing to do with each other √2 times that.
func (p *Point) compareTenths(bins int, all float64) {
	n, tenth := float64(bins), float64(p.record.tenth())
	first, last := float64(p.record.first)/tenth/n, float64(p.record.last)/tenth/n
	t := &Tenths{First: first, Last: last}
	if first != last {
		t.Errors = math.Abs(first-last) / (all / n * math.Sqrt(20))
	}
	if math.IsNaN(t.Errors) || math.IsInf(t.Errors, 0) {
		return
	}
	const doubtful = 4
	if p.Tenths = t; t.Errors > doubtful {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the first and the last tenth of the rounds differ by %.1f standard "+
			"errors: "+
			"the process has not stayed where it started", t.Errors))
	}
}
