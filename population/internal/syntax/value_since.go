package syntax

import (
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Since says from when on a curve counts the time of an individual:
//
//	{since: [exposed, infectious], density: {gamma: {mean: 5 days, shape: 4}}}
//	{since: {hiv: [acute, chronic]}, line: {0 days: 0.1 per day, 90 days: 0.02 per day}}
//	{since: birth, steps: {0 years: 0 per year, 15 years: 0.1 per year, 45 years: 0 per year}}
//	{since: immune, of: met, line: {0 days: 0%, 180 days: 60%}}
type Since struct {
	Groups []SinceGroup // one, unless a message is due
	Met    bool         // it is read for the individual that is met
	Birth  bool         // it is the age
	At     diag.Place
}

// A SinceGroup is some states of one machine, or of states if it has no name.
type SinceGroup struct {
	Machine Ref
	States  []Ref
}

const exampleSince = "{since: infectious, line: {0 days: 0 per day, 2 days: 0.6 per day, 6 days: 0 per day}}"

// sinceCurve reads a value that changes with the time since something. It returns nil, and reports
// it, if it cannot.
func (r *Reader) sinceCurve(n *yaml.Node, what string, want quantity.Kind) *TimeVarying {
	before := r.Count
	f := r.Fields(n, what, exampleSince, "since", "of", "line", "steps", "density")
	if f == nil || r.Count > before {
		return nil
	}
	t := &TimeVarying{}
	var body *yaml.Node
	for _, form := range []string{"line", "steps", "density"} {
		if b := f.Get(form); b != nil {
			if body != nil {
				r.Fail(b, "%s: both %s and %s; expected one of them", what, t.Form, form)
				return nil
			}
			t.Form, body = form, r.Resolve(b)
		}
	}
	since := f.Get("since")
	switch {
	case since == nil:
		r.Fail(n, "%s: a density is by the time since something; write since: and the states, as in {since: infectious, "+
			"density: {gamma: {mean: 5 days, shape: 4}}}", what)
		return nil
	case body == nil:
		r.Fail(n, "%s: since: and then? Expected line, steps or density beside it, as in %s", what, exampleSince)
		return nil
	}
	t.Since = r.since(since, what+": since")
	if of := f.Get("of"); of != nil {
		if t.Since.Met = of.Value == "met"; !t.Since.Met {
			r.Fail(of, "%s: of: found %s, expected met: the one who is met; "+
				"without it the time is that of the individual itself", what, Describe(of))
		}
	}
	switch form := what + ": " + t.Form; {
	case t.Form == "density":
		t.Density = r.Value(body, form, quantity.Distribution)
	case body.Kind == yaml.MappingNode && (HasKey(body, "file") || HasKey(body, "column")):
		t.Knots = r.knotsFromFile(body, form)
	default:
		t.Knots = r.knots(body, form, want)
	}
	if r.Count > before {
		return nil
	}
	return t
}

// since reads what stands behind since.
func (r *Reader) since(n *yaml.Node, what string) *Since {
	const example = "[exposed, infectious]"
	n = r.Resolve(n)
	s := &Since{At: r.Place(n)}
	read := func(machine Ref, n *yaml.Node, what string) {
		before := r.Count
		g := SinceGroup{Machine: machine}
		for _, item := range r.oneOrMore(n, what, example) {
			g.States = append(g.States, r.Ref(item, what))
		}
		if len(g.States) == 0 && r.Count == before {
			r.Fail(n, "%s: expected at least one state, such as %s", what, example)
		}
		s.Groups = append(s.Groups, g)
	}
	if n.Kind != yaml.MappingNode {
		s.Birth = n.Kind == yaml.ScalarNode && strings.TrimSpace(n.Value) == "birth"
		read(Ref{}, n, what)
		return s
	}
	before := r.Count
	for _, p := range r.Pairs(n, what, "{hiv: [acute, chronic]}") {
		machine := Ref{Name: p.Name, At: r.Place(p.Key)}
		if p.Name == StateName {
			machine = Ref{}
		}
		read(machine, p.Value, what+": "+diag.Shorten(p.Name))
	}
	if len(s.Groups) == 0 && r.Count == before {
		r.Fail(n, "%s: expected a machine and its states, such as {hiv: [acute, chronic]}", what)
	}
	return s
}

// String names what the time is since, for messages.
func (s *Since) String() string {
	if s.Birth {
		return "birth"
	}
	var names []string
	for _, g := range s.Groups {
		for _, n := range g.States {
			if name := n.Name; g.Machine.Given() {
				names = append(names, g.Machine.Name+"="+name)
			} else {
				names = append(names, name)
			}
		}
	}
	return diag.Shorten(strings.Join(names, " or "))
}
