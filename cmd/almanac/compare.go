package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/internal/pictures"
	tables "github.com/almanac-sim/almanac/internal/study"
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
			"Each difference is told in two ways. The 95 % CI of the mean says how well the mean difference is known; it " +
			"shrinks with more replicas.\n" +
			"95 % of paired runs says how far the difference of one run may lie from it, and does not shrink. Of fewer " +
			"than 40 replicas it is from the\n" +
			"least to the most.\n\n" +
			"--output says what is told of each replica, as in almanac sweep.\n\n" +
			"With --out DIR there are then in DIR: differences.csv (scenario, output, pairs, mean_difference, sd, " +
			"mean_ci_low, mean_ci_high, runs_low,\n" +
			"runs_high), scenarios.csv (what each scenario gave), comparison.json (both, which --json prints), pairs.csv " +
			"(scenario, replica, output,\n" +
			"baseline, value, difference: every replica), series.csv and series-differences.csv (both over time), pictures " +
			"as .svg and .png (scenarios,\n" +
			"differences, both also of incidence, and forest), model.yaml with the tables that it reads, command.txt, and " +
			"study.json. A study that was\n" +
			"interrupted goes on when the same command is given again.\n\n" +
			"--icer cost/qalys compares two outcomes of the model: by how much each scenario costs more than the first, " +
			"what it gains, the ratio of the\n" +
			"two, and Fieller's 95 % interval. With --out there are then also icer.csv (scenario, cost, effect, icer, low, " +
			"high), acceptability.csv\n" +
			"(scenario, willingness_to_pay, probability), and as .svg and .png a cost-effectiveness plane (plane) and " +
			"acceptability curves\n" +
			"(acceptability).",
		Example: "  almanac compare model.yaml --replicas 500 --out results\n" +
			"  almanac compare model.yaml --scenarios base,lockdown --output \"peak(infectious)\"\n" +
			"  almanac compare model.yaml --icer cost/qalys --from draws.csv --out results",
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, modelOf(args)) },
	}
	f.registerModel(c)
	_ = c.Flags().MarkHidden("scenario") // compare has several
	f.registerStudy(c, "a directory to write results to, and in which the study can be continued")
	f.registerOutputs(c)
	f.registerFrom(c)
	f.registerState(c)
	c.Flags().IntVar(&f.Replicas, "replicas", 100, "how often to run each scenario")
	c.Flags().BoolVar(&f.Series, "series", true, "tell how states and flows go over time, too")
	c.Flags().StringSliceVar(&f.Draw, "draw", nil, "which states and flows to tell over time and draw, with commas "+
		"between; all unless told")
	c.Flags().StringVar(&f.ICER, "icer", "", "two outcomes, as in cost/qalys: tell what one unit of the second costs in "+
		"each scenario, against the first")
	c.Flags().Bool("json", false, "print the result as JSON")
	c.Flags().StringSliceVar(&f.Scenarios, "scenarios", nil,
		"which scenarios, with commas between, and in which order; all of the file unless told")
	return c
}

// A comparisonReport receives the replicas and the only point of a comparison, and writes and
// prints the results.
type comparisonReport struct {
	study *study.Study
	job   ensemble.Job
	out   *cli.Output
	found ensemble.PointResult

	table *tableFile // pairs.csv; nil without --out
	pairs *tables.PairWriter
	count int          // replicas that came here, as those in pairs.csv
	icer  *tables.ICER // nil unless it is asked for
}

func newComparisonReport(s *study.Study, job ensemble.Job, out *cli.Output) (r *comparisonReport, err error) {
	r = &comparisonReport{study: s, job: job, out: out}
	if s.ICER != "" {
		r.icer = tables.NewICER(s.ICER, s.Compared)
	}
	if out == nil {
		return r, nil
	}
	if r.table, err = createTable(out.Path(), tables.PairsFile); err != nil {
		return nil, err
	}
	r.pairs = tables.NewPairWriter(r.table, s.Labels())
	return r, nil
}

// replica writes the rows of a replica; they come in order.
func (r *comparisonReport) replica(_, replica int, v ensemble.Values) error {
	r.count++
	if r.icer != nil {
		r.study.AddToICER(r.icer, v)
	}
	if r.pairs == nil {
		return nil
	}
	return r.study.WritePairs(r.pairs, replica, v)
}

// close closes pairs.csv.
func (r *comparisonReport) close() error {
	if r.table == nil || r.table.closed {
		return nil
	}
	return errors.Join(r.pairs.Flush(), r.table.close())
}

// deliver writes the remaining files and prints the results.
func (r *comparisonReport) deliver(c *cobra.Command, outcome ensemble.Outcome, command string) error {
	s, w := r.study, c.OutOrStdout()
	found, err := s.Comparison(r.found)
	if err != nil {
		return err
	}
	if found.Course != nil {
		found.Course.Title, found.Course.TimeLabel = s.Plain.Name(), pictures.TimeLabel(s.Plain)
		found.Course.Dates = pictures.Dates(s.Plain)
	}
	if r.icer != nil && r.count == r.found.Replicas {
		found.ICER = r.icer
	} else if r.icer != nil {
		tell(c, "--icer: there are no ratios: the replicas are with the command that began the study")
	}
	asJSON := func(w io.Writer) error { return found.WriteJSON(w, nil, nil) }
	if r.out != nil {
		if err := r.write(c, found, asJSON, command); err != nil {
			return err
		}
	}
	if json, _ := c.Flags().GetBool("json"); json {
		return asJSON(w)
	}
	fmt.Fprintf(w, "%s: %s, %s of each, seed %d\n", s.Plain.Name(), format.Count(len(s.Compared), "scenario"),
		format.Count(r.found.Replicas, "replica"), r.job.Seed)
	if r.found.OutputsSketched {
		fmt.Fprintf(w, "95 %% of paired runs is by sketch, with a relative error of at most %g\n", ensemble.SketchError)
	}
	if err := found.Print(w); err != nil {
		return err
	}
	if found.ICER != nil {
		if err := found.ICER.Print(w); err != nil {
			return err
		}
	}
	return printWork(w, outcome)
}

// write writes the files of --out.
func (r *comparisonReport) write(c *cobra.Command, found *tables.Comparison, asJSON func(io.Writer) error,
	command string) error {
	s, dir := r.study, r.out.Path()
	errs := []error{r.close(),
		outdir.WriteFile(dir, "differences.csv", found.WriteDifferences),
		outdir.WriteFile(dir, "scenarios.csv", found.WriteScenarios),
		outdir.WriteFile(dir, tables.ComparisonFile, asJSON),
		found.Draw(dir, s.Plain.Name()),
		writeDraws(dir, s),
		writeRequest(dir, s.Request, command)}
	if found.Course != nil {
		errs = append(errs, outdir.WriteFile(dir, tables.SeriesFile, found.Course.WriteSeries),
			outdir.WriteFile(dir, tables.SeriesDifferenceFile, found.Course.WriteDifferences))
	}
	if found.ICER != nil {
		errs = append(errs, outdir.WriteFile(dir, tables.ICERFile, found.ICER.WriteRatios),
			outdir.WriteFile(dir, tables.AcceptabilityFile, found.ICER.WriteAcceptability),
			found.ICER.Draw(dir, s.Plain.Name()))
	}
	if r.count < r.found.Replicas { // the hub has not kept them, or only summaries were asked for
		tell(c, "there is no pairs.csv: the replicas are with the command that began the study; given again with --out, it "+
			"writes them")
		errs = append(errs, os.Remove(filepath.Join(dir, tables.PairsFile)))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return r.out.Keep()
}
