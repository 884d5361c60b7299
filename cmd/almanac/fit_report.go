package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/fitted"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/pictures"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/study"
)

// A fitReport is the result of a fit and its inputs.
type fitReport struct {
	*fitted.Fit
	asked  *study.Request
	opened *study.OpenedFit
}

func newFitReport(asked *study.Request, o *study.OpenedFit, r *fit.Result, predicted *fit.Prediction) *fitReport {
	p := &fitReport{&fitted.Fit{Model: o.Model.Name(), Version: population.Version(), Command: asked.Command(),
		TimeLabel: pictures.TimeLabel(o.Model), Dates: pictures.Dates(o.Model), Result: r}, asked, o}
	p.Data = fitted.Data{File: o.Fit.Data, Times: o.Data.Times, Notes: append([]string{}, o.Data.Notes...)}
	for i, m := range modelfit.Of(o.Fit).Matches() {
		c := fitted.Column{Name: m.Column, Kind: m.Kind, Of: m.Of, Where: m.Where, Error: m.Error,
			Values: fitted.OrNull(o.Data.Columns[i]), Tested: fitted.OrNull(o.Data.Tested[i])}
		p.Data.Columns = append(p.Data.Columns, c)
	}
	if seen, inside := 0, 0; predicted != nil {
		p.Predictive = &fitted.Predictive{Runs: predicted.Runs - predicted.Impossible, Shares: predicted.Shares}
		for _, b := range predicted.Columns {
			p.Predictive.Columns = append(p.Predictive.Columns, fitted.PredictiveColumn{Name: b.Name, Reports: b.Reports,
				Seen: b.Seen, Inside: b.Inside})
			seen, inside = seen+b.Seen, inside+b.Inside
		}
		// Parameters chosen to match the data miss half of it only if the model cannot match it.
		if 2*inside < seen && p.Predictive.Runs >= 40 { // so that two are beyond each end of the band
			r.Notes = append(r.Notes, fmt.Sprintf("the model does not explain the data: %d of %s within its 90 %% band; look "+
				"at the prediction, the priors and what the columns are matched with",
				inside, format.Count(seen, "number")))
		}
	}
	var words []string
	for _, q := range p.point() {
		words = append(words, "--set", format.Word(q.Name+"="+q.Value))
	}
	p.Set = strings.Join(words, " ")
	return p
}

// point is the best point as parameters.
func (p *fitReport) point() (all []population.Parameter) {
	for i := range p.opened.Fit.Unknowns {
		u := &p.opened.Fit.Unknowns[i]
		all = append(all, population.Parameter{Name: u.Name, Value: u.Value(p.Result.Best[i])})
	}
	return all
}

// fitted is the best point with the parameters that --scenario and --set changed: best.yaml is the
// model that was fitted.
func (p *fitReport) fitted() []population.Parameter {
	m, all := p.opened.Model, p.point()
	unknowns := len(all)
	for _, q := range m.Parameters() {
		_, one := m.UnitOf(q.Name)
		if one && m.Changed(q.Name) && !slices.ContainsFunc(all[:unknowns], func(u population.Parameter) bool {
			return u.Name == q.Name
		}) {
			all = append(all, q)
		}
	}
	return all
}

func (p *fitReport) deliver(w io.Writer, out *cli.Output, asJSON bool) error {
	best, err := p.opened.Model.Rewrite(p.fitted()...)
	if err != nil {
		p.Result.Notes = append(p.Result.Notes, "there is no best.yaml: "+strings.TrimPrefix(err.Error(), "population: "))
	}
	if out != nil {
		if err := p.write(out.Path(), best); err != nil {
			return err
		}
		if err := out.Keep(); err != nil {
			return err
		}
	}
	if asJSON {
		return p.WriteJSON(w)
	}
	return p.print(w)
}

func (p *fitReport) write(dir string, best []byte) error {
	errs := []error{
		outdir.WriteFile(dir, "fit.json", p.WriteJSON),
		writeRequest(dir, p.asked, p.Command),
		p.Draw(dir),
	}
	if len(p.Result.Posterior.Rows) > 0 {
		errs = append(errs, outdir.WriteFile(dir, "posterior.csv", p.Result.Posterior.WriteCSV))
	}
	if best != nil {
		errs = append(errs, outdir.WriteFile(dir, "best.yaml", func(w io.Writer) error {
			_, err := w.Write(best)
			return err
		}))
	}
	return errors.Join(errs...)
}

func (p *fitReport) print(w io.Writer) error {
	var columns []string
	for _, c := range p.Data.Columns {
		columns = append(columns, c.Name)
	}
	best := "best point: " + p.Set
	if p.Result.ScoreName != "" {
		best += fmt.Sprintf("   (%s %.5g", p.Result.ScoreName, p.Result.BestScore)
		if p.Result.BestError > 0 {
			best += fmt.Sprintf(" ± %.2g", p.Result.BestError)
		}
		best += ")"
	}
	predicted := ""
	if p.Predictive != nil {
		var parts []string
		for _, c := range p.Predictive.Columns {
			parts = append(parts, fmt.Sprintf("%d of %d of %s", c.Inside, c.Seen, c.Name))
		}
		predicted = fmt.Sprintf("prediction: %s within the 90 %% band of %s\n", strings.Join(parts, ", "),
			format.Count(p.Predictive.Runs, "run"))
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s of %s, by %s, seed %d\n\n%s%s%s\n", p.Model, format.Count(len(p.Result.Unknowns),
		"unknown"), format.Count(len(p.Data.Times), "row"),
		strings.Join(columns, " and "), p.Result.Method, p.Result.Seed, p.Result.Text(), predicted, best)
	return err
}
