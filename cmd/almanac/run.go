package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/almanac-sim/almanac/cmd/almanac/internal/terminal"
	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/internal/modelfit"
	"github.com/almanac-sim/almanac/population"
	"github.com/almanac-sim/almanac/population/results"
	"github.com/almanac-sim/almanac/study"
	"github.com/spf13/cobra"
)

type runFlags struct {
	studyFlags
	json    bool
	saveAt  []string
	profile profileFlag
	picture pictureFlags
}

func newRun(f *runFlags) *cobra.Command {
	c := &cobra.Command{
		Use:   "run MODEL.yaml | -",
		Short: "Run a model and summarize the population",
		Long: `Run a model and print a summary of the population. The simulation follows every individual,
exactly, in continuous time. The model is a file, or - for standard input.

The same model and seed give the same result for any number of workers. With --hub the workers of
a hub run the replicas, with the same result; --events, --from-state, --profile, --replica,
--save-at and --workers are for runs on this machine, and so is --out if the model records tree or
people.

An interrupt (Ctrl-C or SIGTERM) ends the run. The results so far are reported and marked as
incomplete. The same happens if the run cannot continue because memory is full or the clock no
longer advances. A run that does not fit into memory does not start.

--out DIR writes these files, the tables as .csv, .parquet or .json, as --format says. They replace
those of an earlier run there when all are written. An incomplete result does not replace a complete
one: it goes to DIR/unfinished.

  summary.json               everything recorded, as --json prints it
  series.csv                 replica, time, state, count
  flows.csv                  replica, time, kind, flow, count
  outcomes.csv               replica, time, outcome, value, if the model has outcomes
  values.csv                 replica, time, name, value, with record: values
  observed.csv               replica, time, name, what, count, if the model has observations
  supplies.csv               replica, time, supply, left, used, lost, refused, if it has supplies
  places.csv                 replica, time, kind, what, size, count, if it has places
  networks.csv               replica, time, network, what, degree, count, if it has networks
  tree.csv, people.csv       transmission tree and line list, with record: tree, record: people
  events.csv                 with --events: replica, time, kind, individual, from, to, name, by, and
                             the attributes
  draws.csv                  with --from: the parameters of each replica
  states.svg, .png           all states in one chart
  each.svg, .png             a chart for each state
  incidence.svg, .png        a chart for each flow and name: changes in each interval between rows
  by-*, incidence-by-*       the same by group, a line or a panel for each
  machine-*.svg, .png        the states of each machine
  outcomes.svg, .png         the outcomes since the start
  network.svg, .png          a sample of the links at the end (not with --hub)
  reproduction, generation-times, largest-tree (.svg, .png)
                             with record: tree
  projection.csv, .svg, .png with --from a fit: predicted reports and the data
  diagram.svg                the states and the transitions between them
  model.yaml                 the model, and the tables that it reads
  command.txt, study.json    the command line, and the request for programs

If the model records by group, the tables have a column for each attribute. If its clock starts at
a date, they have a column date. docs/reference/results.md describes all columns, and how to read
the files in Go, R and Python.

--picture FILE draws one picture for a paper: all states that are ever occupied, or what --show
names. Lines are medians of the replicas, bands the middle 90 %. Text is drawn as outlines, so the
file needs no font. The axis has dates if the model has them.

--from DIR continues the runs that a fit accepted, from the last data point on; with another table
of parameters replicas start afresh. --save-at and --as save the state of each replica, and
--from-state continues from saved states; --replicas, --replica and --seed are then those of the
saved run unless given.`,
		Example: `  almanac run examples/sir.yaml
  almanac run examples/sir.yaml --replicas 100 --set beta="0.4 per day" --out results
  almanac run examples/sir.yaml --replicas 100 --picture sir.pdf --show infectious,recovered --log
  almanac run examples/outbreak.yaml --from results --until 120 --replicas 500 --out projection
  almanac run study.yaml --scenario lockdown --set population.start.infectious=20 --out lockdown --format parquet
  almanac run examples/tuberculosis.yaml --size 60_000_000 --until 2011
  almanac run model.yaml --replicas 20 --save-at 2005 --as calm.almanac
  almanac run --from-state calm.almanac --set beta="0.2 per day"`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, modelOf(args)) },
	}
	f.registerModel(c)
	f.hubFlags.register(c, "`URL` of a hub whose workers run the replicas, such as nats://HOST:4222 "+
		"(default: run here)")
	for _, name := range []string{"metrics", "verbose"} {
		c.Flags().Lookup(name).Usage += ", with --hub"
	}
	f.registerFrom(c)
	f.registerState(c)
	f.profile.register(c)
	f.registerSeed(c)
	c.Flags().IntVar(&f.Replica, "replica", 0, "number of the first replica: "+
		"--replica 7 --replicas 1 repeats one of many")
	c.Flags().IntVar(&f.Replicas, "replicas", 1, "number of replicas")
	c.Flags().IntVar(&f.workers, "workers", 0, "replicas to run in parallel "+
		"(default: one per core, as memory permits)")
	c.Flags().StringArrayVar(&f.saveAt, "save-at", nil, "end the run at this `time`, written as for --until, and "+
		"save the state of each replica\nto the file of --as")
	c.Flags().StringVar(&f.As, "as", "", "`file` for the states of --save-at, such as calm.almanac; --from-state "+
		"continues from it")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	c.Flags().StringVar(&f.Out, "out", "", "`directory` for results and pictures")
	c.Flags().BoolVar(&f.Events, "events", false,
		"also write every event to events.csv, .parquet or .json in the directory of --out")
	f.registerFormat(c, "format of the tables in the directory of --out: csv, parquet or json")
	f.picture.register(c)
	return c
}

func (f *runFlags) run(c *cobra.Command, path string) error {
	switch len(f.saveAt) {
	case 0:
	case 1:
		f.SaveAt = f.saveAt[0]
	default:
		return cli.Usagef("--save-at %s, --save-at %s: a run ends where it is saved; go on from there with "+
			"--from-state, and save that again", f.saveAt[0], f.saveAt[1])
	}
	switch {
	case f.hub != "" && f.Events:
		return cli.Usagef("--events: what happens to everybody is not sent to a hub; leave out one of the two")
	case f.hub != "" && f.SaveAt != "":
		return cli.Usagef("--save-at: the states are saved here, not by workers of a hub; leave out --hub")
	case f.hub != "" && f.profile.dir != "":
		return cli.Usagef("--profile is of work that is done here; leave out --hub")
	case f.hub != "" && f.Replica > 0:
		return cli.Usagef("--replica: one of many is run here, without --hub")
	case f.hub == "" && (f.metrics != "" || f.metricsToken != ""):
		return cli.Usagef("--metrics is for a run on a hub; add --hub, or leave it out")
	case f.profile.dir != "" && f.profile.dir == f.Out:
		return cli.Usagef("--profile %s: results go there; name another directory", f.Out)
	}
	s, err := f.open(c, path)
	if err != nil {
		return err
	}
	if err := f.picture.prepare(c, s); err != nil {
		return err
	}
	if f.hub != "" {
		if f.Out != "" && (s.Plain.RecordsTree() || s.Plain.RecordsPeople()) {
			return cli.Usagef("--hub: record: tree and people are of everybody, and are not sent by a hub; " +
				"leave out --hub or --out")
		}
		return f.runOnHub(c, s)
	}
	m := s.Plain
	ctx, cancel := context.WithCancelCause(c.Context())
	defer cancel(nil)
	o := s.Options()
	o.Workers = f.workers
	if s.Posterior != nil {
		if err := s.Posterior.Use(m, &o); err != nil {
			return cli.Usage(err)
		}
	}
	if f.Events {
		o.OnEvent = func(population.Event) {} // so that CheckMemory counts it
	}
	if err := m.CheckMemory(o); err != nil { // before any file is created
		return err
	}
	var logs rowLogs
	out, err := openOutput(s.Request)
	if err != nil {
		return err
	}
	defer out.Drop()
	if out != nil {
		if err := logs.open(out.Path(), results.Format(f.Format), m, f.Events, &o, cancel); err != nil {
			return err
		}
	}
	saved, err := f.createState(c, m)
	if err != nil {
		return err
	}
	defer saved.Drop()
	o.Save = saved
	profile, err := f.profile.start()
	if err != nil {
		return err
	}
	defer profile.drop()
	bar := progress.New(c.ErrOrStderr())
	defer bar.Close()
	began := time.Now()
	o.OnProgress = func(p population.Progress) {
		bar.Set(int(1000*p.Fraction), 1000, pace(m, p, f.Replicas, time.Since(began)))
	}
	result, runErr := m.Run(ctx, o)
	bar.Close()
	if err := profile.stop(); err != nil {
		return err
	}
	if err := logs.close(result); err != nil {
		return err
	}
	if result == nil {
		return runErr
	}
	if errors.Is(runErr, modelfit.ErrOtherPast) { // what was recorded is of no use
		return cli.Usage(runErr)
	}
	if runErr == nil && saved != nil {
		if err := f.keepState(c, m, saved); err != nil {
			return err
		}
	}
	if err := f.deliver(c, s, result, out); err != nil {
		return err
	}
	f.profile.tell(c.ErrOrStderr())
	return runErr
}

func (f *runFlags) deliver(c *cobra.Command, s *study.Study, result *population.Result, out *cli.Output) error {
	m := s.Plain
	modelfit.SetDrawn(result, s.Posterior.Told(m, s.From))
	if out != nil {
		if err := errors.Join(writeRun(out.Path(), s, result), f.writeProjection(c, out.Path(), s)); err != nil {
			return err
		}
		keep := out.Keep
		if result.Incomplete {
			keep = func() error { return out.KeepIncomplete(c) }
		}
		if err := keep(); err != nil {
			return err
		}
	}
	return errors.Join(f.print(c, m, result, out), f.picture.save(c, result))
}

// print prints the result.
func (f *runFlags) print(c *cobra.Command, m *population.Model, result *population.Result, out *cli.Output) error {
	if f.json {
		if err := printPace(c.ErrOrStderr(), result, memory.Peak()); err != nil {
			return err
		}
		return printResult(c.OutOrStdout(), result)
	}
	if err := printRun(c.OutOrStdout(), m, result, f.Replica, memory.Peak()); err != nil {
		return err
	}
	if out == nil && terminal.Of(c.OutOrStdout()) != nil {
		fmt.Fprintln(c.OutOrStdout(), "As tables and pictures: the same command with --out DIR; in a browser: almanac serve")
	}
	return printDrawn(c.OutOrStdout(), modelfit.DrawnOf(result))
}

// pace describes the progress of a run.
func pace(m *population.Model, p population.Progress, replicas int, since time.Duration) string {
	s := fmt.Sprintf("%s %.4g", m.Unit(), p.Time)
	if replicas > 1 {
		s = fmt.Sprintf("%d of %d replicas", p.Done, replicas)
	}
	if p.Events == 0 {
		return s + ", everybody is being set up"
	}
	s += fmt.Sprintf(", %.2g million events/s", float64(p.Events)/since.Seconds()/1e6)
	if p.Fraction > 0.01 {
		left := time.Duration(float64(since) * (1 - p.Fraction) / p.Fraction)
		s += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return s
}

// runOnHub runs the replicas on the workers of a hub. They return everything they recorded, so the
// result is that of a run in this process.
func (f *runFlags) runOnHub(c *cobra.Command, s *study.Study) error {
	m := s.Plain
	if need, have := m.Recorded(f.Replicas), memory.Free().Pages; need > have {
		return fmt.Errorf("%s: %w: what %s record takes about %s here, and %s are available; record fewer rows, or tell "+
			"less with almanac sweep",
			m.Name(), population.ErrMemory, format.Count(f.Replicas, "replica"), format.Bytes(need), format.Bytes(have))
	}
	job, err := s.Job()
	if err != nil {
		return cli.Usage(err)
	}
	out, err := openOutput(s.Request)
	if err != nil {
		return err
	}
	defer out.Drop()
	began := time.Now()
	result := &population.Result{Model: m, Version: population.Version(), Seed: f.Seed, Replicas: f.Replicas,
		Times: m.Times()}
	_, err = f.do(c, job, ourRegistry(), "", ensemble.RunOptions{Replica: func(_, replica int, v ensemble.Values) error {
		run, err := m.ReadRun(v.Data)
		switch {
		case err != nil:
			return fmt.Errorf("replica %d: %w", replica, err)
		case run.Replica != replica || replica != len(result.Runs):
			return errors.New("a replica came that was not due")
		}
		result.Runs = append(result.Runs, *run)
		result.Events += run.Events
		result.PersonYears += run.PersonYears
		return nil
	}})
	if err != nil {
		return trim(s.RepeatHere(err))
	}
	result.Done = len(result.Runs)
	result.Seconds = time.Since(began).Seconds()
	return f.deliver(c, s, result, out)
}
