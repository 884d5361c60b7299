package spray

import (
	"runtime"
	"sync/atomic"

	"github.com/almanac-sim/almanac/internal/epoch"
)

// Stats are what a list has done since it was made.
type Stats struct {
	Sprays     uint64 // walks
	Collisions uint64 // walks that ended where everything was dead or claimed by others
	Lost       uint64 // elements at which a walk ended, and which another goroutine removed or read just then
	Retries    uint64 // compare-and-swaps of links that failed, because another goroutine had changed the link
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
	losses
	retries
)

type counts [epoch.Counters]uint64

// Stats returns the sums over all goroutines. Counts of operations that are in progress may be
// missing: it waits only a moment for them.
func (l *List[K, V]) Stats() Stats {
	l.demandMade()
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
		Sprays: sum[sprays], Collisions: sum[collisions], Padding: sum[paddings], Short: sum[shortWalks],
		Exact:  sum[exacts],
		Sweeps: sum[sweeps], Unlinked: sum[unlinked], Waits: sum[waits], Lost: sum[losses], Retries: sum[retries],
		Nodes: int(l.fresh.Load()),
	}
}

// Heights returns the heights of all elements, first to last. They determine how far walks go. In a
// list whose heights walks have not biased, a height of h has probability 2^(−h), independently of
// the others. While other goroutines insert and remove it is approximate. It visits all elements.
func (l *List[K, V]) Heights() []int {
	l.demandMade()
	p := l.epochs.Enter()
	defer p.Leave()
	heights := make([]int, 0, max(0, l.Len()))
	for i := atomic.LoadUint32(&l.head.next[0]) &^ frozen; i != none; {
		n := l.nodes.At(i)
		if state := n.state.Load(); state&alive != 0 {
			heights = append(heights, heightOf(state))
		}
		i = atomic.LoadUint32(&n.next[0]) &^ frozen
	}
	return heights
}
