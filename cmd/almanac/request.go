package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/outdir"
	tables "github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/study"
)

// studyFlags are shared by several commands: the request, and where it runs.
type studyFlags struct {
	study.Request
	hubFlags
	set     []string
	workers int
}

// registerModel adds the flags that change a model.
func (f *studyFlags) registerModel(c *cobra.Command) {
	c.Flags().StringVar(&f.Size, "size", "", "`number` of individuals at the start: 1000000, 1_000_000 or 1e6")
	c.Flags().StringVar(&f.Until, "until", "", "end `time` on the model's clock: 2011, \"160 days\", or "+
		"2020-12-31 if it starts at a date")
	c.Flags().StringArrayVar(&f.set, "set", nil, "`NAME=VALUE` to replace a parameter, as in beta=\"0.4 per day\", or a "+
		"value by its path:\npopulation.size, population.start.STATE, attributes.NAME.VALUE or "+
		"machines.NAME.start.STATE;\nmay be repeated")
	c.Flags().StringVar(&f.Scenario, "scenario", "", "`name` of a scenario in the model file; --set "+
		"overrides its values")
}

// registerStudy adds the flags of studies that run here or on a hub.
func (f *studyFlags) registerStudy(c *cobra.Command, out string) {
	f.hubFlags.register(c, "`URL` of a hub whose workers run the study, such as nats://HOST:4222 "+
		"(default: run here)")
	f.registerSeed(c)
	c.Flags().IntVar(&f.workers, "workers", 0, "replicas to run in parallel without a hub "+
		"(default: one per core)")
	c.Flags().DurationVar((*time.Duration)(&f.LimitTime), "limit-time", 0,
		"longest time for a replica, such as 10m; exceeding it fails the study")
	c.Flags().StringVar(&f.LimitMemory, "limit-memory", "",
		"largest `amount` of memory for a replica, such as 4GB; exceeding it fails the study")
	c.Flags().StringVar(&f.Out, "out", "", out)
}

func (f *studyFlags) registerSeed(c *cobra.Command) {
	c.Flags().Uint64Var(&f.Seed, "seed", 1, "random seed")
}

func (f *studyFlags) registerOutputs(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.Outputs, "output", nil, "`expression` for a number computed from each replica, such as "+
		"\"peak(infectious)\";\nmay be repeated (default: ends and peaks of all states, flows and outcomes)")
}

func (f *studyFlags) registerFrom(c *cobra.Command) {
	c.Flags().StringVar(&f.From, "from", "", "`directory` of a fit, or its posterior.csv: each replica continues a run "+
		"of the fit, drawn by weight,\nfrom the last data point on; changes to the model take effect there. Or another "+
		"CSV table of\nparameters, with which replicas start afresh")
	c.Flags().BoolVar(&f.ParametersOnly, "parameters-only", false, "with --from: take only the parameters of the fit, "+
		"and start afresh, with its --size,\n--scenario and --set unless others are given")
}

func (f *studyFlags) registerState(c *cobra.Command) {
	c.Flags().StringVar(&f.FromState, "from-state", "", "`file` of saved states (run --save-at) that replicas continue; "+
		"changes to the model take effect there.\nThe file contains the model; MODEL.yaml may replace it with other "+
		"interventions. Without a value,\nwith --from: the states that fit --states saved")
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 && f.FromState != "" && f.FromState != study.StatesOfFit {
			return nil // the file has the model
		}
		return oneModel(c, args)
	}
}

// modelOf is the model file among the arguments; empty if it is in the file of a state.
func modelOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// readState opens the saved state, and takes from it what was not given: the number of replicas and
// the seed.
func (f *studyFlags) readState(c *cobra.Command) error {
	if f.FromState == "" {
		return nil
	}
	if f.hub != "" {
		return cli.Usagef("--from-state: the state is on this machine, and workers of a hub cannot read it; leave out --hub")
	}
	s, err := f.State()
	if err != nil || s == nil { // nil for those of a fit
		return err
	}
	given := c.Flags().Changed
	if !given("seed") {
		f.Seed = s.Seed()
	}
	if f.Kind == study.Run {
		if !given("replicas") {
			f.Replicas = s.Replicas()
		}
		if !given("replica") {
			f.Replica = s.First()
		}
	} else if f.Kind != study.Fit && !given("replicas") && s.Replicas() > 1 {
		f.Replicas = s.Replicas()
	}
	return nil
}

func (f *studyFlags) registerFormat(c *cobra.Command, about string) {
	c.Flags().StringVar(&f.Format, "format", study.DefaultFormat, about)
}

// asked completes the request: command, model, and the values of --set.
func (f *studyFlags) asked(c *cobra.Command, path string) error {
	f.Kind, f.Model = c.Name(), path
	for _, text := range f.set {
		s, err := study.ParseSet(text)
		if err != nil {
			return err
		}
		f.Set = append(f.Set, s)
	}
	return nil
}

// open reads the model and checks the request.
func (f *studyFlags) open(c *cobra.Command, path string) (*study.Study, error) {
	switch {
	case f.workers < 0:
		return nil, cli.Usagef("--workers %d: expected a number of workers, or 0 for as many as there are cores", f.workers)
	case f.workers > 0 && f.hub != "":
		return nil, cli.Usagef("--workers is for work that is done here; with --hub, workers are other processes: almanac " +
			"worker --hub …")
	}
	err := f.asked(c, path)
	if err == nil {
		err = f.readState(c)
	}
	if err == nil {
		err = f.Validate(c.Flags().Changed)
	}
	if err == nil {
		err = f.ReadModel(c.InOrStdin())
	}
	if err != nil {
		return nil, cli.Usage(err)
	}
	s, err := f.openWithBar(c)
	if err != nil {
		return nil, cli.Usage(err)
	}
	for _, note := range s.Notes {
		tell(c, note)
	}
	return s, nil
}

// openWithBar opens the study, and shows how far large files have been read.
func (f *studyFlags) openWithBar(c *cobra.Command) (*study.Study, error) {
	var bar *progress.Bar // there is none unless there is something to read
	f.Reading = func(name string, done, of int64) {
		if bar == nil {
			bar = progress.New(c.ErrOrStderr())
		}
		bar.Set(int(1000*float64(done)/float64(max(of, 1))), 1000, "reading "+name)
	}
	s, err := f.Open()
	bar.Close()
	f.Reading = nil
	return s, err
}

// run runs a sweep or a comparison.
func (f *studyFlags) run(c *cobra.Command, path string) error {
	s, err := f.open(c, path)
	if err != nil {
		return err
	}
	job, err := s.Job()
	if err != nil {
		return cli.Usage(err)
	}
	r, err := newReport(c, s, job, s.Command())
	if err != nil {
		return err
	}
	defer r.drop()
	outcome, err := f.do(c, job, ourRegistry(), s.Command(), ensemble.RunOptions{Point: r.point, Replica: r.replica})
	if err != nil {
		return trim(s.RepeatHere(err))
	}
	return r.deliver(outcome)
}

// A report receives the points of a study as they finish, and writes and prints the results.
type report struct {
	point   func(ensemble.PointResult) error
	replica func(point, replica int, v ensemble.Values) error // nil if only summaries are needed
	deliver func(ensemble.Outcome) error
	drop    func() // discards what was not delivered
}

func newReport(c *cobra.Command, s *study.Study, job ensemble.Job, command string) (*report, error) {
	out, err := openOutput(s.Request)
	if err != nil {
		return nil, err
	}
	if s.Kind == study.Compare {
		r, err := newComparisonReport(s, job, out)
		if err != nil {
			return nil, errors.Join(err, out.Drop())
		}
		return &report{func(p ensemble.PointResult) error { r.found = p; return nil }, r.replica,
			func(o ensemble.Outcome) error { return r.deliver(c, o, command) },
			func() { _, _ = r.close(), out.Drop() }}, nil
	}
	r, err := newPointsReport(s, job, out)
	if err != nil {
		return nil, errors.Join(err, out.Drop())
	}
	return &report{r.add, nil, func(o ensemble.Outcome) error { return r.deliver(c.OutOrStdout(), o, command) },
		func() { _, _ = r.close(), out.Drop() }}, nil
}

// studyFiles are the files of --out of a command; the first is always written.
func studyFiles(command string) (all []string) {
	pictures := func(names ...string) {
		for _, name := range names {
			all = append(all, name+".svg", name+".png")
		}
	}
	switch command {
	case study.Run:
		all = []string{"summary.json", "draws.csv", "projection.csv", "diagram.svg"}
		for _, table := range []string{"series", "flows", "outcomes", "supplies", "values", "places", "networks", "observed",
			"tree", "people", "events"} {
			for _, f := range results.Formats() {
				all = append(all, table+"."+string(f))
			}
		}
		pictures("states", "each", "incidence", "by-*", "incidence-by-*", "machine-*", "outcomes", "projection",
			"reproduction", "generation-times", "largest-tree", "network")
	case study.Sweep:
		all = []string{"points.csv", "draws.csv", "series.csv", "series.parquet", "series.json"}
		pictures("over-*", "map-*")
	case study.Compare:
		all = append([]string{"differences.csv", "scenarios.csv", "draws.csv", tables.PairsFile, tables.ComparisonFile,
			tables.SeriesFile, tables.SeriesDifferenceFile, tables.ICERFile, tables.AcceptabilityFile},
			slices.Concat(tables.ComparisonPictures, tables.ICERPictures)...)
	case study.Fit:
		all = []string{"fit.json", "posterior.csv", "best.yaml", study.StatesName}
		pictures("marginals", "pairs", "predictive*", "trace")
	}
	return all
}

// openOutput opens the directory of --out, if given, and copies the tables of the model.
func openOutput(r *study.Request) (*cli.Output, error) {
	files := append(studyFiles(r.Kind), "model.yaml", "command.txt", study.FileName)
	out, err := cli.OpenOutput(r.Out, r.Kind, files...)
	if err != nil {
		return nil, err
	}
	if r.Moved, err = out.Inputs(r.Files); err != nil {
		return nil, errors.Join(err, out.Drop())
	}
	return out, nil
}

// writeRequest writes the model, the command and study.json beside the results.
func writeRequest(dir string, r *study.Request, command string) error {
	return errors.Join(
		outdir.WriteFile(dir, "model.yaml", func(w io.Writer) error { _, err := w.Write(r.SourceBeside()); return err }),
		outdir.WriteFile(dir, "command.txt", func(w io.Writer) error { _, err := fmt.Fprintln(w, command); return err }),
		outdir.WriteFile(dir, study.FileName, r.WriteJSON))
}
