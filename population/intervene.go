package population

import (
	"context"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
)

// intervene does what was planned for now, and what waits for that.
func (r *replica) intervene(ctx context.Context, p *plan, index int) error {
	r.planned = p
	err := r.carryOut(ctx, p.deed, random.New(r.seed, uint64(r.index), uint64(index)))
	r.planned = nil
	r.pass(r.now)
	if err != nil {
		return err
	}
	return r.settle(ctx)
}

// carryOut does what an intervention does. It takes time proportional to the population, unless it picks a few. What is random and nobody's
// own comes from streams that the given one names.
func (r *replica) carryOut(ctx context.Context, d *deed, named random.Stream) error {
	r.events++
	t := d.turns[r.t]
	if t.to != r.t {
		// Everybody may have an event from now on.
		idle := bytesOf(eventBytes * float64(max(0, r.alive-r.pending())))
		if !r.purse.take(r, idle, idle, func() {}) { // others need not wait until it is done
			return r.outOfMemory()
		}
		r.turn(t.to)
	}
	if d.do.to != same || len(d.do.moves) > 0 {
		var err error
		if d.picks {
			err = r.pick(ctx, d, t.count, named.At(math.MaxUint64))
		} else {
			err = r.cover(ctx, d, t)
		}
		if err != nil || !d.enters {
			return err
		}
	}
	if t.in == nil {
		return nil
	}
	// Those let in have streams of their own.
	for k := range t.count {
		r.enter(t.in, named.At(uint64(k)), nobodyElse, fromPlans, d.do.name)
		if r.alive > r.most {
			return r.overcrowded()
		}
		if err := r.pause(ctx, k+1); err != nil {
			return err
		}
	}
	return nil
}

// cover does something to everybody whom it is about, or to each with a probability.
func (r *replica) cover(ctx context.Context, d *deed, t *turn) error {
	var coverage *perCell[float64]
	if t.coverage != nil {
		coverage = atTime(t.coverage, r.now)
	}
	for id := r.first; int(id) < r.ids; id++ {
		if err := r.pause(ctx, int(id)); err != nil {
			return err
		}
		if !r.concerns(d, id) {
			continue
		}
		if coverage != nil {
			if p := *coverage.at(r.cell(id, coverage.by)); p < 1 && r.stream(id).Float64() >= p {
				continue
			}
		}
		r.undergo(id, d)
	}
	return nil
}

// concerns tells whether there is somebody whom an intervention is about.
func (r *replica) concerns(d *deed, id uint32) bool {
	state := r.person(id).state
	return state != nobody && (d.who == nil || d.who[state]) && r.matches(id, d.where)
}

// undergo does to an individual what an intervention does.
func (r *replica) undergo(id uint32, d *deed) {
	state := r.person(id).state
	switch moved, again := r.move(id, state, &d.do); {
	case d.do.to != same:
		r.change(id, state, d.do.to, nobodyElse, d.do.name)
	case moved:
		r.moved(id, nobodyElse, d.do.name)
		if again {
			r.planAnew(id, state)
		}
	}
}

// pause looks, now and then, whether work of many steps should go on.
func (r *replica) pause(ctx context.Context, step int) error {
	if step%often != 0 {
		return nil
	}
	if r.aside != nil && r.tooMany(r.aside.count()) {
		words := uint64(r.ids) * uint64(before+len(r.asideOf)) * 8
		if !r.purse.take(r, words, words+words/usualSpare, r.gather) {
			return r.outOfMemory()
		}
	}
	if r.alive > r.most {
		return r.overcrowded()
	}
	if err := r.grown(); err != nil {
		return err
	}
	return ctx.Err()
}

// turn changes the parameters. Clocks without a memory that are now others are drawn anew; all others go on as they were.
func (r *replica) turn(to *tables) {
	from := r.t
	r.t = to
	always := false
	for k := range to.always {
		always = always || !from.always[k].equals(&to.always[k])
	}
	affected := make([]bool, len(to.states))
	for s := range affected {
		affected[s] = !from.states[s].equals(&to.states[s])
	}
	for k := range to.immigration {
		if old, new := &from.immigration[k], &to.immigration[k]; old.rate != new.rate || !sameVarying(old.vary, new.vary) {
			r.nextArrival(uint32(k))
		}
	}
	if !always && !slices.Contains(affected, true) {
		return
	}
	for id := r.first; int(id) < r.ids; id++ {
		state := r.person(id).state
		if state == nobody || !always && !affected[state] {
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
