// Balancer computes how large the buffers of servers should be if requests go to servers at random.
// It prints the mean and the longest wait in the long run, the limit of many servers and the
// paper's bound, and for comparison servers with unlimited buffers, of which a request asks one or
// two.
//
//	go run ./examples/balancer -servers 100000 -load 0.999
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/almanac-sim/almanac/capped"
)

func main() {
	servers := flag.Int("servers", 10_000, "number of servers")
	load := flag.Float64("load", 0.99, "requests per server and round; a server serves one in a round")
	most := flag.Int("buffer", 5, "the largest buffer to try")
	seed := flag.Uint64("seed", 1, "random seed")
	flag.Parse()
	if *servers < 2 || *servers > 1<<30 || !(*load > 0 && *load <= 0.9999) ||
		*most < 1 || *most > 100 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "balancer: -servers is from 2 to 2³⁰, -load above 0 and at most 0.9999, "+
			"-buffer from 1 "+
			"to 100, and there are no other arguments")
		os.Exit(2)
	}
	if err := run(*servers, *load, *most, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "balancer:", err)
		os.Exit(1)
	}
}

func run(n int, load float64, most int, seed uint64) error {
	fmt.Printf("%d servers, each serves one request a round, %g requests per server and round\n\n", n, load)
	fmt.Println("buffer    in the pool,     wait in rounds,      in the limit    longest wait   no longer than,")
	fmt.Println("         per server             mean             pool   wait     of a round    by the theorem")
	for c := 1; c <= most; c++ {
		config := capped.Config{Bins: n, Capacity: c, Rate: load, Seed: seed, Warm: true}
		m, err := capped.Measure(context.Background(), config, capped.Plan{Rounds: 2000})
		if err != nil {
			return err
		}
		pool, wait := capped.MeanField(c, load)
		fmt.Printf("%6d  %6.3f ± %.3f    %6.3f ± %.3f     %6.3f %6.3f     %8.1f       %8.1f\n", c,
			m.Pool.Mean/float64(n), m.Pool.Error/float64(n), m.Wait.Mean, m.Wait.Error, pool, wait, m.Longest.Mean,
			capped.WaitBound(n, c, load))
	}
	fmt.Printf("\nthe mean wait is least with a buffer of %d\n\n", capped.SweetSpot(load))
	for d := 1; d <= 2; d++ {
		limit := capped.GreedyLimit(d, load)
		fmt.Printf("no limit, the shorter of %d: mean wait %.2f, longest %d\n", d, limit.Wait, limit.MaxWait(n))
	}
	return nil
}
