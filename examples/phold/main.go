// Phold is the benchmark by which parallel simulators are compared, run on one core: messages that
// wander about among logical processes for ever. Who gets one keeps it for a random time and sends
// it on, to itself or to another.
//
//	go run ./examples/phold -processes 100000 -messages 10 -until 20
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/almanac-sim/almanac/sim"
)

// A network is the model: each message is always one pending event.
type network struct {
	*sim.Simulation
	random    *rand.Rand
	received  []int   // by logical process
	remote    float64 // the share of messages that go to any process; the others stay
	lookahead float64 // a message takes at least this long
}

// send has a message arrive at a logical process. Delays are exponential beyond the lookahead, with
// a mean of 1 in all.
func (n *network) send(to int) {
	n.After(n.lookahead+(1-n.lookahead)*n.random.ExpFloat64(), func() {
		n.received[to]++
		if n.random.Float64() < n.remote {
			to = n.random.IntN(len(n.received))
		}
		n.send(to)
	})
}

func main() {
	processes := flag.Int("processes", 1000, "number of logical processes")
	messages := flag.Int("messages", 16, "messages at each process at the start")
	remote := flag.Float64("remote", 0.5, "share of the messages that go to a random process")
	lookahead := flag.Float64("lookahead", 0.1, "smallest delay of a message; the mean is 1")
	until := flag.Float64("until", 100, "end of the simulated time")
	seed := flag.Uint64("seed", 1, "random seed")
	flag.Parse()
	if *processes < 1 || *messages < 1 || !(*remote > 0 && *remote <= 1) || !(*lookahead >= 0 && *lookahead < 1) ||
		!(*until > 0 && *until <= 1e9) || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "phold: -processes and -messages are at least 1, -remote above 0 and up to 1, -lookahead "+
			"from 0 to below 1,",
			"-until above 0, and there are no other arguments")
		os.Exit(2)
	}
	s := sim.New(sim.Seed(*seed))
	n := &network{s, s.Stream("messages"), make([]int, *processes), *remote, *lookahead}
	for lp := range *processes {
		for range *messages {
			n.send(lp)
		}
	}
	began := time.Now()
	if err := s.Run(context.Background(), *until); err != nil {
		fmt.Fprintln(os.Stderr, "phold:", err)
		os.Exit(1)
	}
	took := time.Since(began).Seconds()

	var received sim.Tally
	for _, count := range n.received {
		received.Add(float64(count))
	}
	population := *processes * *messages
	expected := float64(population) * *until // a message arrives once in a unit of time
	fmt.Printf("%d logical processes, %d messages, %.0f %% of them remote, lookahead %g, until %g\n\n",
		*processes, population, 100**remote, *lookahead, *until)
	fmt.Printf("events                  %10d  (%.0f expected, %+.2f %%)\n",
		s.Events(), expected, 100*(float64(s.Events())/expected-1))
	fmt.Printf("pending at the end      %10d\n", s.PendingEvents())
	fmt.Printf("received by a process   %10.1f  on average, %.0f … %.0f\n", received.Mean(), received.Min(),
		received.Max())
	// A message that comes stays for 1/remote visits on average. Visits that come in such bunches
	// vary more than if each came by itself, by a factor of (2−remote)/remote.
	fmt.Printf("standard deviation      %10.1f  (about %.1f expected)\n", received.StdDev(),
		math.Sqrt(received.Mean()*(2-*remote) / *remote))
	fmt.Fprintf(os.Stderr, "%.2f s, %.1f million events a second\n", took, float64(s.Events())/took/1e6)
}
