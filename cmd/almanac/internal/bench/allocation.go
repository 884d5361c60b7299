package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/capped/cappedtest"
)

// An Allocation is a way to run CAPPED to time.
type Allocation struct {
	Engine   string  `json:"engine"` // one of Engines
	Bins     int     `json:"bins"`
	Capacity int     `json:"capacity"`
	Rate     float64 `json:"rate"`

	// What was measured.
	Thrown int       `json:"thrown"`             // balls, all repetitions together
	Rounds int       `json:"rounds"`             // all repetitions together
	Best   float64   `json:"best_per_second"`    // balls thrown per second in the fastest repetition
	Each   []float64 `json:"each_per_second"`    // in every repetition
	Pool   float64   `json:"pool_per_bin"`       // mean after a round: the engines do the same
	Bytes  int       `json:"bytes"`              // of heap, everything counted
	Over   float64   `json:"times_literal"`      // Best over that of the literal process
	Micros float64   `json:"microseconds_round"` // of the fastest repetition
}

// An Engine is a way to run CAPPED.
type Engine struct{ Name, About string }

// Engines are the ways to run CAPPED that are timed.
func Engines() []Engine {
	return []Engine{
		{"literal", "Algorithm 1 as it is written: a ball is an object, a bin a queue, a request is made"},
		{"by bin", "every ball thrown, loads and ages counted (Config.ByBin)"},
		{"by law", "how many bins get how many balls drawn, none thrown"},
	}
}

// round returns a function that makes a round and tells how many balls it threw and left, of a system in its long run.
func (a *Allocation) round(seed uint64) (func() (thrown, pool int), error) {
	if a.Engine != "literal" {
		p, err := capped.NewProcess(capped.Config{
			Bins: a.Bins, Capacity: a.Capacity, Rate: a.Rate, Seed: seed, Warm: true, ByBin: a.Engine == "by bin",
		})
		if err != nil {
			return nil, err
		}
		return func() (int, int) {
			r := p.Round()
			return r.Thrown, r.Pool
		}, nil
	}
	s := cappedtest.New(a.Bins, seed)
	limit := capped.CappedLimit(a.Capacity, a.Rate)
	bin := 0
	for load, share := range limit.Loads {
		for k := int(share * float64(a.Bins)); k > 0 && bin < a.Bins; k-- {
			s.Bins[bin] = make([]cappedtest.Ball, load)
			bin++
		}
	}
	for age, share := range limit.Ages() {
		for k := int(share * float64(a.Bins)); k > 0; k-- {
			s.Pool = append(s.Pool, cappedtest.Ball{Label: -age})
		}
	}
	come := 0.0
	return func() (int, int) {
		come += a.Rate * float64(a.Bins)
		arrivals := int(come)
		come -= float64(arrivals)
		thrown := len(s.Pool) + arrivals
		s.Capped(a.Capacity, arrivals)
		return thrown, len(s.Pool)
	}, nil
}

// RunAllocations times allocations, in turns.
func RunAllocations(ctx context.Context, all []Allocation, o Options) error {
	rounds := make([]func() (int, int), len(all))
	pools := make([]int, len(all))
	steps, done := len(all)*(1+o.Repetitions), 0
	step := func(a *Allocation, what string) error {
		if o.Progress != nil {
			o.Progress(done, steps, fmt.Sprintf("%s, capacity %d: %s", a.Engine, a.Capacity, what))
		}
		done++
		return ctx.Err()
	}
	for i := range all {
		if err := step(&all[i], "filling"); err != nil {
			return err
		}
		before := heap()
		var err error
		if rounds[i], err = all[i].round(o.Seed); err != nil {
			return err
		}
		for range 20 { // buffers grow
			rounds[i]()
		}
		all[i].Bytes = heap() - before
	}
	for r := range o.Repetitions {
		for i := range all {
			a := &all[i]
			if err := step(a, fmt.Sprintf("repetition %d", r+1)); err != nil {
				return err
			}
			thrown, made := 0, 0
			began := time.Now()
			for made == 0 || time.Since(began) < o.Least {
				balls, pool := rounds[i]()
				thrown += balls
				pools[i] += pool
				made++
			}
			seconds := time.Since(began).Seconds()
			a.Thrown += thrown
			a.Rounds += made
			rate := float64(thrown) / seconds
			a.Each = append(a.Each, rate)
			if rate > a.Best {
				a.Best = rate
				a.Micros = seconds / float64(made) * 1e6
			}
		}
	}
	for i := range all {
		a := &all[i]
		a.Pool = float64(pools[i]) / float64(a.Rounds) / float64(a.Bins)
		for _, b := range all {
			if b.Engine == "literal" && b.Capacity == a.Capacity && b.Bins == a.Bins && b.Rate == a.Rate {
				a.Over = a.Best / b.Best
			}
		}
	}
	return nil
}
