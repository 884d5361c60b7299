package population

import (
	"maps"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/nearest"
	"go.yaml.in/yaml/v3"
)

// population reads how many there are, and who they are.
func (r *reader) population(m *file, n *yaml.Node) {
	f := r.fields(n, "population", "{size: 1000, start: {susceptible: rest}}", "size", "start", "groups", "age", "most")
	if f == nil {
		return
	}
	if s := f.need("size", "100_000"); s != nil {
		var ok bool
		m.size, ok = r.whole(s, "population: size", mostIndividuals)
		m.sizeAt, m.sizeBad = r.place(s), !ok
	}
	if s := f.get("most"); s != nil {
		var ok bool
		m.most, ok = r.whole(s, "population: most", mostIndividuals)
		m.mostBad = !ok
	}
	m.age = f.value("age", aDistribution)
	if g := f.get("groups"); g != nil {
		if s := f.get("start"); s != nil {
			r.fail(s, "population: both start and groups; each group has a start of its own")
			return
		}
		m.startsAt = r.place(g)
		before := r.found
		r.startGroups(m, g)
		m.startsBad = r.found > before
		return
	}
	s := f.need("start", "{infectious: 10, susceptible: rest}")
	if s == nil {
		return
	}
	m.startsAt = r.place(s)
	before := r.found
	m.groups = []groupText{{at: m.startsAt, what: "population: start", isShare: true, share: 1, starts: r.starts(s, "population: start")}}
	m.startsBad = r.found > before
}

// startGroups reads the groups that a population is made of.
func (r *reader) startGroups(m *file, n *yaml.Node) {
	const like = "{share: 40%, with: {region: north}, start: {susceptible: rest}}"
	m.grouped = true
	before := r.found
	items := r.list(n, "population: groups", "["+like+"]")
	for i, item := range items {
		g := groupText{what: "population: group " + format.Thousands(float64(i+1))}
		f := r.fields(item, g.what, like, "share", "count", "with", "start")
		if f == nil {
			continue
		}
		g.at = r.place(f.node)
		share, count := f.get("share"), f.get("count")
		switch {
		case share != nil && count != nil:
			r.fail(count, "%s: both share and count; a group has one of them", g.what)
		case share != nil:
			g.isShare, g.sizeAt = true, r.place(share)
			g.share, _ = r.share(share, g.what+": share")
		case count != nil:
			g.sizeAt = r.place(count)
			g.count, _ = r.whole(count, g.what+": count", mostIndividuals)
		case !f.meant["share"] && !f.meant["count"]:
			r.fail(f.node, "%s: how many? Write share: 40%% or count: 400, for example", g.what)
		}
		g.with = r.moves(f, "with")
		if s := f.need("start", "{susceptible: rest}"); s != nil {
			g.starts = r.starts(s, g.what+": start")
		}
		m.groups = append(m.groups, g)
	}
	if len(items) == 0 && r.found == before {
		r.fail(n, "population: groups: expected at least one, such as %s", like)
	}
}

// share is a part of a whole, as a percentage or as a number from 0 to 1.
func (r *reader) share(n *yaml.Node, what string) (float64, bool) {
	text, ok := r.text(n, what, "a percentage such as 40%")
	if !ok {
		return 0, false
	}
	q, err := parseQuantity(text)
	switch {
	case err != nil || q.kind != aNumber && q.kind != aShare:
		r.fail(n, "%s: found %s, expected a percentage such as 40%%", what, quote(text))
	case !(q.number >= 0 && q.number <= 1):
		r.fail(n, "%s: %s is not between 0%% and 100%%", what, echo(text))
	default:
		return q.number, true
	}
	return 0, false
}

// starts reads how many begin in each state.
func (r *reader) starts(n *yaml.Node, what string) []startShare {
	var all []startShare
	for _, p := range r.pairs(n, what, "{infectious: 10, susceptible: rest}") {
		s := startShare{state: named{name: p.name, at: r.place(p.key)}, what: what + ": " + echo(p.name), at: r.place(p.value)}
		if p.value.Kind == yaml.MappingNode {
			r.startSince(&s, p.value)
			all = append(all, s)
			continue
		}
		text, ok := r.text(p.value, s.what, "a number, a percentage, or rest")
		if !ok {
			continue
		}
		q, err := parseQuantity(text)
		switch {
		case text == "rest":
			s.rest = true
		case r.workedOut(p.value):
			s.by, s.byWhat = r.value(p.value, s.what, aNumber), byEither
		case err != nil || q.kind != aNumber && q.kind != aShare:
			r.fail(p.value, "%s: found %s, expected a number, a percentage, a parameter, or rest", s.what, quote(text))
		case q.kind == aShare:
			s.share, _ = r.share(p.value, s.what)
		case q.number > 0 && q.number < 1:
			r.fail(p.value, "%s: %s is not a whole number of individuals; write %.6g%% for a share of the population", s.what, echo(text), 100*q.number)
		default:
			s.count, _ = r.whole(p.value, s.what, mostIndividuals)
		}
		all = append(all, s)
	}
	return all
}

// workedOut tells whether a number is not written out: it is a parameter, or nearly the name of one, or an expression.
func (r *reader) workedOut(n *yaml.Node) bool {
	text := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "" {
		return false
	}
	_, plain := parseNumber(strings.TrimSuffix(text, "%"))
	return !plain && (r.defined[text] || isExpression(text) || !looksNumeric(text) && nearest.Name(text, slices.Collect(maps.Keys(r.defined))) != "")
}

// startSince reads how many begin in a state, and for how long they have been in it.
func (r *reader) startSince(s *startShare, n *yaml.Node) {
	f := r.fields(n, s.what, "{share: 5%, since: {uniform: {low: 0 years, high: 5 years}}}", "share", "count", "since")
	share, count := f.get("share"), f.get("count")
	switch {
	case share != nil && count != nil:
		r.fail(count, "%s: both share and count; write one of them", s.what)
	case share != nil && share.Value == "rest":
		s.rest = true
	case share != nil && r.workedOut(share):
		s.by, s.byWhat = r.value(share, s.what+": share", aShare), byShare
	case count != nil && r.workedOut(count):
		s.by, s.byWhat = r.value(count, s.what+": count", aNumber), byCount
	case share != nil:
		s.share, _ = r.share(share, s.what+": share")
	case count != nil:
		s.count, _ = r.whole(count, s.what+": count", mostIndividuals)
	case !f.meant["share"] && !f.meant["count"]:
		r.fail(n, "%s: how many? Write share: 5%%, share: rest or count: 50, for example", s.what)
	}
	s.since = f.value("since", aDistribution)
}

// entries reads births and immigration.
func (r *reader) entries(n *yaml.Node, what, like string, keys ...string) []entryText {
	var all []entryText
	for _, item := range r.oneOrMore(n, what, like) {
		f := r.fields(item, what, like, keys...)
		if f == nil {
			continue
		}
		e := entryText{what: what}
		e.name = f.label()
		rate, enter := f.need("rate", "500 per year"), f.need("enter", "susceptible")
		if rate == nil || enter == nil {
			continue
		}
		e.rate, e.enter = r.value(rate, what+": rate", aRate), r.enter(enter, what+": enter")
		e.from, e.where = r.names(f, "from"), r.wheres(f, "where")
		e.per, e.age = f.value("per", aNumber), f.value("age", aDistribution)
		e.with = r.moves(f, "with")
		if inherit := f.get("inherit"); inherit != nil {
			if e.inheritAll = inherit.Kind == yaml.ScalarNode && inherit.Value == "all"; !e.inheritAll {
				e.inherit = r.attributeNames(inherit, what+": inherit")
			}
		}
		all = append(all, e)
	}
	return all
}

// attributeNames is the name of an attribute, or a list of them.
func (r *reader) attributeNames(n *yaml.Node, what string) []named {
	var all []named
	before := r.found
	for _, item := range r.oneOrMore(n, what, "[region]") {
		all = append(all, r.named(item, what))
	}
	if len(all) == 0 && r.found == before {
		r.fail(n, "%s: expected at least one attribute, such as [region], or all", what)
	}
	return all
}

// enter reads the state that somebody begins in, or the shares of several.
func (r *reader) enter(n *yaml.Node, what string) enterText {
	if n.Kind != yaml.MappingNode {
		return enterText{named: r.named(n, what)}
	}
	const like = "{vaccinated: 80%, susceptible: rest}"
	e := enterText{named: named{at: r.place(n)}}
	before := r.found
	for _, p := range r.pairs(n, what, like) {
		s := enterShare{state: named{name: p.name, at: r.place(p.key)}, rest: p.value.Kind == yaml.ScalarNode && p.value.Value == "rest"}
		if !s.rest {
			s.share = r.value(p.value, what+": "+echo(p.name), aShare)
		}
		e.into = append(e.into, s)
	}
	if len(e.into) == 0 && r.found == before {
		r.fail(n, "%s: expected a state, or the shares of several, such as %s", what, like)
	}
	e.bad = r.found > before
	return e
}
