package population

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
)

// A Result is what was recorded of a run of a model.
type Result struct {
	Model       *Model
	Seed        uint64
	Replicas    int       // that were asked for
	Done        int       // that came to their end
	Incomplete  bool      // not all of them: the run was interrupted, or could not go on
	Stopped     error     // why it is incomplete; nil if it is not
	Times       []float64 // of the rows, on the model's clock
	Runs        []Run     // by replica
	Events      uint64    // of all replicas: everything that clocks, contacts, births, arrivals and interventions did or tried
	PersonYears float64   // that were lived in all replicas
	Seconds     float64   // that it took
}

// A Run is what was recorded of one replica.
type Run struct {
	Replica     int
	Events      uint64
	PersonYears float64
	Seconds     float64 // that it took
	Setup       float64 // seconds of those before the first event
	Peaks       []Peak  // the most that were in each state at once, at any time, not only at those recorded

	m      *Model
	rows   int
	counts []uint32
	flows  []uint64
	named  []uint64
}

// A Peak is the most that were in a state, and when that was first so, on the model's clock.
type Peak struct {
	Count int
	Time  float64
}

func newRun(m *Model, replica int) *Run {
	n := len(m.rows)
	return &Run{
		Replica: replica, m: m,
		counts: make([]uint32, 0, n*len(m.states)), flows: make([]uint64, 0, n*len(m.flows)), named: make([]uint64, 0, n*len(m.names)),
	}
}

// record adds a row.
func (run *Run) record(r *replica) {
	for _, c := range r.counts {
		run.counts = append(run.counts, uint32(c))
	}
	run.flows = append(run.flows, r.flows...)
	run.named = append(run.named, r.named...)
	run.rows++
}

// close notes what is known at the end.
func (run *Run) close(r *replica) *Run {
	r.population(0)
	run.Events, run.PersonYears, run.Peaks = r.events, r.lived.time()*r.m.unit.seconds/year, slices.Clone(r.peaks)
	return run
}

// recorded is a row as it is told to others.
func (run *Run) recorded(row int) Record {
	rec := Record{Replica: run.Replica, Row: row, Time: tidy(run.m.start + run.m.rows[row]), Counts: make([]int, len(run.m.states))}
	if row == len(run.m.rows)-1 {
		rec.Time = run.m.end
	}
	for s := range rec.Counts {
		rec.Counts[s] = run.Count(row, s)
	}
	rec.Total = run.Total(row)
	rec.Flows = slices.Clone(run.flows[row*len(run.m.flows):][:len(run.m.flows)])
	rec.Named = slices.Clone(run.named[row*len(run.m.names):][:len(run.m.names)])
	return rec
}

// Rows is how many rows were recorded: as many as there are times, unless the run was interrupted.
func (run *Run) Rows() int { return run.rows }

// Count is how many were in a state at the time of a row. States are numbered as [Model.States] lists them.
func (run *Run) Count(row, state int) int { return int(run.counts[row*len(run.m.states)+state]) }

// Total is how many were alive at the time of a row.
func (run *Run) Total(row int) int {
	sum := 0
	for s := range run.m.states {
		sum += run.Count(row, s)
	}
	return sum
}

// Flow is how many had gone a way by the time of a row. Flows are numbered as [Model.Flows] lists them.
func (run *Run) Flow(row, flow int) uint64 { return run.flows[row*len(run.m.flows)+flow] }

// Named is how often that which goes by a name had happened by the time of a row. Names are numbered as [Model.Names] lists
// them.
func (run *Run) Named(row, name int) uint64 { return run.named[row*len(run.m.names)+name] }

// A Series is how something went over time: its mean over the replicas that recorded the row, their standard deviation,
// the least and the most, and their median (the mean of the two in the middle, if there are two), for each row.
type Series struct {
	Mean []float64  `json:"mean"`
	SD   Deviations `json:"sd"`
	Min  []float64  `json:"min"`
	Max  []float64  `json:"max"`

	Median []float64 `json:"median"`
}

// State is how many were in a state.
func (r *Result) State(state int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Count(row, state)) })
}

// Total is how many were alive.
func (r *Result) Total() Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Total(row)) })
}

// Flow is how many had gone a way since the start.
func (r *Result) Flow(flow int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Flow(row, flow)) })
}

// Named is how often that which goes by a name had happened since the start.
func (r *Result) Named(name int) Series {
	return r.series(func(run *Run, row int) float64 { return float64(run.Named(row, name)) })
}

// Rows is how many rows at least one replica has recorded.
func (r *Result) Rows() int {
	most := 0
	for i := range r.Runs {
		most = max(most, r.Runs[i].rows)
	}
	return most
}

// series puts a value of each run and row together, over the runs that came so far. The mean and the sum of squares are
// updated value by value [Welford62], in the order of the replicas.
//
// [Welford62]: https://doi.org/10.1080/00401706.1962.10490022
func (r *Result) series(value func(*Run, int) float64) Series {
	n := r.Rows()
	s := Series{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), r.median(value)}
	for row := range n {
		k, mean, squares := 0.0, 0.0, 0.0
		least, most := math.Inf(1), math.Inf(-1)
		for i := range r.Runs {
			if row >= r.Runs[i].rows {
				continue
			}
			x := value(&r.Runs[i], row)
			k++
			d := x - mean
			mean += d / k
			squares += d * (x - mean)
			least, most = min(least, x), max(most, x)
		}
		s.Mean[row], s.Min[row], s.Max[row] = mean, least, most
		s.SD[row] = math.NaN()
		if k > 1 {
			s.SD[row] = math.Sqrt(squares / (k - 1))
		}
	}
	return s
}

// sorted calls back with the values of all runs that came so far, in ascending order, for each row.
func (r *Result) sorted(value func(*Run, int) float64, each func(row int, values []float64)) {
	var values []float64
	for row := range r.Rows() {
		values = values[:0]
		for i := range r.Runs {
			if row < r.Runs[i].rows {
				values = append(values, value(&r.Runs[i], row))
			}
		}
		slices.Sort(values)
		each(row, values)
	}
}

// median is the middle of the values of all runs, for each row.
func (r *Result) median(value func(*Run, int) float64) []float64 {
	all := make([]float64, r.Rows())
	r.sorted(value, func(row int, values []float64) {
		n := len(values)
		all[row] = (values[(n-1)/2] + values[n/2]) / 2
	})
	return all
}

// quantiles are the p-quantiles over the replicas, for each row.
func (r *Result) quantiles(value func(*Run, int) float64, ps []float64) [][]float64 {
	all := make([][]float64, len(ps))
	for i := range all {
		all[i] = make([]float64, r.Rows())
	}
	r.sorted(value, func(row int, values []float64) {
		for i, p := range ps {
			k := int(math.Ceil(p*float64(len(values)))) - 1
			all[i][row] = values[min(max(k, 0), len(values)-1)]
		}
	})
	return all
}

// StateQuantiles are the p-quantiles over the replicas of how many were in a state, for each row: the least value that at
// least the share p of the replicas does not exceed.
func (r *Result) StateQuantiles(state int, ps ...float64) [][]float64 {
	return r.quantiles(func(run *Run, row int) float64 { return float64(run.Count(row, state)) }, ps)
}

// Incidence is how many went a way in the interval that ends with each row; 0 in the first, which ends where it begins.
func (r *Result) Incidence(flow int) Series { return r.series(incidence(flow)) }

// IncidenceQuantiles are the p-quantiles over the replicas of how many went a way in the interval that ends with each row.
func (r *Result) IncidenceQuantiles(flow int, ps ...float64) [][]float64 {
	return r.quantiles(incidence(flow), ps)
}

func incidence(flow int) func(*Run, int) float64 {
	return func(run *Run, row int) float64 {
		if row == 0 {
			return 0
		}
		return float64(run.Flow(row, flow) - run.Flow(row-1, flow))
	}
}

// MarshalJSON writes the result as almanac run --json does.
func (r *Result) MarshalJSON() ([]byte, error) {
	type peak struct {
		Count float64 `json:"count"`
		Time  float64 `json:"time"`
	}
	rows := r.Rows()
	out := struct {
		Model       string            `json:"model"`
		Seed        uint64            `json:"seed"`
		Replicas    int               `json:"replicas"`
		Done        int               `json:"done"`
		Incomplete  bool              `json:"incomplete"`
		Stopped     string            `json:"stopped,omitempty"`
		Unit        string            `json:"unit"`
		Events      uint64            `json:"events"`
		Seconds     float64           `json:"seconds"`
		PersonYears float64           `json:"person_years"`
		Times       []float64         `json:"times"`
		States      map[string]Series `json:"states"`
		Total       Series            `json:"total"`
		Flows       map[string]Series `json:"flows"`
		Named       map[string]Series `json:"named,omitempty"`
		Peaks       map[string]peak   `json:"peaks"`
	}{
		Model: r.Model.name, Seed: r.Seed, Replicas: r.Replicas, Done: r.Done, Incomplete: r.Incomplete, Unit: r.Model.unit.name,
		Events: r.Events, Seconds: r.Seconds, PersonYears: r.PersonYears, Times: r.Times[:rows], Total: r.Total(),
		States: map[string]Series{}, Flows: map[string]Series{}, Named: map[string]Series{}, Peaks: map[string]peak{},
	}
	switch {
	case r.Stopped == nil:
	case errors.Is(r.Stopped, context.Canceled) || errors.Is(r.Stopped, context.DeadlineExceeded):
		out.Stopped = "interrupted"
	default:
		out.Stopped = r.Stopped.Error()
	}
	for i, s := range r.Model.states {
		out.States[s] = r.State(i)
		var p peak
		p.Count, p.Time = r.Peak(i)
		out.Peaks[s] = p
	}
	for i, f := range r.Model.flows {
		out.Flows[f.String()] = r.Flow(i)
	}
	for i, n := range r.Model.names {
		out.Named[n] = r.Named(i)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a flow is a->b
	err := e.Encode(out)
	return b.Bytes(), err
}

// Peak is the most that were in a state at once, at any time, and when: means over the replicas.
func (r *Result) Peak(state int) (count, time float64) {
	n := 0.0
	for i := range r.Runs {
		if run := &r.Runs[i]; len(run.Peaks) > 0 { // it may have been interrupted before it began
			n++
			count += (float64(run.Peaks[state].Count) - count) / n
			time += (run.Peaks[state].Time - time) / n
		}
	}
	return count, time
}
