// Package fitted is what a fit of a model file gives, as fit.json and posterior.csv have it, and
// its pictures: the command writes them, and the page shows them.
package fitted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/plot"
)

// A Fit is the model, the data and the result of a fit. In fit.json these keys come before those of
// the result, which fit.Result.WriteJSON documents.
type Fit struct {
	Model      string      `json:"model"`
	Version    string      `json:"version"`
	Command    string      `json:"command"`
	Data       Data        `json:"data"`
	Set        string      `json:"set"` // the best point as flags
	Predictive *Predictive `json:"predictive,omitempty"`

	TimeLabel string      `json:"-"` // label of the time axis
	Dates     *plot.Dates `json:"-"` // of the time axis, if the model has dates
	Result    *fit.Result `json:"-"`
}

// WriteJSON writes one object: what was fitted to what, and the result.
func (p *Fit) WriteJSON(w io.Writer) error {
	var head, result bytes.Buffer
	e := json.NewEncoder(&head)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := errors.Join(e.Encode(p), p.Result.WriteJSON(&result)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s,\n%s", bytes.TrimSuffix(head.Bytes(), []byte("\n}\n")), bytes.TrimPrefix(result.Bytes(),
		[]byte("{\n")))
	return err
}

// Data are the data of the fit.
type Data struct {
	File    string    `json:"file"`
	Times   []float64 `json:"times"` // on the model's clock
	Columns []Column  `json:"columns"`
	Notes   []string  `json:"notes"` // on missing values and rows
}

// A Column is one observed series.
type Column struct {
	Name   string              `json:"name"`
	Kind   string              `json:"kind"` // incidence, seen, flow, state, survey or value
	Of     string              `json:"of"`
	Where  map[string][]string `json:"where,omitempty"` // the group; values of attributes
	Error  string              `json:"error"`
	Values []*float64          `json:"values"`           // null for a missing value
	Tested []*float64          `json:"tested,omitempty"` // of a survey: how many the values are out of
}

// OrNull are numbers with null for NaN.
func OrNull(values []float64) (all []*float64) {
	for _, y := range values {
		if math.IsNaN(y) {
			all = append(all, nil)
		} else {
			all = append(all, &y)
		}
	}
	return all
}

// Predictive is the posterior predictive distribution, or the prediction at the best point if there
// is no posterior.
type Predictive struct {
	Runs    int                `json:"runs"`
	Shares  []float64          `json:"shares"`
	Columns []PredictiveColumn `json:"columns"`
}

// A PredictiveColumn is the prediction of one column.
type PredictiveColumn struct {
	Name    string      `json:"name"`
	Reports [][]float64 `json:"reports"` // by row and share: quantiles of the reports
	Seen    int         `json:"seen"`    // rows with an observation
	Inside  int         `json:"inside"`  // observations between the first and the last quantile
}

// Read reads fit.json, and posterior.csv if there is one.
func Read(report, sample []byte) (*Fit, error) {
	in := &Fit{TimeLabel: "time"}
	if err := json.Unmarshal(report, in); err != nil {
		return nil, err
	}
	r, err := fit.ReadJSON(report)
	if err != nil {
		return nil, err
	}
	in.Result = r
	if p := in.Predictive; p != nil {
		wrong, shares := len(p.Columns) != len(in.Data.Columns), len(fit.PredictionShares())
		for i := range p.Columns {
			wrong = wrong || len(p.Columns[i].Reports) != len(in.Data.Times) || len(in.Data.Columns[i].Values) !=
				len(in.Data.Times)
			for _, row := range p.Columns[i].Reports {
				wrong = wrong || len(row) != shares
			}
		}
		if wrong {
			return nil, errors.New("its prediction is not of its data")
		}
	}
	if sample != nil {
		p, err := fit.ReadCSV(bytes.NewReader(sample), "posterior.csv")
		if err != nil {
			return nil, err
		}
		for i, u := range r.Unknowns {
			if i >= len(p.Names) || p.Names[i] != u.Name {
				return nil, fmt.Errorf("posterior.csv has the columns %q, which are not the unknowns", p.Names)
			}
			p.Units[i] = u.Unit
		}
		if len(p.Names) != len(r.Unknowns) || len(p.Rows) == 0 || slices.ContainsFunc(p.Weights, math.IsNaN) {
			return nil, fmt.Errorf("posterior.csv has %d rows of %q", len(p.Rows), p.Names)
		}
		r.Posterior = *p
	}
	return in, nil
}
