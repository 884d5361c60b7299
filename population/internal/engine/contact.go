package engine

import (
	"math/bits"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
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
func (r *Run) contact(id uint32, from uint16, do *program.Action, l luck) bool {
	c := &r.t.Contacts[do.Contact]
	var other uint32
	var state uint16
	if c.Attribute < 0 && r.Alive > 1 && r.all == nil { // meet by hand
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
	to := c.Becomes[state]
	switch {
	case to == program.SameState:
		return false
	case c.Special:
		return r.effect(id, from, other, to, c, do, l)
	case c.Chance == 1 || l.of(luckOfChance) < c.Chance:
		r.change(other, state, to, id, do.Name)
	}
	return false
}

// effect is what a contact does that depends on who meets whom, or changes who makes it.
func (r *Run) effect(id uint32, from uint16, other uint32, to uint16, c *program.Contact, do *program.Action, l luck) bool {
	if !r.matches(other, c.Whom) {
		return false
	}
	chance := c.Chance
	if c.Chances != nil {
		chance = r.odds(c.Chances, id, other)
	}
	if chance < 1 && l.of(luckOfChance) >= chance {
		return false
	}
	counted := do.Name
	if to != program.Unchanged {
		r.change(other, r.person(other).state, to, id, do.Name)
		counted = -1
	}
	if c.Self == program.SameState || r.person(id).state != from {
		return false
	}
	r.become(id, from, c.Self, other, do.Name, counted)
	return true
}

// meet chooses whom an individual meets. It reports false if there is nobody else.
func (r *Run) meet(id uint32, c *program.Contact, l luck) (uint32, bool) {
	if c.Attribute < 0 {
		if r.Alive < 2 {
			return 0, false
		}
		choices := random.Stream(l)
		if r.all != nil {
			return r.all.other(id, 0, 0, &choices)
		}
		return r.anyone(id, choices), true
	}
	mine := int(r.values[c.Attribute].of(id))
	theirs := lookup.Among(c.Rows[mine], l.of(luckOfGroup))
	choices := random.Stream(l)
	return r.groups[c.Attribute].other(id, mine, theirs, &choices)
}

// anyone is somebody else among all who live, of whom there must be one. Most places are taken, so one that is comes soon.
func (r *Run) anyone(id uint32, choices random.Stream) uint32 {
	n := uint64(r.places) - uint64(r.first)
	for {
		again := choices
		high, low := bits.Mul64(choices.Uint64(), n)
		if low < n { // choices.Below by hand, which calls for the rest of it
			choices = again
			high = choices.Below(n)
		}
		if other := r.first + uint32(high); other < uint32(r.Ids) && other != id && r.person(other).state != program.Nobody {
			return other
		}
	}
}

// listLiving makes a list of the living if fewer than half of the places are theirs, so that meeting one stays a matter of a few
// tries. A small population does without.
func (r *Run) listLiving() {
	places := r.places - int(r.first)
	if places < 64 || 2*r.Alive >= places {
		return
	}
	r.all = newGroups(1)
	for id := r.first; int(id) < r.Ids; id++ {
		if r.person(id).state != program.Nobody {
			r.all.add(id, 0)
		}
	}
}
