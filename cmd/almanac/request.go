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
	c.Flags().StringVar(&f.Size, "size", "", "how many individuals there are at the start: 1000000, 1_000_000 or 1e6")
	c.Flags().StringVar(&f.Until, "until", "", "when the model ends, on its own clock: 2011, \"160 days\", or "+
		"2020-12-31 if it starts at a date")
	c.Flags().StringArrayVar(&f.set, "set", nil, "give a parameter another value: --set beta=\"0.4 per day\"; also "+
		"population.size, population.start.STATE\nand attributes.NAME.VALUE; may be repeated")
	c.Flags().StringVar(&f.Scenario, "scenario", "", "take the values of a scenario of the file; --set has precedence")
}

// registerStudy adds the flags of studies that run here or on a hub.
func (f *studyFlags) registerStudy(c *cobra.Command, out string) {
	f.hubFlags.register(c, "nats://HOST:4222 of a hub whose workers do the work; without it, it is done here")
	f.registerSeed(c)
	c.Flags().IntVar(&f.workers, "workers", 0, "how many replicas to run at once, if there is no hub; as many as there "+
		"are cores unless told")
	c.Flags().DurationVar((*time.Duration)(&f.LimitTime), "limit-time", 0,
		"how long a replica may take, as in 10m; one that takes longer fails the study")
	c.Flags().StringVar(&f.LimitMemory, "limit-memory", "", "how much memory a replica may take, as in 4GB")
	c.Flags().StringVar(&f.Out, "out", "", out)
}

func (f *studyFlags) registerSeed(c *cobra.Command) {
	c.Flags().Uint64Var(&f.Seed, "seed", 1, "all that is random depends on it")
}

func (f *studyFlags) registerOutputs(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.Outputs, "output", nil,
		"what is told of each replica: --output \"peak(infectious)\"; may be repeated")
}

func (f *studyFlags) registerFrom(c *cobra.Command) {
	c.Flags().StringVar(&f.From, "from", "", "the directory of a fit: each replica goes on with a run of the fit, "+
		"drawn by weight, with its parameters,\nfrom the last data point on; what --scenario and --set say holds from "+
		"then on. Or a table of parameters,\nwith which replicas start afresh")
	c.Flags().BoolVar(&f.ParametersOnly, "parameters-only", false, "with --from: take only parameters from the fit, and "+
		"start afresh; replicas do not know the data")
}

func (f *studyFlags) registerState(c *cobra.Command) {
	c.Flags().StringVar(&f.FromState, "from-state", "", "a file that run --save-at has written: each replica goes on "+
		"with its state, without a model file or with one\n"+
		"that has other interventions; what --scenario and --set say holds from then on. "+
		"Without a value, with --from: the states that fit --states has saved")
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
	if f.Sort == study.Run {
		if !given("replicas") {
			f.Replicas = s.Replicas()
		}
		if !given("replica") {
			f.Replica = s.First()
		}
	} else if f.Sort != study.Fit && !given("replicas") && s.Replicas() > 1 {
		f.Replicas = s.Replicas()
	}
	return nil
}

func (f *studyFlags) registerFormat(c *cobra.Command, about string) {
	c.Flags().StringVar(&f.Format, "format", study.DefaultFormat, about)
}

// asked completes the request: command, model, and the values of --set.
func (f *studyFlags) asked(c *cobra.Command, path string) error {
	f.Sort, f.Model = c.Name(), path
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
	out, err := openOutput(c, s.Request)
	if err != nil {
		return nil, err
	}
	if s.Sort == study.Compare {
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
func openOutput(c *cobra.Command, r *study.Request) (*cli.Output, error) {
	files := append(studyFiles(r.Sort), "model.yaml", "command.txt", study.FileName)
	out, err := cli.OpenOutput(r.Out, r.Sort, files...)
	if err != nil {
		return nil, err
	}
	if err := out.Inputs(c, r.Files); err != nil {
		return nil, errors.Join(err, out.Drop())
	}
	return out, nil
}

// writeRequest writes the model, the command and study.json beside the results.
func writeRequest(dir string, r *study.Request, command string) error {
	return errors.Join(
		outdir.WriteFile(dir, "model.yaml", func(w io.Writer) error { _, err := w.Write(r.Source); return err }),
		outdir.WriteFile(dir, "command.txt", func(w io.Writer) error { _, err := fmt.Fprintln(w, command); return err }),
		outdir.WriteFile(dir, study.FileName, r.WriteJSON))
}
