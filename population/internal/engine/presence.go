package engine

import (
	"slices"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
)

// A presenceMode says what else happens to an individual whose presence changes.
type presenceMode uint8

const (
	alone     presenceMode = iota // nothing that looks after its clocks and sums
	becoming                      // it changes its state: become starts the clocks of that, and adds sums
	entering                      // it enters or leaves: everything is done by the caller
	settingUp                     // the run is set up: its clocks start afterwards
)

// setPresence says of an individual whether it is in any place of a kind. The attribute is that of
// a program.Presence, or −1, which means that nothing asks for it.
//
// Clocks without memory go on by other tables, and the individual is scheduled anew at the end of
// the event (settleNear). Clocks with a memory keep their times, as with every attribute.
func (r *Run) setPresence(id uint32, attribute int, is bool) {
	if attribute < 0 {
		return
	}
	value := uint16(0)
	if is {
		value = 1
	}
	column := &r.attributes[attribute]
	if column.Of(id) == value {
		return
	}
	if r.near.mode == entering {
		column.Set(id, value)
		return
	}
	state := r.status(id).state
	var none program.State
	before := &none
	redraws := r.phase.UsesAttributes && r.near.mode != settingUp && !r.Program.OnlySeen(attribute)
	if redraws {
		if r.near.mode == alone {
			before = r.stateOf(id, state)
		}
		r.rememberAlways(id)
	}
	if r.ByGroup != nil {
		r.ByGroup.present(r, id, int(state), -1)
	}
	sums := r.outcomes != nil && r.near.mode != becoming
	if sums {
		r.leaveSums(id)
	}
	column.Set(id, value)
	r.waiting.changed = true
	if r.ByGroup != nil {
		r.ByGroup.present(r, id, int(state), +1)
	}
	if sums {
		r.enterSums(id)
	}
	if redraws {
		after := &none
		if r.near.mode == alone {
			after = r.stateOf(id, state)
		}
		r.redrawMemoryless(id, before, after)
		r.near.stale = append(r.near.stale, id)
	}
}

// clearPresences says of everybody that they are in no place and have no links, before they enter:
// the arrays may be those of a run before.
func (r *Run) clearPresences() {
	for _, p := range r.Program.Presences {
		clear(r.attributes[p.Attribute].Narrow)
	}
}

// startAgain starts all clocks of an individual of the start, or of one that enters, once its
// presence is known. All its draws are made again from its stream, so that nothing but its clocks
// changes.
func (r *Run) startAgain(id uint32, in *program.Entry, s random.Stream, parent uint32) {
	for _, p := range r.Program.Presences {
		if !p.Seen && r.attributes[p.Attribute].Of(id) != 0 {
			r.stopTimers(id, 0)
			r.initialise(id, in, s, parent)
			return
		}
	}
}

// startAllAgain does so for everybody of the start, and schedules them.
func (r *Run) startAllAgain(streams random.Stream) {
	if !slices.ContainsFunc(r.Program.Presences, func(p program.Presence) bool { return !p.Seen }) {
		return
	}
	r.eachStart(func(serial int, in *program.Entry) {
		id := r.firstID + uint32(serial)
		r.startAgain(id, in, streams.At(uint64(serial)), noID)
		r.reschedule(id, r.status(id).state)
	})
}
