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
		Short: "Run a model at many combinations of values, many times at each",
		Long: "Run a model at many combinations of values, many times at each, and tell the means of what it gives.\n\n" +
			"--vary NAME=VALUES, once for each thing that is varied; names and values are those of --set:\n" +
			"  beta=\"0.2..0.6 per day by 0.05\"   steps\n" +
			"  coverage=\"0%, 40%, 80%\"           a list; a unit holds for plain numbers too: \"0.3, 0.4 per day\"\n" +
			"  beta=\"0.2..0.6 per day\"           a range, for --sample; with the word whole at its end, " +
			"whole numbers of it\n" +
			"All combinations are run, or with --sample N so many of them: spread over the ranges by a Latin hypercube, or " +
			"by Sobol's sequence.\n\n" +
			"--output says what is told of each replica, as one number:\n" +
			"  final(recovered), peak(infectious), time of peak(infectious), at(infectious, 30 days), " +
			"final(susceptible->infectious),\n" +
			"  incidence(infection) per 100_000, first time(infectious above 1%), last time(infectious above 100),\n" +
			"  of a group: final(recovered, region=north),\n" +
			"  and arithmetic with them: final(recovered) / final(total). Without it, ends and peaks of all states, and the " +
			"flows.\n\n" +
			"With --out DIR there are then in DIR: points.csv (a column for each name, in the unit of --vary; replicas, " +
			"output, mean, sd, low, high: the 95 %\n" +
			"interval of the mean; units), series.csv or .parquet (how states and flows went over time at each point), " +
			"pictures " +
			"(over-NAME: outputs over\n" +
			"one name, with bands; map-OUTPUT: an output over two), model.yaml with the tables that it reads, command.txt, " +
			"and study.json. A study that was interrupted goes on where it\n" +
			"was when the same command is given again; what it needs for that is in DIR/.state, which can be removed when it " +
			"is done.\n\n" +
			"The results are the same whatever the number of workers, here or on a hub; see almanac hub and almanac worker.",
		Example: "  almanac sweep examples/sir.yaml --vary beta=\"0.2..0.6 per day by 0.1\" --replicas 50 --out results\n" +
			"  almanac sweep examples/sir.yaml --vary beta=\"0.2..0.6 per day\" --sample 500 --replicas 20 --output " +
			"\"peak(infectious)\"",
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, modelOf(args)) },
	}
	f.registerModel(c)
	f.registerStudy(c, "a directory to write results and pictures to, and in which the study can be continued")
	f.registerOutputs(c)
	f.registerFrom(c)
	f.registerState(c)
	f.registerFormat(c, "how the series in the directory of --out are written: csv, parquet or json")
	c.Flags().IntVar(&f.Replicas, "replicas", 100, "how often to run the model at each point; with --precision, at most")
	c.Flags().StringArrayVar(&f.Vary, "vary", nil, "what is varied, and through which values; may be repeated")
	c.Flags().IntVar(&f.Sample, "sample", 0, "how many points to take from the ranges of --vary, instead of all "+
		"combinations")
	c.Flags().StringVar(&f.Design, "design", study.DefaultDesign,
		"how a sample is spread: lhs, a Latin hypercube, or sobol")
	c.Flags().StringVar(&f.Precision, "precision", "",
		"stop at a point when half the interval of every output is at most this share of its mean: 2%")
	c.Flags().BoolVar(&f.Series, "series", true, "tell how states and flows go over time at each point, too")
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
		row.Time, row.Kind, row.Name = times[i/len(columns)], c.Sort, c.Name
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
