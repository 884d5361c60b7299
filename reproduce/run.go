package reproduce

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// A Result is a claim that has been checked.
type Result struct {
	Name     string   `json:"name"`
	Paper    string   `json:"paper"`
	Place    string   `json:"place"`
	Says     string   `json:"says"`
	How      string   `json:"how"`
	Measured string   `json:"measured"`
	Timed    string   `json:"timed,omitempty"`
	Verdict  Verdict  `json:"verdict"`
	Found    Verdict  `json:"found_before"`
	Grade    Grade    `json:"evidence"`
	Seconds  float64  `json:"-"`
	Checks   []Check  `json:"checks"`
	Notes    []string `json:"notes,omitempty"`
	Tables   []Table  `json:"tables"`
	Finding  Finding  `json:"-"`
}

// Words returns what was measured and timed, as a report says it.
func (r *Result) Words() string { return strings.TrimSpace(r.Measured + " " + r.Timed) }

// AsBefore reports whether the verdict is what was found before.
func (r *Result) AsBefore() bool { return r.Verdict == r.Found }

// Run checks claims, one after the other. The callback, which may be nil, is called with the name
// of the current claim and the fraction of all claims that is done, from 0 to 1. A claim that
// cannot be checked ends the run.
func Run(ctx context.Context, claims []Claim, o Options, progress func(name string, fraction float64)) ([]Result,
	error) {
	var all []Result
	for i, c := range claims {
		own := o
		own.Progress = func(fraction float64) {
			if progress != nil {
				progress(c.Name, (float64(i)+fraction)/float64(len(claims)))
			}
		}
		own.ReportProgress(0)
		began := time.Now()
		f, err := c.Run(ctx, own)
		if err != nil {
			return all, fmt.Errorf("%s: %w", c.Name, err)
		}
		all = append(all, Result{
			Name: c.Name, Paper: c.Paper, Place: c.Place, Says: c.Says, How: c.How, Measured: f.Measured, Timed: f.Timed,
			Verdict: f.Verdict(), Found: c.Found, Grade: c.Grade, Seconds: time.Since(began).Seconds(),
			Checks: f.Checks, Notes: f.Notes, Tables: f.Tables, Finding: f,
		})
	}
	return all, nil
}
