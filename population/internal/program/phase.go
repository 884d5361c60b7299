package program

import "github.com/almanac-sim/almanac/population/internal/law"

// Phase are what a run looks up: the model with all values worked out, as they are between two interventions. A state is
// a small number, and so is everything else.
type Phase struct {
	States      []State
	Always      []Lifelong
	Immigration []Immigration
	Contacts    []Contact
	ByGroup     bool             // something depends on attributes
	Attributes  [][]float64      // the shares of each attribute's values, added up
	Ages        *ByCell[law.Law] // of those who are there at the start
	Thresholds  [][]Threshold    // of the interventions that wait, as the model lists those
	Batchable   bool             // the clocks of always are the same for everybody, and have a memory: see batch.go
}

// Mark notes what is known of the tables of states beforehand, so that events need not find it out.
func (t *Phase) Mark() {
	var mark func(st *State)
	mark = func(st *State) {
		st.Batchable = st.Timers == 0 && st.By == nil && st.Varying == nil
		st.OnlyRates = len(t.Always) == 0 && st.Batchable
		for i := range st.Menu {
			do := &st.Menu[i].Do
			st.MeetsAnyone = st.MeetsAnyone || st.Varying == nil && do.Verb == DoContact && t.Contacts[do.Contact].Attribute < 0
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
		t.Batchable = t.Batchable && c.By == nil && !c.Off && !c.Law.Memoryless() // a timer without memory bears a mark (startTimer), which a batch does not set
	}
}
