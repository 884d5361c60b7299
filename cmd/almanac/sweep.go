package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/allocation"
	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/models"
	"github.com/almanac-sim/almanac/internal/outputs"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
)

// sweepFlags are the command line of almanac sweep.
type sweepFlags struct {
	modelFlags
	studyFlags
	vary      []string
	sample    int
	design    string
	output    []string
	precision string
	series    bool
	format    string
}

func newSweep() *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep MODEL.yaml | -",
		Short: "Run a model at many combinations of values, many times at each",
		Long: "Run a model at many combinations of values, many times at each, and tell the means of what it gives.\n\n" +
			"--vary NAME=VALUES, once for each thing that is varied; names and values are those of --set:\n" +
			"  beta=\"0.2..0.6 per day by 0.05\"   steps\n" +
			"  coverage=\"0%, 40%, 80%\"           a list\n" +
			"  beta=\"0.2..0.6 per day\"           a range, for --sample; with the word whole at its end, whole numbers of it\n" +
			"All combinations are run, or with --sample N so many of them: spread over the ranges by a Latin hypercube, or by Sobol's sequence.\n\n" +
			"--output says what is told of each replica, as one number:\n" +
			"  final(recovered), peak(infectious), time of peak(infectious), at(infectious, 30 days), final(susceptible->infectious),\n" +
			"  and arithmetic with them: final(recovered) / final(total). Without it, ends and peaks of all states, and the flows.\n\n" +
			"With --out DIR there are then in DIR: points.csv (a column for each name, in the unit of --vary; replicas, output, mean, sd, low, high: the 95 %\n" +
			"interval of the mean), series.csv or .parquet (how states and flows went over time at each point), pictures (over-NAME: outputs over\n" +
			"one name, with bands; map-OUTPUT: an output over two), model.yaml with the tables that it reads, and command.txt. A study that was interrupted goes on where it\n" +
			"was when the same command is given again; what it needs for that is in DIR/.state, which can be removed when it is done.\n\n" +
			"The results are the same whatever the number of workers, here or on a hub; see almanac hub and almanac worker.",
		Example: "  almanac sweep examples/sir.yaml --vary beta=\"0.2..0.6 per day by 0.1\" --replicas 50 --out results\n" +
			"  almanac sweep examples/sir.yaml --vary beta=\"0.2..0.6 per day\" --sample 500 --replicas 20 --output \"peak(infectious)\"",
		Args: oneModel,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.modelFlags.register(c)
	f.studyFlags.register(c)
	c.Flags().IntVar(&f.replicas, "replicas", 100, "how often to run the model at each point; with --precision, at most")
	c.Flags().StringVar(&f.out, "out", "", "a directory to write results and pictures to, and in which the study can be continued")
	c.Flags().StringArrayVar(&f.vary, "vary", nil, "what is varied, and through which values; may be repeated")
	c.Flags().IntVar(&f.sample, "sample", 0, "how many points to take from the ranges of --vary, instead of all combinations")
	c.Flags().StringVar(&f.design, "design", "lhs", "how a sample is spread: lhs, a Latin hypercube, or sobol")
	c.Flags().StringArrayVar(&f.output, "output", nil, "what is told of each replica: --output \"peak(infectious)\"; may be repeated")
	c.Flags().StringVar(&f.precision, "precision", "", "stop at a point when half the interval of every output is at most this share of its mean: 2%")
	c.Flags().BoolVar(&f.series, "series", true, "tell how states and flows go over time at each point, too")
	c.Flags().StringVar(&f.format, "format", string(results.CSV), "how the series in the directory of --out are written: csv, or parquet")
	return c
}

// sweepFiles are what may be in the directory of --out.
var sweepFiles = []string{"points.csv", "series.csv", "series.parquet", "over-*.svg", "over-*.png", "map-*.svg", "map-*.png", "model.yaml", "command.txt"}

func (f *sweepFlags) run(c *cobra.Command, path string) error {
	if err := f.studyFlags.check(); err != nil {
		return err
	}
	switch {
	case len(f.vary) == 0:
		return cli.Usagef("sweep over what? Name it with --vary, as in --vary beta=\"0.2..0.6 per day by 0.1\"")
	case c.Flags().Changed("sample") && f.sample < 1:
		return cli.Usagef("--sample %d: at least one point is needed", f.sample)
	case c.Flags().Changed("design") && f.sample == 0:
		return cli.Usagef("--design: of which sample? Say how many points with --sample")
	case f.out == "" && c.Flags().Changed("format"):
		return cli.Usagef("--format: of which tables? Name a directory with --out")
	}
	if _, err := cli.ChooseOne("--format", f.format, formatNames()); err != nil {
		return err
	}
	if _, err := cli.ChooseOne("--design", f.design, design.Kinds); err != nil {
		return err
	}
	m, err := f.load(c, path)
	if err != nil {
		return err
	}
	study, err := f.study(c, path, m, models.Sweep)
	if err != nil {
		return err
	}
	study.Series = f.series && f.out != ""
	points, err := f.points(study)
	if err != nil {
		return err
	}
	if err := f.choose(study, m); err != nil {
		return err
	}
	job, err := f.job(study, m, path, points)
	if err != nil {
		return err
	}
	command := cli.CommandLineAgain(c, []string{path}, []string{"seed", "replicas"},
		[]string{"size", "until", "scenario", "set", "vary", "sample", "design", "output", "precision", "series", "limit-time", "limit-memory", "format", "out"})
	if path == standardInput {
		command += " < model.yaml"
	}
	out, err := cli.OpenOutput(f.out, "sweep", sweepFiles...)
	if err != nil {
		return err
	}
	defer out.Drop()
	if err := out.Inputs(c, study.Files); err != nil {
		return err
	}
	report, err := newPointsReport(study, m, job, out, results.Format(f.format))
	if err != nil {
		return err
	}
	defer report.close()
	outcome, err := f.do(c, job, ourRegistry(), command, ensemble.RunOptions{Point: report.add})
	if err != nil {
		return repeatHere(err, path, study, job)
	}
	return report.deliver(c.OutOrStdout(), outcome, command)
}

// study is what workers need to know.
func (f *modelFlags) study(c *cobra.Command, path string, m *population.Model, sort string) (*models.Study, error) {
	s := &models.Study{Sort: sort, Name: filepath.Base(path), Source: m.Source(), Files: m.Files()}
	s.Read = population.Dir(filepath.Dir(path))
	if path == standardInput {
		s.Name, s.Read = "standard input", population.Dir(".")
	}
	if len(s.Files) == 0 {
		s.Files = nil
	}
	if f.size != "" {
		size := m.Size()
		s.Size = &size
	}
	if f.until != "" {
		s.Until = &f.until
	}
	if c.Flags().Changed("scenario") {
		s.Scenario = &f.scenario
	}
	for _, set := range f.set {
		name, value, _ := strings.Cut(set, "=") // which load has looked at
		s.Set = append(s.Set, [2]string{strings.TrimSpace(name), value})
	}
	return s, nil
}

// points reads what is varied, and makes the points of it.
func (f *sweepFlags) points(s *models.Study) ([]design.Point, error) {
	for _, text := range f.vary {
		a, err := design.Parse(text)
		if err != nil {
			return nil, cli.Usagef("--vary: %w", err)
		}
		for _, set := range s.Set {
			if set[0] == a.Name {
				return nil, cli.Usagef("--vary %s: --set gives it one value; leave out one of the two", a.Name)
			}
		}
		if a.Name == "population.size" && s.Size != nil {
			return nil, cli.Usagef("--vary %s: --size gives it one value; leave out one of the two", a.Name)
		}
		s.Axes = append(s.Axes, a)
	}
	s.Sampled = f.sample > 0
	var points []design.Point
	var err error
	if s.Sampled {
		points, err = design.Sample(s.Axes, f.design, f.sample, ensemble.MaxPoints, f.seed)
	} else {
		points, err = design.Grid(s.Axes, ensemble.MaxPoints)
	}
	if err != nil {
		return nil, cli.Usagef("--vary: %w", err)
	}
	return points, try(s, points)
}

// mostTried is how many points are compiled before a study begins.
const mostTried = 400

// try compiles the model at some points, so that what is wrong with them is said before anything is run: at all if they are few, and
// otherwise with every value of each axis, as far as that goes.
func try(s *models.Study, points []design.Point) error {
	seen := make([]map[string]bool, len(s.Axes))
	for i := range seen {
		seen[i] = map[string]bool{}
	}
	tried := 0
	for _, p := range points {
		fresh := false
		for i, v := range p {
			fresh = fresh || !seen[i][v]
		}
		if tried >= mostTried || len(points) > mostTried && !fresh {
			continue
		}
		tried++
		for i, v := range p {
			seen[i][v] = true
		}
		if _, err := s.Model(set(s, p), ""); err != nil {
			return varied(err, s)
		}
	}
	return nil
}

// set is a point as parameters and values.
func set(s *models.Study, p design.Point) map[string]string {
	values := map[string]string{}
	for i, a := range s.Axes {
		values[a.Name] = p[i]
	}
	return values
}

// varied says of problems with values of --vary that they are.
func varied(err error, s *models.Study) error {
	var problems population.Problems
	if !errors.As(err, &problems) {
		return err
	}
	for i, p := range problems {
		if name, ok := strings.CutPrefix(p.File, "--set "); ok && slices.ContainsFunc(s.Axes, func(a *design.Axis) bool { return a.Name == name }) {
			problems[i].File = "--vary " + name
		}
	}
	return problems
}

// choose decides what is told, and whether it can be.
func (f *sweepFlags) choose(s *models.Study, m *population.Model) error {
	all, err := outputs.All(m, f.output)
	if err != nil {
		return cli.Usagef("--output: %w", err)
	}
	for _, o := range all {
		s.Outputs = append(s.Outputs, o.Text)
	}
	if n := len(models.SeriesNames(m)) + len(all); s.Series && n > ensemble.MaxOutputs {
		return cli.Usagef("--series: a replica would tell %s numbers over time, and %s are the most; leave them out with --series=false, or record fewer rows",
			format.Thousands(float64(n)), format.Thousands(ensemble.MaxOutputs))
	}
	return nil
}

// mostRepeats is up to how many points each carries the command that repeats it, for those who look at the hub; of more, the command would be most
// of the job. Whoever began the study is told it anyway.
const mostRepeats = 10_000

// job is the study as the engine takes it.
func (f *sweepFlags) job(s *models.Study, m *population.Model, path string, points []design.Point) (ensemble.Job, error) {
	payload, err := s.Payload()
	if err != nil {
		return ensemble.Job{}, cli.Usage(err)
	}
	job := ensemble.Job{Name: "sweep " + m.Name(), Kind: models.Kind, Payload: payload, Replicas: f.replicas, Seed: f.seed}
	for _, p := range points {
		point := ensemble.Point{Set: set(s, p)}
		if len(points) <= mostRepeats {
			point.Repeat = repeatCommand(s, point.Set, f.seed)
		}
		job.Points = append(job.Points, point)
	}
	if job.Limits, err = f.limits(); err != nil {
		return job, err
	}
	job.Precision, err = precision(f.precision, s.Outputs)
	return job, err
}

// precision reads --precision.
func precision(text string, outputs []string) (p ensemble.Precision, err error) {
	if text == "" {
		return p, nil
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	x := allocation.ParseNumber(number)
	if percent {
		x /= 100
	}
	if !(x > 0 && x < 1) || math.IsNaN(x) {
		return p, cli.Usagef("--precision: %q is no share of a mean; expected one such as 2%%", text)
	}
	return ensemble.Precision{Relative: x, Outputs: outputs}, nil
}

// repeatCommand is the command that runs one replica of a point alone, with {replica} for its number. It has the name of the model file
// without its directory, since it goes where the job does.
func repeatCommand(s *models.Study, values map[string]string, seed uint64) string {
	words := []string{"almanac", "run", format.Word(s.Name)}
	if s.Name == "standard input" {
		words[2] = standardInput
	}
	if s.Size != nil {
		words = append(words, "--size", fmt.Sprint(*s.Size))
	}
	if s.Until != nil {
		words = append(words, "--until", format.Word(*s.Until))
	}
	if s.Scenario != nil {
		words = append(words, "--scenario", format.Word(*s.Scenario))
	}
	for _, kv := range s.Set {
		words = append(words, "--set", format.Word(kv[0]+"="+kv[1]))
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		words = append(words, "--set", format.Word(name+"="+values[name]))
	}
	if s.From != nil {
		words = append(words, "--from", format.Word(s.From.Name))
	}
	return strings.Join(append(words, "--seed", fmt.Sprint(seed), "--replica", "{replica}"), " ")
}

// repeatHere puts the command that repeats a replica that failed into the error, with the path of the model file as it was given here.
func repeatHere(err error, path string, s *models.Study, job ensemble.Job) error {
	var failed *ensemble.ReplicaError
	if !errors.As(err, &failed) || failed.Point < 0 || failed.Point >= len(job.Points) {
		return err
	}
	failed.Repeat = strings.Replace(repeatCommand(s, job.Points[failed.Point].Set, job.Seed), "{replica}", fmt.Sprint(failed.Replica), 1)
	if path != standardInput {
		failed.Repeat = strings.Replace(failed.Repeat, "almanac run "+format.Word(s.Name)+" ", "almanac run "+format.Word(path)+" ", 1)
	}
	if s.From != nil {
		failed.Repeat = strings.Replace(failed.Repeat, " --from "+format.Word(s.From.Name)+" ", " --from "+format.Word(s.From.Path())+" ", 1)
	}
	for _, name := range s.Scenarios { // the message begins with the one that failed
		if strings.HasPrefix(failed.Text, "scenario "+name+": ") {
			failed.Repeat += " --scenario " + format.Word(name)
		}
	}
	return trim(failed)
}
