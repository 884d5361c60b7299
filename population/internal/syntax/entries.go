package syntax

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// How individuals enter the population, as the source of a flow.
const (
	ByBirth        = "births"
	ByImmigration  = "immigration"
	ByIntervention = "interventions"
)

// An Entry is one entry of births or of immigration, or the children of a clock.
type Entry struct {
	What  string // how messages name it
	Which string // the same with its number
	Rate  Value
	Enter Enter
	From  []Ref // births: only by individuals in these states
	Where []Where
	Per   Value // immigration: the rate is for so many individuals at the start; optional
	Age   Value // immigration: newly born if not given
	Name  string

	Inherit    []Ref // births: the attributes that a child has from its parent
	InheritAll bool
	With       []Move // the values of some attributes
	Count      Value  // how many enter at once: 1 if not given
}

// Enter says in which state an individual begins: one state, or a share of each of several. In the
// second case the name is empty.
type Enter struct {
	Ref
	Into []EnterShare
}

// An EnterShare is the share of the individuals that begin in a state.
type EnterShare struct {
	State Ref
	Share Value
	Rest  bool
}

// births reads the section births.
func (r *Reader) births(m *File, n *yaml.Node) {
	m.Births = r.entries(n, "births", "{rate: 0.012 per year, enter: susceptible}",
		"rate", "enter", "from", "where", "inherit", "with", "count", "name")
}

// immigration reads the section immigration.
func (r *Reader) immigration(m *File, n *yaml.Node) {
	m.Immigration = r.entries(n, "immigration", "{rate: 500 per year, enter: susceptible}",
		"rate", "per", "enter", "age", "with", "count", "name")
}

// entries reads births or immigration: one entry or a list of them, with the given keys.
func (r *Reader) entries(n *yaml.Node, what, example string, keys ...string) []Entry {
	var all []Entry
	for i, item := range r.oneOrMore(n, what, example) {
		f := r.Fields(item, what, example, keys...)
		if f == nil {
			continue
		}
		e := Entry{What: what, Which: fmt.Sprintf("%s %d", what, i+1)}
		e.Name = f.name()
		rate, enter := f.Need("rate", "500 per year"), f.Need("enter", "susceptible")
		if rate == nil || enter == nil {
			continue
		}
		e.Rate, e.Enter = r.Value(rate, what+": rate", quantity.Rate), r.enter(enter, what+": enter")
		e.From, e.Where = f.refs("from"), f.where("where")
		e.Per, e.Age = f.Value("per", quantity.Number), f.Value("age", quantity.Distribution)
		r.given(&e, f, what)
		all = append(all, e)
	}
	return all
}

// given reads what those who enter have, and how many they are.
func (r *Reader) given(e *Entry, f *Fields, what string) {
	e.With, e.Count = f.moves("with"), f.Value("count", quantity.Number)
	if inherit := f.Get("inherit"); inherit != nil {
		if e.InheritAll = inherit.Kind == yaml.ScalarNode && inherit.Value == "all"; !e.InheritAll {
			e.Inherit = r.attributeRefs(inherit, what+": inherit")
		}
	}
}

// children reads who enters when a clock fires.
func (r *Reader) children(c *Clock, f *Fields) {
	enter := f.Get("enter")
	if enter == nil {
		for _, key := range childKeys[1:] {
			if n := f.Get(key); n != nil {
				r.Fail(n, "%s: %s without enter: who?", c.What, key)
			}
		}
		return
	}
	e := Entry{What: c.What, Which: c.What, Enter: r.enter(enter, c.What+": enter")}
	r.given(&e, f, c.What)
	c.Children = []Entry{e}
}

// attributeRefs reads the name of an attribute, or a list of such names.
func (r *Reader) attributeRefs(n *yaml.Node, what string) []Ref {
	var all []Ref
	before := r.Count
	for _, item := range r.oneOrMore(n, what, "[region]") {
		all = append(all, r.Ref(item, what))
	}
	if len(all) == 0 && r.Count == before {
		r.Fail(n, "%s: expected at least one attribute, such as [region], or all", what)
	}
	return all
}

// enter reads the value of a key enter.
func (r *Reader) enter(n *yaml.Node, what string) Enter {
	if n.Kind != yaml.MappingNode {
		return Enter{Ref: r.Ref(n, what)}
	}
	const example = "{vaccinated: 80%, susceptible: rest}"
	e := Enter{Ref: Ref{At: r.Place(n)}}
	before := r.Count
	for _, p := range r.Pairs(n, what, example) {
		s := EnterShare{State: Ref{Name: p.Name, At: r.Place(p.Key)}}
		s.Rest = p.Value.Kind == yaml.ScalarNode && p.Value.Value == "rest"
		if !s.Rest {
			s.Share = r.Value(p.Value, what+": "+diag.Shorten(p.Name), quantity.Share)
		}
		e.Into = append(e.Into, s)
	}
	if len(e.Into) == 0 && r.Count == before {
		r.Fail(n, "%s: expected a state, or the shares of several, such as %s", what, example)
	}
	e.Bad = r.Count > before
	return e
}

// CanEnter reports whether anybody may enter the population after the start.
func (m *File) CanEnter() bool {
	children := func(all []Clock) bool {
		return slices.ContainsFunc(all, func(c Clock) bool { return len(c.Children) > 0 })
	}
	ofStates := func(all []State) bool {
		return slices.ContainsFunc(all, func(s State) bool { return children(s.Race) || children(s.Split) })
	}
	return len(m.Births)+len(m.Immigration) > 0 || children(m.Always) || ofStates(m.States) ||
		slices.ContainsFunc(m.Machines, func(one Machine) bool { return ofStates(one.States) }) ||
		slices.ContainsFunc(m.Interventions, func(p Intervention) bool { return p.Enter.Given() })
}
