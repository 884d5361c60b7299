//go:build race

package spray

import "testing"

// between has something done between the steps of operations while f runs.
func between(steps, f func()) {
	interleaved.Store(&steps)
	defer interleaved.Store(nil)
	f()
}

// The tests of many goroutines once more, with goroutines interrupted where it hurts.
func TestCalendarInterrupted(t *testing.T) {
	fewer = 20
	defer func() { fewer = 1 }()
	interrupted(150, func() {
		t.Run("Conserves", TestCalendarConserves)
		t.Run("CancelsOnce", TestCalendarCancelsOnce)
		t.Run("IsNeverEmpty", TestCalendarIsNeverEmpty)
		t.Run("SeesWhatWanders", TestCalendarSeesWhatWanders)
	})
}

// An event goes to and fro between two calendars, always to the one that has just been looked at and before it leaves the other, so that
// whoever looks for it finds each of them empty. It is always there, and nobody may say that there is none. Only that the calendars
// became empty once more gives it away.
func TestCalendarSeesWhatHides(t *testing.T) {
	for name, look := range map[string]func(c *Calendar[int]) bool{
		"wasEmpty": func(c *Calendar[int]) bool { return !c.wasEmpty() },
		"Peek":     func(c *Calendar[int]) bool { _, ok := c.Peek(); return ok },
		"Next":     func(c *Calendar[int]) bool { _, _, ok := c.Next(); return ok },
	} {
		for moves := range 40 {
			for first := range uint32(2) {
				c := NewCalendar[int](Processes(2), PerProcess(1))
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
					// Looks at shard 0 and shard 1 take turns. Before one of them the event goes to the other.
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
				between(hide, func() { ok = look(c) })
				if !ok {
					t.Fatalf("%s at shard %d found nothing, after %d looks", name, first, looks)
				}
			}
		}
	}
}
