package syntax

import (
	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// How those come who enter the population.
const (
	ByBirth        = "births"
	ByImmigration  = "immigration"
	ByIntervention = "interventions"
)

type Entry struct {
	What  string
	Rate  Value
	Enter Enter
	From  []Ref // births: by individuals in these states alone
	Where []Where
	Per   Value // immigration: the rate is for so many individuals at the start, if it is given
	Age   Value // newly born if it is not given
	Name  string

	Inherit    []Ref // births: attributes of which a child has its parent's values
	InheritAll bool
	With       []Move // immigration: the values of some attributes
}

// An Enter is the state that somebody begins in, or the shares of several; the name is then empty.
type Enter struct {
	Ref
	Into []EnterShare
}

type EnterShare struct {
	State Ref
	Share Value
	Rest  bool
}

// entries reads births and immigration.
func (r *Reader) entries(n *yaml.Node, what, like string, keys ...string) []Entry {
	var all []Entry
	for _, item := range r.oneOrMore(n, what, like) {
		f := r.Fields(item, what, like, keys...)
		if f == nil {
			continue
		}
		e := Entry{What: what}
		e.Name = f.name()
		rate, enter := f.Need("rate", "500 per year"), f.Need("enter", "susceptible")
		if rate == nil || enter == nil {
			continue
		}
		e.Rate, e.Enter = r.Value(rate, what+": rate", KindRate), r.enter(enter, what+": enter")
		e.From, e.Where = r.refs(f, "from"), r.where(f, "where")
		e.Per, e.Age = f.Value("per", KindNumber), f.Value("age", KindDistribution)
		e.With = r.moves(f, "with")
		if inherit := f.Get("inherit"); inherit != nil {
			if e.InheritAll = inherit.Kind == yaml.ScalarNode && inherit.Value == "all"; !e.InheritAll {
				e.Inherit = r.attributeRefs(inherit, what+": inherit")
			}
		}
		all = append(all, e)
	}
	return all
}

// attributeRefs is the name of an attribute, or a list of them.
func (r *Reader) attributeRefs(n *yaml.Node, what string) []Ref {
	var all []Ref
	before := r.Found
	for _, item := range r.oneOrMore(n, what, "[region]") {
		all = append(all, r.Named(item, what))
	}
	if len(all) == 0 && r.Found == before {
		r.Fail(n, "%s: expected at least one attribute, such as [region], or all", what)
	}
	return all
}

// enter reads the state that somebody begins in, or the shares of several.
func (r *Reader) enter(n *yaml.Node, what string) Enter {
	if n.Kind != yaml.MappingNode {
		return Enter{Ref: r.Named(n, what)}
	}
	const like = "{vaccinated: 80%, susceptible: rest}"
	e := Enter{Ref: Ref{At: r.Place(n)}}
	before := r.Found
	for _, p := range r.Pairs(n, what, like) {
		s := EnterShare{State: Ref{Name: p.Name, At: r.Place(p.Key)}, Rest: p.Value.Kind == yaml.ScalarNode && p.Value.Value == "rest"}
		if !s.Rest {
			s.Share = r.Value(p.Value, what+": "+diag.Echo(p.Name), KindShare)
		}
		e.Into = append(e.Into, s)
	}
	if len(e.Into) == 0 && r.Found == before {
		r.Fail(n, "%s: expected a state, or the shares of several, such as %s", what, like)
	}
	e.Bad = r.Found > before
	return e
}
