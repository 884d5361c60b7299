package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/allocation"
)

// newJobsForget is jobs forget: one study by its key, or all that nobody has used for some time.
func newJobsForget() *cobra.Command {
	var older string
	var age time.Duration
	c := onHub(&cobra.Command{
		Use:   "forget KEY | --older AGE",
		Short: "Remove a study with its results from the hub, or all that were not used for some time",
		Long: "Remove a study with its results from the hub, or all that were not used for some time.\n\n" +
			"A study is used when it is begun or goes on, and when its command is given again. Each stage of a fit is a " +
			"study of its own, of which the hub\n" +
			"keeps all answers, so that the fit can go on: --older is the way to be rid of them. One that is running is " +
			"never old.",
		Example: "  almanac jobs forget 3f2a\n  almanac jobs forget --older 30d",
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
	c.Flags().StringVar(&older, "older", "", "forget all studies that were not used for so long, as in 30d or 12h")
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

// leastAge is how old what is forgotten is at least: a study that runs is written to every second,
// by a clock that may be another one.
const leastAge = time.Minute

// parseAge reads how old something is to be.
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

// forgetOld removes what was not used for so long, now and every hour.
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
