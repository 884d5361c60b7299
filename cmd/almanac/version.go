package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/population"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and what it was built with",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(c.OutOrStdout(), "almanac %s (%s %s/%s)\n", population.Version(), runtime.Version(),
				runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
