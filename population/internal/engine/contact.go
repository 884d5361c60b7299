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

// specialContact is a contact whose effect depends on both individuals, or that changes more than
// the state of the one that is met.
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
	return r.meet(id, from, other, to, c, do.Name, l)
}

// meet is a contact that is known to take effect, on an individual in a state whose Becomes is to,
// and on its maker, which was in the state from when it began. It reports whether the maker has been
// scheduled.
//
// The moves are about the individual that is met, unless it stays as it is and the maker changes
// its state: then they are about the maker. What they give is hashed from the seed of the contact.
func (r *Run) meet(id uint32, from uint16, other uint32, to uint16, c *program.Contact, name int, l contactSeed) bool {
	met := effect{to: to, enters: noMove, by: id, name: name, counted: name, seed: l, hashed: true}
	own := effect{to: c.Self, enters: noMove, by: other, name: name, counted: name, seed: l, hashed: true}
	everybody, link := false, 0
	if rich := c.Rich; rich != nil {
		everybody, link = rich.Everybody, rich.Link
		met.moves, met.places = rich.Moves, rich.Places
		if rich.Machine >= 0 {
			enters := program.Move{Attribute: uint16(rich.Attribute), Machine: int16(rich.Machine), Enters: true}
			met.to = rich.Becomes[r.attributes[rich.Attribute].Of(other)]
			if met.to == program.SameState {
				return false // it does not affect the other
			}
			if met.to < program.Unchanged {
				met.enters = enters
				met.enters.Value, met.to = met.to, program.Unchanged
			}
			if rich.Self != program.SameState {
				own.enters = enters
				own.enters.Value = rich.Self
			}
		}
	}
	changesSelf := c.ChangesMaker()
	aboutMaker := changesSelf && met.to == program.Unchanged && met.enters.Machine < 0 && !everybody
	if met.to == program.Unchanged {
		met.to = program.SameState
	}
	if aboutMaker {
		own.moves, own.places = met.moves, met.places
	}
	if link > 0 && !r.mayLink(link-1, id, other) {
		return false
	}
	switch lacks := r.contactLacks(id, from, other, &met, &own, c, aboutMaker); {
	case lacks == notMade:
		return false
	case lacks >= 0 && aboutMaker:
		return r.instead(id, c.Uses, other, false)
	case lacks >= 0:
		r.instead(other, c.Uses, id, false)
		if c.Uses != nil && c.Uses.Queue {
			r.standInLine(other, met.action(c.Uses), lacks)
		}
		return false
	}
	if link > 0 {
		r.link(link-1, id, other, l)
	}
	if !aboutMaker {
		if changed, _ := r.apply(other, &met); changed {
			own.counted = -1
		} else if link > 0 && !changesSelf {
			r.countLinking(other, id, name)
		}
	}
	if !changesSelf || !r.makes(id, from, c.Rich) {
		return false
	}
	_, scheduled := r.apply(id, &own)
	return scheduled
}

// notMade is what a contact lacks that its maker cannot make any more.
const notMade = -2

// contactLacks returns the queue of what a contact lacks, −1 if it lacks nothing. It takes what the
// contact uses of a supply.
func (r *Run) contactLacks(
	id uint32, from uint16, other uint32, met, own *effect, c *program.Contact, aboutMaker bool,
) int {
	if r.places != nil && r.places.limited {
		lacks, taken := -1, make([]int, len(r.Program.Places))
		if !aboutMaker {
			_, lacks = r.findRoom(other, met, taken)
		}
		if lacks < 0 && c.ChangesMaker() {
			_, lacks = r.findRoom(id, own, taken)
		}
		if lacks >= 0 {
			r.places.turnedAway[lacks]++
			return lacks
		}
	}
	switch {
	case c.Uses == nil:
	case aboutMaker && !r.makes(id, from, c.Rich):
		return notMade
	case !r.take(c.Uses):
		return len(r.Program.Places) + c.Uses.Supply
	}
	return -1
}

// makes reports whether an individual that was in a state when it began a contact can still make
// it: it has not been changed meanwhile.
func (r *Run) makes(id uint32, from uint16, rich *program.RichContact) bool {
	return r.status(id).state == from &&
		(rich == nil || rich.Machine < 0 || rich.From[r.attributes[rich.Attribute].Of(id)])
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
