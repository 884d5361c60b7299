package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/format"
	"github.com/almanac-sim/almanac/cmd/almanac/internal/models"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/population"
)

// A fitReport is what a fit gives, as fit.json has it and as it is printed.
type fitReport struct {
	Model    string      `json:"model"`
	Version  string      `json:"version"`
	Method   string      `json:"method"`
	Seed     uint64      `json:"seed"`
	Command  string      `json:"command"`
	Data     fitData     `json:"data"`
	Unknowns []fitOfOne  `json:"unknowns"`
	Sample   *fitSample  `json:"posterior,omitempty"` // of methods that give one
	Best     fitBest     `json:"best"`
	Chains   *fit.Chains `json:"chains,omitempty"`
	Trace    fitTable    `json:"trace"`
	Runs     int         `json:"runs"`
	Events   uint64      `json:"events"`
	// Impossible is how many runs were at values with which there is no model.
	Impossible int      `json:"impossible"`
	Notes      []string `json:"notes"`

	study  *models.Fit
	opened *models.Opened
	result *fit.Result
	path   string // of the model file
	flags  *fitFlags
}

// fitData is what was fitted to.
type fitData struct {
	File    string          `json:"file"`
	Times   []float64       `json:"times"`
	Columns []fitDataColumn `json:"columns"`
	Notes   []string        `json:"notes"` // gaps, rows that are missing
}

type fitDataColumn struct {
	Name   string    `json:"name"`
	Kind   string    `json:"kind"` // incidence, flow or state
	Of     string    `json:"of"`
	Error  string    `json:"error"`
	Values []*number `json:"values"` // null for a gap
}

// fitOfOne is what became known of one unknown. Quantiles are of the shares in the order of fit.MarginalShares.
type fitOfOne struct {
	Name           string    `json:"name"`
	Unit           string    `json:"unit"`
	Prior          string    `json:"prior"`
	PriorQuantiles []float64 `json:"priorQuantiles,omitempty"`
	Mean           *number   `json:"mean,omitempty"`
	SD             *number   `json:"sd,omitempty"`
	Quantiles      []float64 `json:"quantiles,omitempty"`
	Contraction    *number   `json:"contraction,omitempty"`
	Shift          *number   `json:"shift,omitempty"`
	Moved          *bool     `json:"moved,omitempty"`
}

// fitSample is what is known of the sample as a whole.
type fitSample struct {
	Rows         int         `json:"rows"`
	Effective    float64     `json:"effective"`
	Exact        bool        `json:"exact"`
	Power        float64     `json:"power"`
	Threshold    *number     `json:"threshold"`
	Shares       []float64   `json:"shares"` // of the quantiles
	Correlations [][]float64 `json:"correlations"`
	Unmoved      []string    `json:"unmoved"`
}

// fitBest is the best point.
type fitBest struct {
	Values map[string]float64 `json:"values"` // in the units of the priors
	Set    string             `json:"set"`    // the same as flags
	Score  *number            `json:"score"`
	Name   string             `json:"scoreName"`
	Error  *number            `json:"scoreError,omitempty"`
}

type fitTable struct {
	Columns []string    `json:"columns"`
	Rows    [][]*number `json:"rows"`
}

// A number is one that JSON can have, or null.
type number float64

func (n *number) MarshalJSON() ([]byte, error) {
	if x := float64(*n); !math.IsNaN(x) && !math.IsInf(x, 0) {
		return json.Marshal(x)
	}
	return []byte("null"), nil
}

func newNumber(x float64) *number { n := number(x); return &n }

func newNumbers(xs []float64) (all []*number) {
	for _, x := range xs {
		all = append(all, newNumber(x))
	}
	return all
}

func newFitReport(f *fitFlags, study *models.Fit, o *models.Opened, r *fit.Result, path, command string) *fitReport {
	p := &fitReport{Model: o.Model.Name(), Version: population.Version(), Method: r.Method, Seed: r.Seed, Command: command, Chains: r.Chains,
		Trace: fitTable{Columns: r.Trace.Names}, Runs: r.Runs, Events: r.Events, Impossible: r.Impossible, Notes: append([]string{}, r.Notes...),
		study: study, opened: o, result: r, path: path, flags: f}
	for _, row := range r.Trace.Rows {
		p.Trace.Rows = append(p.Trace.Rows, newNumbers(row))
	}
	p.Data = fitData{File: study.DataName, Times: o.Data.Times, Notes: append([]string{}, o.Data.Notes...)}
	for i, m := range o.Fit.Matches {
		p.Data.Columns = append(p.Data.Columns, fitDataColumn{m.Column, m.Kind, m.Of, m.Error, newNumbers(o.Data.Columns[i])})
	}
	for _, u := range r.Unknowns {
		p.Unknowns = append(p.Unknowns, fitOfOne{Name: u.Name, Unit: u.Unit, Prior: u.Prior.String()})
	}
	for i, m := range r.Marginals() {
		u := &p.Unknowns[i]
		u.PriorQuantiles, u.Mean, u.SD, u.Quantiles = m.PriorQuantiles, newNumber(m.Mean), newNumber(m.SD), m.Quantiles
		u.Contraction, u.Shift, u.Moved = newNumber(m.Contraction), newNumber(m.Shift), &m.Moved
	}
	if n := len(r.Posterior.Rows); n > 0 {
		s := &fitSample{Rows: n, Effective: r.Posterior.Effective(), Exact: r.Exact, Power: r.Power, Threshold: newNumber(r.Threshold), Shares: fit.MarginalShares, Unmoved: append([]string{}, r.Unmoved()...)}
		for j := range r.Unknowns {
			row := make([]float64, len(r.Unknowns))
			for k := range row {
				row[k] = r.Posterior.Correlation(j, k)
			}
			s.Correlations = append(s.Correlations, row)
		}
		p.Sample = s
	}
	p.Best = fitBest{Values: map[string]float64{}, Set: setFlags(p.point()), Score: newNumber(r.BestScore), Name: r.ScoreName}
	if r.BestError > 0 {
		p.Best.Error = newNumber(r.BestError)
	}
	for i, u := range r.Unknowns {
		p.Best.Values[u.Name] = r.Best[i]
	}
	return p
}

// point is the best point as values of parameters.
func (p *fitReport) point() (all []population.Parameter) {
	for i := range p.opened.Fit.Unknowns {
		u := &p.opened.Fit.Unknowns[i]
		all = append(all, population.Parameter{Name: u.Name, Value: u.Value(p.result.Best[i])})
	}
	return all
}

// setFlags are parameters as one gives them to almanac run.
func setFlags(parameters []population.Parameter) string {
	var words []string
	for _, q := range parameters {
		words = append(words, "--set", quoted(q.Name+"="+q.Value))
	}
	return strings.Join(words, " ")
}

// deliver writes the results, and prints them.
func (p *fitReport) deliver(w io.Writer, out *output, asJSON bool) error {
	best, err := p.opened.Model.Rewrite(p.point()...)
	if err != nil {
		p.Notes = append(p.Notes, "best.yaml is not written: "+strings.TrimPrefix(err.Error(), "population: "))
	}
	if out != nil {
		dir := out.path()
		errs := []error{
			writeFile(dir, "fit.json", func(w io.Writer) error { return printJSON(w, p) }),
			writeFile(dir, "model.yaml", func(w io.Writer) error { _, err := w.Write(p.study.Source); return err }),
			writeFile(dir, "command.txt", func(w io.Writer) error { _, err := fmt.Fprintln(w, p.Command); return err }),
		}
		if p.Sample != nil {
			errs = append(errs, writeFile(dir, "posterior.csv", p.result.Posterior.WriteCSV))
		}
		if best != nil {
			errs = append(errs, writeFile(dir, "best.yaml", func(w io.Writer) error { _, err := w.Write(best); return err }))
		}
		errs = append(errs, p.draw(dir))
		if err := errors.Join(errs...); err != nil {
			return err
		}
		if err := out.keep(); err != nil {
			return err
		}
	}
	if asJSON {
		return printJSON(w, p)
	}
	return p.print(w)
}

// draw draws the pictures of the fit into a directory, under the names that fitFiles has for them.
func (p *fitReport) draw(string) error { return nil }

// print prints what was found.
func (p *fitReport) print(w io.Writer) error {
	var columns []string
	for _, c := range p.Data.Columns {
		columns = append(columns, c.Name)
	}
	fmt.Fprintf(w, "%s: %s, %s of %s, %s, seed %d\n\n", p.Model, format.Count(len(p.Unknowns), "unknown"), format.Count(len(p.Data.Times), "row"), strings.Join(columns, ", "), p.Method, p.Seed)
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	if p.Sample != nil {
		fmt.Fprintln(t, "\tmean\tsd\tmedian\t90 % interval\tbest\tprior\t")
		for i, u := range p.Unknowns {
			m := p.result.Marginals()[i]
			fmt.Fprintf(t, "%s\t%.4g\t%.3g\t%.4g\t%.4g to %.4g\t%.4g\t%s\t\n", withUnit(u.Name, u.Unit), m.Mean, m.SD, m.Quantiles[3], m.Quantiles[1], m.Quantiles[5], p.result.Best[i], u.Prior)
		}
	} else {
		fmt.Fprintln(t, "\tbest\tprior\t")
		for i, u := range p.Unknowns {
			fmt.Fprintf(t, "%s\t%.4g\t%s\t\n", withUnit(u.Name, u.Unit), p.result.Best[i], u.Prior)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if p.Sample != nil && len(p.Unknowns) > 1 {
		if err := p.printCorrelations(w); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	if p.Sample != nil {
		fmt.Fprintf(w, "effective sample size %.0f, of %s\n", p.Sample.Effective, format.Count(p.Sample.Rows, "draw"))
		fmt.Fprintln(w, p.identified())
	}
	fmt.Fprintf(w, "best point: %s%s\n", p.Best.Set, p.score())
	for _, note := range p.Notes {
		fmt.Fprintln(w, note)
	}
	_, err := fmt.Fprintf(w, "%s of the model, %s events\n", format.Count(p.Runs, "run"), format.Thousands(float64(p.Events)))
	return err
}

// score is how good the best point is.
func (p *fitReport) score() string {
	if p.Best.Name == "" {
		return ""
	}
	text := fmt.Sprintf("   (%s %.5g", p.Best.Name, p.result.BestScore)
	if p.result.BestError > 0 {
		text += fmt.Sprintf(" ± %.2g", p.result.BestError)
	}
	return text + ")"
}

func (p *fitReport) printCorrelations(w io.Writer) error {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "correlation\t")
	for _, u := range p.Unknowns[:len(p.Unknowns)-1] {
		fmt.Fprintf(t, "%s\t", u.Name)
	}
	fmt.Fprintln(t)
	for j, u := range p.Unknowns {
		if j == 0 {
			continue
		}
		fmt.Fprintf(t, "%s\t", u.Name)
		for k := range p.Unknowns[:len(p.Unknowns)-1] {
			if k < j {
				fmt.Fprintf(t, "%.2f", p.Sample.Correlations[j][k])
			}
			fmt.Fprint(t, "\t")
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// identified says which parameters the data did not move.
func (p *fitReport) identified() string {
	switch n := len(p.Sample.Unmoved); {
	case n == 0:
		return "the data moved every unknown away from its prior"
	case n == 1:
		return fmt.Sprintf("the data did not move %s: what is known of it is the prior", p.Sample.Unmoved[0])
	default:
		return fmt.Sprintf("the data did not move %s: what is known of them is the priors", strings.Join(p.Sample.Unmoved, ", "))
	}
}

// withUnit is a name with the unit of its numbers.
func withUnit(name, unit string) string {
	if unit == "" {
		return name
	}
	return name + " (" + unit + ")"
}
