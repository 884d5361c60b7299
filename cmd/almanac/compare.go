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
		Short: "Run the scenarios of a model and print their differences",
		Long: `Run the scenarios of a model with common random numbers, and print their differences from the first
one. The model is a file, or - for standard input.

Each replica has the same random draws in every scenario, so its differences are effects of the
scenarios. Pairs of replicas give narrower intervals than as many independent replicas; the output
has the factor.

There are two intervals for each difference. The "95 % CI of the mean" shows how well the mean is
known, and shrinks with more replicas. "95 % of paired runs" shows how far the difference of one run
may be from the mean, and does not shrink; with fewer than 40 replicas it is from the least to the
most.

--output is an expression for a number that is computed from each replica, as in almanac sweep.

--icer cost/qalys compares two outcomes of the model: the additional cost and effect of each
scenario over the first, their ratio, and its 95 % interval by Fieller's method.

--out DIR writes these files. They replace those of an earlier comparison there when all are
complete:

  differences.csv            scenario, output, pairs, mean_difference, sd, mean_ci_low,
                             mean_ci_high, runs_low, runs_high
  scenarios.csv              the outputs of each scenario
  comparison.json            both of these, as --json prints them
  pairs.csv                  scenario, replica, output, baseline, value, difference: every replica
  series.csv                 states and flows of each scenario over time
  series-differences.csv     their differences from the first scenario
  draws.csv                  with --from: the parameters of each replica
  scenarios.svg, .png        states of the scenarios over time; scenarios-incidence, and
                             scenarios-outcomes if the model has outcomes
  differences.svg, .png      the differences over time; differences-incidence, differences-outcomes
  forest.svg, .png           the differences of the outputs
  icer.csv                   with --icer: scenario, cost, effect, icer, low, high
  acceptability.csv          with --icer: scenario, willingness_to_pay, probability
  acceptability.svg, .png    with --icer: acceptability curves
  plane.svg, .png            with --icer: the cost-effectiveness plane
  model.yaml                 the model, and the tables that it reads
  command.txt, study.json    the command line, and the request for programs
  .state                     what the same command needs to continue an interrupted comparison; it
                             may be removed when the comparison is done

The results are the same for any number of workers, here or on a hub; see almanac hub and almanac
worker. --from-state and --workers are for comparisons without a hub. With --from-state, --replicas
and --seed are those of the saved run unless given.`,
		Example: `  almanac compare model.yaml --replicas 500 --out results
  almanac compare model.yaml --scenarios base,lockdown --output "peak(infectious)"
  almanac compare model.yaml --icer cost/qalys --from draws.csv --out results`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, modelOf(args)) },
	}
	f.registerModel(c)
	_ = c.Flags().MarkHidden("scenario") // compare has several
	f.registerStudy(c, "`directory` for results and pictures; the same command continues an interrupted study there")
	f.registerOutputs(c)
	f.registerFrom(c)
	f.registerState(c)
	c.Flags().IntVar(&f.Replicas, "replicas", 100, "replicas of each scenario")
	c.Flags().BoolVar(&f.Series, "series", true, "record states and flows over time, with --out")
	c.Flags().StringSliceVar(&f.Draw, "draw", nil, "`names` of the states, flows and events to record over time and "+
		"draw, separated by commas\n(default: all)")
	c.Flags().StringVar(&f.ICER, "icer", "", "two `outcomes`, such as cost/qalys: cost and effect of each scenario over "+
		"the first, and their ratio")
	c.Flags().Bool("json", false, "print the result as JSON")
	c.Flags().StringSliceVar(&f.Scenarios, "scenarios", nil, "`names` of the scenarios, the first being the baseline, "+
		"separated by commas\n(default: all, in the order of the file)")
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
