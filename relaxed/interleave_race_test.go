//go:build race

package relaxed

import (
	"testing"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/stress"
)

// The tests of many goroutines once more, with goroutines interrupted where it hurts.
func TestQueueInterrupted(t *testing.T) {
	fewer = 60
	defer func() { fewer = 1 }()
	stress.Interrupted(150, func() {
		t.Run("Conserves", TestQueueConserves)
		t.Run("CancelsOnce", TestQueueCancelsOnce)
		t.Run("IsNeverEmpty", TestQueueIsNeverEmpty)
		t.Run("SeesWhatWanders", TestQueueSeesWhatWanders)
	})
}

// An event goes to and fro between two subqueues, always to the one that has just been looked at
// and before it leaves the other, so that a call that looks for it finds each of them empty. It is
// always there, and no call may report that there is none. Only that the subqueues became empty
// once more gives it away.
func TestQueueSeesWhatHides(t *testing.T) {
	for name, look := range map[string]func(c *Queue[int]) bool{
		"wasEmpty": func(c *Queue[int]) bool { return !c.wasEmpty() },
		"Peek":     func(c *Queue[int]) bool { _, ok := c.Peek(); return ok },
		"Next":     func(c *Queue[int]) bool { _, _, ok := c.Next(); return ok },
	} {
		for moves := range 40 {
			for first := range uint32(2) {
				c := New[int](Concurrency(2), perProcess(1))
				c.affinities = c.affinities[:1]
				at := func(shard uint32) { c.affinities[0].at.Store(atHome(shard)) }
				at(1)
				e, _ := c.Schedule(1, 1)
				looks, moving := 0, false
				hide := func() {
					if moving || looks > moves { // it does not hide from itself, nor for ever
						return
					}
					if c.shards[0].tops[0].Load() == locked || c.shards[1].tops[0].Load() == locked {
						return // it has been found
					}
					looks++
					// Looks at shard 0 and shard 1 take turns. Before one of them the event goes to
					// the other.
					moving = true
					was, to := c.affinities[0].at.Load(), uint32(looks%2)
					if to != e.queue {
						at(to)
						next, _ := c.Schedule(1, 1)
						if !c.Cancel(e) {
							t.Error("the event is gone")
						}
						e = next
					}
					c.affinities[0].at.Store(was)
					moving = false
				}
				at(first)
				ok := false
				interleave.Between(hide, func() { ok = look(c) })
				if !ok {
					t.Fatalf("%s at shard %d found nothing, after %d looks", name, first, looks)
				}
			}
		}
	}
}
