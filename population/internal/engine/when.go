package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// Interventions that wait happen when something becomes true of the numbers of individuals: at the event that makes it true, before the
// next, be it at the same time. What is true at the start has become so then. All that one event makes true happens, in the order
// of the file, also if the first of them makes the condition of another false again.

// holds tells whether a comparison is true now. It is strict, whatever rounding makes of a share: 7 of 100 are not below 7%.
func (r *Run) holds(l *program.Threshold) bool {
	n, bound := r.Alive, l.Number
	if l.State >= 0 {
		n = r.Counts[l.State]
	}
	if l.Share {
		bound = float64(bound * float64(r.Alive))
		if whole := math.Round(bound); math.Abs(bound-whole) <= 4*portable.ULP(bound) {
			bound = whole
		}
	}
	if l.Above {
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
func (w *watch) begin(m *program.Program) {
	w.on, w.due = len(m.Triggered) > 0, w.due[:0]
	w.was, w.times, w.done = make([]bool, len(m.Triggered)), make([]int, len(m.Triggered)), make([]int, len(m.Triggered))
}

// mostFired is how many interventions that wait may happen within a billionth of a run (see pace).
const mostFired = 10_000

// Settle lets everything happen that waits for what is now true, and for what that makes true.
func (r *Run) Settle(ctx context.Context) error {
	w := &r.watch
	for w.on {
		w.on = false
		for k, d := range r.M.Triggered {
			if w.times[k] > 0 && !d.Again {
				continue
			}
			w.on = true
			holds := true
			for i := range r.t.Thresholds[k] {
				holds = holds && r.holds(&r.t.Thresholds[k][i])
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
func (r *Run) happen(ctx context.Context, k int) error {
	d := r.M.Triggered[k]
	r.pace.present = max(r.pace.present, r.Alive)
	if r.pace.fired++; r.pace.fired > mostFired {
		return fmt.Errorf("at time %.12g %s interventions with when took less than a billionth of the run, the last of them %s; do they make one another happen?",
			r.M.Start+r.Now, format.Thousands(float64(mostFired)), d.What)
	}
	if r.OnEvent != nil {
		r.told = Event{Time: r.M.Start + r.Now, Kind: Happened, Name: d.Do.Name, Place: nobodyElse, ByPlace: nobodyElse}
		r.OnEvent(&r.told)
	}
	if !d.About() {
		r.count(d.Do.Name)
	}
	// Named by which it is, and by how often it has happened.
	return r.carryOut(ctx, d, random.New(r.seed, uint64(r.Index), uint64(k), uint64(r.watch.done[k])))
}
