package engine

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// Fork returns a copy of a run between two events, with an empty calendar: Redraw fills it. It is
// an error if there is no memory for it.
func (r *Run) Fork() (*Run, error) {
	f := newForkable(r.budget)
	bytes := r.bytes()
	if !r.budget.take(r, bytes, bytes, func() { f.copyFrom(r) }) {
		f.Retire()
		return nil, r.outOfMemory()
	}
	r.budget.take(f, 0, 0, func() {}) // counts what it takes
	return f, nil
}

// Clone returns a copy that goes on as r does. Tests compare the two.
func (r *Run) Clone() (*Run, error) {
	f, err := r.Fork()
	if err != nil {
		return nil, err
	}
	for id := range eventqueue.ID(r.Used) {
		if at, ok := r.Queue.Due(id); ok {
			if err := f.Queue.Schedule(id, at); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// copyFrom makes r a copy of a run between two events, with an empty calendar. It uses r's memory
// where that is enough.
func (r *Run) copyFrom(from *Run) {
	own := *r
	if own.Program != from.Program {
		own.attributes, own.groups, own.ByGroup, own.outcomes, own.branches = nil, nil, nil, nil, nil // they have other sizes
		own.observers = nil
	}
	*r = *from
	r.taken = own.taken
	n := from.Used
	r.words = refit(own.words, from.words, n*from.stride)
	r.numbers = own.numbers
	if from.numbered() {
		r.numbers = refit(own.numbers, from.numbers, n)
	}
	r.origins = refit(own.origins, from.origins, n*len(from.sparse))
	r.stateCache = refit(own.stateCache, from.stateCache, min(n, len(from.stateCache)))
	r.attributes = copyColumns(own.attributes, from.attributes, n)
	r.branches = copyColumns(own.branches, from.branches, n)
	r.copyPersonal(&own, from, n)
	r.toStart, r.passed, r.machineBefore = own.toStart[:0], own.passed[:0], own.machineBefore
	r.free = own.free
	r.free.CopyFrom(&from.free)
	r.groups = own.groups
	if r.groups == nil {
		r.groups = make([]*store.Groups, len(from.groups))
	}
	for a, g := range from.groups {
		r.groups[a] = r.groups[a].CopyFrom(g)
	}
	r.near, r.places, r.lines = from.near.copy(), from.places.copy(), from.lines.copy()
	r.networks, r.tracing = copyNetworks(from.networks), from.tracing.copy()
	r.living = own.living.CopyFrom(from.living)
	r.sparse, r.offset, r.columnAt = slices.Clone(from.sparse), slices.Clone(from.offset), slices.Clone(from.columnAt)
	r.arrivals = append(own.arrivals[:0], from.arrivals...)
	r.Counts = append(own.Counts[:0], from.Counts...)
	r.Flows = append(own.Flows[:0], from.Flows...)
	r.Named = append(own.Named[:0], from.Named...)
	r.Peaks = append(own.Peaks[:0], from.Peaks...)
	r.Supplies = append(own.Supplies[:0], from.Supplies...)
	r.ByGroup = own.ByGroup.copy(from.ByGroup)
	r.outcomes = own.outcomes.copy(from.outcomes)
	r.observers = from.observers.copy(own.observers, n)
	r.ties = ties{ids: own.ties.ids[:0], contacts: own.ties.contacts[:0]} // between two events there are no ties
	r.waiting = own.waiting
	r.waiting.copyFrom(&from.waiting)
	r.alwaysBefore, r.weights, r.event = own.alwaysBefore, own.weights, own.event
	r.whom = program.Individual{}
	if r.Queue = own.Queue; r.Queue == nil {
		r.Queue = eventqueue.New(eventqueue.Capacity(n))
	} else {
		r.Queue.Reset(0)
	}
	r.prefetchWords()
}

// copyColumns copies the first n values of columns, into the memory of to if it is not nil.
func copyColumns(to, from []store.Column, n int) []store.Column {
	if to == nil {
		to = make([]store.Column, len(from))
	}
	for a := range from {
		v := &from[a]
		to[a] = store.Column{
			Narrow: refit(to[a].Narrow, v.Narrow, min(n, len(v.Narrow))),
			Wide:   refit(to[a].Wide, v.Wide, min(n, len(v.Wide))),
			IsWide: v.IsWide,
		}
	}
	return to
}

// refit returns s with the length of from and its first n elements, in the memory of s if it is
// large enough.
func refit[T any](s, from []T, n int) []T {
	if cap(s) < len(from) {
		s = make([]T, len(from))
	}
	s = s[:len(from)]
	copy(s, from[:n])
	return s
}

// A timerOrigin is the law that a timer was drawn from and when its clock began, which is before
// the start if it was running then. The law is nil if no clock is running, or one with a varying
// rate.
type timerOrigin struct {
	law   *law.Law
	began float64
}

// origin returns the origin of the timer of a column.
func (r *Run) origin(id uint32, column int) *timerOrigin {
	return &r.origins[int(id)*len(r.sparse)+column]
}

// Redraw draws everything again that is to come. The calendar must be empty.
//
// A running clock has been drawn already: the engine knows when it will fire, though nothing in the
// model does. A fork that kept those times would share them with its original, and two forks of one
// past would not be two independent draws of its future. So every running clock is drawn again
// given all that is known of it: its law, how long it has been running, and that it has not fired.
// The joint law of past and future stays the same, so each fork by itself is exact; and given the
// past, forks are independent.
//
// What happens at a rate, and other clocks without memory, need only the law. For the others the
// run keeps what they were drawn from and when they began, if it can be forked.
func (r *Run) Redraw(seed uint64) {
	r.seed = uint64(random.New(r.seed, seed))
	for k := range r.arrivals {
		r.arrivals[k] = r.arrivals[k].At(seed)
		r.nextArrival(uint32(k))
	}
	if r.waiting.wake = math.Inf(1); r.Program.WaitsForTime {
		r.scheduleWake()
	}
	if r.tracing != nil {
		r.redrawErrands(seed)
	}
	r.redrawLinks()
	always, first := len(r.phase.Always), r.Program.StateColumn
	for id := r.firstID; int(id) < r.Used; id++ {
		state := r.status(id).state
		if state == program.NoState {
			continue
		}
		s := r.stream(id)
		*s = s.At(seed)
		if first == 0 && r.phase.States[state].Inert() {
			continue // as a rule most individuals
		}
		for k := range always {
			r.redrawTimer(id, k)
		}
		for m := range r.Program.Machines {
			if st := r.machineTable(id, m); st != nil {
				r.redrawTable(id, r.Program.Machines[m].Column, m, st)
			}
		}
		if r.phase.States[state].Timers > 0 {
			r.redrawTable(id, first, -1, r.stateOf(id, state))
		}
		r.schedule(id, state)
	}
}

// redrawTable draws the running clocks of a table again whose columns begin with first: of a
// machine's state, or of the state itself if machine is −1.
func (r *Run) redrawTable(id uint32, first, machine int, st *program.State) {
	for k := range st.Race {
		r.redrawTimer(id, first+k)
	}
	if len(st.Split) > 0 {
		r.redrawBranch(id, first+len(st.Race), machine, st)
	}
}

// redrawTimer draws a running clock again.
func (r *Run) redrawTimer(id uint32, column int) {
	if o := r.origin(id, column); o.law != nil && !o.law.Fixed() {
		r.resume(id, column, *o)
	}
}

// resume draws when a clock fires that began at a time and is still running.
func (r *Run) resume(id uint32, column int, o timerOrigin) {
	var word uint64
	if s := r.stream(id); o.law.Memoryless() {
		word = wordOf(r.Now+o.law.Draw(s)) | memoryless
	} else {
		// Not r.Now plus the rest, which would round a fixed time.
		word = wordOf(max(r.Now, o.began+o.law.DrawBeyondLikely(s, r.Now-o.began)))
	}
	r.setTimer(id, column, word)
	*r.origin(id, column) = o
}

// redrawBranch draws the branch of a split again, by Bayes' rule, in proportion to its chance times
// the probability that its clock has not fired; and then the clock. The branch is kept if what it
// was drawn by varies, or has changed since. Which of the two it is does not depend on the branch,
// so that both are exact.
func (r *Run) redrawBranch(id uint32, column, machine int, st *program.State) {
	k, old := r.branchOf(id, machine)
	o := *r.origin(id, column)
	if o.law == nil {
		if branch := &st.Split[k]; branch.Varying != nil && r.timer(id, column)&memoryless != 0 {
			r.startClock(id, column, branch)
		}
		return
	}
	if old || st.Chances != nil {
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
		alike = alike && c.Law.Equal(&st.Split[0].Law)
	}
	s := r.stream(id)
	if alike {
		u := s.Float64()
		for k = 0; u >= st.Split[k].CumulativeChance; {
			k++
		}
	} else {
		logs, sums := st.BranchLogWeights(r.Now-o.began, r.weights[0][:0]), append(
			r.weights[1][:0],
			make([]float64, len(st.Split))...)
		r.weights = [2][]float64{logs, sums}
		if logs[k] > math.Inf(-1) { // false only by rounding
			k = law.DrawLogWeighted(s, sums, logs)
		}
	}
	r.setBranch(id, machine, k)
	if l := &st.Split[k].Law; !l.Fixed() || !l.Equal(o.law) {
		r.resume(id, column, timerOrigin{l, o.began})
	}
}

// A Past is how a run came to a time: with which seed it started, and when and with which
// seeds it was forked on the way. From there on a run that goes on with it has a seed of its own.
type Past struct {
	Seed  uint64
	Forks []Fork  // in the order of their times
	Until float64 // since the start
	// ForkSeed is the seed of the fork at that time.
	ForkSeed uint64
	// Fingerprint is that of the run at that time, before the fork; 0 if it is not known.
	Fingerprint uint64
	Saved       bool // there is no fork at that time: the state is saved there
	Place       int  // of its state, if it goes on with one that was saved
}

// A Fork is a fork of a run at a time since the start.
type Fork struct {
	At   float64
	Seed uint64
}

// ErrOtherPast is returned by a run that goes on with a past and does not come to where that came.
var ErrOtherPast = errors.New("the run is not the one that it should go on with")

// pass follows the past up to a time: it advances to each fork and makes it.
func (r *Run) pass(ctx context.Context, past *Past, done *int, at float64, progress func(float64, uint64)) error {
	for past != nil && *done <= len(past.Forks) {
		next := Fork{past.Until, past.ForkSeed}
		last := *done == len(past.Forks)
		if !last {
			next = past.Forks[*done]
		}
		if next.At > at+r.Program.TimeTolerance {
			return nil
		}
		if err := r.Advance(ctx, next.At, progress); err != nil {
			return err
		}
		if last && past.Fingerprint != 0 && past.Fingerprint != r.Fingerprint() {
			return ErrOtherPast
		}
		if !last || !past.Saved {
			r.renew(next.Seed)
		}
		*done++
	}
	return nil
}

// renew makes the run its own fork: all that is to come is drawn again. It must be forkable.
func (r *Run) renew(seed uint64) {
	r.Queue.Reset(0)
	r.Redraw(seed)
}

// Fingerprint is a hash of all that the run has counted so far. It is never 0.
func (r *Run) Fingerprint() uint64 {
	h := fingerprint(1)
	for _, n := range r.Counts {
		h.add(uint64(n))
	}
	return h.of(r.Flows, r.Named)
}

// Fingerprint is that of the run at a row.
func (rec *Recording) Fingerprint(m *program.Program, row int) uint64 {
	h := fingerprint(1)
	states, flows, names := len(m.Counted), len(m.Flows), len(m.CountedNames)
	for _, n := range rec.All.Counts[row*states : (row+1)*states] {
		h.add(uint64(n))
	}
	return h.of(rec.All.Flows[row*flows:(row+1)*flows], rec.All.Named[row*names:(row+1)*names])
}

// fingerprint is the FNV-1a hash with words in place of bytes, and a shift that brings high bits
// down.
type fingerprint uint64

func (h *fingerprint) add(x uint64) {
	y := (uint64(*h) ^ x) * 0x100000001b3
	*h = fingerprint(y ^ y>>29)
}

func (h fingerprint) of(flows, named []uint64) uint64 {
	for _, n := range flows {
		h.add(n)
	}
	for _, n := range named {
		h.add(n)
	}
	return max(1, uint64(h))
}
