package engine

import "github.com/almanac-sim/almanac/population/internal/program"

// An effect is what happens to one individual at an instant. Whatever makes it happen, its clock, a
// contact, a call, an intervention, or its turn in a queue: apply carries it out.
type effect struct {
	to      uint16 // the new state; NoState for leaving, SameState for staying
	child   *program.Entry
	enters  program.Move // before moves: what a contact does to the machine that it is about; Machine is −1 for nothing
	moves   []program.Move
	places  []program.PlaceMove
	by      uint32      // who causes it: itself, another, or noID
	name    int         // of the event, −1 for none
	counted int         // the name to count: −1 if the event has been counted already
	seed    contactSeed // what moves give is hashed from it,
	hashed  bool        // if so, and otherwise drawn from the stream of the individual
	fired   bool        // whoever carries it out schedules the next event of the individual
}

// noMove is the effect.enters of what is not about a machine.
var noMove = program.Move{Machine: -1}

// effectOf returns the effect of an action. By is who causes it.
func effectOf(do *program.Action, by uint32) effect {
	return effect{
		to: do.To, child: do.Child, enters: noMove, moves: do.Moves, places: do.Places, by: by, name: do.Name, counted: do.Name,
	}
}

// action returns the effect as something that an individual may wait for.
func (e *effect) action(use *program.Use) *program.Action {
	do := &program.Action{Kind: program.DoMove, To: e.to, Name: e.name, Chance: 1, Uses: use, Moves: e.moves, Places: e.places}
	if e.enters.Machine >= 0 {
		do.Moves = append([]program.Move{e.enters}, e.moves...)
	}
	return do
}

// attempt carries out an action, if there are room and supply for it, and otherwise what full says.
// By is who causes it; fired is as in effect. It reports whether the action has been carried out,
// and whether the next event has been scheduled.
func (r *Run) attempt(id uint32, do *program.Action, by uint32, fired bool) (done, scheduled bool) {
	lacks := -1
	if r.places != nil && r.places.limited {
		if do, lacks = r.findsRoom(id, do); lacks >= 0 {
			r.places.turnedAway[lacks]++
		}
	}
	if lacks < 0 && do.Uses != nil && !r.take(do.Uses) {
		lacks = len(r.Program.Places) + do.Uses.Supply
	}
	if lacks < 0 {
		return true, r.perform(id, do, by, fired)
	}
	scheduled = r.instead(id, do.Uses, by, fired)
	if do.Uses != nil && do.Uses.Queue {
		r.standInLine(id, do, lacks)
	}
	return false, scheduled
}

// instead does what full says to an individual to whom something cannot happen, because there is no
// room in a kind of places, or nothing left of a supply. It reports whether the next event has been
// scheduled.
func (r *Run) instead(id uint32, use *program.Use, by uint32, fired bool) (scheduled bool) {
	return use != nil && use.Full != nil && r.roomInstead(id, use.Full) && r.perform(id, use.Full, by, fired)
}

// perform carries out an action for which there is room and supply. It reports whether the next
// event has been scheduled.
func (r *Run) perform(id uint32, do *program.Action, by uint32, fired bool) (scheduled bool) {
	e := effectOf(do, by)
	e.fired = fired
	if do.Source > 0 && r.observers != nil {
		e.by = r.pickSource(id, r.status(id).state, do.Source)
	}
	_, scheduled = r.apply(id, &e)
	return scheduled
}

// apply carries out an effect. It reports whether the individual has changed, and whether its next
// event has been scheduled.
//
// An individual that leaves makes no move: it is counted, and it is recorded, as it was before.
func (r *Run) apply(id uint32, e *effect) (changed, scheduled bool) {
	state := r.status(id).state
	if r.observers != nil {
		r.observers.cause = e.by
	}
	if e.child != nil {
		r.enterAll(e.child, r.stream(id).Split(), id, program.ByBirth, -1)
	}
	if e.to == program.NoState {
		r.become(id, state, e.to, e.by, e.name, e.counted)
		return true, true
	}
	moved, again := r.give(id, state, e)
	if r.places != nil {
		r.planPlaces(e.places, e.by)
	}
	if e.to != program.SameState {
		r.become(id, state, e.to, e.by, e.name, e.counted)
		return true, true
	}
	elsewhere, started := r.settle(id)
	moved, again = moved || elsewhere, again || started
	if moved || e.child != nil && e.counted >= 0 {
		r.countMoveAs(id, e.by, e.name, e.counted)
	}
	if again = again && !e.fired; again {
		r.reschedule(id, state)
	}
	return moved, again
}

// give carries out the moves of an effect, and lets clocks without memory go on by the tables that
// the individual has then. It reports whether a value changed, and whether clocks changed with it.
func (r *Run) give(id uint32, state uint16, e *effect) (moved, again bool) {
	if len(e.moves) == 0 && e.enters.Machine < 0 {
		return false, false
	}
	// Without timers there is nothing to draw again for an individual that is scheduled anyway.
	redraws := r.phase.UsesAttributes && !(e.fired && len(r.sparse) == 0)
	var before *program.State
	if redraws {
		before = r.stateOf(id, state)
		r.rememberAlways(id)
	}
	if e.enters.Machine >= 0 {
		moved = r.set(id, &e.enters, e.enters.Value)
	}
	for i := range e.moves {
		m := &e.moves[i]
		value := m.Value
		if m.Inherits || m.Gives != nil {
			value = r.given(id, e, m, i)
		}
		moved = r.set(id, m, value) || moved
	}
	if moved && redraws {
		again = r.redrawMemoryless(id, before, r.stateOf(id, state))
	}
	return moved, again
}

// given returns the value that the ith move of an effect gives. A table by state is read as it is
// after the effect.
func (r *Run) given(id uint32, e *effect, m *program.Move, i int) uint16 {
	if m.Inherits {
		return r.attributes[m.Attribute].Of(e.by)
	}
	if a := r.Program.StateAttribute; a >= 0 && e.to < program.Unchanged {
		before := r.attributes[a].Of(id)
		r.attributes[a].Set(id, e.to)
		defer r.attributes[a].Set(id, before)
	}
	g := m.Gives.At(r.cell(id, m.Gives.By))
	switch {
	case g.Draw == nil:
		return g.Value
	case !e.hashed:
		return r.drawState(id, g.Draw, r.stream(id))
	}
	u := e.seed.uniform(purposeMoves + uint64(i))
	return g.Draw.States[g.Draw.Shares.At(r.cell(id, g.Draw.Shares.By)).Pick(u, r.Now, r.individual(id, id))]
}

// settle ends the changes of an individual that stays in its state: it takes its places, and starts
// the clocks of machines. It reports whether the individual has moved to another place as planned,
// and whether clocks may have started.
func (r *Run) settle(id uint32) (moved, started bool) {
	if r.places != nil {
		moved = r.settlePlaces(id)
	}
	if started = r.changing; started {
		r.startPending(id)
	}
	return moved, started
}
