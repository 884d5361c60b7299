package engine

import (
	"context"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// interventions are what a run knows of its interventions.
type interventions struct {
	underway   *program.Scheduled // the scheduled one that is being carried out; nil if none
	carriedOut int                // how many of the scheduled ones are done
	waiting    waiting            // those that wait for a condition
}

// intervene carries out a scheduled intervention, and those that wait for what it does.
func (r *Run) intervene(ctx context.Context, p *program.Scheduled) error {
	if p.Adds >= 0 {
		r.deliver(p.Intervention)
		if err := r.finish(ctx); err != nil {
			return err
		}
		return r.Settle(ctx)
	}
	r.underway = p
	err := r.carryOut(ctx, p.Intervention, random.New(r.seed, uint64(r.Index), uint64(p.Number)))
	r.underway = nil
	r.beginPace(r.Now)
	if err != nil {
		return err
	}
	return r.Settle(ctx)
}

// carryOut carries out an intervention. It takes time proportional to the population, unless it picks
// a few individuals. Draws that belong to no individual come from streams derived from named.
func (r *Run) carryOut(ctx context.Context, d *program.Intervention, named random.Stream) error {
	r.Events++
	if err := r.applyAll(ctx, d, named); err != nil {
		return err
	}
	return r.finish(ctx)
}

// applyAll is carryOut without what it leads to.
func (r *Run) applyAll(ctx context.Context, d *program.Intervention, named random.Stream) error {
	t := d.Effects[r.phase]
	if t.Next != r.phase {
		// Everybody may have an event from now on.
		idle := BytesOf(eventBytes * float64(max(0, r.Alive-r.pending())))
		if !r.budget.take(r, idle, idle, func() {}) { // before it is done, since other runs may take memory meanwhile
			return r.outOfMemory()
		}
		r.enterPhase(t.Next)
	}
	if d.HasTargets() {
		var err error
		if d.ByCount {
			err = r.applyToSome(ctx, d, t, named.At(math.MaxUint64))
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
	if r.places != nil {
		r.beginBatch()
		defer r.endBatch()
	}
	// Those who enter have streams of their own.
	for k := range t.Count {
		r.enter(t.In, named.At(uint64(k)), noID, program.ByIntervention, d.Do.Name)
		if r.Alive > r.limit {
			if err := r.outgrow(); err != nil {
				return err
			}
		}
		if err := r.housekeep(ctx, k+1); err != nil {
			return err
		}
	}
	return nil
}

// applyToAll applies an intervention to all its targets, or to each with a probability.
func (r *Run) applyToAll(ctx context.Context, d *program.Intervention, t *program.Effect) error {
	var coverage *program.ByCell[float64]
	if t.Coverage != nil {
		coverage = program.AtTime(t.Coverage, r.Now)
	}
	covers := func(id uint32) float64 {
		if t.Coverage != nil && (r.cameIn != nil || r.own != nil) {
			return (*t.Coverage.At(r.cell(id, t.Coverage.By))).ChanceFor(r.Now, r.individual(id, id))
		}
		return *coverage.At(r.cell(id, coverage.By))
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		if err := r.housekeep(ctx, int(id)); err != nil {
			return err
		}
		if !r.targets(d, id) {
			continue
		}
		if coverage != nil {
			if p := covers(id); p < 1 && r.stream(id).Float64() >= p {
				continue
			}
		}
		r.applyTo(id, d, t)
	}
	return nil
}

// targets reports whether id is an individual that an intervention is about.
func (r *Run) targets(d *program.Intervention, id uint32) bool {
	state := r.status(id).state
	return state != program.NoState && (d.Who == nil || d.Who[state]) && r.matches(id, d.Where)
}

// applyTo applies an intervention to an individual.
func (r *Run) applyTo(id uint32, d *program.Intervention, t *program.Effect) {
	do := &d.Do
	if t.Do != nil {
		do = t.Do
	}
	if done, _ := r.attempt(id, do, noID, false); done && d.Supply >= 0 {
		r.Supplies[d.Supply].Left--
		r.Supplies[d.Supply].Used++
	}
}

// enterPhase changes the parameters. Clocks without memory whose law has changed are drawn again;
// all others keep their time.
func (r *Run) enterPhase(to *program.Phase) {
	from := r.phase
	if r.outcomes != nil {
		r.changeWeights(to)
	}
	r.phase = to
	always := false
	for k := range to.Always {
		always = always || !from.Always[k].Equal(&to.Always[k])
	}
	for m := range to.Machines {
		for v := range to.Machines[m] {
			always = always || !from.Machines[m][v].Equal(&to.Machines[m][v])
		}
	}
	affected := make([]bool, len(to.States))
	for s := range affected {
		affected[s] = !from.States[s].Equal(&to.States[s])
	}
	for k := range to.Immigration {
		if old, new := &from.Immigration[k], &to.Immigration[k]; old.Rate != new.Rate ||
			!program.EqualRates(old.Varying, new.Varying) {
			r.nextArrival(uint32(k))
		}
	}
	if !always && !slices.Contains(affected, true) {
		return
	}
	for id := r.firstID; int(id) < r.Used; id++ {
		state := r.status(id).state
		if state == program.NoState || !always && !affected[state] {
			continue
		}
		r.phase = from
		r.rememberAlways(id)
		old := r.stateOf(id, state)
		r.phase = to
		if r.redrawMemoryless(id, old, r.stateOf(id, state)) {
			r.reschedule(id, state)
		}
	}
}

// applyToSome applies an intervention to count of its targets, chosen uniformly without
// replacement, or to all of them if there are no more.
//
// If there are many more targets, ids are tried at random until enough are found, in time
// proportional to count. Otherwise, or if too many tries fail, one pass decides about each target
// in turn, with the probability needed/left [FMR62]. Which of the two it is does not depend on who
// was found, so that the choice is uniform all the same.
//
// All draws come from a stream of the intervention: no individual's own draws depend on whether it
// was chosen.
//
// [FMR62]: https://doi.org/10.1080/01621459.1962.10480667, also Knuth, volume 2, section 3.4.2,
// algorithm S
func (r *Run) applyToSome(ctx context.Context, d *program.Intervention, t *program.Effect, s random.Stream) error {
	const few = 16 // at most one in so many
	count := r.available(d, t)
	among := r.Alive // an upper bound of the number of targets
	if d.Who != nil {
		among = 0
		for state, n := range r.Counts[:len(r.Program.States)] {
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
				r.applyTo(id, d, t)
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
			r.applyTo(id, d, t)
		case need > 0 && r.targets(d, id):
			if need >= left || s.Below(uint64(left)) < uint64(need) {
				need--
				r.applyTo(id, d, t)
			}
			left--
		}
	}
	return nil
}
