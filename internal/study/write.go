package study

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

// The columns of the tables of a comparison. mean_ci is the 95 % confidence interval of the mean,
// runs where 95 % of the runs or pairs of runs lie.
var (
	scenarioColumns = []string{"scenario", "replicas", "output", "mean", "sd", "mean_ci_low", "mean_ci_high", "runs_low",
		"runs_high"}
	differenceColumns = []string{"scenario", "output", "pairs", "mean_difference", "sd", "mean_ci_low", "mean_ci_high",
		"runs_low", "runs_high"}
	pairColumns = []string{"scenario", "replica", "output", "baseline", "value", "difference"}
)

// Pictures and tables that a comparison has besides differences.csv and scenarios.csv.
const (
	PairsFile            = "pairs.csv"
	ComparisonFile       = "comparison.json"
	SeriesFile           = "series.csv"
	SeriesDifferenceFile = "series-differences.csv"
)

// WriteDifferences writes differences.csv.
func (c *Comparison) WriteDifferences(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(differenceColumns)
	for _, s := range c.Scenarios[1:] {
		for _, d := range s.Differences {
			pairs := ""
			if d.N >= 0 {
				pairs = strconv.Itoa(d.N)
			}
			_ = out.Write([]string{s.Name, d.Name, pairs, number(d.Mean), number(d.SD), number(d.Low), number(d.High),
				d.Runs.cell(d.Runs.Low), d.Runs.cell(d.Runs.High)})
		}
	}
	out.Flush()
	return out.Error()
}

// WriteScenarios writes scenarios.csv.
func (c *Comparison) WriteScenarios(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(scenarioColumns)
	for _, s := range c.Scenarios {
		for _, o := range s.Outputs {
			_ = out.Write([]string{s.Name, strconv.Itoa(o.N), o.Name, number(o.Mean), number(o.SD), number(o.Low),
				number(o.High), o.Runs.cell(o.Runs.Low), o.Runs.cell(o.Runs.High)})
		}
	}
	out.Flush()
	return out.Error()
}

// cell formats an end of a range; empty if it is not known.
func (r Range) cell(x float64) string {
	if !r.Known {
		return ""
	}
	return number(x)
}

// A PairWriter writes pairs.csv: a row for each replica, scenario but the first, and output.
type PairWriter struct {
	table     *csv.Writer
	scenarios []string
	row       []string
}

// NewPairWriter begins the table.
func NewPairWriter(w io.Writer, scenarios []string) *PairWriter {
	p := &PairWriter{csv.NewWriter(w), scenarios, make([]string, len(pairColumns))}
	_ = p.table.Write(pairColumns) // Flush returns the error
	return p
}

// Write writes the rows of an output of a replica, with its values by scenario. NaN is an empty
// cell.
func (p *PairWriter) Write(replica int, output string, values func(scenario int) float64) error {
	base := values(0)
	for i, name := range p.scenarios[1:] {
		x := values(i + 1)
		p.row[0], p.row[1], p.row[2] = name, strconv.Itoa(replica), output
		p.row[3], p.row[4], p.row[5] = number(base), number(x), number(x-base)
		if err := p.table.Write(p.row); err != nil {
			return err
		}
	}
	return nil
}

// Flush writes the rest.
func (p *PairWriter) Flush() error {
	p.table.Flush()
	return p.table.Error()
}

// PairedText says how the differences of common random numbers are made.
const PairedText = "replica by replica, which have the same luck in both"

// WriteJSON writes comparison.json; missing numbers are null. how says by scenario how the
// differences are made, and paired which of them are over pairs of replicas; both may be nil: all
// are, then.
func (c *Comparison) WriteJSON(w io.Writer, how []string, paired [][]bool) error {
	type number struct {
		Output   string   `json:"output"`
		Replicas *int     `json:"replicas"` // of a difference: pairs
		Mean     *float64 `json:"mean"`     // of a difference: the mean difference
		CILow    *float64 `json:"mean_ci_low"`
		CIHigh   *float64 `json:"mean_ci_high"`
		RunsLow  *float64 `json:"runs_low"`
		RunsHigh *float64 `json:"runs_high"`
		Runs     string   `json:"runs,omitempty"`               // what runs_low and runs_high are
		Pairs    *bool    `json:"replica_by_replica,omitempty"` // of differences
	}
	type ratio struct {
		Of      string   `json:"of"` // as cost/qalys
		Cost    *float64 `json:"cost"`
		Effect  *float64 `json:"effect"`
		Ratio   *float64 `json:"ratio"`
		Low     *float64 `json:"low"`
		High    *float64 `json:"high"`
		Verdict string   `json:"verdict,omitempty"`
	}
	type scenario struct {
		Name        string   `json:"name"`
		Outputs     []number `json:"outputs"`
		Differences []number `json:"differences,omitempty"`
		How         string   `json:"differences_are,omitempty"`
		ICER        *ratio   `json:"icer,omitempty"`
	}
	numbers := func(all []Output, kind string) (out []number) {
		for _, o := range all {
			one := number{Output: o.Name, Replicas: &o.N, Mean: finite(o.Mean), CILow: finite(o.Low), CIHigh: finite(o.High)}
			if o.N < 0 {
				one.Replicas = nil
			}
			if o.Runs.Known {
				one.RunsLow, one.RunsHigh = finite(o.Runs.Low), finite(o.Runs.High)
				if o.N >= 0 {
					one.Runs = RunsName(o.N, kind)
				}
			}
			out = append(out, one)
		}
		return out
	}
	all := []scenario{}
	for i, s := range c.Scenarios {
		one := scenario{Name: s.Name, Outputs: numbers(s.Outputs, "runs"), Differences: numbers(s.Differences, "paired runs")}
		for k := range one.Differences {
			if yes := true; paired == nil {
				one.Differences[k].Pairs = &yes
			} else if paired[i] != nil {
				one.Differences[k].Pairs = &paired[i][k]
			}
		}
		switch {
		case how != nil:
			one.How = how[i]
		case i > 0:
			one.How = PairedText
		}
		if c.ICER != nil && i > 0 {
			r := c.ICER.ratio(i)
			one.ICER = &ratio{c.ICER.Cost + "/" + c.ICER.Effect, finite(r.Cost), finite(r.Effect), finite(r.Ratio),
				finite(r.Low), finite(r.High), r.Verdict}
		}
		all = append(all, one)
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// finite is nil for what JSON cannot say.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
