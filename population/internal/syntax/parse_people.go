package syntax

import (
	"maps"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/nearest"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// population reads how many there are, and who they are.
func (r *Reader) population(m *File, n *yaml.Node) {
	f := r.Fields(n, "population", "{size: 1000, start: {susceptible: rest}}", "size", "start", "groups", "age", "most")
	if f == nil {
		return
	}
	if s := f.Need("size", "100_000"); s != nil {
		var ok bool
		m.Size, ok = r.whole(s, "population: size", MostIndividuals)
		m.SizeAt, m.SizeBad = r.Place(s), !ok
	}
	if s := f.Get("most"); s != nil {
		var ok bool
		m.Most, ok = r.whole(s, "population: most", MostIndividuals)
		m.MostBad = !ok
	}
	m.Age = f.Value("age", KindDistribution)
	if g := f.Get("groups"); g != nil {
		if s := f.Get("start"); s != nil {
			r.Fail(s, "population: both start and groups; each group has a start of its own")
			return
		}
		m.StartsAt = r.Place(g)
		before := r.Found
		r.startGroups(m, g)
		m.StartsBad = r.Found > before
		return
	}
	s := f.Need("start", "{infectious: 10, susceptible: rest}")
	if s == nil {
		return
	}
	m.StartsAt = r.Place(s)
	before := r.Found
	m.Groups = []StartGroup{{At: m.StartsAt, What: "population: start", IsShare: true, Share: 1, Starts: r.starts(s, "population: start")}}
	m.StartsBad = r.Found > before
}

// startGroups reads the groups that a population is made of.
func (r *Reader) startGroups(m *File, n *yaml.Node) {
	const like = "{share: 40%, with: {region: north}, start: {susceptible: rest}}"
	m.Grouped = true
	before := r.Found
	items := r.Items(n, "population: groups", "["+like+"]")
	for i, item := range items {
		g := StartGroup{What: "population: group " + format.Thousands(float64(i+1))}
		f := r.Fields(item, g.What, like, "share", "count", "with", "start")
		if f == nil {
			continue
		}
		g.At = r.Place(f.Node)
		share, count := f.Get("share"), f.Get("count")
		switch {
		case share != nil && count != nil:
			r.Fail(count, "%s: both share and count; a group has one of them", g.What)
		case share != nil:
			g.IsShare, g.SizeAt = true, r.Place(share)
			g.Share, _ = r.share(share, g.What+": share")
		case count != nil:
			g.SizeAt = r.Place(count)
			g.Count, _ = r.whole(count, g.What+": count", MostIndividuals)
		case !f.Meant["share"] && !f.Meant["count"]:
			r.Fail(f.Node, "%s: how many? Write share: 40%% or count: 400, for example", g.What)
		}
		g.With = r.moves(f, "with")
		if s := f.Need("start", "{susceptible: rest}"); s != nil {
			g.Starts = r.starts(s, g.What+": start")
		}
		m.Groups = append(m.Groups, g)
	}
	if len(items) == 0 && r.Found == before {
		r.Fail(n, "population: groups: expected at least one, such as %s", like)
	}
}

// share is a part of a whole, as a percentage or as a number from 0 to 1.
func (r *Reader) share(n *yaml.Node, what string) (float64, bool) {
	text, ok := r.text(n, what, "a percentage such as 40%")
	if !ok {
		return 0, false
	}
	q, err := ParseQuantity(text)
	switch {
	case err != nil || q.Kind != KindNumber && q.Kind != KindShare:
		r.Fail(n, "%s: found %s, expected a percentage such as 40%%", what, diag.Quote(text))
	case !(q.Number >= 0 && q.Number <= 1):
		r.Fail(n, "%s: %s is not between 0%% and 100%%", what, diag.Echo(text))
	default:
		return q.Number, true
	}
	return 0, false
}

// starts reads how many begin in each state.
func (r *Reader) starts(n *yaml.Node, what string) []StartShare {
	var all []StartShare
	for _, p := range r.Pairs(n, what, "{infectious: 10, susceptible: rest}") {
		s := StartShare{State: Ref{Name: p.Name, At: r.Place(p.Key)}, What: what + ": " + diag.Echo(p.Name), At: r.Place(p.Value)}
		if p.Value.Kind == yaml.MappingNode {
			r.startSince(&s, p.Value)
			all = append(all, s)
			continue
		}
		text, ok := r.text(p.Value, s.What, "a number, a percentage, or rest")
		if !ok {
			continue
		}
		q, err := ParseQuantity(text)
		switch {
		case text == "rest":
			s.Rest = true
		case r.workedOut(p.Value):
			s.By, s.ByWhat = r.Value(p.Value, s.What, KindNumber), ShareOrCount
		case err != nil || q.Kind != KindNumber && q.Kind != KindShare:
			r.Fail(p.Value, "%s: found %s, expected a number, a percentage, a parameter, or rest", s.What, diag.Quote(text))
		case q.Kind == KindShare:
			s.Share, _ = r.share(p.Value, s.What)
		case q.Number > 0 && q.Number < 1:
			r.Fail(p.Value, "%s: %s is not a whole number of individuals; write %.6g%% for a share of the population", s.What, diag.Echo(text), 100*q.Number)
		default:
			s.Count, _ = r.whole(p.Value, s.What, MostIndividuals)
		}
		all = append(all, s)
	}
	return all
}

// workedOut tells whether a number is not written out: it is a parameter, or nearly the name of one, or an expression.
func (r *Reader) workedOut(n *yaml.Node) bool {
	text := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "" {
		return false
	}
	_, plain := ParseNumber(strings.TrimSuffix(text, "%"))
	return !plain && (r.Defined[text] || isExpression(text) || !LooksNumeric(text) && nearest.Name(text, slices.Collect(maps.Keys(r.Defined))) != "")
}

// startSince reads how many begin in a state, and for how long they have been in it.
func (r *Reader) startSince(s *StartShare, n *yaml.Node) {
	f := r.Fields(n, s.What, "{share: 5%, since: {uniform: {low: 0 years, high: 5 years}}}", "share", "count", "since")
	share, count := f.Get("share"), f.Get("count")
	switch {
	case share != nil && count != nil:
		r.Fail(count, "%s: both share and count; write one of them", s.What)
	case share != nil && share.Value == "rest":
		s.Rest = true
	case share != nil && r.workedOut(share):
		s.By, s.ByWhat = r.Value(share, s.What+": share", KindShare), ShareGiven
	case count != nil && r.workedOut(count):
		s.By, s.ByWhat = r.Value(count, s.What+": count", KindNumber), CountGiven
	case share != nil:
		s.Share, _ = r.share(share, s.What+": share")
	case count != nil:
		s.Count, _ = r.whole(count, s.What+": count", MostIndividuals)
	case !f.Meant["share"] && !f.Meant["count"]:
		r.Fail(n, "%s: how many? Write share: 5%%, share: rest or count: 50, for example", s.What)
	}
	s.Since = f.Value("since", KindDistribution)
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
		e.Name = f.label()
		rate, enter := f.Need("rate", "500 per year"), f.Need("enter", "susceptible")
		if rate == nil || enter == nil {
			continue
		}
		e.Rate, e.Enter = r.Value(rate, what+": rate", KindRate), r.enter(enter, what+": enter")
		e.From, e.Where = r.names(f, "from"), r.wheres(f, "where")
		e.Per, e.Age = f.Value("per", KindNumber), f.Value("age", KindDistribution)
		e.With = r.moves(f, "with")
		if inherit := f.Get("inherit"); inherit != nil {
			if e.InheritAll = inherit.Kind == yaml.ScalarNode && inherit.Value == "all"; !e.InheritAll {
				e.Inherit = r.attributeNames(inherit, what+": inherit")
			}
		}
		all = append(all, e)
	}
	return all
}

// attributeNames is the name of an attribute, or a list of them.
func (r *Reader) attributeNames(n *yaml.Node, what string) []Ref {
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
