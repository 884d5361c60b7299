package program

import "github.com/almanac-sim/almanac/population/internal/law"

// A Phase is all that a run looks up while the parameters have certain values. An intervention that
// sets parameters leads from one phase to another; phases with equal parameters are one.
type Phase struct {
	Settings       map[string]string // the texts of all parameters that interventions set
	States         []State
	Always         []AlwaysClock // those with a memory, or that fire once; the others are in the States
	Machines       [][]State     // by machine and state: its clocks with a timer; nil for a machine without
	Immigration    []Immigration
	Contacts       []Contact
	Tracing        []Tracing          // in the order of the file
	UsesAttributes bool               // a clock depends on attributes
	Attributes     [][]float64        // by attribute: the cumulative shares of its values; nil if it has none
	Ages           *ByCell[law.Law]   // First phase only: of the individuals at the start; nil if all are newborn
	Thresholds     [][]Threshold      // by triggered intervention: its conditions, all of which must hold
	Outcomes       []OutcomeTable     // by outcome
	Observations   []ObservationTable // by observation
	Sources        []Source           // of clocks that depend on counts: see Action.Source
	Networks       []NetworkTable     // by network
	Values         []*Term            // to be recorded, of the whole population
	Batchable      bool               // see SetFlags
}

// SetFlags computes the flags of the phase and of its states, so that events need not find them
// out: OnlyRates, Batchable, Meets and VaryingContact. It is the last step of compiling a phase.
//
// A phase is batchable if the clocks of Always are the same for all individuals and have a memory.
// A timer without memory carries a mark, which the engine's batches do not set.
func (t *Phase) SetFlags() {
	timed := len(t.Always) > 0
	for _, all := range t.Machines {
		timed = timed || all != nil
	}
	var mark func(st *State)
	mark = func(st *State) {
		st.Batchable = st.Timers == 0 && st.By == nil && st.Varying == nil
		st.OnlyRates = !timed && st.Batchable
		for i := range st.Rates {
			st.Meets = st.Meets || st.Rates[i].Do.Kind == DoContact
		}
		for i := range st.Varying {
			if do := &st.Varying[i].Do; do.Kind == DoContact {
				st.VaryingContact = do
			}
		}
		for _, cell := range st.Cells {
			mark(cell)
		}
	}
	for s := range t.States {
		mark(&t.States[s])
	}
	t.Batchable = true
	for k := range t.Always {
		c := &t.Always[k]
		t.Batchable = t.Batchable && c.By == nil && !c.Off && !c.Law.Memoryless()
	}
}

// Laws are the laws of all clocks with a timer, in an order that follows from the tables.
func (t *Phase) Laws() (all []*law.Law) {
	var state func(st *State)
	state = func(st *State) {
		for k := range st.Race {
			all = append(all, &st.Race[k].Law)
		}
		for k := range st.Split {
			all = append(all, &st.Split[k].Law)
		}
		for _, cell := range st.Cells {
			state(cell)
		}
	}
	for k := range t.Always {
		all = append(all, &t.Always[k].Law)
		for _, cell := range t.Always[k].Cells {
			all = append(all, &cell.Law)
		}
	}
	for s := range t.States {
		state(&t.States[s])
	}
	for _, machine := range t.Machines {
		for s := range machine {
			state(&machine[s])
		}
	}
	return all
}
