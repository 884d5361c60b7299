package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// interventions are what a run knows of its interventions.
type interventions struct {
	underway   *program.Scheduled // the scheduled one that is being carried out; nil if none
	carriedOut int                // how many of the scheduled ones are done
	waiting    waiting            // those that wait for a condition
}

// intervene does what was planned for now, and what waits for that.
func (r *Run) intervene(ctx context.Context, p *program.Scheduled, index int) error {
	r.underway = p
	err := r.apply(ctx, p.Intervention, random.New(r.seed, uint64(r.Index), uint64(index)))
	r.underway = nil
	r.beginPace(r.Now)
	if err != nil {
		return err
	}
	return r.Settle(ctx)
}

// apply does what an intervention does. It takes time proportional to the population, unless it picks a few. What is random and nobody's
// own comes from streams that the given one names.
func (r *Run) apply(ctx context.Context, d *program.Intervention, named random.Stream) error {
	r.Events++
	t := d.Effects[r.phase]
	if t.To != r.phase {
		// Everybody may have an event from now on.
		idle := BytesOf(eventBytes * float64(max(0, r.Alive-r.pending())))
		if !r.Budget.Take(r, idle, idle, func() {}) { // others need not wait until it is done
			return r.OutOfMemory()
		}
		r.enterPhase(t.To)
	}
	if d.Do.To != program.SameState || len(d.Do.Moves) > 0 {
		var err error
		if d.Picks {
			err = r.applyToSome(ctx, d, t.Count, named.At(math.MaxUint64))
		} else {
			err = r.applyToAll(ctx, d, t)
		}
		if err != nil || !d.Enters {
			return err
		}
	}
	if t.In == nil {
		return nil
	}
	// Those let in have streams of their own.
	for k := range t.Count {
		r.enter(t.In, named.At(uint64(k)), noID, program.ByIntervention, d.Do.Name)
		if r.Alive > r.limit {
			return r.overcrowded()
		}
		if err := r.housekeep(ctx, k+1); err != nil {
			return err
		}
	}
	return nil
}

// applyToAll does something to everybody whom it is about, or to each with a probability.
func (r *Run) applyToAll(ctx context.Context, d *program.Intervention, t *program.Effect) error {
	var coverage *program.ByCell[float64]
	if t.Coverage != nil {
		coverage = program.AtTime(t.Coverage, r.Now)
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		if err := r.housekeep(ctx, int(id)); err != nil {
			return err
		}
		if !r.targets(d, id) {
			continue
		}
		if coverage != nil {
			if p := *coverage.At(r.cell(id, coverage.By)); p < 1 && r.stream(id).Float64() >= p {
				continue
			}
		}
		r.applyTo(id, d)
	}
	return nil
}

// targets tells whether there is somebody whom an intervention is about.
func (r *Run) targets(d *program.Intervention, id uint32) bool {
	state := r.status(id).state
	return state != program.Nobody && (d.Who == nil || d.Who[state]) && r.matches(id, d.Where)
}

// applyTo does to an individual what an intervention does.
func (r *Run) applyTo(id uint32, d *program.Intervention) {
	state := r.status(id).state
	switch moved, again := r.move(id, state, &d.Do); {
	case d.Do.To != program.SameState:
		r.change(id, state, d.Do.To, noID, d.Do.Name)
	case moved:
		r.countMove(id, noID, d.Do.Name)
		if again {
			r.reschedule(id, state)
		}
	}
}

// housekeep looks, now and then, whether work of many steps should go on.
func (r *Run) housekeep(ctx context.Context, step int) error {
	if step%housekeepingInterval != 0 {
		return nil
	}
	if r.sparseTimers != nil && r.tooMany(r.sparseTimers.Count()) {
		words := uint64(r.Used) * uint64(headWords+len(r.sparse)) * 8
		if !r.Budget.Take(r, words, words+words/usualSpare, r.packAll) {
			return r.OutOfMemory()
		}
	}
	if r.Alive > r.limit {
		return r.overcrowded()
	}
	if err := r.checkMemory(); err != nil {
		return err
	}
	return ctx.Err()
}

// enterPhase changes the parameters. Clocks without a memory that are now others are drawn anew; all others go on as they were.
func (r *Run) enterPhase(to *program.Phase) {
	from := r.phase
	r.phase = to
	always := false
	for k := range to.Always {
		always = always || !from.Always[k].Equals(&to.Always[k])
	}
	affected := make([]bool, len(to.States))
	for s := range affected {
		affected[s] = !from.States[s].Equals(&to.States[s])
	}
	for k := range to.Immigration {
		if old, new := &from.Immigration[k], &to.Immigration[k]; old.Rate != new.Rate || !program.SameVarying(old.Varying, new.Varying) {
			r.nextArrival(uint32(k))
		}
	}
	if !always && !slices.Contains(affected, true) {
		return
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		state := r.status(id).state
		if state == program.Nobody || !always && !affected[state] {
			continue
		}
		r.phase = from
		r.rememberLifelong(id)
		old := r.stateOf(id, state)
		r.phase = to
		if r.redrawMemoryless(id, old, r.stateOf(id, state)) {
			r.reschedule(id, state)
		}
	}
}

// applyToSome does something to so many of those whom an intervention is about, chosen uniformly without repetition, or to all if there are no more.
//
// If many more could be chosen, ids are tried at random until enough have been found, which takes time in proportion to what is picked.
// Otherwise, and if too many are tried in vain, one pass decides about each in turn, with the probability that so many still have to be found
// among so many that still come [FMR62]. Which of the two does not depend on who was found, so that the choice is uniform all the same.
//
// All that is random comes from a stream of the intervention: nobody's luck depends on whether it was chosen.
//
// [FMR62]: https://doi.org/10.1080/01621459.1962.10480667, also Knuth, volume 2, section 3.4.2, algorithm S
func (r *Run) applyToSome(ctx context.Context, d *program.Intervention, count int, s random.Stream) error {
	const few = 16   // one in so many, or fewer
	among := r.Alive // at least as many as there are to choose from
	if d.Who != nil {
		among = 0
		for state, n := range r.Counts {
			if d.Who[state] {
				among += n
			}
		}
	}
	if count == 0 || among == 0 {
		return nil
	}
	found := map[uint32]bool{}
	if count <= among/few {
		ids := r.Used - int(r.firstID)
		for tries := 0; tries < ids && len(found) < count; tries++ {
			if id := r.firstID + uint32(s.Below(uint64(ids))); r.targets(d, id) {
				found[id] = true
			}
			if err := r.housekeep(ctx, tries); err != nil {
				return err
			}
		}
		if len(found) == count {
			order := make([]uint32, 0, count)
			for id := range found {
				order = append(order, id)
			}
			slices.Sort(order)
			for _, id := range order {
				r.applyTo(id, d)
			}
			return nil
		}
	}
	if len(d.Where) > 0 {
		among = 0
		for id := r.firstID; int(id) < r.Used; id++ {
			if r.targets(d, id) {
				among++
			}
		}
	}
	need, left := count-len(found), among-len(found)
	for id := r.firstID; int(id) < r.Used; id++ {
		if err := r.housekeep(ctx, int(id)); err != nil {
			return err
		}
		switch {
		case found[id]:
			r.applyTo(id, d)
		case need > 0 && r.targets(d, id):
			if need >= left || s.Below(uint64(left)) < uint64(need) {
				need--
				r.applyTo(id, d)
			}
			left--
		}
	}
	return nil
}

// crosses tells whether a comparison is true now. It is strict, whatever rounding makes of a share: 7 of 100 are not below 7%.
func (r *Run) crosses(l *program.Threshold) bool {
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

// A waiting is what a replica knows of the interventions that wait.
type waiting struct {
	on    bool   // some of them may still happen
	held  []bool // whether each was true when it was last looked at
	fired []int  // how often each has become true
	done  []int  // how often each has happened
	due   []int  // what has become true and has not happened yet
}

// begin forgets all.
func (w *waiting) begin(m *program.Program) {
	w.on, w.due = len(m.Triggered) > 0, w.due[:0]
	w.held, w.fired, w.done = make([]bool, len(m.Triggered)), make([]int, len(m.Triggered)), make([]int, len(m.Triggered))
}

// mostFired is how many interventions that wait may happen within a billionth of a run (see pace).
const mostFired = 10_000

// Settle lets everything happen that waits for what is now true, and for what that makes true.
func (r *Run) Settle(ctx context.Context) error {
	w := &r.waiting
	for w.on {
		w.on = false
		for k, d := range r.Program.Triggered {
			if w.fired[k] > 0 && !d.Again {
				continue
			}
			w.on = true
			holds := true
			for i := range r.phase.Thresholds[k] {
				holds = holds && r.crosses(&r.phase.Thresholds[k][i])
			}
			if holds && !w.held[k] {
				w.due = append(w.due, k)
				w.fired[k]++
			}
			w.held[k] = holds
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
	return nil
}

// trigger lets an intervention that waited happen.
func (r *Run) trigger(ctx context.Context, k int) error {
	d := r.Program.Triggered[k]
	r.pace.present = max(r.pace.present, r.Alive)
	if r.pace.fired++; r.pace.fired > mostFired {
		return fmt.Errorf("at time %.12g %s interventions with when took less than a billionth of the run, the last of them %s; do they make one another happen?",
			r.Program.Start+r.Now, format.Thousands(float64(mostFired)), d.What)
	}
	if r.OnEvent != nil {
		r.event = Event{Time: r.Program.Start + r.Now, Kind: Happened, Name: d.Do.Name, Place: noID, ByPlace: noID}
		r.OnEvent(&r.event)
	}
	if !d.About() {
		r.countName(d.Do.Name)
	}
	// Named by which it is, and by how often it has happened.
	return r.apply(ctx, d, random.New(r.seed, uint64(r.Index), uint64(k), uint64(r.waiting.done[k])))
}
