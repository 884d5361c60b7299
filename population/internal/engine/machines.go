package engine

import (
	"math"

	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/store"
)

// machines are the machines of a run: further states of every individual, each with clocks of its
// own.
//
// The state of a machine is the value of an attribute. Its clocks at a rate are among the rates of
// the individual's cell. Its clocks with a timer have columns between those of always and those of
// the state (timers.go); a column that the present state of the machine does not use holds never.
//
// If tables or conditions are by state, the state is an attribute, too: its column is set whenever
// the state changes.
//
// Invariants: the counts of a machine's states add up to Alive; toStart and passed are empty
// between two events, and changing is false.
type machines struct {
	// branches has, by machine, twice the branch of its split, plus 1 if that was drawn by other
	// tables than its clocks use now. It is empty without a split.
	branches []store.Column
	dealt    [][]uint16 // by machine, while the run is set up: 1 + the state that an individual of the start has
	toStart  []int      // machines of the individual at hand whose clocks are to be started
	passed   []int      // the flows of its machines that are to be counted by group
	changing bool       // machines of the individual at hand have changed, and startPending is due

	machineBefore []*program.State // scratch of redrawMemoryless
}

// layOutMachines makes the columns of branches.
func (r *Run) layOutMachines() {
	if r.branches != nil && len(r.branches) == len(r.Program.Machines) {
		return
	}
	r.branches = make([]store.Column, len(r.Program.Machines))
	for m := range r.branches {
		r.branches[m] = store.NewColumn(2 * r.Program.Machines[m].Branches)
	}
}

// growMachines makes room for so many ids.
func (r *Run) growMachines(ids int) {
	for m := range r.branches {
		if r.Program.Machines[m].Branches > 0 {
			r.branches[m].Extend(ids)
		}
	}
}

// branchOf returns the branch of the split of a machine's state, or of the state itself if machine
// is −1, and whether it was drawn by other tables than its clocks use now.
func (r *Run) branchOf(id uint32, machine int) (branch int, old bool) {
	if machine < 0 {
		p := r.status(id)
		return int(p.branch), p.is(branchIsOld)
	}
	v := r.branches[machine].Of(id)
	return int(v >> 1), v&1 != 0
}

// setBranch sets the branch.
func (r *Run) setBranch(id uint32, machine, branch int) {
	if machine < 0 {
		p := r.status(id)
		p.branch = uint8(branch)
		p.unmark(branchIsOld)
		return
	}
	r.branches[machine].Set(id, uint16(branch)<<1)
}

// machineTable returns the table of the clocks of a machine that have a timer, for an individual:
// nil if the machine has none.
func (r *Run) machineTable(id uint32, m int) *program.State {
	tables := r.phase.Machines[m]
	if tables == nil {
		return nil
	}
	st := &tables[r.attributes[r.Program.Machines[m].Attribute].Of(id)]
	if st.By != nil {
		return st.Cells[r.cell(id, st.By)]
	}
	return st
}

// stopMachine stops the timers of a machine.
func (r *Run) stopMachine(id uint32, m int) {
	one := &r.Program.Machines[m]
	for k := range one.Columns {
		r.setTimer(id, one.Column+k, never)
	}
}

// startMachine starts the clocks of the state that a machine is in. If since is not nil, the
// individual has been in it for that time.
func (r *Run) startMachine(id uint32, m int, since *law.Law) {
	r.stopMachine(id, m)
	st := r.machineTable(id, m)
	timed := st != nil && st.Timers > 0
	first := r.Program.Machines[m].Column
	if since != nil {
		value := r.attributes[r.Program.Machines[m].Attribute].Of(id)
		if !timed && !r.counts(m, value) {
			return
		}
		age := r.timeIn(id, m, since, timed)
		r.beganBefore(id, m, value, age)
		if timed {
			r.startSince(id, first, m, st, age)
		}
		return
	}
	if !timed {
		return
	}
	for k := range st.Race {
		r.drawTimer(id, first+k, &st.Race[k].Law, st.Race[k].Off)
	}
	if len(st.Split) > 0 {
		u, k := r.stream(id).Float64(), 0
		if st.Chances != nil {
			k = r.branch(id, st, u)
		} else {
			for u >= st.Split[k].CumulativeChance {
				k++
			}
		}
		r.setBranch(id, m, k)
		r.startClock(id, first+len(st.Race), &st.Split[k])
	}
}

// startPending starts the clocks of the machines that an event has led to another state, once all
// that the event changes has changed.
func (r *Run) startPending(id uint32) {
	for _, m := range r.toStart {
		r.startMachine(id, m, nil)
	}
	if len(r.passed) > 0 {
		r.countFlows(id)
	}
	if r.cameIn != nil && len(r.sparse) > 0 {
		r.redrawCurves(id, r.status(id).state)
	}
	r.toStart, r.changing = r.toStart[:0], false
}

// countFlows counts the flows of machines of an event by group, and for outcomes. A flow counts for
// the group after the event.
func (r *Run) countFlows(id uint32) {
	for _, flow := range r.passed {
		if r.ByGroup != nil {
			r.ByGroup.passed(r, id, flow)
		}
		if r.outcomes != nil {
			r.flowHappened(id, flow)
		}
		if r.observers != nil {
			r.observers.happened(r, id, r.observers.cause, -1, flow)
		}
	}
	r.passed = r.passed[:0]
}

// initialiseMachines gives an individual that enters the states of its machines. The state and the
// other attributes are known.
func (r *Run) initialiseMachines(id uint32, in *program.Entry, own *random.Stream, parent uint32) {
	for m := range r.Program.Machines {
		a := r.Program.Machines[m].Attribute
		var v uint16
		switch given := in.ValueOf(a); {
		case given >= 0:
			v = uint16(given)
		case given == program.Inherited:
			v = r.attributes[a].Of(parent)
		case r.dealt != nil && r.dealt[m] != nil && r.dealt[m][id-r.firstID] > 0:
			v = r.dealt[m][id-r.firstID] - 1
		case in.Draws != nil && in.Draws[a] != nil:
			v = r.drawState(id, in.Draws[a], own)
		}
		r.attributes[a].Set(id, v)
	}
}

// drawState draws a value from shares that may depend on the individual.
func (r *Run) drawState(id uint32, from *program.EntryStates, own *random.Stream) uint16 {
	return from.States[from.Shares.At(r.cell(id, from.Shares.By)).Draw(own, r.Now, r.individual(id, id))]
}

// startMachines starts the clocks of the machines of an individual that enters.
func (r *Run) startMachines(id uint32, in *program.Entry) {
	for m := range r.Program.Machines {
		if r.Program.Machines[m].Columns == 0 && r.cameIn == nil {
			continue
		}
		var since *law.Law
		if in.MachineSince != nil && in.MachineSince[m] != nil {
			if s := in.MachineSince[m][r.attributes[r.Program.Machines[m].Attribute].Of(id)]; s != nil {
				since = s.At(r.cell(id, s.By))
			}
		}
		r.startMachine(id, m, since)
	}
}

// deal chooses the individuals of the start for states of machines that are given as a number of
// individuals. The choice is uniform among those of which the start says nothing else. All draws
// come from a stream of the machine, so that no individual's own draws depend on them.
func (r *Run) deal(streams random.Stream) {
	for m := range r.Program.Machines {
		one := &r.Program.Machines[m]
		left := 0 // that are to be chosen, of all states
		for _, d := range one.Deals {
			left += d.Count
		}
		if left == 0 {
			continue
		}
		if r.dealt == nil {
			r.dealt = make([][]uint16, len(r.Program.Machines))
		}
		r.dealt[m] = make([]uint16, r.Program.Size)
		free := 0
		eachFree := func(do func(serial int)) {
			if p := r.Program.People; p != nil {
				for serial := range r.Program.Size {
					if p.Attributes[one.Attribute].At(p.Row(serial)) < 0 {
						do(serial)
					}
				}
				return
			}
			serial := 0
			for i := range r.Program.StartGroups {
				g := &r.Program.StartGroups[i]
				if !one.Dealt(&g.Entry) {
					serial += g.Count
					continue
				}
				for range g.Count {
					do(serial)
					serial++
				}
			}
		}
		eachFree(func(int) { free++ })
		s := streams.At(math.MaxUint64 >> 1).At(uint64(m))
		counts := make([]int, len(one.Deals))
		for i, d := range one.Deals {
			counts[i] = d.Count
		}
		eachFree(func(serial int) { // one after the other, with the probability needed/left
			if x := s.Below(uint64(free)); left > 0 && x < uint64(left) {
				k := 0
				for ; x >= uint64(counts[k]); k++ {
					x -= uint64(counts[k])
				}
				counts[k]--
				left--
				r.dealt[m][serial] = one.Deals[k].Value + 1
			}
			free--
		})
	}
}

// countMachines adds change to the counts of the states that an individual's machines are in.
func (r *Run) countMachines(id uint32, change int) {
	for m := range r.Program.Machines {
		one := &r.Program.Machines[m]
		k := one.FirstCount + int(r.attributes[one.Attribute].Of(id))
		r.Counts[k] += change
		if c := r.Counts[k]; c > r.Peaks[k].Count {
			r.Peaks[k] = Peak{c, r.Program.Start + r.Now}
		}
	}
}

// machinesPass counts the flows of all machines of an individual that enters in a way, or leaves if
// way is −1.
func (r *Run) machinesPass(id uint32, way int) {
	for m := range r.Program.Machines {
		one := &r.Program.Machines[m]
		v := r.attributes[one.Attribute].Of(id)
		if way < 0 {
			r.countPassed(id, noID, one.FlowOf(int(v), program.NoState))
		} else {
			n := len(r.Program.Attributes[one.Attribute].Values)
			r.countPassed(id, noID, one.FlowOf(n+way, v))
		}
	}
}

// countPassed counts a flow that changes no state of the individual. By is the one that caused it,
// or noID.
func (r *Run) countPassed(id, by uint32, flow int) {
	r.Flows[flow]++
	if r.ByGroup != nil {
		r.ByGroup.passed(r, id, flow)
	}
	if r.outcomes != nil {
		r.flowHappened(id, flow)
	}
	if r.observers != nil {
		r.observers.happened(r, id, by, -1, flow)
	}
}

// leaveMachines counts that an individual leaves, in the tallies of its machines.
func (r *Run) leaveMachines(id uint32) {
	if len(r.passed) > 0 {
		r.countFlows(id)
	}
	r.machinesPass(id, -1)
	r.countMachines(id, -1)
	if r.ByGroup != nil {
		r.ByGroup.machines(r, id, -1)
	}
	r.toStart, r.changing = r.toStart[:0], false
}

// enterMachine counts that a machine goes from one state to another, and prepares the start of its
// clocks.
func (r *Run) enterMachine(id uint32, m int, from, to uint16) {
	one := &r.Program.Machines[m]
	if r.lines != nil {
		r.leaveLine(id, m, to)
	}
	r.Counts[one.FirstCount+int(from)]--
	k := one.FirstCount + int(to)
	r.Counts[k]++
	if c := r.Counts[k]; c > r.Peaks[k].Count {
		r.Peaks[k] = Peak{c, r.Program.Start + r.Now}
	}
	flow := one.FlowOf(int(from), to)
	r.Flows[flow]++
	r.changing = true
	if r.cameIn != nil {
		r.passes(id, m, from, to)
	}
	if r.tracing != nil {
		r.call(id, r.Program.Calls.OfMachine[m][to])
	}
	if r.ByGroup != nil || r.outcomes != nil || r.observers != nil {
		r.passed = append(r.passed, flow)
	}
	if one.Columns == 0 {
		return
	}
	r.stopMachine(id, m)
	for _, p := range r.toStart {
		if p == m {
			return
		}
	}
	r.toStart = append(r.toStart, m)
}

// setState sets the attribute that is the state itself, before the clocks of the new state start.
// The clocks without memory of always and of machines go on by the tables of the new state.
func (r *Run) setState(id uint32, from, to uint16) {
	a := r.Program.StateAttribute
	if !r.phase.UsesAttributes {
		r.attributes[a].Set(id, to)
	} else {
		r.rememberAlways(id)
		r.attributes[a].Set(id, to)
		var none program.State
		r.redrawMemoryless(id, &none, &none)
	}
	if g := r.groups[a]; g != nil {
		g.Remove(id, int(from))
		g.Add(id, int(to))
		if r.near != nil {
			r.regroup(id, a, int(from), int(to))
		}
	}
}

// rememberMachines stores the tables of an individual's machines before they change.
func (r *Run) rememberMachines(id uint32) {
	r.machineBefore = r.machineBefore[:0]
	for m := range r.Program.Machines {
		r.machineBefore = append(r.machineBefore, r.machineTable(id, m))
	}
}

// redrawMachines is redrawMemoryless for the clocks of machines. Those of rememberMachines are the
// tables of before.
func (r *Run) redrawMachines(id uint32) (again bool) {
	for m := range r.Program.Machines {
		from, to := r.machineBefore[m], r.machineTable(id, m)
		if from == to || from == nil {
			continue
		}
		isPending := false
		for _, p := range r.toStart {
			isPending = isPending || p == m
		}
		if isPending {
			continue // its clocks start anew
		}
		first := r.Program.Machines[m].Column
		redraw := func(column int, old, new *program.Clock) {
			if r.timer(id, column)&memoryless != 0 && !old.Equal(new) {
				again = true
				r.startClock(id, column, new)
			}
		}
		for k := range to.Race {
			redraw(first+k, &from.Race[k], &to.Race[k])
		}
		if len(to.Split) > 0 {
			k, _ := r.branchOf(id, m)
			redraw(first+len(to.Race), &from.Split[k], &to.Split[k])
			r.branches[m].Set(id, uint16(k)<<1|1)
		}
	}
	return again
}

// firedMachine returns the action of the timer of a machine that fires now, or nil if a candidate
// is rejected.
func (r *Run) firedMachine(id uint32, column int) *program.Action {
	m := 0
	for column >= r.Program.Machines[m].Column+r.Program.Machines[m].Columns {
		m++
	}
	st, k := r.machineTable(id, m), column-r.Program.Machines[m].Column
	if k < len(st.Race) {
		return &st.Race[k].Do
	}
	b, _ := r.branchOf(id, m)
	branch := &st.Split[b]
	if branch.Varying != nil {
		if _, _, ok := r.choose(r.stream(id), id, 0, branch.Varying); !ok {
			r.startClock(id, column, branch)
			return nil
		}
	}
	return &branch.Do
}

// firstInOrder is firstTimer for a program with machines. If several timers fire at one instant, it
// is the first of these: an age, the state's, those of machines in the order of the file, always.
func (r *Run) firstInOrder(id uint32, st *program.State) (at float64, column int) {
	at, column = math.Inf(1), -1
	look := func(from, to int) {
		for k := from; k < to; k++ {
			if t := timeOf(r.timer(id, k)); t < at {
				at, column = t, k
			}
		}
	}
	p := r.Program
	look(0, len(p.Bands))
	look(p.StateColumn, p.StateColumn+st.Timers)
	look(len(r.phase.Always), p.StateColumn)
	look(len(p.Bands), len(r.phase.Always))
	return at, column
}

// drawPlain draws an attribute that is no machine, for an individual that enters.
func (r *Run) drawPlain(id uint32, a int, in *program.Entry, own *random.Stream) uint16 {
	if in.Draws != nil && in.Draws[a] != nil {
		return r.drawState(id, in.Draws[a], own)
	}
	if s := r.Program.SameAs; s != nil && s[a] >= 0 {
		return r.attributes[s[a]].Of(id)
	}
	return uint16(lookup.SearchCumulative(r.phase.Attributes[a], own.Float64()))
}
