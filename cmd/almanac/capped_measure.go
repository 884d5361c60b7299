package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/format"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/progress"
)

// A cappedReport is what almanac capped --json prints of one process.
type cappedReport struct {
	Command    string `json:"command"`
	Incomplete bool   `json:"incomplete,omitempty"` // interrupted: nothing is measured
	cappedPoint
}

// A cappedPoint is a process, what was measured of it, and what theory says. Numbers are per bin where their names say so; what there is
// none of is left out.
type cappedPoint struct {
	Process  string  `json:"process"`
	Bins     int     `json:"bins"`
	Capacity int     `json:"capacity,omitempty"`
	Choices  int     `json:"choices,omitempty"`
	Rate     float64 `json:"rate"`
	Arrivals string  `json:"arrivals"`
	ByBin    bool    `json:"by_bin"`
	Warm     bool    `json:"warm"`
	Seed     uint64  `json:"seed"`
	Least    int     `json:"least_thrown,omitempty"` // m* of modcapped

	Relaxation *float64 `json:"relaxation_rounds,omitempty"`
	BurnIn     int      `json:"burn_in"`
	Rounds     int      `json:"rounds"`
	Reached    int      `json:"reached_round"` // of burn-in and measured rounds together
	Warnings   []string `json:"warnings"`

	Measured *cappedMeasured `json:"measured,omitempty"`
	Tenths   *cappedTenths   `json:"tenths,omitempty"`
	Limit    *cappedTheory   `json:"limit,omitempty"`
	Bound    *cappedTheory   `json:"bound,omitempty"`
	Estimate *cappedTheory   `json:"estimate,omitempty"`
	Sweet    *cappedSweet    `json:"sweet_spot,omitempty"`

	Thrown  int     `json:"balls_thrown"` // in all rounds
	Seconds float64 `json:"seconds"`
	Pace    float64 `json:"balls_per_second"`

	record *cappedRecord
	limit  *capped.Limit // nil for modcapped, which has none
	kind   capped.Kind
}

// A cappedMean is a mean with its standard error, if that is known.
type cappedMean struct {
	Mean  float64  `json:"mean"`
	Error *float64 `json:"error,omitempty"`
}

type cappedMeasured struct {
	Pool    cappedMean `json:"pool_per_bin"`
	Thrown  cappedMean `json:"thrown_per_bin"`
	Wait    cappedMean `json:"wait"`
	Longest cappedMean `json:"longest_wait_in_a_round"`
	WaitMax int        `json:"longest_wait"`
	PoolMax float64    `json:"largest_pool_per_bin"`
	Waits   []int      `json:"waits"` // how many balls waited for 0, 1, 2, … rounds
	Loads   []float64  `json:"loads"` // the share of the bins that hold 0, 1, 2, … balls after a round
}

// cappedTheory is what a limit, a bound or an estimate says of what is measured.
type cappedTheory struct {
	Pool    *float64  `json:"pool_per_bin,omitempty"`
	Thrown  *float64  `json:"thrown_per_bin,omitempty"`
	Wait    *float64  `json:"wait,omitempty"`
	Longest *float64  `json:"longest_wait_in_a_round,omitempty"`
	WaitMax *float64  `json:"longest_wait,omitempty"`
	PoolMax *float64  `json:"largest_pool_per_bin,omitempty"`
	Waits   []float64 `json:"waits,omitempty"` // as far as any ball waited
	Loads   []float64 `json:"loads,omitempty"`
}

// cappedTenths are the mean pools of the first and the last tenth of the measured rounds, and by how many standard errors they differ.
type cappedTenths struct {
	First  float64 `json:"first_pool_per_bin"`
	Last   float64 `json:"last_pool_per_bin"`
	Errors float64 `json:"standard_errors"`
}

// cappedSweet is the capacity that is best for a rate.
type cappedSweet struct {
	Capacity int     `json:"capacity"`
	Wait     float64 `json:"wait"`  // on average, in the limit of many bins
	Scale    float64 `json:"scale"` // √ln(1/(1−λ))
}

// finite is a number, or nothing if it is none that JSON has.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// A cappedRow is a round by its number.
type cappedRow struct {
	number int
	held   int // balls that came and were not deleted; without those of a warm start
	capped.Round
}

// A cappedRecord is what is noted while a process goes on.
type cappedRecord struct {
	burnIn, rounds int         // as planned
	every          int         // how often a row is kept; 0 is never
	rows           []cappedRow // rounds every, 2·every, …
	done           int         // rounds
	thrown         int         // balls
	held           int         // balls that came and were not deleted
	first, last    int         // pools of the first and the last tenth of the measured rounds, summed
}

// mostRows is how many rows are kept at most.
const mostRows = 100_000

func (r *cappedRecord) keep() { r.every = max(1, (r.burnIn+r.rounds+mostRows-1)/mostRows) }

// tenth is the number of rounds in a tenth of those measured.
func (r *cappedRecord) tenth() int { return max(1, r.rounds/10) }

func (r *cappedRecord) note(round capped.Round) {
	r.done++
	r.thrown += round.Thrown
	r.held += round.Arrived - round.Served
	if i := r.done - r.burnIn; i > 0 {
		if i <= r.tenth() {
			r.first += round.Pool
		}
		if i > r.rounds-r.tenth() {
			r.last += round.Pool
		}
	}
	if r.every > 0 && r.done%r.every == 0 {
		r.rows = append(r.rows, cappedRow{r.done, r.held, round})
	}
}

// newPoint is a process before its first round, and what theory says of it.
func newPoint(c capped.Config, plan capped.Plan) (*cappedPoint, error) {
	burnIn, rounds, relaxation, err := plan.Decide(c)
	switch {
	case errors.Is(err, capped.ErrSlow):
		advice := "say how many rounds there should be, with --burn-in and --rounds"
		if c.Kind == capped.Capped {
			advice += "; with --warm no burn-in is needed"
		}
		return nil, usagef("the process takes %.3g rounds to relax, and 110 times as many to be measured; %s", relaxation, advice)
	case err != nil:
		return nil, wrongConfig(err)
	}
	p := &cappedPoint{
		Process: c.Kind.String(), Bins: c.Bins, Capacity: c.Capacity, Choices: c.Choices, Rate: c.Rate, Arrivals: c.Arrivals.String(),
		ByBin: c.ByBin || c.Kind == capped.ModCapped, Warm: c.Warm, Seed: c.Seed, Least: c.Least(),
		Warnings: []string{}, kind: c.Kind,
	}
	if c.Kind == capped.Greedy {
		p.limit = capped.GreedyLimit(c.Choices, c.Rate)
	} else {
		p.limit = capped.CappedLimit(c.Capacity, c.Rate)
	}
	p.Relaxation = finite(relaxation)
	if c.Kind == capped.ModCapped { // it is taken to relax as CAPPED does, and has no limit of its own
		p.limit = nil
	}
	p.BurnIn, p.Rounds = burnIn, rounds
	p.record = &cappedRecord{burnIn: burnIn, rounds: rounds}
	best := capped.SweetSpot(c.Rate)
	_, wait := capped.MeanField(best, c.Rate)
	p.Sweet = &cappedSweet{Capacity: best, Wait: wait, Scale: capped.SweetSpotScale(c.Rate)}
	p.warn(c, relaxation)
	return p, nil
}

// warn tells what is known to be wrong with a measurement before it is made.
func (p *cappedPoint) warn(c capped.Config, relaxation float64) {
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
		add("small deviations from the limit of many bins grow, and the process does not settle there: its relaxation time is infinite, " +
			"and there are no standard errors")
		return
	case float64(p.Rounds) < enough*relaxation:
		add("%s rounds are %.2g relaxation times; below %d (%s rounds) the means and their standard errors are not to be trusted",
			format.Thousands(float64(p.Rounds)), float64(p.Rounds)/relaxation, enough, many(enough*relaxation))
	}
	if !c.Warm && float64(p.BurnIn) < burnt*relaxation {
		add("a burn-in of %s rounds is %.2g relaxation times; below %d (%s rounds) what is measured depends on the empty start",
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
func (p *cappedPoint) measure(ctx context.Context, c capped.Config, plan capped.Plan, report func(*cappedRecord)) error {
	began := time.Now()
	step := max(1, (p.BurnIn+p.Rounds)/1000)
	plan.Watch = func(_ *capped.Process, r capped.Round) {
		p.record.note(r)
		if p.record.done%step == 0 {
			report(p.record)
		}
	}
	m, err := capped.Measure(ctx, c, plan)
	p.Reached, p.Thrown, p.Seconds = p.record.done, p.record.thrown, time.Since(began).Seconds()
	p.Pace = float64(p.Thrown) / max(p.Seconds, 1e-9)
	if err != nil {
		return err
	}
	p.BurnIn, p.Rounds = m.BurnIn, m.Rounds
	n := float64(c.Bins)
	perBin := func(x capped.Mean) cappedMean { return cappedMean{x.Mean / n, finite(x.Error / n)} }
	plain := func(x capped.Mean) cappedMean { return cappedMean{x.Mean, finite(x.Error)} }
	p.Measured = &cappedMeasured{
		Pool: perBin(m.Pool), Thrown: perBin(m.Thrown), Wait: plain(m.Wait), Longest: plain(m.Longest),
		WaitMax: m.WaitMax, PoolMax: float64(m.PoolMax) / n, Waits: append([]int{}, m.Waits...), Loads: m.Loads,
	}
	p.compare(c)
	if c.Warm {
		p.compareTenths(c.Bins, m.Pool.Error)
	}
	return nil
}

// compare puts what theory says beside what was measured.
func (p *cappedPoint) compare(c capped.Config) {
	p.Limit, p.Bound, p.Estimate = theoryOf(c, p.limit, p.Rounds)
	if p.Limit != nil {
		p.Limit.Waits = p.Limit.Waits[:min(len(p.Limit.Waits), len(p.Measured.Waits))]
		p.Limit.Loads = p.limit.Loads[:min(len(p.limit.Loads), len(p.Measured.Loads))]
	}
}

// theoryOf is what theory says of a process that is measured for some rounds; limit is nil if it has none.
func theoryOf(c capped.Config, limit *capped.Limit, rounds int) (many, bound, estimate *cappedTheory) {
	n := float64(c.Bins)
	if limit != nil {
		waits := limit.Waits()
		many = &cappedTheory{
			Pool: finite(limit.Pool), Thrown: finite(limit.Requests), Wait: finite(limit.Wait),
			Longest: finite(meanLongest(waits, c.Rate, n)), WaitMax: finite(meanLongest(waits, c.Rate, n*float64(rounds))),
			Waits: waits,
		}
	}
	if c.Kind == capped.Greedy {
		return many, nil, nil
	}
	if proved(c) {
		pool := finite(capped.PoolBound(c.Bins, c.Capacity, c.Rate) / n)
		bound = &cappedTheory{Pool: pool, PoolMax: pool}
	}
	if c.Kind == capped.ModCapped { // Lemmas 2 and 7 bound its pool; what is said of waits is said of CAPPED
		return many, bound, nil
	}
	if bound != nil {
		bound.Longest = finite(capped.WaitBound(c.Bins, c.Capacity, c.Rate))
		bound.WaitMax = bound.Longest
	}
	pool, wait := finite(capped.PoolEstimate(c.Bins, c.Capacity, c.Rate)/n), finite(capped.WaitEstimate(c.Bins, c.Capacity, c.Rate))
	return many, bound, &cappedTheory{Pool: pool, PoolMax: pool, Longest: wait, WaitMax: wait}
}

// proved tells whether the theorems are about a process.
func proved(c capped.Config) bool { return c.Kind != capped.Greedy && c.Rate <= 1-1/float64(c.Bins) }

// meanLongest is the mean of the longest wait in the limit of many bins, if so many bins each delete a ball with probability λ.
func meanLongest(waits []float64, rate, bins float64) float64 {
	sum, tail := 0.0, 0.0
	for w := len(waits) - 1; w > 0; w-- {
		tail = min(tail+waits[w], 1)
		sum -= math.Expm1(bins * math.Log1p(-rate*tail)) // the probability that some ball waits for w rounds or more
	}
	return sum
}

// compareTenths tells whether a warm start stays where it began. The mean of a tenth of the rounds has √10 times the standard error
// of that of all, as long as a tenth is many relaxation times, and the difference of two that have nothing to do with each other √2 times that.
func (p *cappedPoint) compareTenths(bins int, all float64) {
	n, tenth := float64(bins), float64(p.record.tenth())
	first, last := float64(p.record.first)/tenth/n, float64(p.record.last)/tenth/n
	t := &cappedTenths{First: first, Last: last}
	if first != last {
		t.Errors = math.Abs(first-last) / (all / n * math.Sqrt(20))
	}
	if math.IsNaN(t.Errors) || math.IsInf(t.Errors, 0) {
		return
	}
	const doubtful = 4
	if p.Tenths = t; t.Errors > doubtful {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the first and the last tenth of the rounds differ by %.1f standard errors: "+
			"the process has not stayed where it started", t.Errors))
	}
}

// measureOne runs one process.
func (t *cappedTask) measureOne(ctx context.Context, bar *progress.Bar) (*cappedReport, error) {
	p, err := newPoint(t.config, t.plan)
	if err != nil {
		return nil, err
	}
	if t.out != "" {
		p.record.keep()
	}
	began := time.Now()
	err = p.measure(ctx, t.config, t.plan, func(r *cappedRecord) {
		bar.Set(r.done, p.BurnIn+p.Rounds, r.pace(time.Since(began)))
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return &cappedReport{Command: t.command, Incomplete: err != nil, cappedPoint: *p}, err
}

// pace says how a process is getting on.
func (r *cappedRecord) pace(since time.Duration) string {
	doing := "measuring"
	if r.done <= r.burnIn {
		doing = "burn-in"
	}
	all := float64(r.burnIn + r.rounds)
	left := time.Duration(float64(since) * (all - float64(r.done)) / float64(r.done))
	return fmt.Sprintf("%s, round %s of %s, %v left", doing, format.Thousands(float64(r.done)), format.Thousands(all), left.Round(time.Second))
}
