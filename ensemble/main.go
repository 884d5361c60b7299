package ensemble

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
	findings "github.com/almanac-sim/almanac/internal/study"
)

// Main is the main function of a program whose models are registered functions: it runs the command
// line, and does not return.
//
//	PROGRAM sweep   [MODEL] --vary clerks="1..5 by 1" --replicas 200 --out results
//	PROGRAM compare [MODEL] --scenario one="clerks=1" --scenario two="clerks=2" --replicas 500
//	PROGRAM worker  --hub nats://HOST:4222
//	PROGRAM --help
//
// The model must be named if there are several. With --hub the replicas are run by workers, which
// are other processes of the same program; without it, in this process. The same command continues
// an interrupted study with --out. The exit status is 0 on success, 1 if the work failed, 2 if the
// command line is wrong.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first interrupt stops cleanly, the second one at once
	status := Default().Command(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// Command is [Main] for a registry, a command line, which begins with the program's name, and an
// output. It returns the exit status.
func (g *Registry) Command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := &program{registry: g, functions: g.functions(), name: filepath.Base(args[0]), stdout: stdout, stderr: stderr}
	err := p.command(ctx, args[1:])
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintf(stderr, "%s: %s\n", p.name, strings.TrimPrefix(err.Error(), "ensemble: "))
		return 2
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "%s: interrupted\n", p.name)
	default:
		fmt.Fprintf(stderr, "%s: %s\n", p.name, strings.TrimPrefix(err.Error(), "ensemble: "))
	}
	return 1
}

// A usageError is an error of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// A program runs a command line.
type program struct {
	registry       *Registry
	functions      map[string][]Parameter // of the registry
	name, verb     string                 // of the program and of the subcommand
	stdout, stderr io.Writer

	flags     *flag.FlagSet
	model     string
	conn      ConnectOptions
	seed      uint64
	replicas  int
	workers   int
	out       string
	precision float64
	sample    int
	design    string
	vary      []string
	set       []string
	scenarios []string
}

func (p *program) command(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usagef("expected sweep, compare or worker; %s --help says more", p.name)
	}
	if args[0] == "help" && len(args) > 1 { // help sweep means sweep --help
		args = []string{args[1], "--help"}
	}
	p.verb = args[0]
	p.flags = flag.NewFlagSet(p.name+" "+p.verb, flag.ContinueOnError)
	p.flags.SetOutput(io.Discard)
	p.flags.StringVar(&p.conn.URL, "hub", "", "`URL` of a hub, such as nats://HOST:4222; without it, studies run here")
	p.flags.StringVar(&p.conn.TokenFile, "token-file", "", "`file` with the hub's token")
	p.flags.StringVar(&p.conn.Creds, "creds", "", "`file` with NATS credentials")
	p.flags.StringVar(&p.conn.CA, "tlsca", "", "`file` with the certificate of the CA that signed the hub's")
	p.flags.StringVar(&p.conn.Cert, "tlscert", "", "`file` with the client certificate, if the hub requires one")
	p.flags.StringVar(&p.conn.Key, "tlskey", "", "`file` with the key of the client certificate")
	p.flags.IntVar(&p.workers, "workers", 0, "replicas to run in parallel (default: one per core)")
	several := func(into *[]string, name, about string) {
		p.flags.Func(name, about, func(s string) error { *into = append(*into, s); return nil })
	}
	switch p.verb {
	case "help", "--help", "-help", "-h":
		p.help()
		return nil
	case "worker":
	case "sweep", "compare":
		p.flags.Uint64Var(&p.seed, "seed", 1, "random seed")
		p.flags.IntVar(&p.replicas, "replicas", 100, "replicas at each point, or of each scenario")
		p.flags.StringVar(&p.out, "out", "", "`directory` for results; the same command continues an interrupted study there")
		several(&p.set, "set", "`NAME=VALUE` of a parameter, such as clerks=3; may be repeated")
		if p.verb == "sweep" {
			several(&p.vary, "vary", "`NAME=VALUES` to vary: clerks=\"1..5 by 1\", clerks=\"1, 2, 4\", or clerks=\"1..5\" "+
				"for --sample; may be repeated")
			p.flags.IntVar(&p.sample, "sample", 0, "number of points from the ranges of --vary, instead of all combinations")
			p.flags.StringVar(&p.design, "design", "lhs",
				"design of the sample: lhs (Latin hypercube) or sobol (Sobol sequence)")
			p.flags.Float64Var(&p.precision, "precision", 0,
				"stop at a point when half the interval of every output is at most this `share` of its mean: 0.02")
		} else {
			several(&p.scenarios, "scenario", "a `scenario`, NAME=\"clerks=2, pace=1.5\"; the others are compared with the "+
				"first; may be repeated")
		}
	default:
		return usagef("there is no %q; expected sweep, compare or worker; %s --help says more", p.verb, p.name)
	}
	if err := p.parse(args[1:]); err != nil {
		return err
	}
	if p.verb == "worker" {
		return p.serve(ctx)
	}
	if err := p.checkCommon(); err != nil {
		return err
	}
	if p.verb == "sweep" {
		return p.sweep(ctx)
	}
	return p.compare(ctx)
}

// parse parses flags, before and after the model's name.
func (p *program) parse(args []string) error {
	var names []string
	for {
		if err := p.flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			p.flags.SetOutput(p.stdout)
			p.flags.Usage()
			p.describe()
			return err
		} else if err != nil {
			return usageError{err}
		}
		if p.flags.NArg() == 0 {
			break
		}
		names, args = append(names, p.flags.Arg(0)), p.flags.Args()[1:]
	}
	switch {
	case len(names) > 1:
		return usagef("one model at a time, not %s", strings.Join(names, " "))
	case len(names) == 1:
		p.model = names[0]
	}
	return nil
}

// help prints the usage.
func (p *program) help() {
	fmt.Fprintf(p.stdout, `Usage:
  %[1]s sweep   [MODEL] --vary NAME="1..5 by 1" … [flags]             run the model at many points
  %[1]s compare [MODEL] --scenario NAME="PARAMETER=NUMBER" … [flags]  compare scenarios, with common random numbers
  %[1]s worker  --hub nats://HOST:4222 [flags]                        run replicas for studies on a hub

%[1]s sweep --help lists the flags of sweep, and so on. MODEL can be left out if there is only one.

`, p.name)
	p.describe()
}

// describe prints the models and their parameters.
func (p *program) describe() {
	for _, model := range slices.Sorted(maps.Keys(p.functions)) {
		fmt.Fprintf(p.stdout, "The model %s:\n", model)
		for _, q := range p.functions[model] {
			fmt.Fprintf(p.stdout, "  %s\n    \t%s (default %g)\n", q.Name, q.About, q.Value)
		}
	}
}

// checkCommon chooses the model, and checks the flags that all studies have.
func (p *program) checkCommon() error {
	kinds := slices.Sorted(maps.Keys(p.functions))
	switch {
	case p.model == "" && len(kinds) == 1:
		p.model = kinds[0]
	case len(kinds) == 0:
		return usagef("this program has registered no model")
	case p.model == "":
		return usagef("which model? There are %s", strings.Join(kinds, ", "))
	case !slices.Contains(kinds, p.model):
		return usagef("there is no model %q; there are %s", p.model, strings.Join(kinds, ", "))
	}
	switch {
	case p.replicas < 2:
		return usagef("--replicas %d: at least two are needed for an interval", p.replicas)
	case p.workers < 0:
		return usagef("--workers %d: expected a number of workers, or 0", p.workers)
	case p.workers > 0 && p.conn.URL != "":
		return usagef("--workers is for work that is done here; with --hub, workers are other processes: %s worker --hub …",
			p.name)
	}
	return nil
}

// checkParameter returns an error if the model declares its parameters and name is not one of them.
func (p *program) checkParameter(name string) error {
	all := p.functions[p.model]
	if len(all) == 0 || slices.ContainsFunc(all, func(q Parameter) bool { return q.Name == name }) {
		return nil
	}
	var names []string
	for _, q := range all {
		names = append(names, q.Name)
	}
	return usagef("%s has no parameter %q; it has %s", p.model, name, strings.Join(names, ", "))
}

// settings parses NAME=NUMBER.
func (p *program) settings(texts []string) (map[string]string, error) {
	set := map[string]string{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if name, value = strings.TrimSpace(name), strings.TrimSpace(value); !ok || name == "" {
			return nil, usagef("%q has no name and value; expected clerks=3, for example", text)
		}
		if _, err := parseParams(map[string]string{name: value}); err != nil {
			return nil, usageError{err}
		}
		if err := p.checkParameter(name); err != nil {
			return nil, err
		}
		if _, twice := set[name]; twice {
			return nil, usagef("%s is set twice", name)
		}
		set[name] = value
	}
	return set, nil
}

// serve runs a worker.
func (p *program) serve(ctx context.Context) error {
	if p.model != "" {
		return usagef("did not expect %s", p.model)
	}
	log := slog.New(slog.NewTextHandler(p.stderr, nil))
	o := p.conn
	o.Name, o.Wait, o.Logger = p.name, -1, log
	conn, err := Connect(ctx, o.FromEnv())
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	fmt.Fprintf(p.stdout, "worker for %s\n", conn.Address())
	return Serve(ctx, conn, WorkerOptions{Registry: p.registry, Slots: p.workers, Logger: log})
}

// runJob runs a job, and warns if all replicas are identical. replica may be nil.
func (p *program) runJob(ctx context.Context, job Job, point func(PointResult) error,
	replica func(point, replica int, v Values) error) error {
	outcome, err := p.startJob(ctx, job, RunOptions{Point: point, Replica: replica})
	if err == nil && outcome.Identical {
		fmt.Fprintf(p.stderr, "%s: warning: all replicas gave the same numbers, so the intervals mean nothing. A model "+
			"that is random takes its seed from "+
			"Replica.Seed, as in sim.New(sim.Seed(r.Seed)), or its numbers from Replica.Rand\n", p.name)
	}
	return err
}

// startJob runs a job in this process or on a hub.
func (p *program) startJob(ctx context.Context, job Job, o RunOptions) (Outcome, error) {
	log := slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	o.Registry, o.Logger, o.Progress = p.registry, log, progressLine(p.stderr)
	defer o.Progress(Progress{}) // removes the progress line
	if p.conn.URL != "" {
		c := p.conn
		c.Name, c.Logger = p.name, log
		conn, err := Connect(ctx, c.FromEnv())
		if err != nil {
			return Outcome{}, err
		}
		defer conn.Close()
		return conn.Run(ctx, job, o)
	}
	if p.out == "" {
		return InMemory{Slots: p.workers}.Run(ctx, job, o)
	}
	key, err := job.Key(p.registry)
	if err != nil {
		return Outcome{}, err
	}
	state, err := outdir.OpenState(p.out, key, p.commandLine())
	if errors.Is(err, outdir.ErrInTheWay) {
		return Outcome{}, usageError{err}
	} else if err != nil {
		return Outcome{}, err
	}
	if state.Before != outdir.Nothing {
		fmt.Fprintf(p.stderr, "%s: %s\n", p.name, state)
	}
	var outcome Outcome
	directory, err := OpenDirectory(state.Path, DirectoryOptions{Slots: p.workers, Logger: log})
	if err == nil {
		outcome, err = directory.Run(ctx, job, o)
		directory.Close()
	}
	switch {
	case err == nil:
		err = state.Finish()
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(p.stderr, "%s: %d of at most %d replicas done; the same command goes on from there, with what is in %s\n",
			p.name, outcome.Replicas, len(job.Points)*job.Replicas, state.Path)
	case !errors.Is(err, ErrNoRoom): // which the same command continues, too
		err = errors.Join(err, state.Fail())
	}
	return outcome, err
}

// commandLine is the command line that reproduces the results, without flags on where to run.
func (p *program) commandLine() string {
	words := []string{format.Word(p.name), p.verb, format.Word(p.model)}
	add := func(name string, values ...string) {
		for _, v := range values {
			words = append(words, "--"+name, format.Word(v))
		}
	}
	add("vary", p.vary...)
	add("scenario", p.scenarios...)
	add("set", p.set...)
	p.flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "sample", "design", "precision", "seed", "replicas", "out":
			add(f.Name, f.Value.String())
		}
	})
	return strings.Join(words, " ")
}

// points returns the axes and points of a sweep.
func (p *program) points() (axes []*design.Axis, points []design.Point, err error) {
	for _, text := range p.vary {
		a, err := design.Parse(text)
		if err != nil {
			return nil, nil, usagef("--vary: %w", err)
		}
		if err := p.checkParameter(a.Name); err != nil {
			return nil, nil, err
		}
		if a.Unit != "" {
			return nil, nil, usagef("--vary %s: a model in Go takes numbers, and these are in %q", a.Name, a.Unit)
		}
		axes = append(axes, a)
	}
	if p.sample > 0 {
		points, err = design.Sample(axes, p.design, p.sample, MaxPoints, p.seed)
	} else {
		points, err = design.Grid(axes, MaxPoints)
	}
	if err != nil {
		return nil, nil, usagef("--vary: %w", err)
	}
	return axes, points, nil
}

// open prepares the directory of --out.
func (p *program) open(command string, names ...string) (*outdir.Dir, error) {
	dir, err := outdir.Open(p.out, p.name, command, names...)
	if errors.Is(err, outdir.ErrInTheWay) {
		return nil, usageError{err}
	}
	return dir, err
}

// sweep runs a model at many points.
func (p *program) sweep(ctx context.Context) error {
	switch {
	case len(p.vary) == 0:
		return usagef(`sweep over what? Name it with --vary, as in --vary clerks="1..5 by 1"`)
	case p.sample < 0:
		return usagef("--sample %d: at least one point is needed", p.sample)
	}
	axes, points, err := p.points()
	if err != nil {
		return err
	}
	set, err := p.settings(p.set)
	if err != nil {
		return err
	}
	job := Job{Name: "sweep " + p.model, Kind: p.model, Replicas: p.replicas, Seed: p.seed, Precision: Precision{
		Relative: p.precision}}
	for _, point := range points {
		values := map[string]string{}
		for name, value := range set {
			values[name] = value
		}
		for i, a := range axes {
			if _, twice := set[a.Name]; twice {
				return usagef("--vary %s: --set gives it one value; leave out one of the two", a.Name)
			}
			values[a.Name] = point[i]
		}
		if _, err := parseParams(values); err != nil {
			return usagef("--vary: %w", err)
		}
		job.Points = append(job.Points, Point{Set: values})
	}
	if err := job.check(); err != nil {
		return usageError{err}
	}
	dir, err := p.open("sweep", append([]string{"points.csv", "command.txt"}, findings.Pictures...)...)
	if err != nil {
		return err
	}
	defer dir.Drop()
	var file *os.File
	var table io.Writer
	if dir != nil {
		if file, err = os.Create(filepath.Join(dir.Path(), "points.csv")); err != nil {
			return err
		}
		defer file.Close()
		table = file
	}
	report := findings.NewSweep(p.model, axes, p.sample > 0, table)
	replicas := 0
	err = p.runJob(ctx, job, func(r PointResult) error {
		replicas += r.Replicas
		point := findings.Point{Replicas: r.Replicas}
		for _, a := range axes {
			point.Values = append(point.Values, r.Point.Set[a.Name])
		}
		for _, s := range r.Outputs {
			point.Outputs = append(point.Outputs, outputOf(s, s.Name))
		}
		return report.Add(point)
	}, nil)
	if err != nil {
		return err
	}
	if dir != nil {
		err := errors.Join(report.Flush(), file.Close(), report.Draw(dir.Path()), p.writeCommand(dir))
		if err == nil {
			err = dir.Keep()
		}
		if err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(p.stdout, "%s: %d points, %d replicas, seed %d\n", p.model, len(points), replicas,
		p.seed); err != nil {
		return err
	}
	return report.Print(p.stdout)
}

// writeCommand writes the command that reproduces the results.
func (p *program) writeCommand(dir *outdir.Dir) error {
	return outdir.WriteFile(dir.Path(), "command.txt", func(w io.Writer) error {
		_, err := fmt.Fprintln(w, p.commandLine())
		return err
	})
}

func outputOf(s Summary, name string) findings.Output {
	return findings.Output{Name: name, N: s.N, Mean: s.Mean, SD: s.SD, Low: s.Low, High: s.High}
}

// progressLine shows the progress of a job on a terminal, and nowhere else. A Progress without
// replicas removes the line.
func progressLine(w io.Writer) func(Progress) {
	file, ok := w.(*os.File)
	if ok {
		info, err := file.Stat()
		ok = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	if !ok {
		return func(Progress) {}
	}
	return func(p Progress) {
		if p.Replicas == 0 {
			fmt.Fprint(w, "\r\x1b[K")
			return
		}
		left := ""
		if p.Left > 0 {
			left = fmt.Sprintf(", %v left", p.Left.Round(time.Second))
		}
		fmt.Fprintf(w, "\r\x1b[K%d of %d points, %d of %d replicas, %d workers%s %s", p.PointsDone, p.Points, p.Merged,
			p.Replicas, p.Workers, left, p.Trouble)
	}
}
