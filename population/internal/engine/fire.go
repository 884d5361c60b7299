package engine

import (
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// fire carries out the event of an individual whose clock fires.
func (r *Run) fire(id uint32) {
	state := r.status(id).state
	st := &r.phase.States[state]
	if st.OnlyRates {
		do := &st.Rates[0].Do
		if len(st.Rates) > 1 {
			do = st.PickByRate(r.stream(id).Float64() * st.TotalRate)
		}
		r.do(id, state, do)
		return
	}
	if do := r.firedAction(id, state); do != nil {
		r.do(id, state, do)
	} else {
		r.schedule(id, state)
	}
}

// firedAction returns the action of the clock that fires now, or nil if a candidate is rejected.
func (r *Run) firedAction(id uint32, state uint16) *program.Action {
	st := r.stateOf(id, state)
	if st.OnlyRates {
		if len(st.Rates) > 1 {
			return st.PickFew(r.stream(id).Float64() * st.TotalRate)
		}
		return &st.Rates[0].Do
	}
	if at, column := r.firstTimer(id, st); column >= 0 && at == r.Now {
		r.setTimer(id, column, never)
		switch k := column - r.Program.StateColumn; {
		case column < len(r.phase.Always):
			return &r.phase.Always[column].Do
		case k < 0:
			return r.firedMachine(id, column)
		case k < len(st.Race):
			return &st.Race[k].Do
		}
		branch := &st.Split[r.status(id).branch]
		if branch.Varying != nil {
			if _, _, ok := r.choose(r.stream(id), id, 0, branch.Varying); !ok {
				r.startClock(id, column, branch)
				return nil
			}
		}
		return &branch.Do
	}
	if st.Varying != nil {
		switch k, place, ok := r.choose(r.stream(id), id, st.TotalRate, st.Varying); {
		case !ok:
			return nil
		case k >= 0:
			return &st.Varying[k].Do
		default:
			return st.PickByRate(place)
		}
	}
	if len(st.Rates) > 1 {
		return st.PickByRate(r.stream(id).Float64() * st.TotalRate)
	}
	return &st.Rates[0].Do
}

// do carries out an action of an individual that has no event in the calendar, and schedules its
// next one.
func (r *Run) do(id uint32, state uint16, do *program.Action) {
	switch do.Kind {
	case program.DoContact:
		if l := contactSeed(r.stream(id).Uint64()); r.ties.busy() {
			r.deferContact(id, state, do, l)
		} else if r.contact(id, state, do, l) {
			return // its state changed, and its next event is scheduled
		}
	case program.DoBirth:
		r.enterAll(do.Child, r.stream(id).Split(), id, program.ByBirth, do.Name)
	case program.DoAge:
		r.enterBand(id, state, r.Program.Bands[do.Contact])
	case program.DoUnlink:
		r.endOne(id, do.Contact)
	default:
		if do.Plain && !r.followed { // act by hand, without what others need
			r.change(id, state, do.To, id, do.Name)
			return
		}
		if r.act(id, state, do) {
			return
		}
	}
	r.schedule(id, state)
}

// act changes the state and the attributes of an individual, unless the action does not apply to it
// or its chance fails. It reports whether the next event has been scheduled.
func (r *Run) act(id uint32, state uint16, do *program.Action) bool {
	if !r.acts(id, state, do) {
		return false
	}
	_, scheduled := r.attempt(id, do, id, true)
	return scheduled
}

// acts reports whether an action applies to an individual in a state, and draws its chance.
func (r *Run) acts(id uint32, state uint16, do *program.Action) bool {
	chance := do.Chance
	if do.Chances != nil {
		chance = r.chance(do.Chances, id, id)
	}
	return !(do.From != nil && !do.From[state] || chance < 1 && r.stream(id).Float64() >= chance)
}

// set gives an attribute of an individual a value. It reports whether anything changed: the value,
// or the clocks of a machine that are to start anew.
func (r *Run) set(id uint32, m *program.Move, value uint16) bool {
	old := r.attributes[m.Attribute].Of(id)
	if old == value && !m.Enters {
		return false
	}
	r.waiting.changed = true
	if r.ByGroup != nil {
		r.ByGroup.present(r, id, int(r.status(id).state), -1)
	}
	if r.outcomes != nil {
		r.leaveSums(id)
	}
	r.attributes[m.Attribute].Set(id, value)
	if r.ByGroup != nil {
		r.ByGroup.present(r, id, int(r.status(id).state), +1)
	}
	if r.outcomes != nil {
		r.enterSums(id)
	}
	if g := r.groups[m.Attribute]; g != nil {
		g.Remove(id, int(old))
		g.Add(id, int(value))
		if r.near != nil {
			r.regroup(id, int(m.Attribute), int(old), int(value))
		}
	}
	if m.Machine >= 0 {
		r.enterMachine(id, int(m.Machine), old, value)
	}
	return true
}

// enterBand gives an individual the next value of an attribute that follows the age, and starts the
// clock to the one after that.
func (r *Run) enterBand(id uint32, state uint16, b *program.Band) {
	value := int(r.attributes[b.Attribute].Of(id)) + 1
	r.give(id, state, &effect{enters: noMove, moves: b.Enter[value].Moves})
	r.settle(id)
	r.setTimer(id, b.Column, wordOf(r.Now+b.Lasts(value)))
	r.countPassed(id, id, b.Flows[value])
	if r.OnEvent != nil {
		r.notify(Event{Kind: Moved, State: state, Name: -1}, id, id)
	}
}

// change moves an individual to another state, or out, and counts the name that this goes by. by is
// the individual that caused it, itself or noID.
func (r *Run) change(id uint32, from, to uint16, by uint32, name int) {
	r.become(id, from, to, by, name, name)
}

// become is change with the name to count given apart: a contact that changes two individuals
// counts once.
func (r *Run) become(id uint32, from, to uint16, by uint32, name, counted int) {
	r.countName(counted)
	r.countFlow(id, by, int(from), to, name, counted)
	if r.followed {
		r.leaveState(id, from, to, counted)
	}
	r.Counts[from]--
	if to == program.NoState {
		if r.followed {
			r.followLeaver(id, by, from, counted)
		}
		r.leave(id)
		return
	}
	r.Counts[to]++
	if c := r.Counts[to]; c > r.Peaks[to].Count {
		r.Peaks[to] = Peak{c, r.Program.Start + r.Now}
	}
	p := r.status(id)
	p.state = to
	r.cacheState(id, to)
	if r.followed {
		r.enterState(id, by, from, to, counted)
	}
	if !r.phase.States[to].OnlyRates || p.sparse != 0 {
		r.startClocks(id, to)
	}
	if r.followed {
		r.startFollowers(id, to)
	}
	r.reschedule(id, to)
}

// leave removes an individual from the population.
func (r *Run) leave(id uint32) {
	if r.tracing != nil {
		r.leaveTracing(id)
	}
	if r.windows != nil {
		*r.nextAt(id) = r.Now
	} else {
		r.Queue.Cancel(eventqueue.ID(id))
	}
	for a, g := range r.groups {
		if g != nil {
			g.Remove(id, int(r.attributes[a].Of(id)))
			if r.near != nil {
				r.regroup(id, a, int(r.attributes[a].Of(id)), -1)
			}
		}
	}
	if r.places != nil {
		r.leavePlaces(id)
	}
	if r.lines != nil {
		r.leaveLines(id)
	}
	if r.networks != nil {
		r.leaveNetworks(id)
	}
	if r.tracing != nil {
		r.forgetContacts(id)
	}
	r.stopTimers(id, 0)
	r.status(id).state = program.NoState
	r.cacheState(id, program.NoState)
	r.status(id).unmark(isTied)
	r.free.Put(id)
	r.countAlive(-1)
	if r.living != nil {
		r.living.Remove(id, 0)
	} else if r.Program.MixesFreely {
		r.listLiving()
	}
}
