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
		Short: "Run a model, and tell what became of the population",
		Long: "Run a model: every individual, in continuous time, exactly. With - in place of a file it is read from " +
			"standard input.\n\n" +
			"The same model and seed give the same result, whatever the number of workers. An interrupt (Ctrl-C) ends the " +
			"run; what\n" +
			"was recorded until then is reported, and marked as incomplete. So it is if the run cannot go on: if there is no " +
			"memory for\n" +
			"more individuals, or if the clock stands still. A run for which there is not enough memory does not begin.\n\n" +
			"With --out DIR there are then in DIR: summary.json (what --json prints), series.csv (replica, time, state, " +
			"count),\n" +
			"flows.csv (replica, time, kind, flow, count), states.svg and .png (all states in one chart), each.svg and .png " +
			"(a chart for each\n" +
			"state), incidence.svg and .png (a chart for each flow and name: changes in each interval between rows), " +
			"diagram.svg, model.yaml with the tables that it reads,\n" +
			"command.txt, study.json (what was asked for, for programs), and with --events also events.csv (replica, time, " +
			"kind, individual, from, to, name, by, and the attributes).\n" +
			"A model with supplies has supplies.csv too (replica, time, supply, left, used, lost, refused).\n" +
			"A model with places has places.csv too (replica, time, kind, what, size, count).\n" +
			"A model with networks has networks.csv too (replica, time, network, what, degree, count), and network.svg and " +
			".png: a sample of who is linked at the end.\n" +
			"With --from FIT there are also draws.csv (the parameters of each replica), and projection.csv, .svg and .png " +
			"(what would be reported, with the data over it).\n" +
			"If the model records by group, the tables have its attributes as columns, and there are by-*.svg and .png, a " +
			"line for each group, or a panel for each if there are many.\n" +
			"docs/reference/results.md describes the columns, and how to read them in Go, R and Python. " +
			"They take the place of what an earlier run wrote there, when all of them are complete.\n\n" +
			"With --picture FILE there is a picture for a paper, whose letters are outlines, so that it needs no font. It " +
			"shows all states\n" +
			"that are ever occupied, or what --show names; lines are medians of the replicas, and bands have the middle " +
			"90 %. Its axis has dates if\nthe model has them.",
		Example: "  almanac run examples/sir.yaml\n" +
			"  almanac run examples/sir.yaml --replicas 100 --set beta=\"0.4 per day\" --out results\n" +
			"  almanac run examples/sir.yaml --replicas 100 --picture sir.pdf --show infectious,recovered --log\n" +
			"  almanac run examples/outbreak.yaml --from results --until 120 --replicas 500 --out projection\n" +
			"  almanac run study.yaml --scenario lockdown --set population.start.infectious=20 " +
			"--out lockdown --format parquet\n" +
			"  almanac run examples/tuberculosis.yaml --size 60_000_000 --until 2011",
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, modelOf(args)) },
	}
	f.registerModel(c)
	f.hubFlags.register(c, "nats://HOST:4222 of a hub whose workers run the replicas; the result is the same")
	f.registerFrom(c)
	f.registerState(c)
	f.profile.register(c)
	f.registerSeed(c)
	c.Flags().IntVar(&f.Replica, "replica", 0, "the number of the first replica: with --replicas 1, one of many is run "+
		"alone, as it is among them")
	c.Flags().IntVar(&f.Replicas, "replicas", 1, "how often to run the model")
	c.Flags().IntVar(&f.workers, "workers", 0, "how many replicas to run at once; as many as there are cores, and as "+
		"memory is there for, unless told")
	c.Flags().StringArrayVar(&f.saveAt, "save-at", nil, "end the run at this time, written as for --until, and save the "+
		"state of each replica to the file of --as")
	c.Flags().StringVar(&f.As, "as", "", "the file for the states of --save-at, as in calm.almanac; with it, run, sweep, "+
		"compare and fit go on: --from-state")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	c.Flags().StringVar(&f.Out, "out", "", "a directory to write results and pictures to")
	c.Flags().BoolVar(&f.Events, "events", false,
		"write every event to events.csv, .parquet or .json, in the directory of --out")
	f.registerFormat(c, "how the tables in the directory of --out are written: csv, parquet for large ones, or json")
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
	out, err := openOutput(c, s.Request)
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
	if err := logs.close(); err != nil {
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
		if err := out.Keep(); err != nil {
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
	out, err := openOutput(c, s.Request)
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
