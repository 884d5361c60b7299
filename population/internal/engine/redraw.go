package engine

import (
	"math"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// What is to come of a fork. A clock that is running has been drawn: when it strikes is known to the engine, though to nobody in the model. Were a
// fork to keep that, it would share with its original all that has been drawn and not yet happened, and two forks of one past would not be two draws
// of what can come of it. So every clock is drawn anew, given all that is known of it: that it has been running for so long, by a law, and has
// not struck. That leaves the law of the past and the future together as it is, so that it is exact, for each fork by itself; and given what is
// known, forks are independent.
//
// What happens at rates, and other clocks without a memory, need no more than the law. For the others it has to be known what they were drawn from, and when
// they began, which a replica keeps only if it can be forked.

// An origin is what a timer was drawn from, and when its clock began: before the start if it was running then. The law is nil if no clock is
// running, or one whose rate changes.
type origin struct {
	law   *law.Law
	began float64
}

// origin is that of the timer of a column.
func (r *Run) origin(id uint32, column int) *origin {
	return &r.origins[int(id)*len(r.asideOf)+column]
}

// Redraw draws all that is to come anew. No event may be in the calendar.
func (r *Run) Redraw(luck uint64) {
	r.seed = uint64(random.New(r.seed, luck))
	for k := range r.arrivals {
		r.arrivals[k] = r.arrivals[k].At(luck)
		r.nextArrival(uint32(k))
	}
	first := len(r.t.Always)
	for id := r.first; int(id) < r.Ids; id++ {
		state := r.person(id).state
		if state == program.Nobody {
			continue
		}
		s := r.stream(id)
		*s = s.At(luck)
		if first == 0 && r.t.States[state].Still() {
			continue // most are, as a rule
		}
		for k := range first {
			r.redrawTimer(id, k)
		}
		if r.t.States[state].Timers > 0 {
			st := r.table(id, state)
			for k := range st.Race {
				r.redrawTimer(id, first+k)
			}
			if len(st.Split) > 0 {
				r.redrawBranch(id, first+len(st.Race), st)
			}
		}
		r.plan(id, state)
	}
}

// redrawTimer draws a clock anew, given that it is still running.
func (r *Run) redrawTimer(id uint32, column int) {
	if o := r.origin(id, column); o.law != nil && !o.law.Fixed() {
		r.resume(id, column, *o)
	}
}

// resume draws when a clock strikes that began at a time and is still running.
func (r *Run) resume(id uint32, column int, o origin) {
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
	p := r.person(id)
	o := *r.origin(id, column)
	if o.law == nil {
		if branch := &st.Split[p.branch]; branch.Varying != nil && r.timer(id, column)&memoryless != 0 {
			r.windClock(id, column, branch)
		}
		return
	}
	if p.is(isApart) || st.Chances != nil {
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
		r.resume(id, column, origin{l, o.began})
	}
}
