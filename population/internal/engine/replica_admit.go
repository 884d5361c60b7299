package engine

import (
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// admit lets an individual in, with its own stream, and returns its id. The parent is for what is inherited.
func (r *Run) admit(in *program.Entry, s random.Stream, parent uint32) uint32 {
	id := r.takePlace()
	r.entered++
	if r.OnEvent != nil {
		r.numbers[id] = r.entered
	}
	state := r.furnish(id, in, s, parent)
	r.join(id, state)
	r.plan(id, state)
	return id
}

// furnish gives an individual all that is its own: its stream, its attributes, its state, which is returned, and its clocks. Nothing else
// is touched, but for timers that lie aside.
func (r *Run) furnish(id uint32, in *program.Entry, s random.Stream, parent uint32) (state uint16) {
	own := r.stream(id)
	*own = s
	age := 0.0
	byGroup := in.Age != nil && len(in.Age.By) > 0
	if in.Age != nil && !byGroup {
		age = in.Age.Values[0].Draw(own)
	}
	for a := range r.values {
		var v uint16
		switch given := in.Of(a); given {
		case program.Drawn:
			v = uint16(lookup.Among(r.t.Attributes[a], own.Float64()))
		case program.Inherited:
			v = r.values[a].of(parent)
		default:
			v = uint16(given)
		}
		r.values[a].set(id, v)
	}
	if byGroup {
		age = in.Age.At(r.cell(id, in.Age.By)).Draw(own)
	}
	state = in.To
	if in.Into != nil {
		state = in.Into.States[in.Into.Shares.At(r.cell(id, in.Into.Shares.By)).Draw(own, r.Now)]
	}
	*r.person(id) = person{state: state}
	r.seen(id, state)
	if r.shared {
		r.words[int(id)*r.stride+before] = never
	}
	for k := range r.t.Always {
		c := r.lifelong(id, k)
		if c.Off {
			r.windTimer(id, k, &c.Law, true)
		} else if left, struck := c.Left(own, age); struck {
			r.setTimer(id, k, never) // without a mark: no change of its law brings it back
		} else {
			r.startTimer(id, k, &c.Law, age, left)
		}
	}
	if in.Since != nil {
		r.windSince(id, state, in.Since.At(r.cell(id, in.Since.By)))
	} else {
		r.wind(id, state)
	}
	return state
}

// join counts an individual among the others.
func (r *Run) join(id uint32, state uint16) {
	for a, g := range r.groups {
		if g != nil {
			g.add(id, int(r.values[a].of(id)))
		}
	}
	if r.all != nil {
		r.all.add(id, 0)
	}
	r.population(+1)
	r.Counts[state]++
	if c := r.Counts[state]; c > r.Peaks[state].Count {
		r.Peaks[state] = Peak{c, r.M.Start + r.Now}
	}
	if r.By != nil {
		r.By.present(r, id, int(state), +1)
	}
}

// population counts one more or less.
func (r *Run) population(change int) {
	r.lived.until(r.Now, r.Alive)
	r.Alive += change
}
