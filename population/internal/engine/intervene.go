package engine

import (
	"context"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// intervene does what was planned for now, and what waits for that.
func (r *Run) intervene(ctx context.Context, p *program.Scheduled, index int) error {
	r.planned = p
	err := r.carryOut(ctx, p.Intervention, random.New(r.seed, uint64(r.Index), uint64(index)))
	r.planned = nil
	r.pass(r.Now)
	if err != nil {
		return err
	}
	return r.Settle(ctx)
}

// carryOut does what an intervention does. It takes time proportional to the population, unless it picks a few. What is random and nobody's
// own comes from streams that the given one names.
func (r *Run) carryOut(ctx context.Context, d *program.Intervention, named random.Stream) error {
	r.Events++
	t := d.Effects[r.t]
	if t.To != r.t {
		// Everybody may have an event from now on.
		idle := BytesOf(eventBytes * float64(max(0, r.Alive-r.pending())))
		if !r.Purse.Take(r, idle, idle, func() {}) { // others need not wait until it is done
			return r.OutOfMemory()
		}
		r.turn(t.To)
	}
	if d.Do.To != program.SameState || len(d.Do.Moves) > 0 {
		var err error
		if d.Picks {
			err = r.pick(ctx, d, t.Count, named.At(math.MaxUint64))
		} else {
			err = r.cover(ctx, d, t)
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
		r.enter(t.In, named.At(uint64(k)), nobodyElse, program.ByIntervention, d.Do.Name)
		if r.Alive > r.most {
			return r.overcrowded()
		}
		if err := r.pause(ctx, k+1); err != nil {
			return err
		}
	}
	return nil
}

// cover does something to everybody whom it is about, or to each with a probability.
func (r *Run) cover(ctx context.Context, d *program.Intervention, t *program.Effect) error {
	var coverage *program.ByCell[float64]
	if t.Coverage != nil {
		coverage = program.AtTime(t.Coverage, r.Now)
	}
	for id := r.first; int(id) < r.Ids; id++ {
		if err := r.pause(ctx, int(id)); err != nil {
			return err
		}
		if !r.concerns(d, id) {
			continue
		}
		if coverage != nil {
			if p := *coverage.At(r.cell(id, coverage.By)); p < 1 && r.stream(id).Float64() >= p {
				continue
			}
		}
		r.undergo(id, d)
	}
	return nil
}

// concerns tells whether there is somebody whom an intervention is about.
func (r *Run) concerns(d *program.Intervention, id uint32) bool {
	state := r.person(id).state
	return state != program.Nobody && (d.Who == nil || d.Who[state]) && r.matches(id, d.Where)
}

// undergo does to an individual what an intervention does.
func (r *Run) undergo(id uint32, d *program.Intervention) {
	state := r.person(id).state
	switch moved, again := r.move(id, state, &d.Do); {
	case d.Do.To != program.SameState:
		r.change(id, state, d.Do.To, nobodyElse, d.Do.Name)
	case moved:
		r.moved(id, nobodyElse, d.Do.Name)
		if again {
			r.planAnew(id, state)
		}
	}
}

// pause looks, now and then, whether work of many steps should go on.
func (r *Run) pause(ctx context.Context, step int) error {
	if step%often != 0 {
		return nil
	}
	if r.aside != nil && r.tooMany(r.aside.count()) {
		words := uint64(r.Ids) * uint64(before+len(r.asideOf)) * 8
		if !r.Purse.Take(r, words, words+words/usualSpare, r.gather) {
			return r.OutOfMemory()
		}
	}
	if r.Alive > r.most {
		return r.overcrowded()
	}
	if err := r.grown(); err != nil {
		return err
	}
	return ctx.Err()
}

// turn changes the parameters. Clocks without a memory that are now others are drawn anew; all others go on as they were.
func (r *Run) turn(to *program.Phase) {
	from := r.t
	r.t = to
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
	for id := r.first; int(id) < r.Ids; id++ {
		state := r.person(id).state
		if state == program.Nobody || !always && !affected[state] {
			continue
		}
		r.t = from
		r.remember(id)
		old := r.table(id, state)
		r.t = to
		if r.renew(id, old, r.table(id, state)) {
			r.planAnew(id, state)
		}
	}
}
