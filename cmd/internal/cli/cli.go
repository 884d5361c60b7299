// Package cli has what the commands of this module share: exit statuses, usage errors, flags,
// command lines, and the delivery of results.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/almanac-sim/almanac/ensemble"
	"github.com/almanac-sim/almanac/internal/panics"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population"
)

// Exit statuses.
const (
	ExitDone  = 0
	ExitWork  = 1 // the work failed, or a claim did not hold
	ExitUsage = 2 // wrong command line or file
)

// Main runs the command of this process and exits with its status. SIGTERM, by which batch systems
// end a job, counts as an interrupt.
func Main(root *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	os.Exit(Run(ctx, root, os.Args[1:], os.Stdout, os.Stderr))
}

// BareFlag is the annotation of a root command that names a flag of its commands which may stand
// without a value, and the value that it has then, as in "from-state=none".
const BareFlag = "bare flag"

// bareFlags gives a flag that stands without a value the value of BareFlag: if it is the last word,
// or another flag follows.
func bareFlags(root *cobra.Command, args []string) []string {
	name, value, ok := strings.Cut(root.Annotations[BareFlag], "=")
	if !ok {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "--"+name && (i+1 == len(args) || strings.HasPrefix(args[i+1], "--")) {
			args[i] += "=" + value
		}
	}
	return args
}

// Run runs a command and returns its exit status. Errors are prefixed with the name of the command. A
// panic is reported as a fault of the program.
func Run(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) (status int) {
	defer func() {
		if value := recover(); value != nil {
			p := panics.Caught(value)
			status = reportFault(root, args, stderr, fmt.Sprint(p.Value), string(p.Stack))
		}
	}()
	root.SilenceUsage, root.SilenceErrors = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(suggestFlag)
	root.SetArgs(bareFlags(root, args))
	root.SetOut(stdout)
	root.SetErr(stderr)
	started := false
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	err := root.ExecuteContext(ctx)
	var wrong usageError
	var problems population.Problems
	var failed *ensemble.ReplicaError
	var panicked *panics.Error
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &failed) && failed.Reason == "panic":
		return reportFault(root, args, stderr, err.Error(), failed.Stack)
	case errors.As(err, &panicked):
		return reportFault(root, args, stderr, err.Error(), string(panicked.Stack))
	case errors.As(err, &problems):
		for _, p := range problems {
			if strings.HasPrefix(p.File, "--") { // a flag has no file and line, by which editors find the place
				fmt.Fprintf(stderr, "%s: ", root.Name())
			}
			fmt.Fprintln(stderr, p)
		}
		return ExitUsage
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintf(stderr, "%s: interrupted\n", root.Name())
		return ExitWork
	case errors.As(err, &wrong) || errors.Is(err, population.ErrDamagedState) || !started:
		fmt.Fprintf(stderr, "%s: %v\n", root.Name(), strings.TrimSpace(err.Error()))
		return ExitUsage
	default:
		fmt.Fprintf(stderr, "%s: %v\n", root.Name(), err)
		return ExitWork
	}
}

// A usageError ends the command with status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage turns err into a usage error, which ends the command with [ExitUsage].
func Usage(err error) error { return usageError{err} }

// Usagef formats a usage error.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// suggestFlag adds a similar flag to the error of an unknown one, and words that of a wrong value.
func suggestFlag(c *cobra.Command, err error) error {
	if wrong := wrongValue(c, err); wrong != nil {
		return wrong
	}
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

// NoArguments rejects arguments.
func NoArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("%s: did not expect %s", c.Name(), strings.Join(args, " "))
	}
	return nil
}
