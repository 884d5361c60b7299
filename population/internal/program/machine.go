package program

// A Machine gives every individual one more state, with clocks of its own, beside that of
// Program.States. To tables, conditions and groups it is an attribute whose values are its states.
//
// Its clocks at a rate are among the rates of every state, in the cells with the value that they
// belong to. Its clocks with a timer are in Phase.Machines.
type Machine struct {
	Attribute  int // in Program.Attributes
	FirstCount int // the number of its first state in Program.Counted
	Column     int // the first column of its timers
	Columns    int // as many as its state with the most timers has
	Branches   int // of the split with the most branches; 0 if there is none

	Deals     []Deal       // at the start: numbers of individuals, dealt at random
	StartDraw *EntryStates // at the start: how everybody else draws; nil if Deals are all

	FirstFlow int      // where its flows begin in Program.Flows
	FlowsFrom []int32  // by source: where its flows begin among them; see FlowOf
	FlowsTo   []uint16 // by flow: its target, a state of the machine or NoState
}

// A Deal is a number of individuals that begin in a state of a machine.
type Deal struct {
	Value uint16
	Count int
}

// Dealt reports whether those who begin in a way are among those that Deals choose from: the file
// says nothing else of them.
func (m *Machine) Dealt(in *Entry) bool {
	return in.ValueOf(m.Attribute) == Drawn && (in.Draws == nil || in.Draws[m.Attribute] == m.StartDraw)
}

// FlowOf returns the number in Program.Flows of a flow of the machine, which must be possible. From
// is one of its states, or their number plus the kind of an entry.
func (m *Machine) FlowOf(from int, to uint16) int {
	i, end := m.FlowsFrom[from], m.FlowsFrom[from+1]
	if i < end && m.FlowsTo[i] == to {
		return m.FirstFlow + int(i)
	}
	return m.FirstFlow + int(i) + flowAmong(m.FlowsTo[i:end], to)
}

// A Gift is what a Move gives to the individuals of a cell: a value, or one that is drawn. (A copy
// of another attribute has a value for each cell of that attribute.)
type Gift struct {
	Value uint16
	Draw  *EntryStates // from which the value is drawn; nil if it is not
}
