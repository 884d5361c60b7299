// Shortest-paths finds the shortest way from one crossing of a road network to all others, in parallel: goroutines take the nearest crossings
// from a relaxed queue. A crossing that is taken too early is visited again when a shorter way to it is found, which is wasted
// work, and the answer is the same as Dijkstra's.
//
//	go run ./examples/shortest-paths --side 1000 --goroutines 4
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"
)

func main() {
	side := flag.Int("side", 700, "crossings along a side of the network")
	goroutines := flag.Int("goroutines", runtime.GOMAXPROCS(0), "how many goroutines search")
	seed := flag.Uint64("seed", 1, "of the network")
	flag.Parse()
	if *side < 2 || *side > 20_000 || *goroutines < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "shortest-paths: --side is from 2 to 20000, --goroutines at least 1, and there are no other arguments")
		os.Exit(2)
	}
	g := roads(*side, *seed)
	fmt.Printf("%d crossings, %d roads, %d goroutines\n", len(g.first)-1, len(g.to), *goroutines)
	began := time.Now()
	want, visits := dijkstra(g)
	fmt.Printf("%-28s %6.2f s  %d visits\n", "Dijkstra, one goroutine", time.Since(began).Seconds(), visits)
	for _, q := range queues(*goroutines) {
		began := time.Now()
		got, all := search(g, q.queue, *goroutines)
		fmt.Printf("%-28s %6.2f s  %d visits, %.2f %% wasted\n", q.name, time.Since(began).Seconds(), all, 100*float64(all-visits)/float64(visits))
		for v := range want {
			if got[v] != want[v] {
				fmt.Fprintf(os.Stderr, "shortest-paths: crossing %d is %v away, not %v\n", v, want[v], got[v])
				os.Exit(1)
			}
		}
	}
	fmt.Println("all answers agree")
}
