// Command almanac-bench measures the structures, the engine and the program of this module, and
// compares them with others and with what is wanted.
package main

import (
	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
)

func main() { cli.Main(newRoot()) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "almanac-bench",
		Short: "Measure the future-event engine beside others, and compare with what is wanted",
	}
	root.AddCommand(newCalendar(), newCapped(), newLatency(), newSpray(), newSim(), newPopulation(), newEnsemble(),
		newDispatch(), newTimers(), newWorker())
	return root
}
