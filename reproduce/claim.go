// Package reproduce says what a claim of a paper is, how it is checked on the machine it runs on,
// and how that is reported.
//
//	o := reproduce.Options{Seed: 1}
//	results, err := reproduce.Run(ctx, papers.Claims(), o, nil)
//	report := reproduce.Report{
//		Provenance: reproduce.NewProvenance(o, "", "go run ."),
//		Results:    results,
//	}
//	err = report.Write("claims")
//
// Each paper has a package of its own below this one. Its claims.md has what the paper says and
// where, how it is measured here and what was found; its functions measure it, and say what would
// make it fail. [Read] puts the two together, and package papers gathers the claims of all papers.
//
// [Run] checks some claims or all, and a [Report] of the results can be written as a page of HTML,
// with tables and pictures beside it. [Options] can make the runs as large as those of the papers.
// The command almanac reproduce is this package with flags, and docs/papers.md has the results. A
// [Verdict] follows from checks alone, and a [Grade] says how strong the evidence is. The examples
// of Claim and Run are complete.
//
// What is counted (empty buckets, list entries) does not depend on the machine, and has a tolerance
// from its standard error. What is timed does, and is reported beside the paper's numbers without
// deciding whether anything holds.
//
// # Files
//
//	claim.go       Claim, Options, Finding and Table
//	read.go        Read: claims from claims.md
//	runner.go      Runner: progress, random numbers and errors of a check
//	check.go       Check, Checker and Kind; Verdict and Grade
//	threshold.go   Threshold: numbers of our own that decide
//	estimate.go    Estimate: a mean and its standard error
//	run.go         Run and Result
//	report.go      Report
//	provenance.go  Provenance
//	text.go        Superscript
package reproduce

import (
	"context"
	"encoding/json"
	"math"

	"github.com/almanac-sim/almanac/internal/plot"
)

// A Claim is something that a paper says and that can be checked.
type Claim struct {
	Name  string // short, for the command line: figure-1
	Paper string // its authors, and when it appeared
	Place string // Figure 1; Theorem 2.2; section 5
	Says  string // what the paper claims, in a sentence or two
	How   string // how it is measured here

	// Found is the verdict that was found before, at full size and on other machines. A report
	// marks what differs from it; it does not decide anything.
	Found Verdict
	Grade Grade // of the evidence for it

	Run func(context.Context, Options) (Finding, error)
}

// Options say how thoroughly claims are checked.
type Options struct {
	Full bool   // at the papers' sizes, which takes long
	Seed uint64 // of all that is random
	// Progress is called with the fraction of the claim that is done, from 0 to 1. It may be nil.
	Progress func(fraction float64)
}

// ReportProgress calls Progress, if it is not nil, with the fraction of the claim that is done,
// from 0 to 1.
func (o Options) ReportProgress(fraction float64) {
	if o.Progress != nil {
		o.Progress(fraction)
	}
}

// A Finding is the outcome of checking a claim.
type Finding struct {
	// Measured is what was counted, in a sentence with its numbers, for the table at the beginning
	// of a report. It is the same on every machine for the same seed. Timed has what depends on the
	// machine, such as time and memory; it may be empty.
	Measured  string
	Timed     string
	Checks    []Check      // the numbers that decide
	Notes     []string     // remarks
	Tables    []Table      // what was measured
	Charts    []plot.Chart // pictures of that
	ChartName []string     // a short name for each chart's file, in the same order
}

// A Table is numbers under headings.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]float64
}

// MarshalJSON writes NaN and infinities as null, since JSON has neither.
func (t Table) MarshalJSON() ([]byte, error) {
	rows := make([][]any, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = make([]any, len(row))
		for k, x := range row {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				rows[i][k] = x
			}
		}
	}
	return json.Marshal(struct {
		Name    string   `json:"name"`
		Columns []string `json:"columns"`
		Rows    [][]any  `json:"rows"`
	}{t.Name, t.Columns, rows})
}

// Chart adds a chart. Its name is part of that of the file it is saved to.
func (f *Finding) Chart(name string, c plot.Chart) {
	f.Charts = append(f.Charts, c)
	f.ChartName = append(f.ChartName, name)
}
