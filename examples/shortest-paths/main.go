// Shortest-paths finds the shortest way from one crossing of a road network to all others, in
// parallel: goroutines take the nearest crossings from a relaxed queue. A crossing that is taken
// too early is visited again when a shorter way to it is found, which is wasted work, and the
// answer is the same as Dijkstra's.
//
// It does so with both relaxed queues: spray.List, where a removal sprays over the first elements
// of a skip list, and relaxed.Queue, where every goroutine works off a calendar of its own and
// helps those that have fallen behind. For each it says how many crossings were settled, how many
// visits were made again because they came too early, how many entries were stale when they were
// taken from the queue, and what part of all that was taken these two are. Some entries are stale
// for Dijkstra, too, because a crossing is entered once more when a shorter way to it is found, and
// the old entry stays.
//
//	go run ./examples/shortest-paths --side 1000 --goroutines 4
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

func main() {
	side := flag.Int("side", 700, "crossings along a side of the network")
	goroutines := flag.Int("goroutines", runtime.GOMAXPROCS(0), "number of goroutines")
	seed := flag.Uint64("seed", 1, "random seed of the network")
	flag.Parse()
	if *side < 2 || *side > 20_000 || *goroutines < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "shortest-paths: --side is from 2 to 20000, --goroutines at least 1, and there are no "+
			"other arguments")
		os.Exit(2)
	}
	if err := run(os.Stdout, *side, *goroutines, *seed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run searches with every queue, says what work it was, and compares the answers with Dijkstra's.
func run(out io.Writer, side, goroutines int, seed uint64) error {
	g := roads(side, seed)
	fmt.Fprintf(out, "%d crossings, %d roads, %d goroutines\n\n", len(g.first)-1, len(g.to), goroutines)
	fmt.Fprintf(out, "%-24s %9s %9s %9s %9s %9s\n", "", "seconds", "settled", "again", "stale", "wasted")
	tell := func(name string, began time.Time, w work) {
		took := time.Since(began).Seconds()
		fmt.Fprintf(out, "%-24s %9.2f %9d %9d %9d %8.2f%%\n", name, took, w.settled, w.again, w.stale, 100*w.share())
	}
	began := time.Now()
	want, w := dijkstra(g)
	tell("Dijkstra, one goroutine", began, w)
	for _, q := range queues(goroutines) {
		began := time.Now()
		got, w := search(g, q.queue, goroutines)
		tell(q.name, began, w)
		for v := range want {
			if got[v] != want[v] {
				return fmt.Errorf("shortest-paths: %s: crossing %d is %v away, not %v", q.name, v, want[v], got[v])
			}
		}
	}
	fmt.Fprintln(out, "\nall answers agree")
	return nil
}
