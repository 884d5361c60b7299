package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/population"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the build",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), versionLine())
			return err
		},
	}
}

// versionLine is what version and --version print.
func versionLine() string {
	version := strings.TrimPrefix(population.Version(), "v") // a tag is v0.1.0, the release 0.1.0
	return fmt.Sprintf("almanac %s (%s %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
