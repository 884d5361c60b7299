package engine

import (
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// settlePlaces takes an individual from the places that it does not belong to any more, and puts it
// into those that it has come to belong to. Then it carries out what the event says of places, and
// reports whether the individual has moved by that.
func (r *Run) settlePlaces(id uint32) (moved bool) {
	r.settleKinds(id)
	if moves := r.places.moves; moves != nil {
		r.places.moves = nil
		if moved = r.movePlaces(id, moves, r.places.other); moved {
			r.settleKinds(id) // those whose members share the place that it has left
		}
	}
	return moved
}

// planPlaces notes what the current event does to the places of an individual, once everything else
// has changed. The other is the individual whose place is inherited.
func (r *Run) planPlaces(moves []program.PlaceMove, other uint32) {
	r.places.moves, r.places.other = moves, other
}

// settleKinds is the first part of settlePlaces.
func (r *Run) settleKinds(id uint32) {
	for k := range r.Program.Places {
		kind, seats := &r.Program.Places[k], r.places.kinds[k]
		if len(kind.Where)+len(kind.Alike)+len(kind.AlikeIn) == 0 {
			continue
		}
		switch {
		case !r.matches(id, kind.Where):
			if seats.Seated(id) {
				r.unseat(id, k, store.Outside)
			} else {
				seats.Unseat(id, store.Outside)
			}
		case !seats.Belongs(id):
			r.join(id, k, kind.Join)
		case seats.Seated(id) && len(kind.Alike)+len(kind.AlikeIn) > 0 && r.groupOf(k, id) != seats.Group(seats.Place(id)):
			r.unseat(id, k, store.Elsewhere)
			r.join(id, k, kind.Join)
		}
	}
}

// unseat takes an individual from its place of a kind.
func (r *Run) unseat(id uint32, k int, what uint32) {
	r.replan(id, k, r.places.kinds[k].Remove(id, what))
	if r.lines != nil {
		r.lines.due = true
	}
	r.setPresence(id, r.Program.PresenceOf(k), false)
}

// seat gives an individual without a place of a kind one.
func (r *Run) seat(id uint32, k int, place uint32) {
	r.replan(id, k, r.places.kinds[k].Add(id, place))
	r.setPresence(id, r.Program.PresenceOf(k), true)
}

// replan notes who is to be scheduled anew because the seats around them have changed.
func (r *Run) replan(id uint32, k int, changed []uint32) {
	for i := range r.Program.Near {
		if n := &r.Program.Near[i]; n.Kind == k && n.Pairs {
			r.near.replan = append(append(r.near.replan, changed...), id)
			return
		}
	}
}

// beginBatch begins the entry of several individuals that found places together.
func (r *Run) beginBatch() {
	r.places.together = true
	r.places.batch = append(r.places.batch[:0], make([]uint32, len(r.places.kinds))...)
}

// endBatch ends it.
func (r *Run) endBatch() { r.places.together = false }

// foundTogether founds a place for a group, or returns the one that others of the same batch have
// founded.
func (r *Run) foundTogether(k int, group uint32) uint32 {
	p, seats := r.places, r.places.kinds[k]
	if !p.together {
		return seats.Found(group)
	}
	if place := p.batch[k]; place > 0 && seats.Group(place-1) == group &&
		seats.Members(place-1) < r.Program.Places[k].Capacity {
		return place - 1
	}
	place := seats.Found(group)
	p.batch[k] = place + 1
	return place
}

// join gives an individual that belongs to a kind and has no place one, or none.
func (r *Run) join(id uint32, k int, how program.Joining) {
	seats := r.places.kinds[k]
	switch how {
	case program.JoinNew:
		r.seat(id, k, r.foundTogether(k, r.groupOf(k, id)))
	case program.JoinAny:
		group := r.groupOf(k, id)
		room := seats.Room(group)
		switch s := r.stream(id).At(1<<61 + uint64(k)); {
		case len(room) > 0:
			r.seat(id, k, room[s.Below(uint64(len(room)))])
		case r.Program.Places[k].Number > 0:
			r.places.turnedAway[k]++
			seats.Unseat(id, store.Elsewhere)
		default:
			r.seat(id, k, seats.Found(group))
		}
	default:
		seats.Unseat(id, store.Elsewhere)
	}
}

// movePlaces carries out moves to other places. The other is whose place is inherited. It reports
// whether anything changed.
func (r *Run) movePlaces(id uint32, moves []program.PlaceMove, other uint32) (moved bool) {
	for _, m := range moves {
		seats := r.places.kinds[m.Kind]
		if !seats.Belongs(id) && !r.matches(id, r.Program.Places[m.Kind].Where) {
			continue
		}
		how, place := m.How, uint32(0)
		if how == program.JoinOther {
			if other == noID || !seats.Seated(other) {
				continue
			}
			if place = seats.Place(other); seats.Seated(id) && seats.Place(id) == place ||
				r.groupOf(m.Kind, id) != seats.Group(place) {
				continue // it is there, or not alike
			}
		}
		if how == program.JoinAny && !r.moveToAny(id, m.Kind) {
			continue
		}
		if how == program.JoinNone && !seats.Seated(id) {
			seats.Unseat(id, store.Elsewhere)
			continue // it is in none
		}
		moved = true
		if how == program.JoinAny {
			continue
		}
		if seats.Seated(id) {
			if how == program.JoinOther && seats.Members(place) == 0 {
				continue
			}
			r.unseat(id, m.Kind, store.Elsewhere)
		}
		if how == program.JoinOther {
			r.seat(id, m.Kind, place)
		} else {
			r.join(id, m.Kind, how)
		}
	}
	return moved
}

// moveToAny moves an individual to another place that has room. It reports false if there is none.
func (r *Run) moveToAny(id uint32, k int) bool {
	seats := r.places.kinds[k]
	s := r.stream(id).At(1<<61 + uint64(k))
	group := r.groupOf(k, id)
	room := seats.Room(group)
	n := len(room)
	own := -1
	if seats.Seated(id) && seats.Group(seats.Place(id)) == group { // another kind may have moved before
		if own = seats.InRoom(seats.Place(id)); own >= 0 {
			n--
		}
	}
	if n == 0 && r.Program.Places[k].Number > 0 {
		return false
	}
	var place uint32
	if n > 0 {
		i := int(s.Below(uint64(n)))
		if own >= 0 && i >= own {
			i++
		}
		place = room[i]
	}
	if seats.Seated(id) {
		r.unseat(id, k, store.Elsewhere)
	}
	if n == 0 {
		place = seats.Found(group)
	}
	r.seat(id, k, place)
	return true
}

// leavePlaces takes an individual that leaves the population from its places.
func (r *Run) leavePlaces(id uint32) {
	r.near.mode = entering
	defer func() { r.near.mode = alone }()
	for k, seats := range r.places.kinds {
		if seats.Seated(id) {
			r.unseat(id, k, store.Outside)
		} else {
			seats.Unseat(id, store.Outside)
		}
	}
}

// enterPlaces gives an individual that enters its places. It reports false if there is no room.
func (r *Run) enterPlaces(id uint32, in *program.Entry, parent uint32) bool {
	r.near.mode = entering
	defer func() { r.near.mode = alone }()
	for _, seats := range r.places.kinds {
		seats.Reserve(int(id) + 1)
	}
	for k := range r.Program.Places {
		kind, seats := &r.Program.Places[k], r.places.kinds[k]
		inherits := in.Places != nil && in.Places[k] && parent != noID
		joins := kind.Join == program.JoinAny && !inherits && r.matches(id, kind.Where)
		if kind.Limited() && joins && len(seats.Room(0)) == 0 {
			r.places.turnedAway[k]++
			return false
		}
	}
	for k := range r.Program.Places {
		kind, seats := &r.Program.Places[k], r.places.kinds[k]
		switch {
		case !r.matches(id, kind.Where):
			seats.Unseat(id, store.Outside)
		case in.Places != nil && in.Places[k] && parent != noID:
			if seats.Seated(parent) {
				r.seat(id, k, seats.Place(parent))
			} else {
				seats.Unseat(id, store.Elsewhere)
			}
		default:
			r.join(id, k, kind.Join)
		}
	}
	return true
}

// rollBack undoes the set-up of an individual that cannot enter.
func (r *Run) rollBack(id uint32) {
	r.stopTimers(id, 0)
	r.status(id).state = program.NoState
	r.cacheState(id, program.NoState)
	for k := range r.networks { // its slot may be new
		r.networks[k].links.Reserve(int(id) + 1)
	}
	r.free.Put(id)
	r.entered--
}
