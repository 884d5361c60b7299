package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/allocation"
	"github.com/almanac-sim/almanac/internal/design"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/study"
	"github.com/spf13/cobra"
)

const theHub = "`URL` of the hub (default: $NATS_URL, or nats://127.0.0.1:4222)"

// hubEnvironment ends the help of a command that uses NATS_URL.
const hubEnvironment = `The environment variables NATS_URL, NATS_CREDS, NATS_NKEY, NATS_CA, NATS_CERT
and NATS_KEY replace --hub, --creds, --nkey, --tlsca, --tlscert and --tlskey if these are not given.
NATS_USER and NATS_PASSWORD are a name and a password for the hub.`

const resultsHelp = `Print what a study has found so far, and write it into the directory of --out.

The directory has the files of almanac sweep or almanac compare, but no pairs.csv, and a comparison
has no ratios of --icer. For these, and for the replicas of almanac run, repeat the command that
started the study.`

const resumeHelp = `Continue a sweep or a comparison whose command has ended, from this machine. Print its
results, and write them into the directory of --out. This needs the build of the program that
started the study.

To continue a run or a fit, repeat its command.`

func newJobs() *cobra.Command {
	c := onHub(&cobra.Command{
		Use:   "jobs [watch | results | resume | cancel | forget]",
		Short: "List and manage the studies on a hub",
		Long: `List the studies on a hub. KEY is the key of a study, or enough of its beginning to be unique.

The command of a study has ended if the study is interrupted, or is running but was not updated
lately. The same command, or almanac jobs resume, continues it from any machine.

` + hubEnvironment,
		Example: `  almanac jobs --hub nats://10.0.0.1:4222
  almanac jobs watch 3f2a
  almanac jobs results 3f2a --out results`,
		Args: cli.NoArguments,
	}, new(hubFlags), func(c *cobra.Command, conn *ensemble.Conn, _ []string) error {
		all, err := conn.Jobs(c.Context())
		if err != nil {
			return trim(err)
		}
		return printJobs(c.OutOrStdout(), all)
	})
	c.AddCommand(newJobsWatch(),
		newJobsWithResults("results KEY", "Print what a study has found so far", resultsHelp, fetchResults),
		newJobsWithResults("resume KEY", "Continue a study from this machine", resumeHelp, resumeJob),
		newJobsCancel(), newJobsForget())
	return c
}

// onHub completes a command that needs a connection to a hub.
func onHub(c *cobra.Command, f *hubFlags, do func(*cobra.Command, *ensemble.Conn, []string) error) *cobra.Command {
	f.register(c, theHub)
	if c.Name() != "resume" { // the others have no metrics to serve
		_ = c.Flags().MarkHidden("metrics")
		_ = c.Flags().MarkHidden("metrics-token-file")
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		conn, err := f.connect(c, 0)
		if err != nil {
			return err
		}
		defer conn.Close()
		return do(c, conn, args)
	}
	return c
}

func printJobs(w io.Writer, all []ensemble.Status) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "no studies")
		return err
	}
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(out, "key\tstudy\tstate\tpoints\treplicas\tevents\tupdated")
	for _, s := range all {
		fmt.Fprintf(out, "%s\t%s\t%s\t%d of %d\t%d of %d\t%s\t%s\n", shortKey(s), s.Name, s.State, s.PointsDone, s.Points,
			s.Merged, s.Replicas,
			format.Thousands(float64(s.Events)), s.Updated.Format(time.DateTime))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, s := range all {
		if s.Error != "" {
			if _, err := fmt.Fprintf(w, "%s: %s\n", shortKey(s), strings.TrimPrefix(s.Error, "ensemble: ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// shortKey is the displayed part of a key. Keys of other programs may be shorter.
func shortKey(s ensemble.Status) string { return s.Key[:min(len(s.Key), 12)] }

// findJob finds a study by a prefix of its key.
func findJob(ctx context.Context, conn *ensemble.Conn, prefix string) (ensemble.Status, error) {
	all, err := conn.Jobs(ctx)
	if err != nil {
		return ensemble.Status{}, trim(err)
	}
	var found []ensemble.Status
	for _, s := range all {
		if strings.HasPrefix(s.Key, prefix) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return ensemble.Status{}, cli.Usagef("%s: %d studies begin with it; write more of the key", prefix, len(found))
	case len(all) == 0:
		return ensemble.Status{}, cli.Usagef("%s: there is no such study; the hub has none", prefix)
	}
	var keys []string
	for _, s := range all {
		keys = append(keys, shortKey(s))
	}
	return ensemble.Status{}, cli.Usagef("%s: there is no such study; there are %s", prefix,
		strings.Join(keys[:min(len(keys), 10)], ", "))
}

// oneJob accepts one argument, the key.
func oneJob(c *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return cli.Usagef("jobs %s: which study? Write its key, or the beginning of it; almanac jobs lists them", c.Name())
	}
	return nil
}

func newJobsCancel() *cobra.Command {
	return onHub(&cobra.Command{Use: "cancel KEY", Short: "Stop a study and remove its work", Args: oneJob},
		new(hubFlags),
		func(c *cobra.Command, conn *ensemble.Conn, args []string) error {
			return withJob(c, conn, args[0], "cancelled", (*ensemble.Conn).Cancel)
		})
}

// withJob changes a study and prints the outcome.
func withJob(c *cobra.Command, conn *ensemble.Conn, prefix, became string, do func(*ensemble.Conn, context.Context,
	string) error) error {
	s, err := findJob(c.Context(), conn, prefix)
	if err != nil {
		return err
	}
	if err := do(conn, c.Context(), s.Key); err != nil {
		return trim(err)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s, %s\n", s.Key, s.Name, became)
	return err
}

func newJobsWatch() *cobra.Command {
	return onHub(&cobra.Command{
		Use: "watch [KEY]", Short: "Print the progress of studies until they end",
		Long: `Print a line for each change of a study until it ends. Without KEY, follow all studies until none is
running.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usagef("jobs watch: one study at a time, or all")
			}
			return nil
		},
	}, new(hubFlags), func(c *cobra.Command, conn *ensemble.Conn, args []string) error {
		key := ""
		if len(args) == 1 {
			s, err := findJob(c.Context(), conn, args[0])
			if err != nil {
				return err
			}
			key = s.Key
		} else if all, err := conn.Jobs(c.Context()); err != nil || !slices.ContainsFunc(all, func(s ensemble.Status) bool {
			return s.State == ensemble.Running
		}) {
			if err == nil {
				_, err = fmt.Fprintln(c.OutOrStdout(), "no study is running")
			}
			return trim(err)
		}
		return watchJobs(c, conn, key)
	})
}

// watchJobs prints a line for each change, until the study, or all studies, have ended.
func watchJobs(c *cobra.Command, conn *ensemble.Conn, key string) error {
	ended := errors.New("ended")
	running := map[string]bool{}
	err := conn.Watch(c.Context(), func(s ensemble.Status) error {
		if key != "" && s.Key != key {
			return nil
		}
		was := running[s.Key]
		running[s.Key] = s.State == ensemble.Running
		if s.State != ensemble.Running && !was && key == "" {
			return nil // already ended
		}
		if _, err := fmt.Fprintf(c.OutOrStdout(), "%s %s: %s, %d of %d points, %d of %d replicas, %s events\n", shortKey(s),
			s.Name, s.State,
			s.PointsDone, s.Points, s.Merged, s.Replicas, format.Thousands(float64(s.Events))); err != nil {
			return err
		}
		for _, still := range running {
			if still {
				return nil
			}
		}
		return ended
	})
	if errors.Is(err, ended) {
		return nil
	}
	return trim(err)
}

// newJobsWithResults returns a command that does something with the results of one job.
func newJobsWithResults(use, short, long string,
	do func(c *cobra.Command, conn *ensemble.Conn, key string, f *studyFlags) error) *cobra.Command {
	var f studyFlags
	c := onHub(&cobra.Command{Use: use, Short: short, Long: long, Args: oneJob}, &f.hubFlags,
		func(c *cobra.Command, conn *ensemble.Conn, args []string) error { return do(c, conn, args[0], &f) })
	f.registerResults(c)
	return c
}

// registerResults adds the flags for results of a study on a hub.
func (f *studyFlags) registerResults(c *cobra.Command) {
	c.Flags().StringVar(&f.Out, "out", "", "`directory` for results and pictures, as for the command that "+
		"started the study")
	f.registerFormat(c, "format of the series: csv, parquet or json")
}

// fetchResults delivers the finished points of a study.
func fetchResults(c *cobra.Command, conn *ensemble.Conn, prefix string, f *studyFlags) error {
	s, err := findJob(c.Context(), conn, prefix)
	if err != nil {
		return err
	}
	job, err := conn.Load(c.Context(), s.Key)
	if err != nil {
		return trim(err)
	}
	if s.State != ensemble.Done {
		fmt.Fprintf(c.ErrOrStderr(), "almanac: the study is %s; %d of %d points are finished\n", s.State, s.PointsDone,
			s.Points)
	}
	outcome := ensemble.Outcome{Key: s.Key, PointsDone: s.PointsDone, Replicas: s.Merged, Events: s.Events}
	r, err := reporter(c, job, f)
	if err != nil {
		return err
	}
	defer r.drop()
	n := 0
	err = conn.Results(c.Context(), s.Key, func(p ensemble.PointResult) error { n++; return r.point(p) })
	switch {
	case err != nil:
		return trim(err)
	case n == 0:
		return errors.New("nothing is finished yet")
	}
	return r.deliver(outcome)
}

// reporter returns the report of the command that started a job.
func reporter(c *cobra.Command, job ensemble.Job, f *studyFlags) (*report, error) {
	if err := study.CheckFormat(f.Format); err != nil {
		return nil, cli.Usage(err)
	}
	s, command := foreignStudy(job), "almanac jobs results ("+job.Name+")"
	if job.Kind == study.Kind {
		var err error
		if s, err = study.OpenJob(job); err != nil {
			return nil, err
		}
		command = fmt.Sprintf("almanac jobs results (a study %s of %s, seed %d, %d replicas)", s.Kind, s.Model, job.Seed,
			job.Replicas)
	}
	if s.Kind == study.Run {
		return nil, cli.Usagef("the replicas of almanac run are put together by the command that began it: almanac run %s "+
			"--seed %d --replicas %d --hub …, with what else it had", format.Word(s.Model), job.Seed, job.Replicas)
	}
	s.Out, s.Format = f.Out, f.Format
	return newReport(c, s, job, command)
}

// foreignStudy describes a study of another program: the parameters are known, but neither their
// order nor its name.
func foreignStudy(job ensemble.Job) *study.Study {
	s := &study.Study{Request: &study.Request{Kind: study.Sweep}}
	for name := range job.Points[0].Set {
		a := &design.Axis{Name: name}
		for _, p := range job.Points {
			if v := p.Set[name]; !slices.Contains(a.Values, v) && len(a.Values) < 1000 {
				a.Values = append(a.Values, v)
			}
		}
		s.Axes = append(s.Axes, a)
	}
	slices.SortFunc(s.Axes, func(a, b *design.Axis) int { return strings.Compare(a.Name, b.Name) })
	return s
}

func resumeJob(c *cobra.Command, conn *ensemble.Conn, prefix string, f *studyFlags) error {
	s, err := findJob(c.Context(), conn, prefix)
	if err != nil {
		return err
	}
	job, err := conn.Load(c.Context(), s.Key)
	if err != nil {
		return trim(err)
	}
	registry := ourRegistry()
	if key, err := job.Key(registry); err != nil {
		return trim(err)
	} else if key != s.Key {
		return fmt.Errorf("the study is of %s, and would be another one with this program; resume it with the program "+
			"that began it", s.Version)
	}
	r, err := reporter(c, job, f)
	if err != nil {
		return err
	}
	defer r.drop()
	if f.hub == "" {
		f.hub = hubFromEnv()
	}
	outcome, err := f.do(c, job, registry, "", ensemble.RunOptions{Point: r.point, Replica: r.replica})
	if err != nil {
		return err
	}
	return r.deliver(outcome)
}

// hubFromEnv is the address of the hub without a flag.
func hubFromEnv() string {
	if url := (ensemble.ConnectOptions{}).FromEnv().URL; url != "" {
		return url
	}
	return "nats://127.0.0.1:4222"
}

// newJobsForget removes one study by its key, or all that have not been used for some time.
func newJobsForget() *cobra.Command {
	var older string
	var age time.Duration
	c := onHub(&cobra.Command{
		Use:   "forget KEY | --older AGE",
		Short: "Remove a study, or all unused ones, with their results",
		Long: `Remove a study with its results from the hub, or all studies that have been unused for some time.
A study that is still running is cancelled first.

Starting a study, continuing it and repeating its command count as use; --older never removes a
running study. Each stage of a fit is a study of its own, of which the hub keeps all results so that
the fit can be continued; remove them with --older.`,
		Example: `  almanac jobs forget 3f2a
  almanac jobs forget --older 30d`,
		Args: func(c *cobra.Command, args []string) error {
			if older == "" {
				return oneJob(c, args)
			}
			if len(args) > 0 {
				return cli.Usagef("jobs forget: %s or --older %s? One of the two", args[0], older)
			}
			var err error
			age, err = parseAge("--older", older)
			return err
		},
	}, new(hubFlags), func(c *cobra.Command, conn *ensemble.Conn, args []string) error {
		if older == "" {
			return withJob(c, conn, args[0], "forgotten", (*ensemble.Conn).Forget)
		}
		return forgetOlder(c, conn, age)
	})
	c.Flags().StringVar(&older, "older", "", "remove all studies unused for this `age`, such as 30d or 12h")
	return c
}

func forgetOlder(c *cobra.Command, conn *ensemble.Conn, age time.Duration) error {
	all, err := conn.ForgetBefore(c.Context(), time.Now().Add(-age))
	for _, s := range all {
		if _, err := fmt.Fprintf(c.OutOrStdout(), "%s: %s, forgotten\n", s.Key, s.Name); err != nil {
			return err
		}
	}
	if err == nil && len(all) == 0 {
		_, err = fmt.Fprintln(c.OutOrStdout(), "no study is that old")
	}
	return trim(err)
}

// leastAge is the lowest age to forget. A running study is updated every second, by a clock that
// may differ from ours.
const leastAge = time.Minute

// parseAge parses an age such as 30d.
func parseAge(flag, text string) (time.Duration, error) {
	age, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if x := allocation.ParseNumber(days); x >= 0 && x < 36500 {
			age, err = time.Duration(x*24*float64(time.Hour)), nil
		}
	}
	if err != nil || age < leastAge {
		return 0, cli.Usagef("%s: %q: expected how long ago, a minute at the least, as in 30d or 12h", flag, text)
	}
	return age, nil
}

// forgetOld removes old studies now and every hour.
func forgetOld(ctx context.Context, hub *ensemble.Hub, age time.Duration, logger *slog.Logger) error {
	conn, err := hub.Connect(ensemble.ConnectOptions{Logger: logger})
	if err != nil {
		return err
	}
	go func() {
		defer conn.Close()
		for {
			all, err := conn.ForgetBefore(ctx, time.Now().Add(-age))
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				logger.Warn("forgetting old studies", "error", err)
			case len(all) > 0:
				logger.Info("forgotten", "studies", len(all))
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Hour):
			}
		}
	}()
	return nil
}
