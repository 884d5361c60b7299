package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/internal/format"
)

// issues is where faults are reported.
const issues = "https://github.com/almanac-sim/almanac/issues"

// reportFault reports a panic, in one line: what it says, and what to report. The version, the
// command line and the stack go into a file.
func reportFault(root *cobra.Command, args []string, stderr io.Writer, what, stack string) int {
	line, _, _ := strings.Cut(what, "\n")
	report := "the model, its seed, the command line and the version"
	if name, err := writeFault(root, args, what, stack); err == nil {
		report = "the model, its seed, and the file " + name
	}
	fmt.Fprintf(stderr, "%s: this is a fault of the program, not of the model: %s; please report it at %s, with %s\n",
		root.Name(), line, issues, report)
	return ExitWork
}

// writeFault writes what helps to find a fault into a new file.
func writeFault(root *cobra.Command, args []string, what, stack string) (name string, err error) {
	file, err := os.CreateTemp("", root.Name()+"-fault-*.txt")
	if err != nil {
		return "", err
	}
	words := []string{root.Name()}
	for _, a := range args {
		words = append(words, format.Word(a))
	}
	_, err = fmt.Fprintf(file, "%s\n%s\n\n%s\n\n%s\n", root.Version, strings.Join(words, " "), what, stack)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return file.Name(), err
}
