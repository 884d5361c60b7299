package engine

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// admit adds an individual with its own stream and returns its id. The parent is for what is
// inherited.
func (r *Run) admit(in *program.Entry, s random.Stream, parent uint32) uint32 {
	id := r.takeSlot()
	r.entered++
	if r.numbered() {
		r.numbers[id] = r.entered
	}
	for _, p := range r.Program.Presences { // its slot may be that of another run
		r.attributes[p.Attribute].Set(id, 0)
	}
	state := r.initialise(id, in, s, parent)
	if r.places != nil && r.places.ready {
		if !r.enterPlaces(id, in, parent) {
			r.rollBack(id)
			return noID
		}
		if len(r.Program.Presences) > 0 {
			r.startAgain(id, in, s, parent)
		}
	}
	r.register(id, state)
	if r.networks != nil {
		r.enterNetworks(id)
	}
	r.schedule(id, state)
	return id
}

// initialise gives an individual what is its own: stream, attributes, state and clocks. It returns
// the state. It touches nothing that others share, except sparse timers.
func (r *Run) initialise(id uint32, in *program.Entry, s random.Stream, parent uint32) (state uint16) {
	own := r.stream(id)
	*own = s
	age := 0.0
	byGroup := in.Age != nil && len(in.Age.By) > 0
	if in.Age != nil && !byGroup {
		age = in.Age.Values[0].Draw(own)
	}
	for a := range r.Program.Plain() {
		var v uint16
		switch given := in.ValueOf(a); given {
		case program.Drawn:
			if r.dealtValues != nil && r.dealtValues[a] != nil {
				v = r.dealtValues[a][id-r.firstID]
			} else {
				v = r.drawPlain(id, a, in, own)
			}
		case program.Inherited:
			v = r.attributes[a].Of(parent)
		case program.ByAge: // once the age is known
		default:
			v = uint16(given)
		}
		r.attributes[a].Set(id, v)
	}
	if r.own != nil {
		r.drawNumbers(id, in, own, parent)
	}
	if byGroup {
		age = in.Age.At(r.cell(id, in.Age.By)).Draw(own)
	}
	for _, b := range r.Program.Bands {
		r.attributes[b.Attribute].Set(id, uint16(b.At(age)))
	}
	state = in.To
	if in.Into != nil {
		state = in.Into.States[in.Into.Shares.At(r.cell(id, in.Into.Shares.By)).Draw(own, r.Now, nil)]
	}
	*r.status(id) = status{state: state}
	r.cacheState(id, state)
	if r.Program.StateAttribute >= 0 {
		r.attributes[r.Program.StateAttribute].Set(id, state)
	}
	if r.phase.Machines != nil {
		r.initialiseMachines(id, in, own, parent)
	}
	if r.cameIn != nil {
		r.beginAt(id, state, age)
	}
	if r.shared {
		r.words[int(id)*r.stride+headWords] = never
	}
	for k := range r.phase.Always {
		c := r.alwaysClock(id, k)
		if c.Off {
			r.drawTimer(id, k, &c.Law, true)
		} else if left, fired := c.Remaining(own, age); fired {
			r.setTimer(id, k, never) // without a mark: no change of its law starts it again
		} else {
			r.startTimer(id, k, &c.Law, age, left)
		}
	}
	if in.Since != nil {
		r.startClocksSince(id, state, in.Since.At(r.cell(id, in.Since.By)))
	} else {
		r.startClocks(id, state)
	}
	if r.phase.Machines != nil {
		r.startMachines(id, in)
	}
	return state
}

// register adds an individual to the groups and the counts.
func (r *Run) register(id uint32, state uint16) {
	for a, g := range r.groups {
		if g != nil {
			g.Add(id, int(r.attributes[a].Of(id)))
			if r.near != nil {
				r.regroup(id, a, -1, int(r.attributes[a].Of(id)))
			}
		}
	}
	if r.living != nil {
		r.living.Add(id, 0)
	}
	r.countAlive(+1)
	r.Counts[state]++
	r.waiting.changed = true
	if c := r.Counts[state]; c > r.Peaks[state].Count {
		r.Peaks[state] = Peak{c, r.Program.Start + r.Now}
	}
	if r.phase.Machines != nil {
		r.countMachines(id, +1)
	}
	if r.ByGroup != nil {
		r.ByGroup.present(r, id, int(state), +1)
	}
	if r.outcomes != nil {
		r.enterSums(id)
	}
	if r.observers != nil {
		r.observers.present(r, id)
	}
}

// arrive carries out an arrival of a source of immigration, unless the candidate is rejected, or
// the event of watchID, linksID or errandsID.
func (r *Run) arrive(k uint32) {
	if k == r.linksID {
		r.endDueLinks()
		return
	}
	if k == r.errandsID {
		r.runErrand()
		return
	}
	if int(k) == len(r.phase.Immigration) { // watchID: conditions are looked at after every event
		r.waiting.wake = math.Inf(1)
		r.Events--
		return
	}
	table := &r.phase.Immigration[k]
	if table.Varying != nil {
		if _, _, ok := r.choose(&r.arrivals[k], noID, 0, table.Varying); !ok {
			r.nextArrival(k)
			return
		}
	}
	r.enterAll(&table.In, r.arrivals[k].Split(), noID, program.ByImmigration, table.Name)
	r.nextArrival(k)
}

// enterAll adds all individuals that enter together, during a run, and counts them. The parent is
// noID if there is none.
//
// The stream s is a word of the parent or of the source, whatever the number, so that the number
// does not shift the draws of others. The first individual has s, as if it entered alone.
func (r *Run) enterAll(in *program.Entry, s random.Stream, parent uint32, way, name int) {
	if in.Count == nil {
		r.enter(in, s, parent, way, name)
		return
	}
	cell := 0
	if len(in.Count.By) > 0 {
		cell = r.cell(parent, in.Count.By)
	}
	counted := s.At(math.MaxUint64)
	n := in.Count.At(cell).Pick(counted.Float64())
	if r.places != nil {
		r.beginBatch()
		defer r.endBatch()
	}
	for k := range n {
		own := s
		if k > 0 {
			own = s.At(uint64(k))
		}
		r.enter(in, own, parent, way, name)
		if (k+1)%housekeepingInterval == 0 && r.failed == nil {
			if err := r.checkMemory(); err != nil {
				r.failed, r.limit = err, -1
			}
		}
		if r.Alive > r.limit && (r.failed != nil || r.Alive > r.Program.MaxSize) {
			return // the run fails
		}
	}
}

// enter adds an individual during a run, by birth, immigration or an intervention, and counts it.
// The parent is noID if there is none.
func (r *Run) enter(in *program.Entry, s random.Stream, parent uint32, way, name int) {
	if r.observers != nil && r.observers.people != nil {
		r.observers.people.way, r.observers.people.mother = way, parent
	}
	id := r.admit(in, s, parent)
	if id == noID {
		return // no place has room
	}
	r.countName(name)
	if r.phase.Machines != nil {
		r.machinesPass(id, way)
	}
	r.countFlow(id, parent, len(r.Program.States)+way, r.status(id).state, name, name)
	if r.outcomes != nil {
		r.nameHappened(id, name)
		r.flowHappened(id, r.Program.FlowOf(len(r.Program.States)+way, r.status(id).state))
	}
	if r.observers != nil {
		r.observers.happened(r, id, noID, name, r.Program.FlowOf(len(r.Program.States)+way, r.status(id).state))
	}
	if r.tracing != nil {
		r.happened(id, r.status(id).state, name)
		r.enteredMachines(id)
	}
}

// nextArrival schedules the next arrival of a source.
func (r *Run) nextArrival(k uint32) {
	next := r.arrivalAfter(int(k))
	if r.windows != nil {
		if r.windows.arrive[k] = next; next <= r.windows.until {
			r.windows.heap.Push(store.Due{At: next, ID: k})
		}
		return
	}
	r.Queue.Cancel(eventqueue.ID(k))
	if next <= r.end {
		if err := r.Queue.Reschedule(eventqueue.ID(k), next); err != nil {
			panic(fmt.Sprintf("population: arrival at %v: %v", next, err))
		}
	}
}

// arrivalAfter returns the time of the next arrival of a source, +Inf if there is none.
func (r *Run) arrivalAfter(k int) float64 {
	table := &r.phase.Immigration[k]
	switch {
	case table.Varying != nil:
		return r.candidate(&r.arrivals[k], noID, 0, table.Varying)
	case table.Rate > 0:
		return r.Now + r.arrivals[k].Exp()/table.Rate
	}
	return math.Inf(1)
}
