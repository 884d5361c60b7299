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
