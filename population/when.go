package population

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/internal/random"
)

// Interventions that wait happen when something becomes true of the numbers of individuals: at the event that makes it true, before the
// next, be it at the same time. What is true at the start has become so then. All that one event makes true happens, in the order
// of the file, also if the first of them makes the condition of another false again.

// holds tells whether a comparison is true now. It is strict, whatever rounding makes of a share: 7 of 100 are not below 7%.
func (r *replica) holds(l *limit) bool {
	n, bound := r.alive, l.number
	if l.state >= 0 {
		n = r.counts[l.state]
	}
	if l.share {
		bound = float64(bound * float64(r.alive))
		if whole := math.Round(bound); math.Abs(bound-whole) <= 4*portable.ULP(bound) {
			bound = whole
		}
	}
	if l.above {
		return float64(n) > bound
	}
	return float64(n) < bound
}

// A watch is what a replica knows of the interventions that wait.
type watch struct {
	on    bool   // some of them may still happen
	was   []bool // whether each was true when it was last looked at
	times []int  // how often each has become true
	done  []int  // how often each has happened
	due   []int  // what has become true and has not happened yet
}

// begin forgets all.
func (w *watch) begin(m *program) {
	w.on, w.due = len(m.triggers) > 0, w.due[:0]
	w.was, w.times, w.done = make([]bool, len(m.triggers)), make([]int, len(m.triggers)), make([]int, len(m.triggers))
}

// mostFired is how many interventions that wait may happen within a billionth of a run (see pace).
const mostFired = 10_000

// settle lets everything happen that waits for what is now true, and for what that makes true.
func (r *replica) settle(ctx context.Context) error {
	w := &r.watch
	for w.on {
		w.on = false
		for k, d := range r.m.triggers {
			if w.times[k] > 0 && !d.again {
				continue
			}
			w.on = true
			holds := true
			for i := range r.t.limits[k] {
				holds = holds && r.holds(&r.t.limits[k][i])
			}
			if holds && !w.was[k] {
				w.due = append(w.due, k)
				w.times[k]++
			}
			w.was[k] = holds
		}
		if len(w.due) == 0 {
			break
		}
		w.on = true
		k := w.due[0]
		w.due = w.due[:copy(w.due, w.due[1:])]
		w.done[k]++
		if err := r.happen(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// happen lets an intervention that waited happen.
func (r *replica) happen(ctx context.Context, k int) error {
	d := r.m.triggers[k]
	r.pace.present = max(r.pace.present, r.alive)
	if r.pace.fired++; r.pace.fired > mostFired {
		return fmt.Errorf("at time %.12g %s interventions with when took less than a billionth of the run, the last of them %s; do they make one another happen?",
			r.m.start+r.now, format.Thousands(float64(mostFired)), d.what)
	}
	if r.onEvent != nil {
		r.told = happening{time: r.m.start + r.now, kind: hasHappened, name: d.do.name, place: nobodyElse, byPlace: nobodyElse}
		r.onEvent(&r.told)
	}
	if !d.about() {
		r.count(d.do.name)
	}
	// Named by which it is, and by how often it has happened.
	return r.carryOut(ctx, d, random.New(r.seed, uint64(r.index), uint64(k), uint64(r.watch.done[k])))
}
