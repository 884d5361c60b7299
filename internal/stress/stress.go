// Package stress holds what the tests of the concurrent structures share: goroutines that are
// stopped between any two steps, and a matrix of roles, goroutines and processors.
package stress

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// FewerRaced returns how often to do something: less often with the race detector, with which it
// takes thirty times as long, unless there is time.
func FewerRaced(usually, raced int) int {
	if interleave.Enabled {
		return testscale.Size(raced, usually)
	}
	return usually
}

// Jolted lets others run between steps, one time in n, while f runs.
func Jolted(n uint64, f func()) {
	var count atomic.Uint64
	interleave.Between(func() {
		if count.Add(0x9e3779b97f4a7c15)>>32%n == 0 {
			runtime.Gosched()
		}
	}, f)
}

// Interrupted makes goroutines yield between steps while f runs: often out of a thousand times, and
// sometimes for long.
func Interrupted(often int, f func()) {
	interleave.Between(func() {
		switch x := rand.IntN(1000); {
		case x < 1:
			time.Sleep(20 * time.Microsecond)
		case x < often:
			runtime.Gosched()
		}
	}, f)
}

// Describe lists the operations of a history in the order of their calls.
func Describe(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	s := ""
	for _, op := range history {
		s += fmt.Sprintf("\n%d: %d to %d: %+v", op.ClientId, op.Call, op.Return, op.Output)
	}
	return s
}
