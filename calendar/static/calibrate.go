package static

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/random"
)

// CalibrateOptions say how [Calibrate] measures. The zero value is good.
type CalibrateOptions struct {
	N           int                // number of pending events, at least 2; 0 means 10,000
	Discipline  Discipline         // how a bucket keeps its list
	Widths      []float64          // in units of μ/N, that is Nδ/μ; nil means from 2⁻⁶ to 2⁶
	Repetitions int                // at most a million, 0 means 5; widths take turns, and the best of each counts
	Least       time.Duration      // minimal duration of a repetition of one width; 0 means 5 ms
	Seed        uint64             // of the jumps
	Progress    func(done, of int) // called after each repetition of each width; may be nil
}

// A CalibrationPoint is one width of a [Calibration]. Times are in seconds per event.
type CalibrationPoint struct {
	X         float64 `json:"x"`         // the width in units of μ/N
	Width     float64 `json:"width"`     // the width if μ is 1
	Buckets   int     `json:"buckets"`   // how many there were
	Measured  float64 `json:"measured"`  // the best repetition
	Predicted float64 `json:"predicted"` // by the costs fitted, with that number of buckets
	Spread    float64 `json:"spread"`    // the slowest repetition over the fastest
}

// A Calibration is what the steps of a [Queue] take on this machine, with so many events.
type Calibration struct {
	N             int                `json:"n"`
	Discipline    Discipline         `json:"discipline"`
	Costs         Costs              `json:"costs"`          // in seconds
	StdErr        Costs              `json:"std_err"`        // the standard error of each
	Points        []CalibrationPoint `json:"points"`         // by width
	BestX         float64            `json:"best_x"`         // the width that took least of those timed, in units of μ/N
	BestTime      float64            `json:"best_time"`      // what an event took there
	PredictedX    float64            `json:"predicted_x"`    // √(2b/c), the best width by Theorem 2.2
	PredictedTime float64            `json:"predicted_time"` // c + √(2bc) + d, what an event should take there
	// by what share an event takes longer at PredictedX, between the points, than at BestX
	Off    float64 `json:"off"`
	Misfit float64 `json:"misfit"`        // root mean square of (measured−predicted)/measured, over all points
	Fits   bool    `json:"fits"`          // whether costs that are the same at every width describe the times
	Why    string  `json:"why,omitempty"` // if they do not: why not
}

// defaultWidths are those that [Calibrate] times: from 2⁻⁶ to 2⁶ in units of μ/N, the closer the
// nearer to where the best may be. Where there are few events, the widest would hold a good part of
// all of them, and the theory wants buckets that are short against the jumps; they are left out.
func defaultWidths(n int) []float64 {
	var widths []float64
	for e := -6.0; e <= 6; {
		if x := math.Exp2(e); x <= max(8, float64(n)/8) {
			widths = append(widths, x)
		}
		if e >= -2 && e < 3 {
			e += 1. / 3
			e = math.Round(3*e) / 3 // thirds do not add up
		} else {
			e++
		}
	}
	return widths
}

// Calibrate times a [Queue] with exponential jumps at many widths, and fits the costs b, c and d of
// the theory to the times, by the method of Erickson, Ladner and LaMarca's journal paper. It says
// how far theory and practice are apart, too: on a machine with caches the costs depend on the
// number of events (section 4 of the 1994 paper), so calibrate with about as many as there will be.
// It keeps one processor busy for as long as it takes, a second or so, and uses 12 bytes an event
// and at most 64 MB, or 16 bytes an event if that is more.
func Calibrate(ctx context.Context, o CalibrateOptions) (*Calibration, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	points, err := measure(ctx, o)
	if err != nil {
		return nil, err
	}
	return fitCalibration(o.N, o.Discipline, points)
}

// complete fills in what is not told, and refuses what cannot be.
func (o CalibrateOptions) complete() (CalibrateOptions, error) {
	if o.N == 0 {
		o.N = 10_000
	}
	if o.Repetitions == 0 {
		o.Repetitions = 5
	}
	if o.Least == 0 {
		o.Least = 5 * time.Millisecond
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	if err := cmp.Or(
		// With one event every list has one entry, and c and d are one number.
		refuseUnless(o.N >= 2 && o.N < maxSize, "CalibrateOptions.N", o.N, fmt.Sprintf("from 2 to %d", maxSize-1)),
		refuseUnless(o.Discipline <= JustInTime, "CalibrateOptions.Discipline", o.Discipline,
			"Unordered, Ordered or JustInTime"),
		refuseUnless(o.Repetitions >= 1 && o.Repetitions <= maxRepetitions,
			"CalibrateOptions.Repetitions", o.Repetitions, fmt.Sprintf("from 1 to %d", maxRepetitions)),
		refuseUnless(o.Least >= 0, "CalibrateOptions.Least", o.Least, "not negative")); err != nil {
		return o, err
	}
	if o.Widths == nil {
		o.Widths = defaultWidths(o.N)
	}
	for _, x := range o.Widths {
		if err := positive("a width of CalibrateOptions.Widths", x); err != nil {
			return o, err
		}
	}
	o.Widths = slices.Compact(slices.Sorted(slices.Values(o.Widths)))
	return o, refuseUnless(len(o.Widths) >= 4, "the number of different CalibrateOptions.Widths", len(o.Widths),
		"4 or more, for three costs and an error")
}

const (
	maxRepetitions = 1_000_000
	// chunk is how many jumps are drawn at a time, without being timed; looking at the clock takes
	// less than a hundredth of the steps between.
	chunk = 2048
	// leastChunks is how many of them a repetition has at least. Where buckets hold 64 events that
	// is 256 buckets, and the average over them within about two per cent.
	leastChunks = 8
	// farAhead is how many mean jumps a year should have: of exponential jumps, one in 64,000 is
	// longer.
	farAhead = 12
	// mostBuckets is how many buckets a calendar has at most, unless it has more events than a
	// quarter of them. It bounds the memory at 64 MB; where that makes the year shorter, the excess
	// is part of what is predicted.
	mostBuckets = 1 << 24
)

// A trial times calendars of one size, one after the other in the same memory.
type trial struct {
	o     CalibrateOptions
	s     Queue
	jumps random.Stream
	ring  [chunk]float64
}

// measure times each width, the best of the repetitions. Widths take turns, so that a machine whose
// speed wanders is fair to all.
func measure(ctx context.Context, o CalibrateOptions) ([]CalibrationPoint, error) {
	points := make([]CalibrationPoint, len(o.Widths))
	for i, x := range o.Widths {
		points[i] = CalibrationPoint{X: x, Width: x / float64(o.N), Buckets: bucketsToTime(o.N, x)}
	}
	t := &trial{o: o} // the first width is the narrowest, and has memory for all
	for r := range o.Repetitions {
		for i := range points {
			p := &points[i]
			// The jumps of a repetition are the same at every width.
			t.jumps = random.New(o.Seed, uint64(r))
			took, err := 0.0, t.fill(ctx, p.Width, p.Buckets)
			if err == nil {
				took, err = t.time(ctx)
			}
			if err != nil {
				return nil, err
			}
			// Until the last repetition is done, Spread is the slowest.
			p.Spread = max(p.Spread, took)
			if p.Measured == 0 || took < p.Measured {
				p.Measured = took
			}
			o.Progress(r*len(points)+i+1, o.Repetitions*len(points))
		}
	}
	for i := range points {
		points[i].Spread /= points[i].Measured
	}
	return points, nil
}

// bucketsToTime is how many buckets make a year that is far longer than jumps are, if memory
// allows.
func bucketsToTime(n int, x float64) int {
	most := min(max(mostBuckets, 4*float64(n)), maxSize)
	return int(min(farAhead*float64(n)/x+1, most))
}

// fill makes the calendar anew. Since exponential jumps have no memory, what is left of them at any
// time is as long as they are, and a calendar that was just filled is like one that has run for
// long.
func (t *trial) fill(ctx context.Context, width float64, buckets int) error {
	if err := t.s.Reset(Config{Buckets: buckets, Width: width, Discipline: t.o.Discipline, Capacity: t.o.N}); err != nil {
		return err
	}
	for id := range calendar.ID(t.o.N) {
		if err := t.s.Schedule(id, t.jumps.Exp()); err != nil {
			return err
		}
		if id%(1<<20) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// time is how many seconds an event takes, after some that are not counted.
func (t *trial) time(ctx context.Context) (float64, error) {
	warm := time.Duration(0)
	for c := 0; c < leastChunks/2 || warm < t.o.Least/2; c++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		warm += t.hold()
	}
	total, events := time.Duration(0), 0
	for c := 0; c < leastChunks || total < t.o.Least; c++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		total += t.hold()
		events += chunk
	}
	// A clock too coarse to see anything still gives a time above zero.
	return max(total, 1).Seconds() / float64(events), nil
}

// hold dispatches events and schedules each anew, a jump later, and tells how long that took
// without drawing the jumps.
func (t *trial) hold() time.Duration {
	for i := range t.ring {
		t.ring[i] = t.jumps.Exp()
	}
	s := &t.s
	start := time.Now()
	for _, jump := range t.ring {
		id, at, _ := s.Next()
		s.Schedule(id, at+jump)
	}
	return time.Since(start)
}

// Config returns a calendar for n events with jumps of the given mean, of the width at which an
// event takes least, and with just so many buckets that it takes at most a share of degradation
// longer than with any number: 0.01 for one per cent. That share is for jumps whose tail is not
// longer than the exponential's; for others, see [Costs.Buckets].
//
// If the costs do not fit, or the width that they imply was timed to be a tenth slower than the
// best, the width is the best of those timed: the linear form can fit the whole range and still be
// off near its least, as it is for lists in order.
func (c *Calibration) Config(n int, mean, degradation float64) (Config, error) {
	if err := cmp.Or(checkEvents(n), positive("the mean of the jump", mean),
		positive("the degradation", degradation)); err != nil {
		return Config{}, err
	}
	cfg := Config{Discipline: c.Discipline, Capacity: n}
	var err error
	const trusted = 0.1
	if c.Fits && c.Off <= trusted {
		if cfg.Width, err = c.Costs.Width(n, mean); err == nil {
			cfg.Buckets, err = c.Costs.Buckets(n, degradation, ExponentialJump(mean))
		}
		return cfg, err
	}
	if err := positive("Calibration.BestX", c.BestX); err != nil {
		return Config{}, err
	}
	// Without costs: the degradation is at most 1/(e^(Mδ/μ)−1), which it would be if lists were all
	// there is (equation 3).
	cfg.Width = c.BestX * mean / float64(n)
	buckets := math.Ceil(math.Log1p(1/degradation) * float64(n) / c.BestX)
	cfg.Buckets = int(min(max(buckets, 1), maxSize))
	return cfg, nil
}

// New makes a calendar for n events with jumps of the given mean, as [Calibration.Config] has it,
// with a degradation of one per cent.
func (c *Calibration) New(n int, mean float64) (*Queue, error) {
	cfg, err := c.Config(n, mean, 0.01)
	if err != nil {
		return nil, err
	}
	return New(cfg)
}
