package program

import "slices"

// A Use is what a clock or a contact takes from a supply each time it takes effect. If none is
// left, Full happens instead to the individual that would have changed: of a contact the one that
// is met, or the maker if that one stays as it is.
type Use struct {
	Supply int     // in Program.Supplies; −1 if it is about room in places only
	Full   *Action // nil for nothing
	Queue  bool    // whoever enters the state of Full waits, and the action happens when it can
}

// ChangesOther reports whether a contact may change the individual that is met, by what Becomes has
// for it. If that one stays as it is and the maker changes, moves are about the maker.
func (c *Contact) ChangesOther(becomes uint16) bool {
	return becomes != Unchanged || !c.ChangesMaker() || c.Rich != nil && (c.Rich.Everybody || c.Rich.Machine >= 0)
}

// ChangesMaker reports whether a contact changes the state of its maker, or that of a machine.
func (c *Contact) ChangesMaker() bool {
	return c.Self != SameState || c.Rich != nil && c.Rich.Self != SameState
}

// MovesSomebody reports whether the moves of a contact happen to an individual that stays in the
// population.
func (c *Contact) MovesSomebody() bool {
	becomes := c.Becomes
	if c.Rich.Machine >= 0 {
		becomes = c.Rich.Becomes
	}
	return slices.ContainsFunc(becomes, func(to uint16) bool {
		isMaker := to == Unchanged && c.ChangesMaker() && !c.Rich.Everybody
		return to != SameState && to != NoState && !(isMaker && c.Self == NoState)
	})
}

// FullOfOther returns the state that an individual that is met enters if the supply has nothing
// left, NoState for leaving, or SameState.
func (c *Contact) FullOfOther() uint16 {
	if c.Uses == nil || c.Uses.Full == nil {
		return SameState
	}
	return c.Uses.Full.To
}

// FullOfMaker returns the same of the maker, which changes only if an individual that is met stays
// as it is.
func (c *Contact) FullOfMaker() uint16 {
	stays := slices.Contains(c.Becomes, Unchanged) && (c.Rich == nil || !c.Rich.Everybody)
	if c.Rich != nil && c.Rich.Machine >= 0 {
		stays = slices.Contains(c.Rich.Becomes, Unchanged) && !c.Rich.Everybody
	}
	if !stays {
		return SameState
	}
	return c.FullOfOther()
}

// Waits are the queues of the program: the numbers of kinds of places that may be full, and
// len(Places) + the numbers of supplies. There are none if there are no Queues.
func (p *Program) Waits() (all []int) {
	if !p.Queues {
		return nil
	}
	for k := range p.Places {
		if p.Places[k].Limited() {
			all = append(all, k)
		}
	}
	for s := range p.Supplies {
		all = append(all, len(p.Places)+s)
	}
	return all
}
