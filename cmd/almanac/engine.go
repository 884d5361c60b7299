package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/cmd/internal/progress"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/fit"
	"github.com/almanac-sim/almanac/internal/access"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/outdir"
	"github.com/almanac-sim/almanac/study"
)

// hubFlags are the address of a hub and our credentials.
type hubFlags struct {
	hub     string
	conn    ensemble.ConnectOptions
	verbose bool

	metrics      string
	metricsToken string
}

// logAll describes --verbose.
const logAll = "log debug messages to standard error"

func (f *hubFlags) register(c *cobra.Command, about string) {
	f.registerHub(c, about)
	c.Flags().BoolVar(&f.verbose, "verbose", false, logAll)
	f.registerMetrics(c)
}

func (f *hubFlags) registerMetrics(c *cobra.Command) {
	c.Flags().StringVar(&f.metrics, "metrics", "", "serve Prometheus metrics at `HOST:PORT`/metrics")
	c.Flags().StringVar(&f.metricsToken, "metrics-token-file", "",
		"`file` with the token that Prometheus must send (required unless HOST is loopback)")
}

// registerHub adds the flags of a connection to a hub.
func (f *hubFlags) registerHub(c *cobra.Command, about string) {
	c.Flags().StringVar(&f.hub, "hub", "", about)
	c.Flags().StringVar(&f.conn.TokenFile, "token-file", "", "`file` with the hub's token")
	c.Flags().StringVar(&f.conn.Creds, "creds", "", "`file` with NATS credentials")
	c.Flags().StringVar(&f.conn.NKey, "nkey", "", "`file` with the seed of an NKey")
	c.Flags().StringVar(&f.conn.CA, "tlsca", "", "`file` with the certificate of the CA that signed the hub's")
	c.Flags().StringVar(&f.conn.Cert, "tlscert", "", "`file` with the client certificate, if the hub requires one")
	c.Flags().StringVar(&f.conn.Key, "tlskey", "", "`file` with the key of the client certificate")
}

// connect connects to the hub. The environment variables of NATS programs replace missing flags.
func (f *hubFlags) connect(c *cobra.Command, wait time.Duration) (*ensemble.Conn, error) {
	o := f.conn
	o.URL, o.Name, o.Wait, o.Logger = f.hub, c.CommandPath(), wait, f.logger(c, slog.LevelWarn)
	conn, err := ensemble.Connect(c.Context(), o.FromEnv())
	if err != nil {
		return nil, trim(err)
	}
	return conn, nil
}

// logger writes to standard error.
func (f *hubFlags) logger(c *cobra.Command, least slog.Level) *slog.Logger {
	if f.verbose {
		least = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: least}))
}

// studyLogger is the logger of a study. Without a hub, the one in this process is no concern of the
// user, who has started none.
func (f *studyFlags) studyLogger(c *cobra.Command) *slog.Logger {
	if f.hub == "" && !f.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return f.logger(c, slog.LevelWarn)
}

// told is what a user is told of the progress of a study: without a hub, nothing of hubs and workers.
func (f *studyFlags) told(p ensemble.Progress) ensemble.Progress {
	if f.hub == "" {
		p.Refused, p.Trouble = nil, ""
	}
	return p
}

// serveMetrics serves metrics until it is stopped. Commands call it first.
func (f *hubFlags) serveMetrics(m *ensemble.Metrics) (stop func(), err error) {
	if f.metrics == "" {
		if f.metricsToken != "" {
			return nil, cli.Usagef("--metrics-token-file is for --metrics; say where to listen with --metrics HOST:PORT")
		}
		return func() {}, nil
	}
	host, _, err := net.SplitHostPort(f.metrics)
	if err != nil {
		return nil, cli.Usagef("--metrics: %q is no HOST:PORT, as 127.0.0.1:9100 is", f.metrics)
	}
	token := ""
	if f.metricsToken != "" {
		if token, err = access.ReadToken(f.metricsToken); err != nil {
			return nil, cli.Usagef("--metrics-token-file: %w", err)
		}
	} else if !access.Loopback(host) {
		return nil, cli.Usagef("--metrics: %q is beyond this machine, where Prometheus must have a token: name its file "+
			"with --metrics-token-file, or listen on 127.0.0.1", f.metrics)
	}
	l, err := net.Listen("tcp", f.metrics)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	if err != nil {
		return nil, cli.Usagef("--metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", access.Guard(m, token, "almanac"))
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	return func() { _ = s.Close(); <-done }, nil
}

// trim removes the package prefix of an error; the command adds its own.
func trim(err error) error {
	if err == nil {
		return nil
	}
	if rest, ok := strings.CutPrefix(err.Error(), "ensemble: "); ok {
		return trimmed{rest, err}
	}
	return err
}

type trimmed struct {
	text string
	err  error
}

func (t trimmed) Error() string { return t.text }
func (t trimmed) Unwrap() error { return t.err }

// watch reports the progress of a study: as metrics, on a bar, and each problem once as a line.
func (f *studyFlags) watch(c *cobra.Command) (show func(p ensemble.Progress, done, of int, pace string), stop func(),
	err error) {
	metrics := new(ensemble.Metrics)
	watch := metrics.Watch()
	stopMetrics, err := f.serveMetrics(metrics)
	if err != nil {
		return nil, nil, err
	}
	bar := progress.New(c.ErrOrStderr())
	told := map[string]bool{}
	return func(p ensemble.Progress, done, of int, pace string) {
		watch(p)
		bar.Set(done, of, pace)
		for _, why := range append(p.Refused, p.Trouble) {
			if why != "" && !told[why] {
				told[why] = true
				tell(c, why)
			}
		}
	}, func() { bar.Close(); stopMetrics() }, nil
}

// tell prints a line on standard error.
func tell(c *cobra.Command, text string) { fmt.Fprintf(c.ErrOrStderr(), "almanac: %s\n", text) }

// do runs a job here or on a hub. The command line resumes it.
func (f *studyFlags) do(c *cobra.Command, job ensemble.Job, registry *ensemble.Registry, command string,
	o ensemble.RunOptions) (ensemble.Outcome, error) {
	o.Registry, o.Logger = registry, f.studyLogger(c)
	key, err := job.Key(registry)
	if err != nil {
		return ensemble.Outcome{}, trim(err)
	}
	show, stop, err := f.watch(c)
	if err != nil {
		return ensemble.Outcome{}, err
	}
	defer stop()
	o.Progress = func(p ensemble.Progress) { p = f.told(p); show(p, p.Merged, p.Replicas, studyPace(p)) }
	if f.hub != "" {
		conn, err := f.connect(c, 0)
		if err != nil {
			return ensemble.Outcome{}, err
		}
		defer conn.Close()
		if s, err := conn.Status(c.Context(), key); err == nil && s.State != ensemble.Canceled {
			tell(c, goingOn(s.State == ensemble.Done, "the hub"))
		}
		outcome, err := conn.Run(c.Context(), job, o)
		return outcome, f.explain(c, trim(err), outcome, job, "on the hub, as job "+key)
	}
	executor, where, finish, err := f.here(c, key, command, o.Logger)
	if err != nil {
		return ensemble.Outcome{}, err
	}
	outcome, err := executor.Run(c.Context(), job, o)
	return outcome, f.explain(c, errors.Join(trim(err), finish(err)), outcome, job, where)
}

func goingOn(done bool, where string) string {
	if done {
		return "this study was done before; its results are taken from " + where
	}
	return "going on with this study where it was, from " + where
}

// here returns an engine in this process: in memory without --out, else in a directory, so that the
// study can be resumed; where names that directory. The caller passes the error of the study to
// finish, which removes state that cannot be resumed.
func (f *studyFlags) here(c *cobra.Command, key, command string, log *slog.Logger) (e ensemble.Executor, where string,
	finish func(error) error, err error) {
	if f.Out == "" {
		return ensemble.InMemory{Slots: f.workers}, "", func(error) error { return nil }, nil
	}
	state, err := outdir.OpenState(f.Out, key, command)
	if errors.Is(err, outdir.ErrInTheWay) {
		return nil, "", nil, cli.Usage(err)
	} else if err != nil {
		return nil, "", nil, err
	}
	if state.Before != outdir.Nothing {
		tell(c, state.String())
	}
	directory, err := ensemble.OpenDirectory(state.Path, ensemble.DirectoryOptions{Slots: f.workers, Logger: log})
	if err != nil {
		return nil, "", nil, errors.Join(trim(err), state.Fail())
	}
	return directory, "in " + state.Path, func(err error) error {
		directory.Close()
		switch {
		case err == nil:
			return state.Finish()
		case isStopped(err) || errors.Is(err, ensemble.ErrNoRoom): // the same command resumes
			return nil
		case errors.As(err, new(keptError)): // one with a larger budget resumes
			return state.Fail()
		case errors.Is(err, fit.ErrBudget): // the same command fails again
			return state.Remove()
		}
		return state.Fail()
	}, nil
}

// isStopped reports whether a signal or a deadline ended the study.
func isStopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// explain adds to an error what is kept of an unfinished study.
func (f *studyFlags) explain(c *cobra.Command, err error, o ensemble.Outcome, job ensemble.Job, where string) error {
	if isStopped(err) && where != "" {
		fmt.Fprintf(c.ErrOrStderr(), "almanac: %s of at most %s done; the same command goes on from there: what is done "+
			"is kept %s\n",
			format.Thousands(float64(o.Replicas)), format.Count(len(job.Points)*job.Replicas, "replica"), where)
	}
	return err
}

// studyPace describes the progress of a study.
func studyPace(p ensemble.Progress) string {
	var parts []string
	if p.Points > 1 {
		parts = append(parts, fmt.Sprintf("%d of %d points", p.PointsDone, p.Points))
	}
	parts = append(parts, fmt.Sprintf("%s of %s replicas", format.Thousands(float64(p.Merged)),
		format.Thousands(float64(p.Replicas))))
	return strings.Join(append(parts, workerPace(p)...), ", ")
}

// workerPace describes speed, workers and failures.
func workerPace(p ensemble.Progress) (parts []string) {
	if p.EventsPerSecond > 0 {
		parts = append(parts, fmt.Sprintf("%.2g million events/s", p.EventsPerSecond/1e6))
	}
	if p.Workers > 0 && p.Slots > 0 {
		parts = append(parts, fmt.Sprintf("%s, %d at once", format.Count(p.Workers, "worker"), p.Slots))
	}
	if p.Left > 0 {
		parts = append(parts, fmt.Sprintf("%v left", p.Left.Round(time.Second)))
	}
	if p.Trouble != "" {
		parts = append(parts, p.Trouble)
	}
	return parts
}

// ourRegistry has the kinds of models of this program.
func ourRegistry() *ensemble.Registry { return study.Registry() }
