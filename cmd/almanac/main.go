// Command almanac runs models and benchmarks on a future-event engine.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/almanac-sim/almanac/internal/nearest"
	"github.com/almanac-sim/almanac/population"
)

// Exit statuses.
const (
	exitDone  = 0
	exitWork  = 1 // the work failed, or a claim did not hold
	exitUsage = 2 // the command line or a file is wrong
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // the first interrupt ends the work cleanly, a second one the program
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes the command and returns its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	started := false
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	err := root.ExecuteContext(ctx)
	var wrong usageError
	var problems population.Problems
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &problems):
		fmt.Fprintln(stderr, problems)
		return exitUsage
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintln(stderr, "almanac: interrupted")
		return exitWork
	case errors.As(err, &wrong) || !started:
		fmt.Fprintf(stderr, "almanac: %v\n", strings.TrimSpace(err.Error()))
		return exitUsage
	default:
		fmt.Fprintf(stderr, "almanac: %v\n", err)
		return exitWork
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "almanac",
		Short:         "A future-event engine: models, benchmarks, and the papers behind it",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(suggestFlag)
	root.AddCommand(newRun(), newSweep(), newCompare(), newFit(), newHub(), newWorker(), newJobs(), newCheck(), newServe(), newCapped(), newReproduce(), newBench(), newCalibrate(), newVersion())
	return root
}

// A usageError is the caller's: it ends the command with status 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// suggestFlag names the flag that was probably meant.
func suggestFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := nearest.Name(unknown.GetSpecifiedName(), names); near != "" {
			return usagef("%w; did you mean --%s?", err, near)
		}
	}
	return usagef("%w; see %s --help", err, c.CommandPath())
}
