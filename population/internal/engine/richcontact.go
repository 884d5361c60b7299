package engine

import (
	"github.com/almanac-sim/almanac/population/internal/program"
)

// purposeMoves is the first purpose of a contactSeed that a value is drawn for: one for each move.
const purposeMoves = 3

// richContact is a contact that changes machines or attributes, once it is known to take effect on
// an individual in a state. It reports whether the maker has changed, and is rescheduled.
//
// The moves are about the individual that is met, unless it stays as it is and the maker changes
// its state: then they are about the maker. What they give is hashed from the seed of the contact.
func (r *Run) richContact(
	id uint32, from uint16, other uint32, to uint16, c *program.Contact, do *program.Action, l contactSeed,
) bool {
	rich := c.Rich
	enters := program.Move{Machine: -1} // what the contact does to the machine of the other
	if rich.Machine >= 0 {
		to = rich.Becomes[r.attributes[rich.Attribute].Of(other)]
		if to == program.SameState {
			return false // it does not affect the other
		}
		if to < uint16(len(rich.Becomes)) {
			enters = program.Move{Attribute: uint16(rich.Attribute), Value: to, Machine: int16(rich.Machine), Enters: true}
			to = program.Unchanged
		}
	}
	changesSelf := c.Self != program.SameState || rich.Self != program.SameState
	stays := to == program.Unchanged && enters.Machine < 0 && !rich.Everybody
	aboutMaker := changesSelf && stays
	if rich.Link > 0 && !r.mayLink(rich.Link-1, id, other) {
		return false
	}
	if r.places != nil && r.places.limited {
		if k := r.contactRoom(id, other, to, c.Self, aboutMaker, &enters, c, l); k >= 0 {
			return c.Uses != nil && r.refuseContact(id, other, to, &enters, aboutMaker, c, do, l, k)
		}
	}
	if c.Uses != nil {
		if aboutMaker && !r.makes(id, from, rich) {
			return false
		}
		if !r.take(c.Uses) {
			return r.refuseContact(id, other, to, &enters, aboutMaker, c, do, l, len(r.Program.Places)+c.Uses.Supply)
		}
	}
	counted := do.Name
	if rich.Link > 0 {
		r.link(rich.Link-1, id, other, l)
	}
	if !aboutMaker {
		if r.changeByContact(other, to, &enters, rich.Moves, rich.Places, id, do.Name, counted, l) {
			counted = -1
		} else if rich.Link > 0 && !changesSelf {
			r.countLinking(other, id, do.Name)
			return false
		} else if !changesSelf {
			return false
		}
	}
	if !changesSelf || !r.makes(id, from, rich) {
		return false
	}
	own := program.Move{Machine: -1}
	self := c.Self
	if rich.Self != program.SameState {
		own = program.Move{Attribute: uint16(rich.Attribute), Value: rich.Self, Machine: int16(rich.Machine), Enters: true}
		self = program.Unchanged
	}
	var moves []program.Move
	var places []program.PlaceMove
	if aboutMaker {
		moves, places = rich.Moves, rich.Places
	}
	return r.changeByContact(id, self, &own, moves, places, other, do.Name, counted, l)
}

// makes reports whether an individual that was in a state when it began a contact can still make
// it: it has not been changed meanwhile.
func (r *Run) makes(id uint32, from uint16, rich *program.RichContact) bool {
	return r.status(id).state == from &&
		(rich.Machine < 0 || rich.From[r.attributes[rich.Attribute].Of(id)])
}

// changeByContact changes an individual by a contact with another, by: its state, unless to is
// Unchanged; a machine; and what moves give. It reports whether anything changed.
func (r *Run) changeByContact(
	id uint32, to uint16, enters *program.Move, moves []program.Move, places []program.PlaceMove, by uint32,
	name, counted int, l contactSeed,
) bool {
	state := r.status(id).state
	if r.observers != nil {
		r.observers.cause = by
	}
	if to == program.NoState {
		r.become(id, state, to, by, name, counted)
		return true
	}
	moved, again := r.moveByContact(id, state, enters, moves, by, l)
	if r.places != nil {
		r.planPlaces(places, by)
		if to == program.Unchanged {
			r.settlePlaces(id)
			moved = r.hasMoved() || moved
		}
	}
	if to != program.Unchanged {
		r.become(id, state, to, by, name, counted)
		return true
	}
	if r.changing {
		r.startPending(id)
		again = true
	}
	if moved {
		r.countMoveAs(id, by, name, counted)
	}
	if again {
		r.reschedule(id, state)
	}
	return moved
}
