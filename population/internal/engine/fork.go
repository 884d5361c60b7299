package engine

import (
	"math"
	"slices"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// Copy makes r what another replica is that stands still, but for the calendar, which is empty. It has the memory that r has, where that is enough.
func (r *Run) Copy(from *Run) {
	own := *r
	if own.Program != from.Program {
		own.attributes, own.groups, own.ByGroup = nil, nil, nil // which are of another size
	}
	*r = *from
	r.taken = own.taken
	n := from.Used
	r.words = refit(own.words, from.words, n*from.stride)
	r.numbers = own.numbers
	if from.OnEvent != nil {
		r.numbers = refit(own.numbers, from.numbers, n)
	}
	r.origins = refit(own.origins, from.origins, n*len(from.sparse))
	r.stateCache = refit(own.stateCache, from.stateCache, min(n, len(from.stateCache)))
	r.attributes = own.attributes
	if r.attributes == nil {
		r.attributes = make([]store.Column, len(from.attributes))
	}
	for a := range from.attributes {
		v := &from.attributes[a]
		r.attributes[a] = store.Column{Narrow: refit(r.attributes[a].Narrow, v.Narrow, min(n, len(v.Narrow))), Wide: refit(r.attributes[a].Wide, v.Wide, min(n, len(v.Wide))), IsWide: v.IsWide}
	}
	r.free = store.FreeList{Ring: append(own.free.Ring[:0], from.free.Ring...), Head: from.free.Head, N: from.free.N}
	r.groups = own.groups
	if r.groups == nil {
		r.groups = make([]*store.Groups, len(from.groups))
	}
	for a, g := range from.groups {
		r.groups[a] = r.groups[a].Copy(g)
	}
	r.living = own.living.Copy(from.living)
	r.sparse, r.offset, r.columnAt = slices.Clone(from.sparse), slices.Clone(from.offset), slices.Clone(from.columnAt)
	r.arrivals = append(own.arrivals[:0], from.arrivals...)
	r.Counts = append(own.Counts[:0], from.Counts...)
	r.Flows = append(own.Flows[:0], from.Flows...)
	r.Named = append(own.Named[:0], from.Named...)
	r.Peaks = append(own.Peaks[:0], from.Peaks...)
	r.ByGroup = own.ByGroup.copy(from.ByGroup)
	r.ties = ties{ids: own.ties.ids[:0], contacts: own.ties.contacts[:0]} // between two events there is no round
	r.waiting = waiting{from.waiting.on, append(own.waiting.held[:0], from.waiting.held...), append(own.waiting.fired[:0], from.waiting.fired...),
		append(own.waiting.done[:0], from.waiting.done...), append(own.waiting.due[:0], from.waiting.due...)}
	r.lifelongBefore, r.weights, r.event = own.lifelongBefore, own.weights, own.event
	if r.Queue = own.Queue; r.Queue == nil {
		r.Queue = calendar.New(calendar.Capacity(n))
	} else {
		r.Queue.Reset(0)
	}
	r.prefetch()
}

// refit returns the memory of s with as many elements as from has, of which the first n are the same.
func refit[T any](s, from []T, n int) []T {
	if cap(s) < len(from) {
		s = make([]T, len(from))
	}
	s = s[:len(from)]
	copy(s, from[:n])
	return s
}

// An timerOrigin is what a timer was drawn from, and when its clock began: before the start if it was running then. The law is nil if no clock is
// running, or one whose rate changes.
type timerOrigin struct {
	law   *law.Law
	began float64
}

// origin is that of the timer of a column.
func (r *Run) origin(id uint32, column int) *timerOrigin {
	return &r.origins[int(id)*len(r.sparse)+column]
}

// Redraw draws all that is to come anew. No event may be in the calendar.
func (r *Run) Redraw(luck uint64) {
	r.seed = uint64(random.New(r.seed, luck))
	for k := range r.arrivals {
		r.arrivals[k] = r.arrivals[k].At(luck)
		r.nextArrival(uint32(k))
	}
	first := len(r.phase.Always)
	for id := r.firstID; int(id) < r.Used; id++ {
		state := r.status(id).state
		if state == program.Nobody {
			continue
		}
		s := r.stream(id)
		*s = s.At(luck)
		if first == 0 && r.phase.States[state].Still() {
			continue // most are, as a rule
		}
		for k := range first {
			r.redrawTimer(id, k)
		}
		if r.phase.States[state].Timers > 0 {
			st := r.stateOf(id, state)
			for k := range st.Race {
				r.redrawTimer(id, first+k)
			}
			if len(st.Split) > 0 {
				r.redrawBranch(id, first+len(st.Race), st)
			}
		}
		r.schedule(id, state)
	}
}

// redrawTimer draws a clock anew, given that it is still running.
func (r *Run) redrawTimer(id uint32, column int) {
	if o := r.origin(id, column); o.law != nil && !o.law.Fixed() {
		r.resume(id, column, *o)
	}
}

// resume draws when a clock strikes that began at a time and is still running.
func (r *Run) resume(id uint32, column int, o timerOrigin) {
	var word uint64
	if s := r.stream(id); o.law.Memoryless() {
		word = wordOf(r.Now+o.law.Draw(s)) | memoryless
	} else {
		// Not from now on, which would round a fixed time.
		word = wordOf(max(r.Now, o.began+o.law.DrawLonger(s, r.Now-o.began)))
	}
	r.setTimer(id, column, word)
	*r.origin(id, column) = o
}

// redrawBranch draws the branch of a split anew, by Bayes, in proportion to its chance and to the probability that its clock is still running, and
// then the clock. The branch stays if what it was drawn by changes, or has changed since: which of the two is done does not depend on the branch, so that
// both are exact.
func (r *Run) redrawBranch(id uint32, column int, st *program.State) {
	p := r.status(id)
	o := *r.origin(id, column)
	if o.law == nil {
		if branch := &st.Split[p.branch]; branch.Varying != nil && r.timer(id, column)&memoryless != 0 {
			r.startClock(id, column, branch)
		}
		return
	}
	if p.is(branchIsOld) || st.Chances != nil {
		r.redrawTimer(id, column)
		return
	}
	alike := true
	for k := range st.Split {
		c := &st.Split[k]
		if c.Off || c.Varying != nil {
			r.redrawTimer(id, column)
			return
		}
		alike = alike && c.Law.Same(&st.Split[0].Law)
	}
	s := r.stream(id)
	if alike {
		u, k := s.Float64(), 0
		for u >= st.Split[k].UpTo {
			k++
		}
		p.branch = uint8(k)
	} else {
		logs, sums := st.BranchLogs(r.Now-o.began, r.weights[0][:0]), append(r.weights[1][:0], make([]float64, len(st.Split))...)
		r.weights = [2][]float64{logs, sums}
		if logs[p.branch] > math.Inf(-1) { // but for rounding
			p.branch = uint8(law.Heaviest(s, sums, logs))
		}
	}
	if l := &st.Split[p.branch].Law; !l.Fixed() || !l.Same(o.law) {
		r.resume(id, column, timerOrigin{l, o.began})
	}
}
