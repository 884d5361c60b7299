package population

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/quantile"
	"github.com/almanac-sim/almanac/population/internal/engine"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
)

// A Result is what a run recorded.
type Result struct {
	Model       *Model
	Version     string // of this module in the program that ran it
	Seed        uint64
	Replicas    int       // requested
	Done        int       // completed
	Incomplete  bool      // the run was interrupted, or could not go on
	Stopped     error     // why it is incomplete
	Times       []float64 // of the rows, on the model's clock
	Runs        []Run     // by replica
	Events      uint64    // of all replicas: what clocks, contacts, births, arrivals and interventions did or tried
	PersonYears float64   // of all replicas
	Seconds     float64   // of wall-clock time

	drawn *modelfit.Drawn // nil if all replicas have the same values
}

// A Run is what one replica recorded.
type Run struct {
	Replica     int
	Events      uint64
	Before      uint64 // of Events: those before the saved state that the run went on with, in this process
	PersonYears float64
	Seconds     float64 // of wall-clock time
	Setup       float64 // the part of Seconds before the first event
	Windows     int     // how many windows were run in parallel; 0 if none. MarshalBinary does not keep it
	Peaks       []Peak  // of each state, at any time, not only at rows

	m      *program.Program
	rec    engine.Recording
	tree   *engine.TreeSums      // nil if no tree is recorded
	sample *engine.NetworkSample // see NetworkSample
}

// A Peak is the largest count of a state, and when it was first reached, on the model's clock.
type Peak struct {
	Count int
	Time  float64
}

// newRun is the run of a replica that has not begun.
func newRun(m *program.Program, replica int) *Run {
	return &Run{Replica: replica, m: m, rec: engine.NewRecording(m)}
}

// In returns the run of one group, in the order of [Model.Groups]. A group has no peaks, and Events
// and PersonYears are those of all.
func (run *Run) In(group int) *Run {
	only := *run
	only.rec.All, only.rec.Groups, only.Peaks = run.rec.Groups[group], nil, nil
	return &only
}

// close sets what is known at the end.
func (run *Run) close(r *engine.Run, rows rowTimes) *Run {
	run.Windows, run.tree = r.Windows, r.TreeSums()
	run.Events, run.PersonYears = r.Events, r.PersonTime()*r.Program.UnitSeconds/quantity.SecondsPerYear
	run.Peaks = make([]Peak, len(r.Peaks))
	for i, p := range r.Peaks {
		run.Peaks[i] = Peak{p.Count, rows.of(p.Time)}
	}
	return run
}

// recorded is a row for OnRecord.
func (run *Run) recorded(row int) Record {
	rec := Record{
		Replica: run.Replica,
		Row:     row,
		Time:    format.Tidy(run.m.Start + run.m.RecordTimes[row]),
		Counts:  make([]int, len(run.m.Counted)),
	}
	if row == len(run.m.RecordTimes)-1 {
		rec.Time = run.m.Stop
	}
	for s := range rec.Counts {
		rec.Counts[s] = run.Count(row, s)
	}
	rec.Total = run.Total(row)
	rec.Flows = slices.Clone(run.rec.All.Flows[row*len(run.m.Flows):][:len(run.m.Flows)])
	rec.Named = slices.Clone(run.rec.All.Named[row*len(run.m.CountedNames):][:len(run.m.CountedNames)])
	return rec
}

// Rows is the number of recorded rows: as many as there are times, unless the run was interrupted.
func (run *Run) Rows() int { return run.rec.Rows }

// Count is the number of individuals in a state at a row, in the order of [Model.Counted]: the
// states, and then those of machines.
func (run *Run) Count(row, state int) int {
	return int(run.rec.All.Counts[row*len(run.m.Counted)+state])
}

// Total is the number of the living at a row.
func (run *Run) Total(row int) int {
	sum := 0
	for s := range run.m.States {
		sum += run.Count(row, s)
	}
	return sum
}

// Flow is the number of individuals that took a flow by a row, in the order of [Model.Flows].
func (run *Run) Flow(row, flow int) uint64 { return run.rec.All.Flows[row*len(run.m.Flows)+flow] }

// Named is how often a name happened by a row, in the order of [Model.Names].
func (run *Run) Named(row, name int) uint64 {
	return run.rec.All.Named[row*len(run.m.CountedNames)+name]
}

// A Series has, for each row, the mean over the replicas that recorded it, their standard
// deviation, minimum, maximum, quantiles and median.
//
// A quantile is the least value that at least its share of the replicas does not exceed: of 20
// replicas, Q05 is the smallest and Q95 the nineteenth. The median is the mean of the two middle
// values if there are two.
type Series struct {
	Mean   []float64  `json:"mean"`
	SD     Deviations `json:"sd"`
	Min    []float64  `json:"min"`
	Max    []float64  `json:"max"`
	Q05    []float64  `json:"q05"`
	Q25    []float64  `json:"q25"`
	Median []float64  `json:"median"`
	Q75    []float64  `json:"q75"`
	Q95    []float64  `json:"q95"`
}

// In returns the result of one group, in the order of [Model.Groups].
func (r *Result) In(group int) *Result {
	only := *r
	only.Runs = make([]Run, len(r.Runs))
	for i := range r.Runs {
		only.Runs[i] = *r.Runs[i].In(group)
	}
	return &only
}

// State is the number of individuals in a state, in the order of [Model.Counted].
func (r *Result) State(state int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Count(row, state)) })
}

// Total is the number of the living.
func (r *Result) Total() Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Total(row)) })
}

// Flow is the number of individuals that took a flow since the start.
func (r *Result) Flow(flow int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Flow(row, flow)) })
}

// Named is how often a name happened since the start.
func (r *Result) Named(name int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Named(row, name)) })
}

// Rows is the number of rows that at least one replica has recorded.
func (r *Result) Rows() int {
	most := 0
	for i := range r.Runs {
		most = max(most, r.Runs[i].rec.Rows)
	}
	return most
}

// series summarises a value over the runs that recorded each row. Mean and sum of squares are
// updated value by value [Welford62], in the order of the replicas.
//
// [Welford62]: https://doi.org/10.1080/00401706.1962.10490022
func (r *Result) series(value func(*Run, int) float64) Series {
	n := r.Rows()
	room := make([]float64, 9*n)
	column := func(i int) []float64 { return room[i*n : (i+1)*n : (i+1)*n] }
	s := Series{column(0), column(1), column(2), column(3), column(4), column(5), column(6), column(7), column(8)}
	r.each(value, func(row int, values []float64) {
		mean, squares := 0.0, 0.0
		for i, x := range values {
			d := x - mean
			mean += d / float64(i+1)
			squares += float64(d * (x - mean))
		}
		s.Mean[row], s.SD[row] = mean, math.NaN()
		if k := len(values); k > 1 {
			s.SD[row] = math.Sqrt(squares / float64(k-1))
		}
		slices.Sort(values)
		k := len(values)
		s.Min[row], s.Max[row], s.Median[row] = values[0], values[k-1], (values[(k-1)/2]+values[k/2])/2
		s.Q05[row], s.Q25[row] = quantile.Of(values, 0.05), quantile.Of(values, 0.25)
		s.Q75[row], s.Q95[row] = quantile.Of(values, 0.75), quantile.Of(values, 0.95)
	})
	return s
}

// each calls back for each row with the values of all runs that recorded it, in the order of the
// replicas.
func (r *Result) each(value func(*Run, int) float64, call func(row int, values []float64)) {
	values := make([]float64, 0, len(r.Runs))
	for row := range r.Rows() {
		values = values[:0]
		for i := range r.Runs {
			if row < r.Runs[i].rec.Rows {
				values = append(values, value(&r.Runs[i], row))
			}
		}
		call(row, values)
	}
}

// quantiles are the p-quantiles over the replicas, for each row.
func (r *Result) quantiles(value func(*Run, int) float64, ps []float64) [][]float64 {
	all := make([][]float64, len(ps))
	for i := range all {
		all[i] = make([]float64, r.Rows())
	}
	r.each(value, func(row int, values []float64) {
		slices.Sort(values)
		for i, p := range ps {
			all[i][row] = quantile.Of(values, p)
		}
	})
	return all
}

// StateQuantiles are the p-quantiles of the number of individuals in a state, for each row: the
// least value that at least the share p of the replicas does not exceed.
func (r *Result) StateQuantiles(state int, ps ...float64) [][]float64 {
	return r.quantiles(func(run *Run, row int) float64 { return float64(run.Count(row, state)) }, ps)
}

// Incidence is the number of individuals that took a flow in the interval that ends with each row.
// The first interval is the start itself: it has those moved by an intervention at the start, so
// that all rows add up to the flow.
func (r *Result) Incidence(flow int) Series { return r.series(incidence(flow)) }

// NamedIncidence is how often a name happened in the interval that ends with each row.
func (r *Result) NamedIncidence(name int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.NamedIncidence(row, name)) })
}

// IncidenceQuantiles are the p-quantiles of the number of individuals that took a flow in the
// interval that ends with each row.
func (r *Result) IncidenceQuantiles(flow int, ps ...float64) [][]float64 {
	return r.quantiles(incidence(flow), ps)
}

func incidence(flow int) func(*Run, int) float64 {
	return func(run *Run, row int) float64 { return float64(run.Incidence(row, flow)) }
}

// Incidence is the number of individuals that took a flow in the interval that ends with a row.
func (run *Run) Incidence(row, flow int) uint64 {
	if row == 0 {
		return run.Flow(row, flow)
	}
	return run.Flow(row, flow) - run.Flow(row-1, flow)
}

// NamedIncidence is how often a name happened in the interval that ends with a row.
func (run *Run) NamedIncidence(row, name int) uint64 {
	if row == 0 {
		return run.Named(row, name)
	}
	return run.Named(row, name) - run.Named(row-1, name)
}

// Peak is the largest count of a state at any time, and when: means over the replicas.
func (r *Result) Peak(state int) (count, time float64) {
	n := 0.0
	for i := range r.Runs {
		if run := &r.Runs[i]; len(run.Peaks) > 0 { // a run that was interrupted before it began has none
			n++
			count += (float64(run.Peaks[state].Count) - count) / n
			time += (run.Peaks[state].Time - time) / n
		}
	}
	return count, time
}

// Deviations are standard deviations over the replicas for each row, with n−1. Where only one
// replica has recorded a row the deviation is missing: NaN, and null in JSON.
type Deviations []float64

// MarshalJSON writes null for a missing deviation.
func (d Deviations) MarshalJSON() ([]byte, error) {
	all := make([]*float64, len(d))
	for i := range d {
		if !math.IsNaN(d[i]) {
			all[i] = &d[i]
		}
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads null as missing.
func (d *Deviations) UnmarshalJSON(text []byte) error {
	var all []*float64
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*d = make(Deviations, len(all))
	for i, x := range all {
		(*d)[i] = math.NaN()
		if x != nil {
			(*d)[i] = *x
		}
	}
	return nil
}
