package engine

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/program"
)

// A Supply is the state of a supply in a run, in the order of Program.Supplies. What was added is
// the sum of Left, Used and Lost.
type Supply struct {
	Left    uint64
	Used    uint64 // by interventions, clocks and contacts
	Lost    uint64 // there was more than is kept
	Refused uint64 // how often a clock or a contact would have used one, and none was left
}

// beginSupplies resets the supplies. What is added at the start is there before any condition is
// looked at.
func (r *Run) beginSupplies() {
	r.Supplies = append(r.Supplies[:0], make([]Supply, len(r.Program.Supplies))...)
	scheduled := r.Program.Scheduled
	for r.carriedOut < len(scheduled) && scheduled[r.carriedOut].Adds >= 0 &&
		scheduled[r.carriedOut].At <= r.Program.TimeTolerance {
		r.deliver(scheduled[r.carriedOut].Intervention)
		r.carriedOut++
	}
	if r.lines != nil {
		r.lines.due = false // nobody waits yet
	}
}

// deliver adds to a supply. Those who wait for it are served by finish.
func (r *Run) deliver(d *program.Intervention) {
	s, t := &r.Supplies[d.Adds], d.Effects[r.phase]
	if s.Left += uint64(t.Count); s.Left > uint64(t.Keep) {
		s.Lost += s.Left - uint64(t.Keep)
		s.Left = uint64(t.Keep)
	}
	if r.lines != nil {
		r.lines.due = true
	}
}

// available returns how many individuals an intervention may apply to.
func (r *Run) available(d *program.Intervention, t *program.Effect) int {
	if d.Supply < 0 {
		return t.Count
	}
	return int(min(r.Supplies[d.Supply].Left, math.MaxInt))
}

// take takes one of a supply, and reports whether there was one.
func (r *Run) take(u *program.Use) bool {
	if u.Supply < 0 {
		return true
	}
	s := &r.Supplies[u.Supply]
	if s.Left == 0 {
		s.Refused++
		return false
	}
	s.Left--
	s.Used++
	return true
}

// refuseContact is a contact of id with another that cannot take effect, because there is no room
// in a kind of places or nothing left of a supply: the number of its queue. It is about the one
// that would have changed: the other, or the maker. It reports whether the maker has changed.
//
// Would and start are the state and the machine of the other that it would have changed.
func (r *Run) refuseContact(
	id, other uint32, would uint16, start *program.Move, aboutMaker bool, c *program.Contact, do *program.Action,
	l contactSeed, queue int,
) bool {
	full := c.Uses.Full
	if full == nil {
		return false
	}
	to, enters := full.To, program.Move{Machine: -1}
	if len(full.Moves) > 0 {
		to, enters = program.Unchanged, full.Moves[0]
	}
	if aboutMaker {
		return r.roomInstead(id, full) && r.changeByContact(id, to, &enters, nil, nil, other, do.Name, do.Name, l)
	}
	if r.roomInstead(other, full) {
		r.changeByContact(other, to, &enters, nil, nil, id, do.Name, do.Name, l)
	}
	if c.Uses.Queue {
		wait := &program.Action{Kind: program.DoMove, To: would, Name: do.Name, Chance: 1, Uses: c.Uses}
		if would == program.Unchanged {
			wait.To = program.SameState
		}
		if start.Machine >= 0 {
			wait.Moves = append(wait.Moves, *start)
		}
		if c.Rich != nil {
			wait.Moves, wait.Places = append(wait.Moves, c.Rich.Moves...), c.Rich.Places
		}
		r.standInLine(other, wait, queue)
	}
	return false
}
