package output

import (
	"io"
	"iter"

	"github.com/almanac-sim/almanac/sim"
	"github.com/almanac-sim/almanac/sim/history"
	"github.com/almanac-sim/almanac/sim/replicate"
)

// WriteReport writes the statistics of a simulation: statistic, kind (level or tally), mean, sd,
// min, max, n (observations of a tally) and time (over which a level was observed).
func WriteReport(w io.Writer, f Format, r sim.Report) error {
	type row struct {
		Statistic string   `json:"statistic" parquet:"statistic"`
		Kind      string   `json:"kind" parquet:"kind,dict"`
		Mean      *float64 `json:"mean" parquet:"mean,optional"`
		SD        *float64 `json:"sd" parquet:"sd,optional"`
		Min       *float64 `json:"min" parquet:"min,optional"`
		Max       *float64 `json:"max" parquet:"max,optional"`
		N         *int64   `json:"n" parquet:"n,optional"`
		Time      *float64 `json:"time" parquet:"time,optional"`
	}
	var rows []row
	for _, x := range r.Rows {
		out := row{x.Name, "tally", known(x.Mean), known(x.StdDev), known(x.Min), known(x.Max), &x.N, nil}
		if x.TimeWeighted {
			out.Kind, out.N, out.Time = "level", nil, &x.Time
		}
		rows = append(rows, out)
	}
	return write(w, f, rows)
}

// WriteResults writes what each replication of an experiment recorded: metric, replication, value.
func WriteResults(w io.Writer, f Format, r *replicate.Results) error {
	type row struct {
		Metric      string   `json:"metric" parquet:"metric,dict"`
		Replication int64    `json:"replication" parquet:"replication"`
		Value       *float64 `json:"value" parquet:"value,optional"`
	}
	var rows []row
	for _, m := range r.Metrics() {
		for i, x := range r.Values(m) {
			rows = append(rows, row{m, int64(i), known(x)})
		}
	}
	return write(w, f, rows)
}

// WriteSummary writes the results of an experiment: metric, mean, low and high (the ends of the
// interval of the mean), level, sd, min, max, n and missing.
func WriteSummary(w io.Writer, f Format, r *replicate.Results) error {
	type row struct {
		Metric  string   `json:"metric" parquet:"metric"`
		Mean    *float64 `json:"mean" parquet:"mean,optional"`
		Low     *float64 `json:"low" parquet:"low,optional"`
		High    *float64 `json:"high" parquet:"high,optional"`
		Level   float64  `json:"level" parquet:"level"`
		SD      *float64 `json:"sd" parquet:"sd,optional"`
		Min     *float64 `json:"min" parquet:"min,optional"`
		Max     *float64 `json:"max" parquet:"max,optional"`
		N       int64    `json:"n" parquet:"n"`
		Missing int64    `json:"missing" parquet:"missing"`
	}
	var rows []row
	for _, m := range r.Metrics() {
		i, t := r.Interval(m), r.Tally(m)
		rows = append(rows, row{m, known(i.Mean), known(i.Low()), known(i.High()), i.Level,
			known(t.StdDev()), known(t.Min()), known(t.Max()), t.N(), int64(r.Missing(m))})
	}
	return write(w, f, rows)
}

// WriteTimeSeries writes time series: statistic, from, to, mean, min, max. Samples have the same
// time from and to.
func WriteTimeSeries(w io.Writer, f Format, courses []history.Series) error {
	type row struct {
		Statistic string  `json:"statistic" parquet:"statistic,dict"`
		From      float64 `json:"from" parquet:"from"`
		To        float64 `json:"to" parquet:"to"`
		Mean      float64 `json:"mean" parquet:"mean"`
		Min       float64 `json:"min" parquet:"min"`
		Max       float64 `json:"max" parquet:"max"`
	}
	var rows []row
	for _, c := range courses {
		for _, p := range c.Points {
			rows = append(rows, row{c.Name, p.From, p.To, p.Mean, p.Min, p.Max})
		}
	}
	return write(w, f, rows)
}

// WriteObservations writes what tallies observed: statistic, time, value, n, mean, min, max. Of a
// row that stands for one observation, n is 1 and the others are its value; of one that stands for
// several in a row, value is that of one of them, and time that of the first.
func WriteObservations(w io.Writer, f Format, observations []history.Observations) error {
	type row struct {
		Statistic string   `json:"statistic" parquet:"statistic,dict"`
		Time      *float64 `json:"time" parquet:"time,optional"`
		Value     float64  `json:"value" parquet:"value"`
		N         int64    `json:"n" parquet:"n"`
		Mean      float64  `json:"mean" parquet:"mean"`
		Min       float64  `json:"min" parquet:"min"`
		Max       float64  `json:"max" parquet:"max"`
	}
	var rows []row
	for _, o := range observations {
		for _, e := range o.Entries {
			rows = append(rows, row{o.Name, known(e.At), e.Value, e.N, e.Mean, e.Min, e.Max})
		}
	}
	return write(w, f, rows)
}

// writeMissed writes how many holdings of which resources were not kept: resource, missed.
func writeMissed(w io.Writer, f Format, missed iter.Seq2[string, int64]) error {
	type row struct {
		Resource string `json:"resource" parquet:"resource,dict"`
		Missed   int64  `json:"missed" parquet:"missed"`
	}
	var rows []row
	for name, n := range missed {
		rows = append(rows, row{name, n})
	}
	return write(w, f, rows)
}

// WriteHoldings writes the holdings of units: resource, who, units, from, to, end. The end is
// released, lost (the units were taken away), or held: then the units are still held, and to is the
// time of the snapshot.
func WriteHoldings(w io.Writer, f Format, holdings []history.Holding) error {
	type row struct {
		Resource string  `json:"resource" parquet:"resource,dict"`
		Who      string  `json:"who" parquet:"who,dict"`
		Units    int64   `json:"units" parquet:"units"`
		From     float64 `json:"from" parquet:"from"`
		To       float64 `json:"to" parquet:"to"`
		End      string  `json:"end" parquet:"end,dict"`
	}
	var rows []row
	for _, h := range holdings {
		end := "released"
		switch {
		case h.TakenAway:
			end = "lost"
		case h.Held:
			end = "held"
		}
		rows = append(rows, row{h.Resource, h.Who, int64(h.Units), h.From, h.To, end})
	}
	return write(w, f, rows)
}
