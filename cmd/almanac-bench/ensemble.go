package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/study"
)

// ensembleFlags are the command line of almanac-bench ensemble.
type ensembleFlags struct {
	repetitions int
	work        time.Duration
	tasks       int
	json        bool
	out         string
}

func newEnsemble() *cobra.Command {
	var f ensembleFlags
	c := &cobra.Command{
		Use:   "ensemble",
		Short: "Time the distribution of replicas, and the tasks per second of a hub",
		Long: `Time the distribution of replicas, and count the tasks per second of a hub. Everything is
measured in one run, so compare ratios.

  overhead    a study in one process, on an embedded hub, with tasks of half a second, against a
              loop over the same replicas; and a study without work, for the cost of each study.
              They take turns. The ratios are those of the best times, and of the processor time of
              all repetitions
  tasks       tasks without work per second through one hub, which stores each on disk when it is
              handed out and when it is done. With tasks of a second this is also the number of
              slots of workers that a hub can feed
  processes   replicas per second of a study on a hub with one worker process and with two, each
              with one slot`,
		Example: `  almanac-bench ensemble
  almanac-bench ensemble --reps 9 --work 5s --json`,
		Args: cli.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	c.Flags().IntVar(&f.repetitions, "reps", 5, "number of repetitions")
	c.Flags().DurationVar(&f.work, "work", 3*time.Second, "approximate length of a repetition")
	c.Flags().IntVar(&f.tasks, "tasks", 3000, "number of tasks through the hub")
	c.Flags().BoolVar(&f.json, "json", false, "print the measurements as JSON")
	c.Flags().StringVar(&f.out, "out", "", "`directory` for bench-ensemble.json")
	return c
}

// An ensembleReport is what almanac-bench ensemble --json prints.
type ensembleReport struct {
	Machine  cli.Machine `json:"machine"`
	Command  string      `json:"command"`
	Overhead struct {
		Plain  []float64 `json:"plain_seconds"`
		Engine []float64 `json:"engine_seconds"`
		// a study of one replica of nothing: what each study costs, whatever its size
		Once      []float64 `json:"once_seconds"`
		Ratio     float64   `json:"ratio"`           // of the best, without that
		Processor float64   `json:"processor_ratio"` // of all, without that; 0 where the system does not tell
		Tasks     int       `json:"tasks"`           // of all repetitions
	} `json:"overhead"`
	Hub struct {
		Tasks     int     `json:"tasks"`
		Seconds   float64 `json:"seconds"`
		PerSecond float64 `json:"per_second"`
	} `json:"hub"`
	Processes struct {
		Replicas int       `json:"replicas"`
		One      []float64 `json:"one_per_second"`
		Two      []float64 `json:"two_per_second"`
		Ratio    float64   `json:"ratio"` // of the best
	} `json:"processes"`
}

func (f *ensembleFlags) run(c *cobra.Command) error {
	if err := cli.CheckRepetitions(f.repetitions); err != nil {
		return err
	}
	switch {
	case f.work <= 0:
		return cli.Usagef("--work %v: a repetition must have some, as 3s", f.work)
	case f.tasks < 1 || f.tasks > 10_000_000:
		return cli.Usagef("--tasks %d: expected from 1 to 10,000,000", f.tasks)
	}
	const file = "bench-ensemble.json"
	return cli.Report(c, "bench ensemble", f.out, []string{file}, f.json, func(bar *progress.Bar) (ensembleReport, error) {
		dir, err := os.MkdirTemp("", "almanac-")
		if err != nil {
			return ensembleReport{}, err
		}
		defer os.RemoveAll(dir)
		b := &ensembleBench{flags: f, dir: dir, ctx: c.Context()}
		b.report = ensembleReport{Machine: cli.ThisMachine(), Command: cli.CommandLine(c)}
		for i, part := range []struct {
			name string
			run  func() error
		}{{"overhead", b.overhead}, {"tasks through a hub", b.tasks}, {"one process and two", b.processes}} {
			bar.Set(i, 3, part.name)
			if err := part.run(); err != nil {
				return b.report, err
			}
		}
		return b.report, nil
	}, func(dir string, r ensembleReport) error { return cli.WriteJSON(dir, file, r) }, printEnsemble)
}

type ensembleBench struct {
	flags  *ensembleFlags
	dir    string
	report ensembleReport
	ctx    context.Context
}

// spin is work that depends on nothing but how much it is. Its result must be used: it would be
// none otherwise.
func spin(steps int) float64 {
	x := 0.5
	for range steps {
		x = 3.9 * x * (1 - x)
	}
	return x
}

// overhead runs the same replicas in a loop and with the engine, in turns, and a study of next to
// nothing: what that takes, every study does once.
func (b *ensembleBench) overhead() error {
	const each = 5 * time.Millisecond
	steps := 1_000_000
	fastest, sum := math.Inf(1), 0.0
	for range 10 {
		began := time.Now()
		sum += spin(steps)
		fastest = min(fastest, time.Since(began).Seconds())
	}
	steps = int(float64(steps) * each.Seconds() / fastest)
	replicas := max(2, int(b.flags.work/each))
	o := &b.report.Overhead
	var plain, engine, once float64 // processor time
	timed := func(seconds *[]float64, processor *float64, f func() error) error {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		before, began := processorTime(), time.Now()
		err := f()
		*seconds = append(*seconds, time.Since(began).Seconds())
		*processor += processorTime() - before
		return err
	}
	study := func(name string, steps, replicas int) (ensemble.Outcome, error) {
		g := new(ensemble.Registry)
		g.AddKind(ensemble.FuncKind("spin", "1", func(context.Context, ensemble.Params, ensemble.Replica) (ensemble.Outputs,
			error) {
			return ensemble.Outputs{"x": spin(steps)}, nil
		}))
		directory, err := ensemble.OpenDirectory(filepath.Join(b.dir, name), ensemble.DirectoryOptions{Slots: 1})
		if err != nil {
			return ensemble.Outcome{}, err
		}
		defer directory.Close()
		return directory.Run(b.ctx, ensemble.Job{Kind: "spin", Replicas: replicas, Points: make([]ensemble.Point, 1)},
			ensemble.RunOptions{Registry: g, TaskTime: 500 * time.Millisecond})
	}
	for i := range b.flags.repetitions {
		err := timed(&o.Plain, &plain, func() error {
			for range replicas {
				sum += spin(steps)
			}
			return nil
		})
		if err == nil {
			err = timed(&o.Engine, &engine, func() error {
				outcome, err := study(fmt.Sprint("engine", i), steps, replicas)
				o.Tasks += outcome.Counts.Tasks
				return err
			})
		}
		if err == nil {
			err = timed(&o.Once, &once, func() error { _, err := study(fmt.Sprint("once", i), 0, 1); return err })
		}
		if err != nil {
			return err
		}
	}
	if math.IsNaN(sum) { // it never is, but the compiler does not know
		return errors.New("the work came to nothing")
	}
	o.Ratio = (slices.Min(o.Engine) - slices.Min(o.Once)) / slices.Min(o.Plain)
	if plain > 0 {
		o.Processor = (engine - once) / plain
	}
	return nil
}

// tasks sends tasks of nothing through a hub, by way of TCP.
func (b *ensembleBench) tasks() error {
	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: filepath.Join(b.dir, "tasks"), Listen: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer hub.Close()
	g := new(ensemble.Registry)
	g.AddKind(ensemble.FuncKind("nothing", "1", func(context.Context, ensemble.Params, ensemble.Replica) (ensemble.Outputs,
		error) {
		return ensemble.Outputs{"x": 1}, nil
	}))
	const workers, slots = 4, 16
	var conns []*ensemble.Conn
	for range workers + 1 {
		c, err := ensemble.Connect(b.ctx, ensemble.ConnectOptions{URL: hub.URL()})
		if err != nil {
			return err
		}
		defer c.Close()
		conns = append(conns, c)
	}
	ctx, stop := context.WithCancel(b.ctx)
	served := make(chan error, workers)
	for _, c := range conns[1:] {
		go func() { served <- ensemble.Serve(ctx, c, ensemble.WorkerOptions{Registry: g, Slots: slots}) }()
	}
	began := time.Now()
	// A nanosecond is less than any replica takes: each task is one.
	outcome, err := conns[0].Run(b.ctx, ensemble.Job{Kind: "nothing", Replicas: b.flags.tasks,
		Points: make([]ensemble.Point, 1)},
		ensemble.RunOptions{Registry: g, TaskTime: time.Nanosecond, Window: 4 * workers * slots})
	h := &b.report.Hub
	h.Tasks, h.Seconds = outcome.Counts.Tasks, time.Since(began).Seconds()
	h.PerSecond = float64(h.Tasks) / h.Seconds
	stop()
	for range workers {
		err = errors.Join(err, <-served)
	}
	return err
}

// benchModel takes some milliseconds for a replica.
const benchModel = `
name: bench
time: {unit: day, end: 60}
population: {size: 5000, start: {infectious: 1%, susceptible: rest}}
states: {susceptible: {}, infectious: {race: [{rate: 0.2 per day, to: recovered}]}, recovered: {}}
transmission: [{from: infectious, rate: 0.5 per day, to: {susceptible: infectious}}]
record: {every: 60 days}
`

// processes runs a study with one worker process, and then with two, in turns.
func (b *ensembleBench) processes() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	hub, err := ensemble.StartHub(ensemble.HubOptions{Store: filepath.Join(b.dir, "processes"), Listen: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer hub.Close()
	conn, err := hub.Connect(ensemble.ConnectOptions{})
	if err != nil {
		return err
	}
	defer conn.Close()
	payload, err := (&study.Request{Kind: study.Sweep, Model: "bench.yaml", Source: []byte(benchModel),
		Outputs: []string{"final(recovered)"}}).Payload()
	if err != nil {
		return err
	}
	registry := study.Registry()
	p := &b.report.Processes
	p.Replicas = max(20, int(b.flags.work/(5*time.Millisecond)))
	var workers []*exec.Cmd
	defer func() {
		for _, w := range workers {
			_ = w.Process.Kill()
			_ = w.Wait()
		}
	}()
	for i := range 2 * b.flags.repetitions {
		want := 1 + i%2
		for len(workers) < want {
			w := exec.CommandContext(b.ctx, program, "worker", hub.URL())
			w.Args[0] = "almanac-bench"
			if err := w.Start(); err != nil {
				return err
			}
			workers = append(workers, w)
		}
		for len(workers) > want {
			w := workers[len(workers)-1]
			workers = workers[:len(workers)-1]
			_ = w.Process.Kill()
			_ = w.Wait()
		}
		// The workers are warm, and known, before the clock starts.
		job := ensemble.Job{Kind: study.Kind, Payload: payload, Points: make([]ensemble.Point, 1), Replicas: 20 * want,
			Seed: uint64(2 * i)}
		if _, err := conn.Run(b.ctx, job, ensemble.RunOptions{Registry: registry, TaskTime: 20 * time.Millisecond}); err !=
			nil {
			return err
		}
		job.Replicas, job.Seed = p.Replicas*want, uint64(2*i+1)
		began := time.Now()
		if _, err := conn.Run(b.ctx, job, ensemble.RunOptions{Registry: registry, TaskTime: 500 * time.Millisecond}); err !=
			nil {
			return err
		}
		speed := float64(job.Replicas) / time.Since(began).Seconds()
		if want == 1 {
			p.One = append(p.One, speed)
		} else {
			p.Two = append(p.Two, speed)
		}
	}
	p.Ratio = slices.Max(p.Two) / slices.Max(p.One)
	return nil
}

// newWorker is the command of a worker process, with one slot. Only the benchmark starts it: a
// study and its workers must be of one build, and almanac worker would be of another.
func newWorker() *cobra.Command {
	return &cobra.Command{
		Use:    "worker URL",
		Short:  "Run replicas for the hub of the benchmark",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			conn, err := ensemble.Connect(c.Context(), ensemble.ConnectOptions{URL: args[0]})
			if err != nil {
				return err
			}
			defer conn.Close()
			return ensemble.Serve(c.Context(), conn, ensemble.WorkerOptions{Registry: study.Registry(), Slots: 1})
		},
	}
}

func printEnsemble(w io.Writer, r ensembleReport) error {
	fmt.Fprintf(w, "%v\n%s\n\n", r.Machine, r.Command)
	o := r.Overhead
	fmt.Fprintf(w, "overhead: a loop took %.3f s and the engine %.3f s, best of %d; a study of nothing takes %.3f s\n",
		slices.Min(o.Plain), slices.Min(o.Engine), len(o.Plain), slices.Min(o.Once))
	fmt.Fprintf(w, "          in all %+.1f %%; beyond what every study takes once %+.1f %%",
		100*(slices.Min(o.Engine)/slices.Min(o.Plain)-1), 100*(o.Ratio-1))
	if o.Processor > 0 {
		fmt.Fprintf(w, "; in processor time %+.1f %%", 100*(o.Processor-1))
	}
	verdict := func(ratio float64) string {
		switch {
		case ratio < 0.97: // the engine does all that the loop does
			return "not decided (the machine was disturbed)"
		case ratio > 1.03:
			return "not kept"
		}
		return "kept"
	}
	fmt.Fprintf(w, "\n          at most +3 %% was promised for tasks of half a second: %s in all, "+
		"%s beyond what is once\n", verdict(slices.Min(o.Engine)/slices.Min(o.Plain)), verdict(o.Ratio))
	h := r.Hub
	fmt.Fprintf(w, "tasks: %d in %.2f s: %.0f tasks per second through one hub\n", h.Tasks, h.Seconds, h.PerSecond)
	fmt.Fprintf(w, "       with tasks of 1 s, %.0f × 1 s = %.0f replicas at once; with tasks of 0.5 s half as many, "+
		"of 2 s twice as many\n", h.PerSecond, h.PerSecond)
	p := r.Processes
	_, err := fmt.Fprintf(w, "processes: %.0f replicas per second with one, %.0f with two, best of %d: × %.2f\n",
		slices.Max(p.One), slices.Max(p.Two), len(p.One), p.Ratio)
	return err
}
