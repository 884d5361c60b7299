package engine

import (
	"math/bits"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// What everybody is, in a byte each: one more than its state, or 0 for a place that nobody has. In an epidemic most events are contacts, most of
// these change nobody, and for that nothing else has to be known of the one who is met. The words of 10⁵ individuals and their records in the calendar
// take more than a cache of the second level has; their bytes take a twentieth of it. A large population looks ahead instead (foresee.go), and of a million it makes
// no difference that can be told.

// glances reports whether a model is one that it is for. A run by windows is not: who is met has a state at a moment (encounters.go).
func glances(m *program.Program) bool {
	return m.PlainMixing && len(m.States) < 255 && m.Size < sightFrom
}

// seen notes the state that an individual has now.
func (r *Run) seen(id uint32, state uint16) {
	if int(id) < len(r.glance) {
		r.glance[id] = uint8(state + 1) // nobody is the last number
	}
}

// anyoneSeen is anyone, and the state of it.
func (r *Run) anyoneSeen(id uint32, choices random.Stream) (other uint32, state uint16) {
	n := uint64(r.places) - uint64(r.first)
	seen := r.glance[:r.Ids]
	for {
		again := choices
		high, low := bits.Mul64(choices.Uint64(), n)
		if low < n { // choices.Below by hand, which calls for the rest of it
			choices = again
			high = choices.Below(n)
		}
		if other = r.first + uint32(high); int(other) < len(seen) && other != id && seen[other] != 0 {
			return other, uint16(seen[other]) - 1
		}
	}
}
