package population

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/calendar"
)

// check verifies the invariants of a replica. It takes time proportional to the number of ids, and is called by tests.
func (r *replica) check() error {
	free := map[uint32]bool{}
	for id := range r.free.all {
		if free[id] || id < r.first || int(id) >= r.ids {
			return fmt.Errorf("id %d is free twice, or not an individual's", id)
		}
		free[id] = true
	}
	counts := make([]int, len(r.counts))
	numbers := map[uint64]bool{}
	pending := 0
	for id := r.first; int(id) < r.ids; id++ {
		state := r.person(id).state
		at, due := r.queue.At(calendar.ID(id))
		if r.glances && uint16(r.glance[id]) != state+1 {
			return fmt.Errorf("id %d looks as if it were in state %d, and is in %d", id, int(r.glance[id])-1, state)
		}
		if free[id] != (state == nobody) || free[id] && due {
			return fmt.Errorf("id %d: free %v, state %d, event %v", id, free[id], state, due)
		}
		if state == nobody {
			continue
		}
		counts[state]++
		if r.onEvent != nil {
			if n := r.numbers[id]; n == 0 || n > r.entered || numbers[n] {
				return fmt.Errorf("id %d has number %d of %d, or another has it too", id, n, r.entered)
			}
			numbers[r.numbers[id]] = true
		}
		if due {
			pending++
		}
		if err := r.checkEvent(id, state, at, due); err != nil {
			return fmt.Errorf("id %d in state %s at %v: %w", id, r.m.states[state], r.now, err)
		}
	}
	alive := 0
	for s, n := range counts {
		if n != r.counts[s] {
			return fmt.Errorf("%d in state %s, counted as %d", n, r.m.states[s], r.counts[s])
		}
		if n > r.peaks[s].Count {
			return fmt.Errorf("%d in state %s, above the peak of %d", n, r.m.states[s], r.peaks[s].Count)
		}
		alive += n
	}
	if alive != r.alive {
		return fmt.Errorf("%d are alive, counted as %d", alive, r.alive)
	}
	for k := range r.first {
		if _, due := r.queue.At(calendar.ID(k)); due {
			pending++
		}
	}
	if pending != r.queue.Len() {
		return fmt.Errorf("%d events of the living, %d in the calendar", pending, r.queue.Len())
	}
	if err := r.checkAside(); err != nil {
		return err
	}
	return r.checkGroups()
}

// checkAside verifies that the timers that lie aside are those that the living say they have.
func (r *replica) checkAside() error {
	said := 0
	for id := r.first; int(id) < r.ids; id++ {
		for set, column := r.person(id).aside, 0; set != 0; set, column = set>>1, column+1 {
			if set&1 == 0 {
				continue
			}
			said++
			if !r.asideOf[column] && r.place[column] != inShared || !r.aside.of(id).has(id, column) {
				return fmt.Errorf("id %d: the timer of column %d does not lie aside", id, column)
			}
		}
	}
	if r.aside != nil && r.aside.count() != said {
		return fmt.Errorf("%d timers lie aside, %d are said to", r.aside.count(), said)
	}
	return nil
}

// checkEvent verifies that the event in the calendar is the earliest, or that there is none by the end.
func (r *replica) checkEvent(id uint32, state uint16, at float64, due bool) error {
	first := math.Inf(1)
	for _, t := range r.pendingTimers(id, state) {
		if !(t >= r.now) {
			return fmt.Errorf("a timer at %v is in the past", t)
		}
		first = min(first, t)
	}
	switch {
	case due && !(at >= r.now && at <= r.end):
		return fmt.Errorf("the event at %v is not between now and the end, %v", at, r.end)
	case due && at > first:
		return fmt.Errorf("the event at %v comes after a timer at %v", at, first)
	case due && at < first && r.table(id, state).rate == 0 && r.table(id, state).vary == nil:
		return fmt.Errorf("the event at %v is nobody's: timers begin at %v", at, first)
	case !due && first <= r.end:
		return fmt.Errorf("no event, but a timer at %v", first)
	}
	return nil
}

// pendingTimers are when the clocks strike that an individual carries.
func (r *replica) pendingTimers(id uint32, state uint16) []float64 {
	var all []float64
	for k := range len(r.t.always) + r.t.states[state].timers {
		all = append(all, timeOf(r.timer(id, k)))
	}
	return all
}

// checkGroups verifies that groups hold each of the living once, where their places say.
func (r *replica) checkGroups() error {
	check := func(g *groups, group func(id uint32) int) error {
		members := 0
		for k, list := range g.members {
			members += len(list)
			for i, id := range list {
				if r.person(id).state == nobody || g.places[id] != uint32(i) || group(id) != k {
					return fmt.Errorf("id %d is wrong in group %d", id, k)
				}
			}
		}
		if members != r.alive {
			return fmt.Errorf("%d in groups, %d alive", members, r.alive)
		}
		return nil
	}
	for a, g := range r.groups {
		if g != nil {
			if err := check(g, func(id uint32) int { return int(r.values[a].of(id)) }); err != nil {
				return err
			}
		}
	}
	if r.all != nil {
		return check(r.all, func(uint32) int { return 0 })
	}
	return nil
}

// has tells whether a pair is in the table.
func (a *asideTable) has(id uint32, column int) bool {
	return a.entries[a.find(asideKey(id, column))].key != 0
}

func calendarID(id uint32) calendar.ID { return calendar.ID(id) }

// all are the ids in the line, in order.
func (l *line) all(yield func(uint32) bool) {
	for i := range l.n {
		if !yield(l.at(i)) {
			return
		}
	}
}
