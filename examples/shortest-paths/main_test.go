package main

import (
	"slices"
	"testing"
)

// Every queue gives Dijkstra's answer, to the last bit, with any number of goroutines.
func TestAnswersAgree(t *testing.T) {
	for _, side := range []int{2, 3, 40, 150} {
		g := roads(side, uint64(side))
		want, visits := dijkstra(g)
		for _, goroutines := range []int{1, 2, 8} {
			for _, q := range queues(goroutines) {
				got, all := search(g, q.queue, goroutines)
				if !slices.Equal(got, want) {
					t.Errorf("%s, side %d, %d goroutines: another answer", q.name, side, goroutines)
				}
				if all < visits {
					t.Errorf("%s, side %d, %d goroutines: %d visits, fewer than Dijkstra's %d", q.name, side, goroutines, all, visits)
				}
			}
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
