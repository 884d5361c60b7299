package population

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
)

// Interventions that wait happen when something becomes true of the numbers of individuals: at the event that makes it true, before the
// next, be it at the same time. What is true at the start has become so then. All that one event makes true happens, in the order
// of the file, also if the first of them makes the condition of another false again.

// limits works out what the interventions that wait compare with.
func (c *compiler) limits(here scope, t *tables) {
	for i := range c.f.plans {
		p := &c.f.plans[i]
		if !p.waits {
			continue
		}
		var all []limit
		for k := range p.conditions {
			if l, ok := c.limit(here, p, &p.conditions[k]); ok {
				all = append(all, l)
			}
		}
		t.limits = append(t.limits, all)
	}
}

func (c *compiler) limit(here scope, p *planText, text *conditionText) (limit, bool) {
	what := p.what + ": when: " + echo(text.of.name)
	l := limit{state: -1, above: text.above}
	isState := slices.Contains(c.m.states, text.of.name)
	switch {
	case text.of.name != "total":
		state := c.state(text.of, p.what+": when", false)
		if state == nobody {
			return l, false
		}
		l.state = int(state)
	case isState:
		c.add(text.of.at, "%s: there is a state of this name, and it also means all of the living; give the state another name", what)
		return l, false
	}
	got, at, ok := here.resolve(text.limit, what)
	if !ok {
		return l, false
	}
	if got.plain() && got.quantity.kind == aShare {
		l.share = true
		l.number, ok = here.chance(text.limit, what)
		if ok && l.state < 0 {
			here.complain(text.limit, at, "%s: %s: all of the living are always 100%% of them; write a number", what, called(text.limit, got))
			ok = false
		}
		return l, ok
	}
	l.number, ok = here.within(text.limit, what, aNumber, func(x float64) bool { return x >= 0 }, "a number of individuals cannot be negative")
	if ok && l.number > 0 && l.number < 1 {
		here.complain(text.limit, at, "%s: %s is not a number of individuals; write %.6g%% for a share of the living", what, called(text.limit, got), 100*l.number)
		ok = false
	}
	return l, ok
}

// holds tells whether a comparison is true now. It is strict, whatever rounding makes of a share: 7 of 100 are not below 7%.
func (r *replica) holds(l *limit) bool {
	n, bound := r.alive, l.number
	if l.state >= 0 {
		n = r.counts[l.state]
	}
	if l.share {
		bound = float64(bound * float64(r.alive))
		if whole := math.Round(bound); math.Abs(bound-whole) <= 4*ulp(bound) {
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
func (w *watch) begin(m *Model) {
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
			if w.times[k] > 0 && !d.text.again {
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
			r.m.start+r.now, thousands(mostFired), d.text.what)
	}
	if r.onEvent != nil {
		e := Event{Replica: r.index, Time: r.m.start + r.now, Kind: Happened, Name: d.text.name, place: nobodyElse, byPlace: nobodyElse}
		if len(r.values) > 0 {
			e.Values = make([]string, len(r.values)) // nobody's
		}
		r.onEvent(e)
	}
	if !d.about() {
		r.count(d.do.name)
	}
	// Named by which it is, and by how often it has happened.
	return r.carryOut(ctx, d, random.New(r.seed, uint64(r.index), uint64(k), uint64(r.watch.done[k])))
}
