package spray

import (
	"runtime"

	"github.com/almanac-sim/almanac/internal/epoch"
)

// Stats are what a list has done since it was made.
type Stats struct {
	Sprays     uint64 // walks
	Collisions uint64 // walks that ended where everything was dead or claimed by others
	Padding    uint64 // walks that ended in the padding
	Short      uint64 // walks that came to the end of the list
	Exact      uint64 // removals by Spray that took the first element
	Sweeps     uint64 // sweeps
	Unlinked   uint64 // nodes unlinked from all levels
	Waits      uint64 // insertions that waited for nodes to become free
	Nodes      int    // nodes in the arena
}

// What a participant counts.
const (
	sprays = iota
	collisions
	paddings
	shortWalks
	exacts
	sweeps
	unlinked
	waits
)

type counts [epoch.Counters]uint64

// Stats adds up what all goroutines have done. What operations that are under way did lately may be
// missing: it waits only a moment for them.
func (l *List[K, V]) Stats() Stats {
	var sum counts
	for _, p := range l.epochs.Participants() {
		there := l.epochs.TryEnter(p)
		for try := 0; !there && try < 16; try++ {
			runtime.Gosched()
			there = l.epochs.TryEnter(p)
		}
		for i := range sum {
			if there {
				sum[i] += p.Counts[i]
			} else {
				sum[i] += p.Published(i) // the participant is in use, maybe by a goroutine that was halted
			}
		}
		if there {
			p.Leave()
		}
	}
	return Stats{
		Sprays: sum[sprays], Collisions: sum[collisions], Padding: sum[paddings], Short: sum[shortWalks], Exact: sum[exacts],
		Sweeps: sum[sweeps], Unlinked: sum[unlinked], Waits: sum[waits],
		Nodes: int(l.fresh.Load()),
	}
}
