package capped

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
)

// A Plan configures [Measure]. The zero value derives everything from the relaxation time of the
// process.
type Plan struct {
	// BurnIn is the number of rounds before the measurement. 0 means 10 relaxation times, in which
	// the distance from the long run falls to 5 parts in 100,000, or none if the process starts
	// warm. A negative number means none.
	BurnIn int
	// Rounds is the number of rounds that are measured. 0 means 100 relaxation times, and at least
	// 1000.
	Rounds int
	// Watch is called after every round, including the burn-in. It may be nil. It must not call
	// Round.
	Watch func(p *Process, r Round)
}

// batches is the number of batches into which the measured rounds are divided.
const batches = 20

// mostPlanned is the largest number of rounds that a Plan chooses by itself.
const mostPlanned = 20_000_000

// ErrSlow is returned if a process takes so long to settle that the plan must set the number of
// rounds.
var ErrSlow = errors.New("capped: the process is slow to settle")

// An Estimate is a mean over rounds with its standard error.
type Estimate struct{ Mean, Error float64 }

// Measured is the long-run behaviour of a process.
type Measured struct {
	// Relaxation is the number of rounds in which the distance from the long run falls by e, in the
	// limit of many bins. For GREEDY with many choices it may be infinite: the process does not
	// settle, and standard errors are NaN.
	Relaxation float64
	BurnIn     int // rounds before measuring
	Rounds     int // rounds measured

	Pool    Estimate // balls left in the pool after a round
	Thrown  Estimate // balls thrown in a round
	Wait    Estimate // of a ball
	Longest Estimate // the longest wait of the balls served in a round

	PoolMax int // the largest pool after any of the rounds
	WaitMax int // the longest wait of all balls served
	Waits   []int
	Loads   []float64 // the mean share of the bins that hold 0, 1, 2, … balls after a round
}

// Measure runs a process until it has settled, and then measures it.
//
// Successive rounds are correlated, and so the standard errors come from the means of 20 batches of
// rounds. They are divided by √(1 − (τ/b)(1 − e^(−b/τ))), where τ is the relaxation time and b the
// length of a batch, to correct for the correlation between neighboring batches: the variance of
// the mean of a process with correlation e^(−t/τ).
//
// If ctx ends, Measure returns its error.
func Measure(ctx context.Context, c Config, plan Plan) (*Measured, error) {
	p, err := NewProcess(c)
	if err != nil {
		return nil, err
	}
	m := &Measured{}
	if m.BurnIn, m.Rounds, m.Relaxation, err = plan.Decide(c); err != nil {
		return nil, err
	}
	step := func() (Round, error) {
		if ctx.Err() != nil {
			return Round{}, ctx.Err()
		}
		r := p.Round()
		if plan.Watch != nil {
			plan.Watch(p, r)
		}
		return r, nil
	}
	for range m.BurnIn {
		if _, err := step(); err != nil {
			return nil, err
		}
	}
	var pool, thrown, wait, longest []float64
	loads := []float64{}
	for b := range batches {
		var sum struct{ pool, thrown, waits, longest, served int64 }
		// The lengths of batches differ by at most one round.
		more := m.Rounds % batches
		rounds := m.Rounds/batches + (b+1)*more/batches - b*more/batches
		for range rounds {
			r, err := step()
			if err != nil {
				return nil, err
			}
			sum.pool += int64(r.Pool)
			sum.thrown += int64(r.Thrown)
			sum.waits += int64(r.WaitSum)
			sum.longest += int64(r.WaitMax)
			sum.served += int64(r.Served)
			m.PoolMax = max(m.PoolMax, r.Pool)
			m.WaitMax = max(m.WaitMax, r.WaitMax)
			m.Waits = p.Waits(m.Waits)
		}
		// The loads of the last round represent the batch: counting them may take longer than a
		// round.
		for load, count := range p.Loads() {
			for len(loads) <= load {
				loads = append(loads, 0)
			}
			loads[load] += float64(count) / float64(c.Bins) / batches
		}
		pool = append(pool, float64(sum.pool)/float64(rounds))
		thrown = append(thrown, float64(sum.thrown)/float64(rounds))
		longest = append(longest, float64(sum.longest)/float64(rounds))
		wait = append(wait, float64(sum.waits)/math.Max(1, float64(sum.served)))
	}
	m.Loads = loads
	length := float64(m.Rounds) / batches / m.Relaxation
	left := 1 - (1-detmath.Exp(-length))/length
	m.Pool, m.Thrown = ofBatches(pool, left), ofBatches(thrown, left)
	m.Wait, m.Longest = ofBatches(wait, left), ofBatches(longest, left)
	return m, nil
}

// ofBatches returns the mean of the means of batches and its standard error; share corrects for the
// correlation of batches.
func ofBatches(batches []float64, share float64) Estimate {
	n := float64(len(batches))
	sum, squares := 0.0, 0.0
	for _, x := range batches {
		sum += x
	}
	for _, x := range batches {
		squares += float64((x - sum/n) * (x - sum/n))
	}
	return Estimate{sum / n, math.Sqrt(squares / (n - 1) / n / share)}
}

// Decide returns the rounds of burn-in and of measurement that [Measure] uses, and the relaxation
// time from which they follow. It returns the relaxation time with [ErrSlow], too.
func (plan Plan) Decide(c Config) (burnIn, rounds int, relaxation float64, err error) {
	if err := c.check(); err != nil {
		return 0, 0, 0, err
	}
	switch c.Kind {
	case Threshold:
		return 0, 0, 0, errors.New("capped: Threshold has one batch and ends; only the other processes have a long run")
	case Greedy:
		relaxation = GreedyLimit(c.Choices, c.Rate).Relaxation()
	default: // ModCapped is taken to relax like Capped
		relaxation = NewLimit(c.Capacity, c.Rate).Relaxation()
	}
	burnIn, rounds = max(plan.BurnIn, 0), plan.Rounds
	if plan.BurnIn == 0 && !c.Warm {
		burnIn = int(math.Min(math.Ceil(10*relaxation), 2*mostPlanned))
	}
	if rounds == 0 {
		rounds = int(math.Min(math.Max(math.Ceil(100*relaxation), 1000), 2*mostPlanned))
	}
	switch {
	case rounds < batches:
		return 0, 0, 0, fmt.Errorf("capped: at least %d rounds must be measured, not %d", batches, rounds)
	case plan.BurnIn == 0 && burnIn > mostPlanned || plan.Rounds == 0 && rounds > mostPlanned:
		return 0, 0, relaxation, fmt.Errorf("%w: it takes %.3g rounds to relax, and 110 times as many to be measured; "+
			"say how many rounds it should burn in and be measured", ErrSlow, relaxation)
	case float64(rounds)*float64(c.Bins) > math.MaxInt:
		return 0, 0, 0, fmt.Errorf("capped: %d bins delete more balls in %d rounds than an int counts here; "+
			"at most %d rounds can be measured",
			c.Bins, rounds, math.MaxInt/c.Bins)
	}
	return burnIn, rounds, relaxation, nil
}
