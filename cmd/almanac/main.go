// Command almanac runs models on a future-event engine.
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
		Short:       "A future-event engine: models, and the papers behind it",
		Annotations: map[string]string{cli.BareFlag: "from-state=" + study.StatesOfFit},
	}
	root.Flags().Bool("version", false, "print the version, as almanac version does") // of our own: without -v
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(newRun(new(runFlags)), newSweep(new(studyFlags)), newCompare(new(studyFlags)), newFit(new(fitFlags)),
		newHub(), newWorker(), newJobs(), newCheck(), newExamples(),
		newServe(), newCapped(), newReproduce(), newCalibrate(), newVersion())
	return root
}
