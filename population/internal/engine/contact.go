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
