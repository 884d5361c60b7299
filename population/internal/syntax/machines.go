package syntax

import (
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// StateName is the name under which tables and conditions refer to the section states, unless an
// attribute has that name.
const StateName = "state"

// A Machine is an entry of the section machines: an attribute whose values are states with clocks.
type Machine struct {
	Ref
	States    []State
	StatesBad bool // not all states could be read
	Start     []MachineShare
	StartAt   diag.Place
	StartBad  bool
	Enter     Enter // of those who enter later; not Given if the file does not say
}

// A MachineShare says who is in a state of a machine at the start: a number of individuals, a
// probability, or the rest.
type MachineShare struct {
	State Ref
	What  string // how messages name it
	Value Value
	Kind  ShareKind // what Value is; unused if Rest
	Rest  bool
	Since Value // how long they have been in the state, if given
}

// machines reads the section machines.
func (r *Reader) machines(m *File, n *yaml.Node) {
	const example = "{hiv: {start: {positive: 5%, negative: rest}, states: {negative: {}, positive: {}}}}"
	for _, p := range r.Pairs(n, "machines", example) {
		what := "machines: " + p.Name
		if !r.checkName(p.Key, "machines", p.Name) {
			continue
		}
		one := Machine{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, StatesBad: true, StartBad: true}
		switch taken := func(a Attribute) bool { return a.Name == p.Name }; {
		case p.Name == StateName:
			r.Fail(p.Key, "%s: state means what stands under states; expected another name", what)
			continue
		case slices.ContainsFunc(m.Attributes, taken) || r.Numbers[p.Name]:
			r.Fail(p.Key, "%s: there is an attribute of that name; names are given once", what)
			continue
		}
		f := r.Fields(p.Value, what, "{start: {positive: 5%, negative: rest}, states: {negative: {}, positive: {}}}",
			"start", "enter", "states")
		if f == nil {
			continue
		}
		if states := f.Need("states", "{negative: {}, positive: {}}"); states != nil {
			r.machineStates(&one, states, what)
		}
		if start := f.Need("start", "{positive: 5%, negative: rest}"); start != nil {
			before := r.Count
			one.StartAt = r.Place(start)
			for _, s := range r.Pairs(start, what+": start", "{positive: 5%, negative: rest}") {
				if share, ok := r.machineShare(s, what+": start: "+diag.Shorten(s.Name)); ok {
					one.Start = append(one.Start, share)
				}
			}
			if len(one.Start) == 0 && r.Count == before {
				r.Fail(start, "%s: start: expected who is in which state, such as {positive: 5%%, negative: rest}", what)
			}
			one.StartBad = r.Count > before
		}
		if enter := f.Get("enter"); enter != nil {
			one.Enter = r.enter(enter, what+": enter")
		} else if f.Misspelt["enter"] {
			one.Enter.Ref = Ref{At: r.Place(f.Node), Bad: true}
		}
		m.Machines = append(m.Machines, one)
	}
}

// machineStates reads the states of a machine and their clocks.
func (r *Reader) machineStates(one *Machine, n *yaml.Node, what string) {
	before := r.Count
	all := r.Pairs(n, what+": states", "{negative: {}, positive: {}}")
	if len(all) == 0 && r.Count == before {
		r.Fail(n, "%s: states: expected at least one state, such as negative: {}", what)
	}
	if len(all) > maxStates {
		r.Fail(n, "%s: states: %d states are more than the %d there can be", what, len(all), maxStates)
		all = all[:maxStates]
	}
	for _, p := range all {
		if !r.checkName(p.Key, what+": states", p.Name) {
			continue
		}
		s := State{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, What: what + ": " + p.Name}
		if p.Value.Tag != "!!null" {
			r.stateClocks(&s, p.Value)
		}
		one.States = append(one.States, s)
	}
	one.StatesBad = r.Count > before
}

// machineShare reads who is in a state of a machine at the start, and reports whether it could.
func (r *Reader) machineShare(p Pair, what string) (s MachineShare, ok bool) {
	s = MachineShare{State: Ref{Name: p.Name, At: r.Place(p.Key)}, What: what}
	n := p.Value
	if n.Kind != yaml.MappingNode {
		return s, r.machineNumber(&s, n, ComputedShareOrCount)
	}
	if !HasKey(n, "share") && !HasKey(n, "count") && !HasKey(n, "since") {
		s.Value, s.Kind = r.Value(n, what, quantity.Share), ComputedShare
		return s, !s.Value.Bad
	}
	f := r.Fields(n, what, "{share: 5%, since: {uniform: {low: 0 years, high: 5 years}}}", "share", "count", "since")
	share, count := f.Get("share"), f.Get("count")
	switch {
	case share != nil && count != nil:
		r.Fail(count, "%s: both share and count; write one of them", what)
	case share != nil && share.Kind == yaml.MappingNode:
		s.Value, s.Kind = r.Value(share, what+": share", quantity.Share), ComputedShare
		ok = !s.Value.Bad
	case share != nil:
		ok = r.machineNumber(&s, share, ComputedShare)
	case count != nil:
		ok = r.machineNumber(&s, count, ComputedCount)
	case !f.Misspelt["share"] && !f.Misspelt["count"]:
		r.Fail(n, "%s: how many? Write share: 5%%, share: rest or count: 50, for example", what)
	}
	s.Since = f.Value("since", quantity.Distribution)
	return s, ok && !s.Since.Bad
}

// machineNumber reads a number of individuals, a probability or rest, and reports whether it could.
func (r *Reader) machineNumber(s *MachineShare, n *yaml.Node, kind ShareKind) bool {
	text, ok := r.text(n, s.What, "a number, a percentage, or rest")
	if !ok {
		return false
	}
	if text == "rest" && kind != ComputedCount {
		s.Rest = true
		return true
	}
	s.Value, s.Kind = r.Value(n, s.What, quantity.Number), kind
	if s.Value.Bad {
		return false
	}
	q := s.Value.Quantity
	switch {
	case !s.Value.IsQuantity() || kind == ComputedShare:
		return true // it is checked where it is worked out
	case q.Kind == quantity.Share && kind == ComputedShareOrCount:
		s.Kind = ComputedShare
	case q.Kind == quantity.Number && q.Number > 0 && q.Number < 1 && kind == ComputedShareOrCount:
		r.Fail(n, "%s: %s is neither a number of people nor a percentage; write %.6g%%, or a whole number", s.What,
			diag.Shorten(text), 100*q.Number)
		return false
	case q.Kind == quantity.Number && q.Number == float64(int64(q.Number)) && q.Number >= 0 && q.Number <= MaxIndividuals:
		s.Kind = ComputedCount
	default:
		r.Fail(n, "%s: found %s, expected a whole number of individuals, a percentage, a parameter, or rest", s.What,
			diag.Quote(text))
		return false
	}
	return true
}

// MachineNames are the names of the machines.
func (m *File) MachineNames() (names []string) {
	for i := range m.Machines {
		names = append(names, m.Machines[i].Name)
	}
	return names
}

// noteState notes that a table or a condition is by state: see File.UsesState.
func (r *Reader) noteState(name string) {
	if strings.TrimSpace(name) == StateName {
		*r.usesState = true
	}
}

// noteAsked notes that a table or a condition is by something: see File.Asked.
func (r *Reader) noteAsked(name string) {
	r.noteState(name)
	name = strings.TrimSpace(name)
	r.asked[name] = r.asked[name] || !r.looks
}
