// Package allocation measures how balls are allocated to bins, and joins what is measured with what
// theory says of it: the limit of many bins, the bounds that are proved, and the estimates that the
// authors of the paper made from simulations.
//
// # Files
//
//	allocation.go    Point: a process with its measurements and its theory
//	measure.go       Measure
//	record.go        rounds that are kept
//	theory.go        what theory says of a process
//	threshold.go     batches of THRESHOLD
//	sweep.go         Sweep: several processes
//	numbers.go       numbers of the command line
//	table.go         tables
//	csv.go           CSV
//	charts.go        charts of a process
//	sweep_charts.go  charts of a sweep
package allocation

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/capped"
)

// A Point is a process, what was measured of it, and what theory says. Numbers are per bin where
// their names say so; what there is none of is left out.
type Point struct {
	Incomplete bool `json:"incomplete,omitempty"` // interrupted: nothing is measured

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

	Measured *Measured `json:"measured,omitempty"`
	Tenths   *Tenths   `json:"tenths,omitempty"`
	Limit    *Theory   `json:"limit,omitempty"`
	Bound    *Theory   `json:"bound,omitempty"`
	Estimate *Theory   `json:"estimate,omitempty"`
	Sweet    *Sweet    `json:"sweet_spot,omitempty"`

	Thrown  int     `json:"balls_thrown"` // in all rounds
	Seconds float64 `json:"-"`            // that it took

	record *record
	limit  *capped.Limit // nil for modcapped, which has none
	kind   capped.Kind
	config capped.Config
	plan   capped.Plan
}

// Kind is which process it is.
func (p *Point) Kind() capped.Kind { return p.kind }

// Name is the process with what belongs to it.
func (p *Point) Name() string {
	switch {
	case p.Choices == 1:
		return p.Process + " with 1 choice"
	case p.Choices > 1:
		return fmt.Sprintf("%s with %d choices", p.Process, p.Choices)
	}
	return fmt.Sprintf("%s with capacity %d", p.Process, p.Capacity)
}

// Rows are the rounds that were kept: all, or every k-th if they are many. There are none unless
// they were asked for.
func (p *Point) Rows() []Row { return p.record.rows }

// Theories are limit, bound and estimate; one that there is not says nothing.
func (p *Point) Theories() (limit, bound, estimate Theory) {
	return orNone(p.Limit), orNone(p.Bound), orNone(p.Estimate)
}

// orNone is what theory says, or nothing.
func orNone(t *Theory) Theory {
	if t == nil {
		return Theory{}
	}
	return *t
}

// A Tell is called with the progress of a measurement, and what it is doing.
type Tell func(done, of int, doing string)

// A Mean is a mean with its standard error, if that is known.
type Mean struct {
	Mean  float64  `json:"mean"`
	Error *float64 `json:"error,omitempty"`
}

// Measured is what was measured.
type Measured struct {
	Pool    Mean      `json:"pool_per_bin"`
	Thrown  Mean      `json:"thrown_per_bin"`
	Wait    Mean      `json:"wait"`
	Longest Mean      `json:"longest_wait_in_a_round"`
	WaitMax int       `json:"longest_wait"`
	PoolMax float64   `json:"largest_pool_per_bin"`
	Waits   []int     `json:"waits"` // how many balls waited for 0, 1, 2, … rounds
	Loads   []float64 `json:"loads"` // the share of the bins that hold 0, 1, 2, … balls after a round
}

// A Theory is what a limit, a bound or an estimate says of what is measured.
type Theory struct {
	Pool    *float64  `json:"pool_per_bin,omitempty"`
	Thrown  *float64  `json:"thrown_per_bin,omitempty"`
	Wait    *float64  `json:"wait,omitempty"`
	Longest *float64  `json:"longest_wait_in_a_round,omitempty"`
	WaitMax *float64  `json:"longest_wait,omitempty"`
	PoolMax *float64  `json:"largest_pool_per_bin,omitempty"`
	Waits   []float64 `json:"waits,omitempty"` // as far as any ball waited
	Loads   []float64 `json:"loads,omitempty"`
}

// Tenths are the mean pools of the first and the last tenth of the measured rounds, and by how many
// standard errors they differ.
type Tenths struct {
	First  float64 `json:"first_pool_per_bin"`
	Last   float64 `json:"last_pool_per_bin"`
	Errors float64 `json:"standard_errors"`
}

// A Sweet is the capacity that is best for a rate.
type Sweet struct {
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
