// Command almanac-bench measures the structures, the engine and the program of this module, and
// compares them with others and with what is wanted.
//
// # Files
//
// A benchmark has a file with its name:
//
//	calendar.go    event sets; calendar_print.go its tables and pictures
//	capped.go      simulations of CAPPED
//	dispatch.go    ways to give requests to workers; dispatch_print.go its tables and pictures
//	proxies.go     the same, with HTTP proxies
//	ensemble.go    package ensemble
//	latency.go     single calls of event sets
//	population.go  package population
//	sim.go         simulation kernels
//	spray.go       queues that goroutines share
//	timers.go      timers
//	run.go         flags and repetitions that they share
//	processor_unix.go, processor_other.go  processor time
package main

import (
	"github.com/spf13/cobra"

	"github.com/almanac-sim/almanac/cmd/internal/cli"
)

func main() { cli.Main(newRoot()) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "almanac-bench",
		Short: "Benchmark the parts of Almanac beside other implementations",
	}
	root.AddCommand(newCalendar(), newCapped(), newLatency(), newSpray(), newSim(), newPopulation(), newEnsemble(),
		newDispatch(), newTimers(), newWorker())
	return root
}
