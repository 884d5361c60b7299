package engine

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// Check verifies the invariants of a run between two events, or between two windows, in time
// proportional to the number of ids. Tests and verify call it.
func (r *Run) Check() error {
	if !(int(r.firstID) <= r.Used && r.Used <= r.slotCount) {
		return fmt.Errorf("ids from %d to %d are in use, of %d slots", r.firstID, r.Used, r.slotCount)
	}
	if all := r.Program.Sizes; all != nil && r.Alive > all[r.sizeClass] {
		return fmt.Errorf("%d are alive, more than the %d of size class %d", r.Alive, all[r.sizeClass], r.sizeClass)
	}
	if r.windows != nil {
		return r.checkWindows()
	}
	free := make([]bool, r.Used)
	for id := range r.free.All {
		if id < r.firstID || int(id) >= r.Used || free[id] {
			return fmt.Errorf("id %d is free twice, or not an individual's", id)
		}
		free[id] = true
	}
	counts := make([]int, len(r.Counts))
	var numbers []uint64 // one bit for each
	if r.numbered() {
		numbers = make([]uint64, r.entered/64+1)
	}
	pending := 0
	for id := r.firstID; int(id) < r.Used; id++ {
		state := r.status(id).state
		at, due := r.Queue.Due(eventqueue.ID(id))
		if r.caching && uint16(r.stateCache[id]) != state+1 {
			return fmt.Errorf("id %d looks as if it were in state %d, and is in %d", id, int(r.stateCache[id])-1, state)
		}
		if free[id] != (state == program.NoState) || free[id] && due {
			return fmt.Errorf("id %d: free %v, state %d, event %v", id, free[id], state, due)
		}
		if state == program.NoState {
			continue
		}
		counts[state]++
		for m := range r.Program.Machines {
			one := &r.Program.Machines[m]
			counts[one.FirstCount+int(r.attributes[one.Attribute].Of(id))]++
		}
		if a := r.Program.StateAttribute; a >= 0 && r.attributes[a].Of(id) != state {
			return fmt.Errorf("id %d has the state %d as an attribute, and is in %d", id, r.attributes[a].Of(id), state)
		}
		if !r.checkPersonal(id) {
			return fmt.Errorf("id %d in state %s has a wrong time since", id, r.Program.States[state])
		}
		if r.numbered() {
			n := r.numbers[id]
			if n == 0 || n > r.entered || numbers[n/64]>>(n%64)&1 != 0 {
				return fmt.Errorf("id %d has number %d of %d, or another has it too", id, n, r.entered)
			}
			numbers[n/64] |= 1 << (n % 64)
		}
		if due {
			pending++
		}
		if err := r.checkEvent(id, state, at, due); err != nil {
			return fmt.Errorf("id %d in state %s at %v: %w", id, r.Program.States[state], r.Now, err)
		}
	}
	if r.lines != nil && !r.lines.isValid(r) {
		return fmt.Errorf("somebody is not in the state in which it waits, a queue has another number of them, " +
			"or somebody waits who could be served")
	}
	if err := r.checkOutcomes(); err != nil {
		return err
	}
	if err := r.checkConditions(); err != nil {
		return err
	}
	if err := r.checkObservers(); err != nil {
		return err
	}
	alive := 0
	for s, n := range counts {
		if n != r.Counts[s] {
			return fmt.Errorf("%d in state %s, counted as %d", n, r.Program.Counted[s], r.Counts[s])
		}
		if n > r.Peaks[s].Count {
			return fmt.Errorf("%d in state %s, above the peak of %d", n, r.Program.Counted[s], r.Peaks[s].Count)
		}
		if s < len(r.Program.States) {
			alive += n
		}
	}
	if alive != r.Alive {
		return fmt.Errorf("%d are alive, counted as %d", alive, r.Alive)
	}
	for k := range r.firstID {
		if _, due := r.Queue.Due(eventqueue.ID(k)); due {
			pending++
		}
	}
	if pending != r.Queue.Len() {
		return fmt.Errorf("%d events of the living, %d in the calendar", pending, r.Queue.Len())
	}
	if err := r.checkSparse(); err != nil {
		return err
	}
	if r.tracing != nil {
		if err := r.checkTracing(); err != nil {
			return err
		}
	}
	if err := r.checkTallies(); err != nil {
		return err
	}
	return r.checkGroups()
}

// checkSparse verifies that the sparse table holds exactly the timers that status.sparse says, and
// that the shared word of an individual holds a timer exactly if status.held says so.
func (r *Run) checkSparse() error {
	said := 0
	for id := r.firstID; int(id) < r.Used; id++ {
		status := r.status(id)
		if held := r.shared && r.words[int(id)*r.stride+headWords] != never; status.state != program.NoState &&
			held != (status.held != 0) {
			return fmt.Errorf("id %d: the shared word holds a timer: %v, status.held is %d", id, held, status.held)
		}
		for set, column := status.sparse, 0; set != 0; set, column = set>>1, column+1 {
			if set&1 == 0 {
				continue
			}
			said++
			if !r.sparse[column] && r.offset[column] != isShared || !r.sparseTimers.Of(id).Has(id, column) {
				return fmt.Errorf("id %d: the timer of column %d is not sparse", id, column)
			}
		}
	}
	if r.sparseTimers != nil && r.sparseTimers.Count() != said {
		return fmt.Errorf("%d timers are sparse, %d by status", r.sparseTimers.Count(), said)
	}
	return nil
}

// checkEvent verifies that the calendar holds the next event of an individual exactly if it is due
// by the end.
func (r *Run) checkEvent(id uint32, state uint16, at float64, due bool) error {
	first := math.Inf(1)
	for _, t := range r.pendingTimers(id, state) {
		if !(t >= r.Now) {
			return fmt.Errorf("a timer at %v is in the past", t)
		}
		first = min(first, t)
	}
	switch {
	case due && !(at >= r.Now && at <= r.end):
		return fmt.Errorf("the event at %v is not between now and the end, %v", at, r.end)
	case due && at > first:
		return fmt.Errorf("the event at %v comes after a timer at %v", at, first)
	case due && at < first && r.stateOf(id, state).TotalRate == 0 && r.stateOf(id, state).Varying == nil:
		return fmt.Errorf("the event at %v is nobody's: timers begin at %v", at, first)
	case !due && first <= r.end:
		return fmt.Errorf("no event, but a timer at %v", first)
	}
	return nil
}

// pendingTimers returns the times at which the running clocks of an individual fire.
func (r *Run) pendingTimers(id uint32, state uint16) []float64 {
	var all []float64
	for k := range r.Program.StateColumn + r.phase.States[state].Timers {
		all = append(all, timeOf(r.timer(id, k)))
	}
	return all
}

// checkGroups verifies that each group holds its living members once.
func (r *Run) checkGroups() error {
	check := func(g *store.Groups, group func(id uint32) int) error {
		members := 0
		for k, list := range g.Members {
			members += len(list)
			for i, id := range list {
				if r.status(id).state == program.NoState || g.Positions[id] != uint32(i) || group(id) != k {
					return fmt.Errorf("id %d is wrong in group %d", id, k)
				}
			}
		}
		if members != r.Alive {
			return fmt.Errorf("%d in groups, %d alive", members, r.Alive)
		}
		return nil
	}
	for a, g := range r.groups {
		if g != nil {
			if err := check(g, func(id uint32) int { return int(r.attributes[a].Of(id)) }); err != nil {
				return err
			}
		}
	}
	if r.places != nil {
		if err := r.checkPlaces(); err != nil {
			return err
		}
	}
	if err := r.checkNetworks(); err != nil {
		return err
	}
	if r.near != nil {
		if err := r.checkNear(); err != nil {
			return err
		}
	}
	if r.living != nil {
		return check(r.living, func(uint32) int { return 0 })
	}
	return nil
}

// checkWindows verifies the invariants between two windows: each individual with an event to come
// is on the list of its window, in its own shard; the free list is in the order of leaving; the
// counts of states are right; and those of sparse timers.
func (r *Run) checkWindows() error {
	listed := map[[2]uint32]bool{}
	for _, s := range r.windows.shards {
		for k := r.windows.now; k < len(r.windows.edges); k++ {
			wrong := false
			s.lists.Each(k, func(ids []uint32) {
				for _, id := range ids {
					listed[[2]uint32{id, uint32(k)}] = true
					wrong = wrong || r.windows.shardOf(id) != s
				}
			})
			if wrong {
				return fmt.Errorf("an id is on the list of another shard")
			}
		}
	}
	last := math.Inf(-1)
	for id := range r.free.All {
		left := *r.nextAt(id)
		if left < last || left > r.Now {
			return fmt.Errorf("slot %d was left at %v, after one at %v, now %v", id, left, last, r.Now)
		}
		last = left
	}
	counts := make([]int, len(r.Counts))
	for id := r.firstID; int(id) < r.Used; id++ {
		next, state := *r.nextAt(id), r.status(id).state
		if state != program.NoState {
			counts[state]++
		}
		if state == program.NoState || next > r.windows.lastEdge() {
			continue
		}
		if !listed[[2]uint32{id, uint32(r.windows.windowAt(next))}] {
			return fmt.Errorf("id %d is due at %v and on no list", id, next)
		}
	}
	if s := firstDifference(counts, r.Counts); s >= 0 {
		return fmt.Errorf("%d in state %s, counted as %d", counts[s], r.Program.States[s], r.Counts[s])
	}
	if err := r.checkBalance(); err != nil {
		return err
	}
	return r.checkSparse()
}
