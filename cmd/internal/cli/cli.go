// Package cli is what the commands of this module have in common: exit statuses, errors of usage,
// flags, the command line of a run, and how its results are delivered.
package cli

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

	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// Exit statuses.
const (
	ExitDone  = 0
	ExitWork  = 1 // the work failed, or a claim did not hold
	ExitUsage = 2 // the command line or a file is wrong
)

// Main executes the command of this process and ends the process with its exit status.
func Main(root *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // the first interrupt ends the work cleanly, a second one the program
	os.Exit(Run(ctx, root, os.Args[1:], os.Stdout, os.Stderr))
}

// Run executes a command and returns its exit status. Errors are printed with the name of the
// command before them.
func Run(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	root.SilenceUsage, root.SilenceErrors = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(suggestFlag)
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
		return ExitDone
	case errors.As(err, &problems):
		fmt.Fprintln(stderr, problems)
		return ExitUsage
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintf(stderr, "%s: interrupted\n", root.Name())
		return ExitWork
	case errors.As(err, &wrong) || !started:
		fmt.Fprintf(stderr, "%s: %v\n", root.Name(), strings.TrimSpace(err.Error()))
		return ExitUsage
	default:
		fmt.Fprintf(stderr, "%s: %v\n", root.Name(), err)
		return ExitWork
	}
}

// A usageError is the caller's: it ends the command with status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage makes an error one of usage: it ends the command with [ExitUsage].
func Usage(err error) error { return usageError{err} }

// Usagef is an error of usage with this text; see [fmt.Errorf].
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// suggestFlag names the flag that was probably meant.
func suggestFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := suggest.Name(unknown.GetSpecifiedName(), names); near != "" {
			return Usagef("%w; did you mean --%s?", err, near)
		}
	}
	return Usagef("%w; see %s --help", err, c.CommandPath())
}

// NoArguments is the Args of a command that has flags only.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("%s: did not expect %s", c.Name(), strings.Join(args, " "))
	}
	return nil
}
