package engine

import "github.com/almanac-sim/almanac/population/internal/program"

// follow notes whether any part of the run reacts to changes of states: in most models none does,
// and become then checks one field instead of many.
func (r *Run) follow() {
	r.followed = r.waiting.on || r.tracing != nil || r.outcomes != nil || r.lines != nil || r.places != nil ||
		r.observers != nil || r.cameIn != nil || r.Program.StateAttribute >= 0 || len(r.Program.Machines) > 0
}

// leaveState updates what depends on states, before an individual goes to another one.
func (r *Run) leaveState(id uint32, from, to uint16, name int) {
	if w := &r.waiting; w.on && (to == program.NoState || w.counted[from] || w.counted[to]) {
		w.changed = true
	}
	if r.tracing != nil {
		r.happened(id, to, name)
	}
	if r.outcomes != nil {
		r.leaveSums(id)
	}
	if r.lines != nil {
		r.leaveLine(id, -1, to)
	}
}

// followLeaver updates what depends on states, before an individual leaves the population.
func (r *Run) followLeaver(id, by uint32, from uint16, name int) {
	if r.phase.Machines != nil {
		r.leaveMachines(id)
	}
	if r.outcomes != nil {
		r.nameHappened(id, name)
		r.flowHappened(id, r.Program.FlowOf(int(from), program.NoState))
	}
	if r.observers != nil {
		r.observeChange(id, by, from, program.NoState, name)
	}
}

// enterState updates what depends on states, after an individual has come to another one.
func (r *Run) enterState(id, by uint32, from, to uint16, name int) {
	if r.cameIn != nil {
		r.passes(id, -1, from, to)
	}
	if r.Program.StateAttribute >= 0 {
		r.setState(id, from, to)
	}
	if r.places != nil {
		r.near.mode = becoming
		r.settlePlaces(id)
		r.near.mode = alone
		if r.OnEvent != nil { // with the places after it
			r.notify(r.places.told, id, r.places.toldBy)
		}
	}
	if r.outcomes != nil {
		r.enterSums(id)
		r.nameHappened(id, name)
		r.flowHappened(id, r.Program.FlowOf(int(from), to))
	}
	if r.observers != nil {
		r.observeChange(id, by, from, to, name)
	}
}

// startFollowers starts the clocks of machines that have changed with the state, and draws those
// again that depend on the time since.
func (r *Run) startFollowers(id uint32, to uint16) {
	if r.changing {
		r.startPending(id)
	}
	if r.cameIn != nil {
		r.redrawCurves(id, to)
	}
}
