package sim

import (
	"fmt"
	"iter"
	"testing"

	"github.com/almanac-sim/almanac/internal/random"
)

// What a turn costs at the least: coroutines in random order, each given the turn by the goroutine
// that dispatches and giving it back to it, or by one change of places with the next.
func BenchmarkCoroutines(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("there-and-back/%d", n), func(b *testing.B) { thereAndBack(b, n) })
		b.Run(fmt.Sprintf("change/%d", n), func(b *testing.B) { swapGoroutines(b, n) })
	}
}

func thereAndBack(b *testing.B, n int) {
	nexts, stops := make([]func() (struct{}, bool), n), make([]func(), n)
	for i := range nexts {
		nexts[i], stops[i] = iter.Pull(func(yield func(struct{}) bool) {
			for yield(struct{}{}) {
			}
		})
		nexts[i]()
	}
	r := random.New(1)
	b.ResetTimer()
	for range b.N {
		nexts[r.Below(uint64(n))]()
	}
	b.StopTimer()
	for _, stop := range stops {
		stop()
	}
}

// swapGoroutines is as TestCoroutinesSwapGoroutines has it, with more coroutines.
func swapGoroutines(b *testing.B, n int) {
	here := n
	coroutines, places := make([]coroutine, n), make([]*coroutine, n+1)
	var relay *coroutine
	change := func(me int, at *coroutine) {
		places[me] = at
		for at.swap(); relay != nil; at.swap() {
			at, relay = relay, nil
			places[me] = at
		}
	}
	r := random.New(1)
	left := n
	for me := range coroutines {
		places[me] = &coroutines[me]
		coroutines[me].next, _ = iter.Pull(func(yield func(struct{}) bool) {
			coroutines[me].yield = yield
			change(me, places[here]) // it has begun
			for left >= 0 {
				next := int(r.Below(uint64(n)))
				if left--; left <= 0 {
					next, left = here, -1
				}
				if next != me {
					change(me, places[next])
				}
			}
		})
		change(here, places[me])
	}
	left = b.N
	b.ResetTimer()
	change(here, places[0])
	b.StopTimer()
	for x := range coroutines { // when one ends, who stands at its own coroutine goes on
		if places[x] != &coroutines[x] {
			relay = places[x]
		}
		places[here] = &coroutines[x]
		coroutines[x].swap()
	}
}
