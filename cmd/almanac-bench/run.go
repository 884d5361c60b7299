package main

import (
	"errors"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
)

// timing is what the flags of all benchmarks that take turns have in common.
type timing struct {
	repetitions int
	least, most time.Duration
	seed        uint64
	json        bool
	out         string
	program     string // to be started, if that is timed
}

// A benchReport is what benchmarks whose structures take turns print with --json.
type benchReport struct {
	Machine cli.Machine    `json:"machine"`
	Command string         `json:"command"`
	Results []bench.Result `json:"results"`
	Targets []bench.Target `json:"targets,omitempty"`
}

// A benchmark is what to measure and what to do with the results.
type benchmark struct {
	// by which --out knows its files; with bench before it, since almanac capped may write there, too
	name   string
	plans  [][]bench.Cell // those of one plan take turns, and plans come one after the other
	judged bool           // compare with what the project promises
	file   string         // in the directory of --out: everything measured
	charts string         // pattern of the pictures beside it, if there are any
	draw   func(dir string, r benchReport) error
	print  func(w io.Writer, r benchReport) error
}

// names are the names that a flag accepts.
func names[T any](all []T, of func(T) string) []string {
	var names []string
	for _, t := range all {
		names = append(names, of(t))
	}
	return names
}

// group parts a list by a key, in the order in which keys come first.
func group[T any, K comparable](all []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, t := range all {
		i, known := at[key(t)]
		if !known {
			i = len(groups)
			at[key(t)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

func structure(r bench.Result) string { return r.Structure }

// run measures, and delivers what was measured.
func (t *timing) run(c *cobra.Command, b benchmark) error {
	files := []string{b.file}
	if b.charts != "" {
		files = append(files, b.charts)
	}
	return cli.Report(c, b.name, t.out, files, t.json, func(bar *progress.Bar) (benchReport, error) {
		report := benchReport{Machine: cli.ThisMachine(), Command: cli.CommandLine(c)}
		for i, plan := range b.plans {
			results, err := bench.Run(c.Context(), plan, bench.Options{
				Repetitions: t.repetitions,
				Least:       t.least,
				Most:        t.most,
				Seed:        t.seed,
				Program:     t.program,
				Progress: func(done, of int, next string) {
					// Plans count alike, however many cells they have.
					bar.Set(i*1000+1000*done/of, len(b.plans)*1000, next)
				},
			})
			if err != nil {
				return report, err
			}
			for k := range results {
				results[k].Plan = i
			}
			report.Results = append(report.Results, results...)
			if b.judged {
				report.Targets = append(report.Targets, bench.Judge(results)...)
			}
			runtime.GC() // what the next plan measures should not pay for this one
		}
		return report, nil
	}, func(dir string, r benchReport) error {
		err := cli.WriteJSON(dir, b.file, r)
		if b.draw != nil {
			err = errors.Join(err, b.draw(dir, r))
		}
		return err
	}, b.print)
}
