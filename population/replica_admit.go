package population

import (
	"github.com/almanac-sim/almanac/internal/random"
)

// admit lets an individual in, with its own stream, and returns its id. The parent is for what is inherited.
func (r *replica) admit(in *entrance, s random.Stream, parent uint32) uint32 {
	id := r.takePlace()
	r.entered++
	if r.onEvent != nil {
		r.numbers[id] = r.entered
	}
	state := r.furnish(id, in, s, parent)
	r.join(id, state)
	r.plan(id, state)
	return id
}

// furnish gives an individual all that is its own: its stream, its attributes, its state, which is returned, and its clocks. Nothing else
// is touched, but for timers that lie aside.
func (r *replica) furnish(id uint32, in *entrance, s random.Stream, parent uint32) (state uint16) {
	own := r.stream(id)
	*own = s
	age := 0.0
	byGroup := in.age != nil && len(in.age.by) > 0
	if in.age != nil && !byGroup {
		age = in.age.values[0].draw(own)
	}
	for a := range r.values {
		var v uint16
		switch given := in.of(a); given {
		case drawnValue:
			v = uint16(among(r.t.attributes[a], own.Float64()))
		case inheritedValue:
			v = r.values[a].of(parent)
		default:
			v = uint16(given)
		}
		r.values[a].set(id, v)
	}
	if byGroup {
		age = in.age.at(r.cell(id, in.age.by)).draw(own)
	}
	state = in.to
	if in.into != nil {
		state = in.into.states[in.into.shares.at(r.cell(id, in.into.shares.by)).draw(own, r.now)]
	}
	*r.person(id) = person{state: state}
	r.seen(id, state)
	if r.shared {
		r.words[int(id)*r.stride+before] = never
	}
	for k := range r.t.always {
		c := r.lifelong(id, k)
		if c.off {
			r.windTimer(id, k, &c.law, true)
		} else if left, struck := c.left(own, age); struck {
			r.setTimer(id, k, never) // without a mark: no change of its law brings it back
		} else {
			r.startTimer(id, k, &c.law, age, left)
		}
	}
	if in.since != nil {
		r.windSince(id, state, in.since.at(r.cell(id, in.since.by)))
	} else {
		r.wind(id, state)
	}
	return state
}

// join counts an individual among the others.
func (r *replica) join(id uint32, state uint16) {
	for a, g := range r.groups {
		if g != nil {
			g.add(id, int(r.values[a].of(id)))
		}
	}
	if r.all != nil {
		r.all.add(id, 0)
	}
	r.population(+1)
	r.counts[state]++
	if c := r.counts[state]; c > r.peaks[state].Count {
		r.peaks[state] = peak{c, r.m.start + r.now}
	}
	if r.by != nil {
		r.by.present(r, id, int(state), +1)
	}
}

// population counts one more or less.
func (r *replica) population(change int) {
	r.lived.until(r.now, r.alive)
	r.alive += change
}
