package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every queue gives Dijkstra's answer, to the last bit, with any number of goroutines.
func TestAnswersAgree(t *testing.T) {
	for _, side := range []int{2, 3, 40, 150} {
		g := roads(side, uint64(side))
		want, least := dijkstra(g)
		for _, goroutines := range []int{1, 2, 8} {
			for _, q := range queues(goroutines) {
				got, w := search(g, q.queue, goroutines)
				if !slices.Equal(got, want) {
					t.Errorf("%s, side %d, %d goroutines: another answer", q.name, side, goroutines)
				}
				if w.settled != least.settled || w.again < 0 || w.stale < 0 {
					t.Errorf("%s, side %d, %d goroutines: %+v, but Dijkstra's is %+v", q.name, side, goroutines, w, least)
				}
				// A calendar of one goroutine is exact, and no two of these distances are equal.
				if q.name == "relaxed.Queue" && goroutines == 1 && w != least {
					t.Errorf("one goroutine with a calendar, side %d: %+v, but Dijkstra's is %+v", side, w, least)
				}
			}
		}
	}
}

// What the program writes, but for the numbers that depend on the clock, on who came first, and on
// the last bits of lengths, in which processors differ: only the number of crossings that can be
// reached is the same always.
func TestOutput(t *testing.T) {
	var out strings.Builder
	if err := run(&out, 60, 3, 1); err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m) +[\d.]+ +(\d+) +\d+ +\d+ +[\d.]+%$`)
	if got := row.ReplaceAllString(out.String(), ": $1"); got != recorded {
		t.Errorf("got\n%s\nwant\n%s", got, recorded)
	}
}

const recorded = `3600 crossings, 12826 roads, 3 goroutines

                           seconds   settled     again     stale    wasted
Dijkstra, one goroutine: 3600
spray.List: 3600
relaxed.Queue: 3600

all answers agree
`

// The share of the work that is wasted, from counts that are known.
func TestShare(t *testing.T) {
	for w, want := range map[work]float64{{settled: 10}: 0, {settled: 6, again: 3, stale: 1}: 0.4,
		{settled: 1, stale: 1}: 0.5} {
		if got := w.share(); got != want {
			t.Errorf("%+v: %v, want %v", w, got, want)
		}
	}
}

// The network is what it says: roads go both ways and are as long in both.
func TestRoads(t *testing.T) {
	g := roads(50, 3)
	lengths := map[[2]uint32]float32{}
	for v := range uint32(2500) {
		for e := g.first[v]; e < g.first[v+1]; e++ {
			lengths[[2]uint32{v, g.to[e]}] = g.length[e]
		}
	}
	for way, length := range lengths {
		if back, ok := lengths[[2]uint32{way[1], way[0]}]; !ok || back != length || !(length > 0) {
			t.Errorf("%v is %v, and back %v", way, length, back)
		}
	}
	if n := len(lengths); n < 8600 || n > 9100 { // 9800 less a tenth, but for main roads: 8876 ± 56
		t.Errorf("%d roads", n)
	}
}
