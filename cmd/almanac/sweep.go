package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/study"
	"github.com/spf13/cobra"
)

func newSweep(f *studyFlags) *cobra.Command {
	c := &cobra.Command{
		Use:   "sweep MODEL.yaml | -",
		Short: "Run a model at many combinations of values",
		Long: `Run a model at many combinations of values, with several replicas at each, and print the mean and
95 % confidence interval of each output. The model is a file, or - for standard input.

--vary NAME=VALUES names what varies, once for each name. Names and values are those of --set:

  beta="0.2..0.6 per day by 0.05"   steps
  coverage="0%, 40%, 80%"           a list; a unit also applies to plain numbers: "0.3, 0.4 per day"
  beta="0.2..0.6 per day"           a range, for --sample
  population.size="1e3..5e3 whole"  the whole numbers of a range, for --sample

Every combination is a point. With --sample N there are N points instead, spread over the ranges by
a Latin hypercube or a Sobol sequence (--design).

--output is an expression for a number that is computed from each replica:

  final(recovered)                        number in a state at the end
  final(susceptible->infectious)          events of a flow since the start
  at(infectious, 30 days)                 the same at a recorded time
  peak(infectious)                        largest number
  time of peak(infectious)                when it was first reached
  incidence(infection) per 100_000        events since the start, per 100,000 alive at the start
  first time(infectious above 1%)         first recorded time with more; also below
  last time(infectious above 100)         last recorded time with more; also below
  final(recovered, region=north)          any of these in a group
  final(recovered) / final(total)         arithmetic with these

docs/reference/command.md describes all of them. The default is ends and peaks of all states, flows
and outcomes.

--out DIR writes these files. They replace those of an earlier sweep there when all are complete:

  points.csv                 a column for each name of --vary, in its unit; replicas, output, mean,
                             sd, low, high (95 % interval of the mean), and units
  series.csv                 states and flows over time at each point (or .parquet, .json: --format)
  draws.csv                  with --from: the parameters of each replica
  over-NAME.svg, .png        outputs over one name, with bands
  map-OUTPUT.svg, .png       an output over two names
  model.yaml                 the model, and the tables that it reads
  command.txt, study.json    the command line, and the request for programs
  .state                     what the same command needs to continue an interrupted sweep; it may be
                             removed when the sweep is done

The results are the same for any number of workers, here or on a hub; see almanac hub and almanac
worker. --from-state and --workers are for sweeps without a hub. With --from-state, --replicas and
--seed are those of the saved run unless given.`,
		Example: `  almanac sweep examples/sir.yaml --vary beta="0.2..0.6 per day by 0.1" --replicas 50 --out results
  almanac sweep examples/sir.yaml --vary beta="0.2..0.6 per day" --sample 500 --replicas 20 \
      --output "peak(infectious)"`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, modelOf(args)) },
	}
	f.registerModel(c)
	f.registerStudy(c, "`directory` for results and pictures; the same command continues an interrupted study there")
	f.registerOutputs(c)
	f.registerFrom(c)
	f.registerState(c)
	f.registerFormat(c, "format of the series in the directory of --out: csv, parquet or json")
	c.Flags().IntVar(&f.Replicas, "replicas", 100, "replicas at each point; with --precision, at most")
	c.Flags().StringArrayVar(&f.Vary, "vary", nil, "`NAME=VALUES` to vary: steps, a list or a range; may be repeated")
	c.Flags().IntVar(&f.Sample, "sample", 0, "number of points from the ranges of --vary, instead of all combinations")
	c.Flags().StringVar(&f.Design, "design", study.DefaultDesign,
		"design of the sample: lhs (Latin hypercube) or sobol (Sobol sequence)")
	c.Flags().StringVar(&f.Precision, "precision", "",
		"stop at a point when half the interval of every output is at most this `share` of its mean: 2%")
	c.Flags().BoolVar(&f.Series, "series", true, "record states and flows over time at each point, with --out")
	return c
}

// A pointsReport receives the points of a sweep as they finish, and writes and prints the results.
// Tables are not held in memory.
type pointsReport struct {
	study *study.Study // without a model if it is of another program
	name  string
	job   ensemble.Job
	out   *cli.Output

	sweep   *tables.Sweep
	table   *tableFile
	series  *results.PointWriter
	file    *tableFile // of the series
	columns []results.PointColumn

	points, precise, sketched int
	replicas, most            int // of all points; of the one with most
}

func newPointsReport(s *study.Study, job ensemble.Job, out *cli.Output) (r *pointsReport, err error) {
	r = &pointsReport{study: s, name: job.Name, job: job, out: out}
	if s.Plain != nil {
		r.name = s.Plain.Name()
	}
	if out == nil {
		r.sweep = tables.NewSweep(r.name, s.Axes, s.Sample > 0, nil)
		return r, nil
	}
	if r.table, err = createTable(out.Path(), "points.csv"); err != nil {
		return nil, err
	}
	r.sweep = tables.NewSweep(r.name, s.Axes, s.Sample > 0, r.table)
	if !s.Series {
		return r, nil
	}
	if r.file, err = createTable(out.Path(), "series."+s.Format); err != nil {
		return nil, err
	}
	names := design.Names(s.Axes, results.PointColumns()...)
	for i, a := range s.Axes {
		number := true
		for _, v := range a.Values {
			number = number && !math.IsNaN(a.Number(v))
		}
		r.columns = append(r.columns, results.PointColumn{Name: names[i], Number: number})
	}
	r.series, err = results.NewPointWriter(r.file, results.Format(s.Format), r.columns)
	return r, err
}

func (r *pointsReport) add(p ensemble.PointResult) error {
	if r.study.Plain == nil && r.study.OutputNames == nil {
		for _, o := range p.Outputs {
			r.study.OutputNames = append(r.study.OutputNames, o.Name)
		}
	}
	if len(p.Outputs) != len(r.study.OutputNames) {
		return fmt.Errorf("point %d has %d outputs where %d were asked for", p.Index, len(p.Outputs),
			len(r.study.OutputNames))
	}
	r.points++
	r.replicas += p.Replicas
	r.most = max(r.most, p.Replicas)
	if p.Precise {
		r.precise++
	}
	if p.Sketched {
		r.sketched++
	}
	values := r.study.Values(p.Point)
	point := tables.Point{Values: values, Replicas: p.Replicas}
	for _, s := range p.Outputs {
		point.Outputs = append(point.Outputs, study.Output(s, s.Name))
	}
	if r.series != nil {
		if err := r.addSeries(p, values); err != nil {
			return err
		}
	}
	return r.sweep.Add(point)
}

// addSeries writes the time series of a point, which the model reports by column, as rows.
func (r *pointsReport) addSeries(p ensemble.PointResult, values []string) error {
	columns, times := study.Columns(r.study.Plain), r.study.Plain.Times()
	if len(p.Series) != len(columns)*len(times) {
		return fmt.Errorf("point %d has %d numbers over time where %d were asked for", p.Index, len(p.Series),
			len(columns)*len(times))
	}
	row := results.PointRow{Values: make([]string, len(values)), Numbers: make([]float64, len(values)),
		Replicas: p.Replicas, Sketched: p.Sketched}
	for i, a := range r.study.Axes {
		row.Values[i], row.Numbers[i] = a.Cell(values[i]), a.Number(values[i])
	}
	for i, s := range p.Series {
		c := columns[i%len(columns)]
		row.Time, row.Kind, row.Name = times[i/len(columns)], c.Kind, c.Name
		row.Mean, row.SD, row.Q05, row.Median, row.Q95 = s.Mean, s.SD, s.Quantiles[0], s.Quantiles[1], s.Quantiles[2]
		if err := r.series.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// deliver writes the remaining files and prints the results.
func (r *pointsReport) deliver(w io.Writer, outcome ensemble.Outcome, command string) error {
	if err := r.sweep.Flush(); err != nil {
		return err
	}
	if r.out != nil {
		dir := r.out.Path()
		err := errors.Join(r.close(), r.sweep.Draw(dir))
		if r.study.Plain != nil {
			err = errors.Join(err, writeRequest(dir, r.study.Request, command), writeDraws(dir, r.study))
		} else {
			err = errors.Join(err, outdir.WriteFile(dir, "command.txt", func(w io.Writer) error {
				_, err := fmt.Fprintln(w, command)
				return err
			}))
		}
		if err != nil {
			return err
		}
		if err := r.out.Keep(); err != nil {
			return err
		}
	}
	points, found := len(r.job.Points), ""
	if r.points < points {
		found = fmt.Sprintf("%d of ", r.points)
	}
	legend := ""
	if r.replicas > r.points {
		legend = "; mean ± half of the 95 % interval"
	}
	fmt.Fprintf(w, "%s: %s%s, %s, %s, seed %d%s\n", r.name, found, format.Count(points, "point"), axesText(r.study),
		r.replicasText(), r.job.Seed, legend)
	if p := r.job.Precision; p.Relative > 0 {
		fmt.Fprintf(w, "%d of %s became as precise as ±%g %%, with at most %s each\n", r.precise,
			format.Count(points, "point"), 100*p.Relative, format.Count(r.job.Replicas, "replica"))
	}
	if r.sketched > 0 && r.study.Series {
		fmt.Fprintf(w, "quantiles in series are by sketch at %s, with a relative error of at most %g\n",
			format.Count(r.sketched, "point"), ensemble.SketchError)
	}
	if err := r.sweep.Print(w); err != nil {
		return err
	}
	if err := printWork(w, outcome); err != nil || r.study.Plain == nil {
		return err
	}
	return printDrawn(w, r.study.Posterior.Told(r.study.Plain, r.study.From))
}

// replicasText is how many replicas were run: at each point, or of all points if they differ.
func (r *pointsReport) replicasText() string {
	if r.most*r.points == r.replicas {
		return format.Count(r.most, "replica") + " each"
	}
	return format.Count(r.replicas, "replica") + " in all"
}

// printWork prints the time and work.
func printWork(w io.Writer, o ensemble.Outcome) error {
	_, err := fmt.Fprintf(w, "\n%s events\n", format.Thousands(float64(o.Events)))
	return err
}

// axesText names the axes.
func axesText(s *study.Study) string {
	var names []string
	for _, a := range s.Axes {
		names = append(names, a.Name)
	}
	return strings.Join(names, " × ")
}

// close closes the tables. Later calls do nothing.
func (r *pointsReport) close() error {
	var errs []error
	if r.series != nil && r.file != nil && !r.file.closed {
		errs = append(errs, r.series.Close())
	}
	for _, t := range []*tableFile{r.table, r.file} {
		if t != nil {
			errs = append(errs, t.close())
		}
	}
	return errors.Join(errs...)
}

// A tableFile is a buffered file.
type tableFile struct {
	*bufio.Writer
	file   *os.File
	closed bool
}

func createTable(dir, name string) (*tableFile, error) {
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	return &tableFile{Writer: bufio.NewWriter(file), file: file}, nil
}

func (t *tableFile) close() error {
	if t.closed {
		return nil
	}
	t.closed = true
	return errors.Join(t.Flush(), t.file.Close())
}
