package population

import (
	"github.com/almanac-sim/almanac/calendar"
)

// strike lets the clock of an individual do what it does.
func (r *replica) strike(id uint32) {
	state := r.person(id).state
	st := &r.t.states[state]
	if st.bare {
		do := &st.menu[0].do
		if len(st.menu) > 1 {
			do = st.pick(r.stream(id).Float64() * st.rate)
		}
		r.do(id, state, do)
		return
	}
	if do := r.struck(id, state); do != nil {
		r.do(id, state, do)
	} else {
		r.plan(id, state)
	}
}

// struck is what an individual's clock does that strikes now; nil if that turns out to be nothing.
func (r *replica) struck(id uint32, state uint16) *action {
	st := r.table(id, state)
	if st.bare {
		if len(st.menu) > 1 {
			return st.pick(r.stream(id).Float64() * st.rate)
		}
		return &st.menu[0].do
	}
	if at, column := r.firstTimer(id, st); column >= 0 && at == r.now {
		r.setTimer(id, column, never)
		switch k := column - len(r.t.always); {
		case k < 0:
			return &r.t.always[column].do
		case k < len(st.race):
			return &st.race[k].do
		}
		branch := &st.split[r.person(id).branch]
		if branch.vary != nil {
			if _, _, ok := r.choose(r.stream(id), 0, branch.vary); !ok {
				r.windClock(id, column, branch)
				return nil
			}
		}
		return &branch.do
	}
	if st.vary != nil {
		switch k, place, ok := r.choose(r.stream(id), st.rate, st.vary); {
		case !ok:
			return nil
		case k >= 0:
			return &st.vary[k].do
		default:
			return st.pick(place)
		}
	}
	if len(st.menu) > 1 {
		return st.pick(r.stream(id).Float64() * st.rate)
	}
	return &st.menu[0].do
}

// do carries out an action of an individual whose event is no longer in the calendar, and plans its next one.
func (r *replica) do(id uint32, state uint16, do *action) {
	switch do.verb {
	case doContact:
		if l := luck(r.stream(id).Uint64()); r.ties.busy() {
			r.later(id, state, do, l)
		} else if r.contact(id, state, do, l) {
			return // it has become another, and that is planned
		}
	case doBirth:
		r.enter(do.in, r.stream(id).Split(), id, fromBirths, do.name)
	default:
		if r.act(id, state, do) {
			return
		}
	}
	r.plan(id, state)
}

// act changes an individual's state and attributes, or does nothing if it is not in a state for it or by chance. It reports whether its next
// event is planned.
func (r *replica) act(id uint32, state uint16, do *action) bool {
	if !r.acts(id, state, do) {
		return false
	}
	moved := false
	if len(do.moves) > 0 {
		moved, _ = r.move(id, state, do)
	}
	if do.to != same {
		r.change(id, state, do.to, id, do.name)
		return true
	}
	if moved {
		r.moved(id, id, do.name)
	}
	return false
}

// acts decides whether an individual is in a state for an action, and by chance.
func (r *replica) acts(id uint32, state uint16, do *action) bool {
	chance := do.chance
	if do.odds != nil {
		chance = r.odds(do.odds, id, id)
	}
	return !(do.from != nil && !do.from[state] || chance < 1 && r.stream(id).Float64() >= chance)
}

// move gives attributes of an individual the values that they are to have. It reports whether one of them was another, and whether clocks
// go on otherwise because of that, so that the next event has to be planned anew.
func (r *replica) move(id uint32, state uint16, do *action) (moved, again bool) {
	if len(do.moves) == 0 {
		return false, false
	}
	var before *stateTable
	if r.t.byGroup {
		before = r.table(id, state)
		r.remember(id)
	}
	for _, m := range do.moves {
		old := r.values[m.attribute].of(id)
		if old == m.value {
			continue
		}
		moved = true
		if r.by != nil {
			r.by.present(r, id, int(r.person(id).state), -1)
		}
		r.values[m.attribute].set(id, m.value)
		if r.by != nil {
			r.by.present(r, id, int(r.person(id).state), +1)
		}
		if g := r.groups[m.attribute]; g != nil {
			g.remove(id, int(old))
			g.add(id, int(m.value))
		}
	}
	if moved && r.t.byGroup {
		again = r.renew(id, before, r.table(id, state))
	}
	return moved, again
}

// change takes an individual to another state, or out, because of another, of itself, or of nobody, and counts the name that this goes by.
func (r *replica) change(id uint32, from, to uint16, by uint32, name int) {
	r.become(id, from, to, by, name, name)
}

// become takes an individual to another state, or out. The name to count is given by itself: what changes two is counted once.
func (r *replica) become(id uint32, from, to uint16, by uint32, name, counted int) {
	r.count(counted)
	r.flow(id, by, int(from), to, name, counted)
	r.counts[from]--
	if to == nobody {
		r.leave(id)
		return
	}
	r.counts[to]++
	if c := r.counts[to]; c > r.peaks[to].Count {
		r.peaks[to] = peak{c, r.m.start + r.now}
	}
	p := r.person(id)
	p.state = to
	r.seen(id, to)
	if !r.t.states[to].bare || p.aside != 0 {
		r.wind(id, to)
	}
	r.planAnew(id, to)
}

// leave takes an individual out of the population.
func (r *replica) leave(id uint32) {
	if r.win != nil {
		*r.nextAt(id) = r.now
	} else {
		r.queue.Cancel(calendar.ID(id))
	}
	for a, g := range r.groups {
		if g != nil {
			g.remove(id, int(r.values[a].of(id)))
		}
	}
	r.stopTimers(id, 0)
	r.person(id).state = nobody
	r.seen(id, nobody)
	r.person(id).unmark(isCalled)
	r.free.put(id)
	r.population(-1)
	if r.all != nil {
		r.all.remove(id, 0)
	} else if r.m.plainMixing {
		r.listLiving()
	}
}
