package engine

import (
	"math/bits"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// A contactSeed is everything random about one contact: one word of the stream of the individual
// that makes it, from which the rest is hashed. Whatever the contact does, its maker has used one
// draw. So the maker's further life depends neither on whom it met nor on how many choices were
// needed.
//
// The choices of the other are the numbers of the stream that begins with the seed. The group to
// choose from and the chance have numbers of their own, apart from that stream, so that they do not
// depend on the number of choices.
type contactSeed uint64

const (
	purposeGroup  = 1
	purposeChance = 2
)

// uniform returns a number in [0, 1) for one purpose.
func (l contactSeed) uniform(purpose uint64) float64 {
	s := random.Stream(l).At(purpose)
	return float64(s>>11) * 0x1p-53
}

// mixing holds the groups that contacts choose from.
//
// Invariants: each group list has the living members of the group once; living, if it is there, has
// everybody alive once.
type mixing struct {
	groups []*store.Groups // by attribute, for those that mixing is by
	living *store.Groups   // everybody in one group; made only when many slots are free
}

// contact carries out a contact with another individual, chosen uniformly among all others or among
// those of one group. It reports whether the maker, which was in the state from, has changed its
// own state.
func (r *Run) contact(id uint32, from uint16, do *program.Action, l contactSeed) bool {
	c := &r.phase.Contacts[do.Contact]
	var other uint32
	var state uint16
	if c.Attribute < 0 && c.Near < 0 && r.Alive > 1 && r.living == nil { // chooseOther by hand, without a call
		if r.caching {
			other, state = r.anyoneCached(id, random.Stream(l))
		} else {
			other = r.anyone(id, random.Stream(l))
			state = r.status(other).state
		}
	} else {
		var ok bool
		if other, ok = r.chooseOther(id, c, l); !ok {
			return false
		}
		state = r.stateSeen(other)
	}
	if c.Log > 0 {
		r.remember(c.Log-1, id, other)
	}
	to := c.Becomes[state]
	switch {
	case to == program.SameState:
		return false
	case c.Special:
		return r.specialContact(id, from, other, to, c, do, l)
	case c.Chance == 1 || l.uniform(purposeChance) < c.Chance:
		r.change(other, state, to, id, do.Name)
	}
	return false
}

// specialContact is a contact whose effect depends on both individuals, or that changes its maker.
func (r *Run) specialContact(
	id uint32,
	from uint16,
	other uint32,
	to uint16,
	c *program.Contact,
	do *program.Action,
	l contactSeed,
) bool {
	if !r.matches(other, c.Whom) {
		return false
	}
	chance := c.Chance
	if c.Chances != nil {
		chance = r.chance(c.Chances, id, other)
	}
	if c.Rule != nil {
		chance *= r.supplied(c.Rule, id, other)
	}
	if chance < 1 && l.uniform(purposeChance) >= chance {
		return false
	}
	if c.Rich != nil {
		return r.richContact(id, from, other, to, c, do, l)
	}
	if r.places != nil && r.places.limited {
		none := program.Move{Machine: -1}
		if k := r.contactRoom(id, other, to, c.Self, to == program.Unchanged, &none, c, l); k >= 0 {
			return c.Uses != nil && r.refuseContact(id, other, to, &none, to == program.Unchanged, c, do, l, k)
		}
	}
	if c.Uses != nil {
		if to == program.Unchanged && r.status(id).state != from {
			return false
		}
		if !r.take(c.Uses) {
			none := program.Move{Machine: -1}
			return r.refuseContact(id, other, to, &none, to == program.Unchanged, c, do, l, len(r.Program.Places)+c.Uses.Supply)
		}
	}
	counted := do.Name
	if to != program.Unchanged {
		r.change(other, r.status(other).state, to, id, do.Name)
		counted = -1
	}
	if c.Self == program.SameState || r.status(id).state != from {
		return false
	}
	r.become(id, from, c.Self, other, do.Name, counted)
	return true
}

// chooseOther chooses the other individual of a contact. It reports false if there is none.
func (r *Run) chooseOther(id uint32, c *program.Contact, l contactSeed) (uint32, bool) {
	if c.Near >= 0 {
		return r.chooseNear(id, c, l)
	}
	if c.Attribute < 0 {
		if r.Alive < 2 {
			return 0, false
		}
		choices := random.Stream(l)
		if r.living != nil {
			return r.living.Other(id, 0, 0, &choices)
		}
		return r.anyone(id, choices), true
	}
	mine := int(r.attributes[c.Attribute].Of(id))
	theirs := lookup.SearchCumulative(c.MixingRows[mine], l.uniform(purposeGroup))
	choices := random.Stream(l)
	return r.groups[c.Attribute].Other(id, mine, theirs, &choices)
}

// anyone returns another living individual, of which there must be one. Most slots are taken, so
// that few tries are needed.
func (r *Run) anyone(id uint32, choices random.Stream) uint32 {
	n := uint64(r.slotCount) - uint64(r.firstID)
	for {
		again := choices
		high, low := bits.Mul64(choices.Uint64(), n)
		if low < n { // choices.Below by hand, which is a call otherwise
			choices = again
			high = choices.Below(n)
		}
		if other := r.firstID + uint32(high); other < uint32(r.Used) && other != id &&
			r.status(other).state != program.NoState {
			return other
		}
	}
}

// listLiving lists the living once they have fewer than half of the slots, so that few tries are
// always enough. Small populations do without.
func (r *Run) listLiving() {
	places := r.slotCount - int(r.firstID)
	if places < 64 || 2*r.Alive >= places {
		return
	}
	r.living = store.NewGroups(1)
	for id := r.firstID; int(id) < r.Used; id++ {
		if r.status(id).state != program.NoState {
			r.living.Add(id, 0)
		}
	}
}

// anyoneCached is anyone with the state of the other, by the state cache.
func (r *Run) anyoneCached(id uint32, choices random.Stream) (other uint32, state uint16) {
	n := uint64(r.slotCount) - uint64(r.firstID)
	seen := r.stateCache[:r.Used]
	for {
		again := choices
		high, low := bits.Mul64(choices.Uint64(), n)
		if low < n { // choices.Below by hand, which is a call otherwise
			choices = again
			high = choices.Below(n)
		}
		if other = r.firstID + uint32(high); int(other) < len(seen) && other != id && seen[other] != 0 {
			return other, uint16(seen[other]) - 1
		}
	}
}

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
	changesSelf := c.ChangesMaker()
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
