package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// waiting is the state of the interventions that wait for a condition. Such an intervention happens
// at the event that makes its condition true, before the next event, even one at the same time.
// What is true at the start becomes true then. If one event makes several conditions true, all
// their interventions happen, in the order of the file, even if the first makes the condition of
// another false again.
//
// A condition may change without an event of an individual: an event leaves a window of time, or a
// condition has been true for long enough. The calendar then has an event at that time, of the id
// watchID, at which all conditions are looked at. If clocks fire at the same instant, it comes
// after them.
type waiting struct {
	on      bool      // some may still happen
	changed bool      // something that conditions depend on may have changed since the last look
	counted []bool    // by state: whether conditions depend on how many are in it
	held    []bool    // whether each condition held at the last look
	since   []float64 // since when; only if it held
	struck  []bool    // it has become due since then
	fired   []int     // how often each condition has become true, for long enough
	done    []int     // how often each has been carried out
	due     []int     // became true and not yet carried out
	number  []int     // names the draws of each: its place among all, in the program that it was first in
	windows []window  // by Program.Windows
	wake    float64   // when the event of watchID is due; +Inf if it is not in the calendar
}

// begin resets it for a run.
func (w *waiting) begin(m *program.Program) {
	n := len(m.Triggered)
	*w = waiting{
		on: n > 0, held: make([]bool, n), since: make([]float64, n), struck: make([]bool, n),
		fired: make([]int, n), done: make([]int, n), due: w.due[:0],
		number: make([]int, n), windows: make([]window, len(m.Windows)), wake: math.Inf(1),
	}
	for k := range w.number {
		w.number[k] = k
	}
}

// copyFrom copies the state of another run of the same program.
func (w *waiting) copyFrom(from *waiting) {
	own := *w
	*w = *from
	w.held, w.since = append(own.held[:0], from.held...), append(own.since[:0], from.since...)
	w.struck, w.fired = append(own.struck[:0], from.struck...), append(own.fired[:0], from.fired...)
	w.done, w.due = append(own.done[:0], from.done...), append(own.due[:0], from.due...)
	w.number, w.counted = append(own.number[:0], from.number...), append(own.counted[:0], from.counted...)
	w.windows = make([]window, len(from.windows))
	for i, c := range from.windows {
		w.windows[i] = window{append([]float64(nil), c.times...), c.newest, c.seen}
	}
}

// bytes returns how much memory the windows take.
func (w *waiting) bytes() int {
	n := 0
	for i := range w.windows {
		n += 8 * cap(w.windows[i].times)
	}
	return n
}

// A window has the times of the last events of a program.Window, as many as its conditions need:
// whether there are at least m follows from the time of the m-th last. It is a ring once it is
// full.
type window struct {
	times  []float64
	newest int    // the index of the last
	seen   uint64 // how many there have been since the start
}

// add adds n events at a time.
func (c *window) add(n uint64, at float64, keep int) {
	for range min(n, uint64(keep)) {
		if len(c.times) < keep {
			c.newest = len(c.times)
			c.times = append(c.times, at)
			continue
		}
		c.newest = (c.newest + 1) % keep
		c.times[c.newest] = at
	}
}

// last returns the time of the m-th last event; the last is the first. It is −Inf if there were
// fewer.
func (c *window) last(m int) float64 {
	if m > len(c.times) {
		return math.Inf(-1)
	}
	return c.times[(c.newest-m+1+len(c.times))%len(c.times)]
}

// updateWindows adds what has happened since the last look.
func (r *Run) updateWindows() {
	for i := range r.waiting.windows {
		c, of := &r.waiting.windows[i], &r.Program.Windows[i]
		flows, named := r.Flows, r.Named
		if of.Watched >= 0 {
			flows, named = r.ByGroup.watched[of.Watched].Flows, r.ByGroup.watched[of.Watched].Named
		}
		var total uint64
		if of.Flow >= 0 {
			total = flows[of.Flow]
		} else {
			total = named[of.Name]
		}
		c.add(total-c.seen, r.Now, of.Keep)
		c.seen = total
	}
}

// leaves returns when the number of events in the window of a threshold falls below what it is
// compared with, or −Inf if it is below.
func (r *Run) leaves(l *program.Threshold) float64 {
	m := l.AtLeast()
	if m <= 0 {
		return math.Inf(1)
	}
	if at := r.waiting.windows[l.Window].last(m) + r.Program.Windows[l.Window].Over; at > r.Now {
		return at
	}
	return math.Inf(-1)
}

// crosses reports whether a count is beyond a threshold now. The comparison is strict, whatever
// rounding makes of a share: 7 of 100 are not below 7%.
func (r *Run) crosses(l *program.Threshold) bool {
	if l.Window >= 0 {
		return l.Above == (r.leaves(l) > r.Now)
	}
	counts, all, bound := r.Counts, r.Alive, l.Number
	if l.Watched >= 0 {
		counts, all = r.ByGroup.watched[l.Watched].Counts, r.ByGroup.totals[l.Watched]
	}
	n := all
	switch {
	case l.Members >= 0:
		n = r.ByGroup.totals[l.Members]
	case l.State >= 0:
		n = counts[l.State]
	}
	if l.Share {
		bound = float64(bound * float64(all))
		if whole := math.Round(bound); math.Abs(bound-whole) <= 4*detmath.ULP(bound) {
			bound = whole
		}
	}
	if l.Above {
		return float64(n) > bound
	}
	return float64(n) < bound
}

// holds reports whether all thresholds of an intervention that waits are crossed now.
func (r *Run) holds(k int) bool {
	for i := range r.phase.Thresholds[k] {
		if !r.crosses(&r.phase.Thresholds[k][i]) {
			return false
		}
	}
	return true
}

// checkConditions verifies that no condition has changed unnoticed.
func (r *Run) checkConditions() error {
	if !r.waiting.on || r.waiting.changed {
		return nil
	}
	for k, d := range r.Program.Triggered {
		if (r.waiting.fired[k] == 0 || d.Again) && r.holds(k) != r.waiting.held[k] {
			return fmt.Errorf("the condition of %s has changed unnoticed", d.What)
		}
	}
	return nil
}

// mostFired is how many interventions that wait may happen within a billionth of a run (see pace).
const mostFired = 10_000

// mayChange reports whether a condition may have become true or false since Settle.
func (w *waiting) mayChange() bool { return w.on && w.changed }

// watchCounts finds the states whose counts the conditions depend on, whatever the phase. Those who
// enter or leave, and changes of groups, are looked at in any case.
func (r *Run) watchCounts() {
	w := &r.waiting
	if !w.on {
		return
	}
	w.changed, w.counted = true, make([]bool, len(r.Program.States))
	for _, thresholds := range r.phase.Thresholds {
		for _, l := range thresholds {
			if 0 <= l.State && l.State < len(w.counted) {
				w.counted[l.State] = true
			}
		}
	}
}

// Settle carries out all interventions whose conditions have become true, and those that follow
// from them.
func (r *Run) Settle(ctx context.Context) error {
	w := &r.waiting
	for w.on {
		if len(w.windows) > 0 {
			r.updateWindows()
		}
		w.on = false
		for k, d := range r.Program.Triggered {
			if w.fired[k] > 0 && !d.Again {
				continue
			}
			w.on = true
			if !r.holds(k) {
				w.held[k] = false
				continue
			}
			if !w.held[k] {
				w.held[k], w.since[k], w.struck[k] = true, r.Now, false
			}
			if !w.struck[k] && r.Now >= w.since[k]+d.For {
				w.due = append(w.due, k)
				w.fired[k]++
				w.struck[k] = true
			}
		}
		if len(w.due) == 0 {
			break
		}
		w.on = true
		k := w.due[0]
		w.due = w.due[:copy(w.due, w.due[1:])]
		w.done[k]++
		if err := r.trigger(ctx, k); err != nil {
			return err
		}
	}
	w.changed = r.Program.WaitsForTime
	if w.changed {
		r.scheduleWake()
	}
	return nil
}

// watchID is the id of the event at which conditions are looked at because time has passed. It
// comes after the sources of immigration, and is there only if Program.WaitsForTime.
func (r *Run) watchID() uint32 { return uint32(len(r.phase.Immigration)) }

// scheduleWake puts the next time at which a condition may change by itself into the calendar, or
// leaves an earlier time there: events in between may put it off, and then nothing changes.
func (r *Run) scheduleWake() {
	w, next := &r.waiting, math.Inf(1)
	for k, d := range r.Program.Triggered {
		if w.fired[k] > 0 && !d.Again {
			continue
		}
		if w.held[k] && !w.struck[k] {
			next = min(next, w.since[k]+d.For)
		}
		for i := range r.phase.Thresholds[k] {
			if l := &r.phase.Thresholds[k][i]; l.Window >= 0 {
				if at := r.leaves(l); at > r.Now {
					next = min(next, at)
				}
			}
		}
	}
	if next >= w.wake || next > r.end {
		return
	}
	w.wake = next
	if err := r.Queue.Reschedule(eventqueue.ID(r.watchID()), next); err != nil {
		panic(fmt.Sprintf("population: condition at %v: %v", next, err))
	}
}

// trigger carries out an intervention whose condition has become true.
func (r *Run) trigger(ctx context.Context, k int) error {
	d := r.Program.Triggered[k]
	r.pace.present = max(r.pace.present, r.Alive)
	if r.pace.fired++; r.pace.fired > mostFired {
		return fmt.Errorf(
			"at time %.12g %s interventions with when took less than a billionth of the run, the last of them %s; do they "+
				"make one another happen?",
			r.Program.Start+r.Now,
			format.Thousands(float64(mostFired)),
			d.What,
		)
	}
	if r.OnEvent != nil {
		r.event = Event{Time: r.Program.Start + r.Now, Kind: Happened, Name: d.Do.Name, Slot: noID, BySlot: noID}
		r.OnEvent(&r.event)
	}
	if !d.ChangesIndividuals() {
		r.countName(d.Do.Name)
		if r.outcomes != nil {
			r.nameHappened(noID, d.Do.Name)
		}
	}
	if d.Effects[r.phase].Changes {
		r.countName(d.Begins)
		if r.outcomes != nil {
			r.nameHappened(noID, d.Begins)
		}
	}
	// The stream is named by the intervention and by how often it has happened.
	return r.carryOut(ctx, d, random.New(r.seed, uint64(r.Index), uint64(r.waiting.number[k]), uint64(r.waiting.done[k])))
}
