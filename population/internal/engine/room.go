package engine

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// Before an event of an individual in a program with places that may be full, the engine checks
// whether there is room in the places that the individual would come to. If not, nothing of the
// event happens, or what full says.

// lacksRoom returns the first kind of places in which an individual would find no room, −1 if there
// is none: its state changes, moves give values, and places says where it goes. Moves are those of
// resolveMoves. Taken has the number of seats of each kind that are reserved for others; nil for
// none. lacksRoom adds the seats that the individual would take.
func (r *Run) lacksRoom(
	id uint32, to uint16, moves []program.Move, places []program.PlaceMove, taken []int,
) int {
	for k := range r.Program.Places {
		kind, seats := &r.Program.Places[k], r.places.kinds[k]
		if !kind.Limited() || !r.matchesAfter(id, kind.Where, to, moves) {
			continue
		}
		joins := kind.Join == program.JoinAny && !seats.Belongs(id)
		room := len(seats.Room(0))
		for _, m := range places {
			if m.Kind == k && m.How == program.JoinAny {
				joins = true
				if seats.Seated(id) && seats.InRoom(seats.Place(id)) >= 0 {
					room-- // its own is no other
				}
			}
		}
		if !joins {
			continue
		}
		if taken != nil {
			if n := taken[k]; n > 0 && room == 1 && kind.Capacity-seats.Members(seats.Room(0)[0]) <= n {
				room = 0
			}
			taken[k]++
		}
		if room == 0 {
			return k
		}
	}
	return -1
}

// matchesAfter reports whether an individual meets all conditions after a change of its state and
// moves.
func (r *Run) matchesAfter(id uint32, all []program.Condition, to uint16, moves []program.Move) bool {
	for i := range all {
		a := all[i].Attribute
		v := r.attributes[a].Of(id)
		if a == r.Program.StateAttribute && to < program.Unchanged {
			v = to
		}
		for j := range moves {
			if int(moves[j].Attribute) == a {
				v = moves[j].Value
			}
		}
		if !all[i].Is[v] {
			return false
		}
	}
	return true
}

// resolveMoves returns the moves of an effect with the values that they give, in place of what they
// are drawn or copied from. A value may depend on those before it. What a contact does to the machine
// that it is about comes first.
func (r *Run) resolveMoves(id uint32, e *effect) []program.Move {
	moves, first := e.moves, 0
	if e.enters.Machine >= 0 {
		moves, first = append([]program.Move{e.enters}, moves...), 1
	}
	if !slices.ContainsFunc(moves, func(m program.Move) bool { return m.Gives != nil || m.Inherits }) {
		return moves
	}
	known, before := slices.Clone(moves), make([]uint16, len(moves))
	for i := range known {
		m := &known[i]
		if m.Gives != nil || m.Inherits {
			m.Value = r.given(id, e, m, i-first)
			m.Gives, m.Inherits = nil, false
		}
		before[i] = r.attributes[m.Attribute].Of(id)
		r.attributes[m.Attribute].Set(id, m.Value)
	}
	for i := len(known) - 1; i >= 0; i-- {
		r.attributes[known[i].Attribute].Set(id, before[i])
	}
	return known
}

// findRoom returns the moves of an effect on an individual with the values that they give, and the
// first kind of places in which it would find no room, −1 if there is none. Taken is as in
// lacksRoom.
func (r *Run) findRoom(id uint32, e *effect, taken []int) ([]program.Move, int) {
	if e.to == program.NoState {
		return e.moves, -1
	}
	known := r.resolveMoves(id, e)
	return known, r.lacksRoom(id, e.to, known, e.places, taken)
}

// findsRoom returns the kind of places in which an individual finds no room for an action, −1 if
// there is none. The action that it returns is the one to be carried out: what is drawn is known by
// then.
func (r *Run) findsRoom(id uint32, do *program.Action) (*program.Action, int) {
	e := effectOf(do, noID)
	known, lacks := r.findRoom(id, &e, nil)
	if lacks < 0 && len(known) > 0 && &known[0] != &do.Moves[0] {
		now := *do
		now.Moves = known
		return &now, -1
	}
	return do, lacks
}

// roomInstead reports whether an individual finds room for what happens instead of something for
// which there was none. If not, nothing happens; it has been counted as turned away already.
func (r *Run) roomInstead(id uint32, full *program.Action) bool {
	if r.places == nil || !r.places.limited {
		return true
	}
	_, lacks := r.findsRoom(id, full)
	return lacks < 0
}

// A presenceMode says what else happens to an individual whose presence changes.
type presenceMode uint8

const (
	alone     presenceMode = iota // nothing that looks after its clocks and sums
	becoming                      // it changes its state: become starts the clocks of that, and adds sums
	entering                      // it enters or leaves: everything is done by the caller
	settingUp                     // the run is set up: its clocks start afterwards
)

// setPresence sets whether an individual is in any place of a kind. The attribute is that of a
// program.Presence, or −1 if nothing depends on it.
//
// Clocks without memory go on by other tables, and the individual is scheduled anew at the end of
// the event (settleNear). Clocks with a memory keep their times, as with every attribute.
func (r *Run) setPresence(id uint32, attribute int, is bool) {
	if attribute < 0 {
		return
	}
	value := uint16(0)
	if is {
		value = 1
	}
	column := &r.attributes[attribute]
	if column.Of(id) == value {
		return
	}
	if r.near.mode == entering {
		column.Set(id, value)
		return
	}
	state := r.status(id).state
	var none program.State
	before := &none
	redraws := r.phase.UsesAttributes && r.near.mode != settingUp && !r.Program.OnlySeen(attribute)
	if redraws {
		if r.near.mode == alone {
			before = r.stateOf(id, state)
		}
		r.rememberAlways(id)
	}
	if r.ByGroup != nil {
		r.ByGroup.present(r, id, int(state), -1)
	}
	sums := r.outcomes != nil && r.near.mode != becoming
	if sums {
		r.leaveSums(id)
	}
	column.Set(id, value)
	r.waiting.changed = true
	if r.ByGroup != nil {
		r.ByGroup.present(r, id, int(state), +1)
	}
	if sums {
		r.enterSums(id)
	}
	if redraws {
		after := &none
		if r.near.mode == alone {
			after = r.stateOf(id, state)
		}
		r.redrawMemoryless(id, before, after)
		r.near.stale = append(r.near.stale, id)
	}
}

// clearPresences sets all individuals to be in no place and without links, before they enter: the
// arrays may be those of an earlier run.
func (r *Run) clearPresences() {
	for _, p := range r.Program.Presences {
		clear(r.attributes[p.Attribute].Narrow)
	}
}

// startAgain starts all clocks of an individual of the start, or of one that enters, once its
// presence is known. All its draws are made again from its stream, so that nothing but its clocks
// changes.
func (r *Run) startAgain(id uint32, in *program.Entry, s random.Stream, parent uint32) {
	for _, p := range r.Program.Presences {
		if !p.Seen && r.attributes[p.Attribute].Of(id) != 0 {
			r.stopTimers(id, 0)
			r.initialise(id, in, s, parent)
			return
		}
	}
}

// startAllAgain does so for everybody of the start, and schedules them.
func (r *Run) startAllAgain(streams random.Stream) {
	if !slices.ContainsFunc(r.Program.Presences, func(p program.Presence) bool { return !p.Seen }) {
		return
	}
	r.eachStart(func(serial int, in *program.Entry) {
		id := r.firstID + uint32(serial)
		r.startAgain(id, in, streams.At(uint64(serial)), noID)
		r.reschedule(id, r.status(id).state)
	})
}
