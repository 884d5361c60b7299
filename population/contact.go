package population

import (
	"math/bits"

	"github.com/almanac-sim/almanac/internal/random"
)

// luck is all that is random about one contact. It is one word of the maker's stream, from which the rest is hashed: whatever
// becomes of a contact, its maker has spent one draw. So the maker's life does not depend on whom it met, on who was gone, or
// on how often somebody had to be chosen anew.
//
// Choices are the numbers of the stream that begins with the word; the group to choose from and the chance have numbers of
// their own, off that stream, so that they do not depend on how many choices were made.
type luck uint64

const (
	luckOfGroup  = 1
	luckOfChance = 2
)

// of is a number in [0, 1) for one purpose.
func (l luck) of(purpose uint64) float64 {
	s := random.Stream(l).At(purpose)
	return float64(s>>11) * 0x1p-53
}

// contact lets an individual meet another, chosen uniformly among the others: all of them, or those of one group. It reports whether
// the one who made it, in a state, has become another because of it.
func (r *replica) contact(id uint32, from uint16, do *action, l luck) bool {
	c := &r.t.contacts[do.contact]
	var other uint32
	var state uint16
	if c.attribute < 0 && r.alive > 1 && r.all == nil { // meet by hand
		if r.glances {
			other, state = r.anyoneSeen(id, random.Stream(l))
		} else {
			other = r.anyone(id, random.Stream(l))
			state = r.person(other).state
		}
	} else {
		var ok bool
		if other, ok = r.meet(id, c, l); !ok {
			return false
		}
		state = r.person(other).state
	}
	to := c.becomes[state]
	switch {
	case to == same:
		return false
	case c.special:
		return r.effect(id, from, other, to, c, do, l)
	case c.chance == 1 || l.of(luckOfChance) < c.chance:
		r.change(other, state, to, id, do.name)
	}
	return false
}

// effect is what a contact does that depends on who meets whom, or changes who makes it.
func (r *replica) effect(id uint32, from uint16, other uint32, to uint16, c *contactTable, do *action, l luck) bool {
	if !r.matches(other, c.whom) {
		return false
	}
	chance := c.chance
	if c.odds != nil {
		chance = r.odds(c.odds, id, other)
	}
	if chance < 1 && l.of(luckOfChance) >= chance {
		return false
	}
	counted := do.name
	if to != asIs {
		r.change(other, r.person(other).state, to, id, do.name)
		counted = -1
	}
	if c.self == same || r.person(id).state != from {
		return false
	}
	r.become(id, from, c.self, other, do.name, counted)
	return true
}

// meet chooses whom an individual meets. It reports false if there is nobody else.
func (r *replica) meet(id uint32, c *contactTable, l luck) (uint32, bool) {
	if c.attribute < 0 {
		if r.alive < 2 {
			return 0, false
		}
		choices := random.Stream(l)
		if r.all != nil {
			return r.all.other(id, 0, 0, &choices)
		}
		return r.anyone(id, choices), true
	}
	mine := int(r.values[c.attribute].of(id))
	theirs := among(c.rows[mine], l.of(luckOfGroup))
	choices := random.Stream(l)
	return r.groups[c.attribute].other(id, mine, theirs, &choices)
}

// anyone is somebody else among all who live, of whom there must be one. Most places are taken, so one that is comes soon.
func (r *replica) anyone(id uint32, choices random.Stream) uint32 {
	n := uint64(r.places) - uint64(r.first)
	for {
		again := choices
		high, low := bits.Mul64(choices.Uint64(), n)
		if low < n { // choices.Below by hand, which calls for the rest of it
			choices = again
			high = choices.Below(n)
		}
		if other := r.first + uint32(high); other < uint32(r.ids) && other != id && r.person(other).state != nobody {
			return other
		}
	}
}

// listLiving makes a list of the living if fewer than half of the places are theirs, so that meeting one stays a matter of a few
// tries. A small population does without.
func (r *replica) listLiving() {
	places := r.places - int(r.first)
	if places < 64 || 2*r.alive >= places {
		return
	}
	r.all = newGroups(1)
	for id := r.first; int(id) < r.ids; id++ {
		if r.person(id).state != nobody {
			r.all.add(id, 0)
		}
	}
}
