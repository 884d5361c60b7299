// Command almanac runs models on a future-event engine.
//
//	almanac run sir.yaml --size 1000000 --replicas 20 --out results
//
// # Files
//
// A subcommand has a file with its name. What it prints and draws may have files of its own:
//
//	run.go             almanac run
//	run_report.go      what run prints
//	run_events.go      tables that are written while the run goes on
//	run_state.go       saved states
//	run_projection.go  what would be reported, beside the data of a fit
//	picture.go         pictures of a run
//	check.go           almanac check
//	sweep.go           almanac sweep
//	compare.go         almanac compare
//	fit.go             almanac fit
//	fit_report.go      what fit prints
//	serve.go           almanac serve
//	hub.go             almanac hub
//	worker.go          almanac worker
//	jobs.go            almanac jobs
//	reproduce.go       almanac reproduce
//	capped.go          almanac capped
//	capped_report.go   what capped prints
//	capped_sweep.go    the points of capped --sweep
//	calibrate.go       almanac calibrate
//	examples.go        almanac examples
//	version.go         almanac version
//
// Shared by several subcommands:
//
//	request.go         the flags of a study: the model, its changes, and where it runs
//	engine.go          the flags of a hub and of workers, and how studies run
//	profile.go         --profile
package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/study"
)

func main() { cli.Main(newRoot()) }

// run executes the command and returns its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return cli.Run(ctx, newRoot(), args, stdout, stderr)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:         "almanac",
		Short:       "Run models of populations on a future-event engine, and check the papers behind it",
		Annotations: map[string]string{cli.BareFlag: "from-state=" + study.StatesOfFit},
	}
	root.Flags().Bool("version", false, "print the version") // of our own: without -v
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(newRun(new(runFlags)), newSweep(new(studyFlags)), newCompare(new(studyFlags)), newFit(new(fitFlags)),
		newHub(), newWorker(), newJobs(), newCheck(), newExamples(),
		newServe(), newCapped(), newReproduce(), newCalibrate(), newVersion())
	return root
}
