package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/study"
)

func newCompare(f *studyFlags) *cobra.Command {
	c := &cobra.Command{
		Use:   "compare MODEL.yaml | -",
		Short: "Run the scenarios of a model with the same luck, and tell how they differ",
		Long: "Run the scenarios of a model with common random numbers, and tell how they differ from the first.\n\n" +
			"The replica of a number has the same luck in every scenario, so that what differs between them is what the " +
			"scenarios do, and few\n" +
			"replicas tell what otherwise many would. How many is told, too.\n\n" +
			"--output says what is told of each replica, as in almanac sweep.\n\n" +
			"With --out DIR there are then in DIR: differences.csv (scenario, output, difference, low, high: the 95 % " +
			"interval of the mean\n" +
			"difference of paired replicas, against the first scenario), scenarios.csv (scenario, replicas, output, mean, " +
			"sd, low, high),\n" +
			"model.yaml with the tables that it reads, command.txt, and study.json. A study that was interrupted goes on " +
			"when the same command is given again.",
		Example: "  almanac compare model.yaml --replicas 500 --out results\n" +
			"  almanac compare model.yaml --scenarios base,lockdown --output \"peak(infectious)\"",
		Args: oneModel,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.registerModel(c)
	_ = c.Flags().MarkHidden("scenario") // compare has several
	f.registerStudy(c, "a directory to write results to, and in which the study can be continued")
	f.registerOutputs(c)
	f.registerFrom(c)
	c.Flags().IntVar(&f.Replicas, "replicas", 100, "how often to run each scenario")
	c.Flags().StringSliceVar(&f.Scenarios, "scenarios", nil,
		"which scenarios, with commas between, and in which order; all of the file unless told")
	return c
}

// deliverComparison writes and prints the results.
func deliverComparison(w io.Writer, s *study.Study, job ensemble.Job, p ensemble.PointResult, outcome ensemble.Outcome,
	out *cli.Output, command string) error {
	c, err := s.Comparison(p)
	if err != nil {
		return err
	}
	if out != nil {
		dir := out.Path()
		err := errors.Join(
			outdir.WriteFile(dir, "differences.csv", c.WriteDifferences),
			outdir.WriteFile(dir, "scenarios.csv", c.WriteScenarios),
			writeDraws(dir, s),
			writeRequest(dir, s.Request, command))
		if err != nil {
			return err
		}
		if err := out.Keep(); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "%s: %s, %s of each, seed %d; mean ± half of the 95 %% interval\n", s.Plain.Name(),
		format.Count(len(s.Compared), "scenario"), format.Count(p.Replicas, "replica"), job.Seed)
	if err := c.Print(w); err != nil {
		return err
	}
	return printWork(w, outcome)
}
