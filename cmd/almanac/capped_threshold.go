package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/format"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/progress"
)

// A thresholdReport is what almanac capped --process threshold --json prints.
type thresholdReport struct {
	Command    string   `json:"command"`
	Incomplete bool     `json:"incomplete,omitempty"`
	Process    string   `json:"process"`
	Bins       int      `json:"bins"`
	Capacity   int      `json:"capacity"`
	Rate       float64  `json:"rate"`
	Arrivals   string   `json:"arrivals"`
	ByBin      bool     `json:"by_bin"`
	Seed       uint64   `json:"seed"`
	Balls      int      `json:"balls"`
	Rounds     int      `json:"rounds"`
	Left       int      `json:"balls_left"`
	Largest    int      `json:"largest_load"`
	LnLn       *float64 `json:"ln_ln_bins,omitempty"`
	LogLog     *float64 `json:"log2_log2_bins,omitempty"`
	Waits      []int    `json:"waits"` // how many balls were accepted in the first round, the second, …
	Loads      []int    `json:"loads"` // how many bins hold 0, 1, 2, … balls
	Thrown     int      `json:"balls_thrown"`
	Seconds    float64  `json:"seconds"`
	Pace       float64  `json:"balls_per_second"`

	rows []cappedRow
}

// threshold runs THRESHOLD[T] until all balls have a place, or for as many rounds as are wanted.
func (t *cappedTask) threshold(ctx context.Context, bar *progress.Bar) (*thresholdReport, error) {
	c := t.config
	began := time.Now()
	p, err := capped.NewProcess(c)
	if err != nil {
		return nil, err
	}
	r := &thresholdReport{Command: t.command, Process: c.Kind.String(), Bins: c.Bins, Capacity: c.Capacity, Rate: c.Rate,
		Arrivals: c.Arrivals.String(), ByBin: c.ByBin, Seed: c.Seed, Waits: []int{}}
	if n := float64(c.Bins); n > math.E {
		r.LnLn, r.LogLog = finite(math.Log(math.Log(n))), finite(math.Log2(math.Log2(n)))
	}
	unfinished := func() bool { return r.Rounds == 0 || r.Left > 0 && (t.plan.Rounds == 0 || r.Rounds < t.plan.Rounds) }
	for unfinished() && ctx.Err() == nil {
		round := p.Round()
		r.Rounds++
		r.Balls += round.Arrived
		r.Left = round.Pool
		r.Thrown += round.Thrown
		r.Waits = p.Waits(r.Waits)
		if len(r.rows) < mostRows {
			r.rows = append(r.rows, cappedRow{r.Rounds, r.Left, round})
		}
		bar.Set(r.Balls-r.Left, max(1, r.Balls), fmt.Sprintf("round %s, %s balls left", format.Thousands(float64(r.Rounds)), format.Thousands(float64(r.Left))))
	}
	r.Loads = p.Loads()
	r.Largest = len(r.Loads) - 1
	r.Seconds = time.Since(began).Seconds()
	r.Pace = float64(r.Thrown) / max(r.Seconds, 1e-9)
	if r.Incomplete = unfinished() && ctx.Err() != nil; r.Incomplete {
		return r, ctx.Err()
	}
	return r, nil
}
