package syntax

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/nearest"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// MostIndividuals bounds what a file may ask for: ids are 32-bit numbers, and an int counts them.
const MostIndividuals = min(4_000_000_000, math.MaxInt)

// A StartGroup is a part of those who are there at the start.
type StartGroup struct {
	At      diag.Place
	What    string
	IsShare bool
	Share   float64 // of the size
	Count   int
	SizeAt  diag.Place // of the share or the count
	With    []Move
	Starts  []StartShare
}

// A StartShare is how many of a group begin in a state.
type StartShare struct {
	State  Ref
	What   string
	Count  int
	Share  float64   // of the group, if it is a percentage
	By     Value     // in place of both, if they are not written out
	ByWhat ShareKind // which of the two that is
	Rest   bool
	Since  Value      // how long they have been in it, if that is said
	At     diag.Place // of the number
}

// ShareKind is what a startShare that is not written out can be.
type ShareKind uint8

const (
	ShareWritten ShareKind = iota // it is written out
	ShareOrCount                  // a percentage is a share, and a number a count
	ShareGiven
	CountGiven
)

// population reads how many there are, and who they are.
func (r *Reader) population(m *File, n *yaml.Node) {
	f := r.Fields(n, "population", "{size: 1000, start: {susceptible: rest}}", "size", "start", "groups", "age", "most")
	if f == nil {
		return
	}
	if s := f.Need("size", "100_000"); s != nil {
		var ok bool
		m.Size, ok = r.wholeNumber(s, "population: size", MostIndividuals)
		m.SizeAt, m.SizeBad = r.Place(s), !ok
	}
	if s := f.Get("most"); s != nil {
		var ok bool
		m.Most, ok = r.wholeNumber(s, "population: most", MostIndividuals)
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
	m.Groups = []StartGroup{{At: m.StartsAt, What: "population: start", IsShare: true, Share: 1, Starts: r.startShares(s, "population: start")}}
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
			g.Count, _ = r.wholeNumber(count, g.What+": count", MostIndividuals)
		case !f.Meant["share"] && !f.Meant["count"]:
			r.Fail(f.Node, "%s: how many? Write share: 40%% or count: 400, for example", g.What)
		}
		g.With = r.moves(f, "with")
		if s := f.Need("start", "{susceptible: rest}"); s != nil {
			g.Starts = r.startShares(s, g.What+": start")
		}
		m.Groups = append(m.Groups, g)
	}
	if len(items) == 0 && r.Found == before {
		r.Fail(n, "population: groups: expected at least one, such as %s", like)
	}
}

// startShares reads how many begin in each state.
func (r *Reader) startShares(n *yaml.Node, what string) []StartShare {
	var all []StartShare
	for _, p := range r.Pairs(n, what, "{infectious: 10, susceptible: rest}") {
		s := StartShare{State: Ref{Name: p.Name, At: r.Place(p.Key)}, What: what + ": " + diag.Echo(p.Name), At: r.Place(p.Value)}
		if p.Value.Kind == yaml.MappingNode {
			r.startShareSince(&s, p.Value)
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
		case r.isComputed(p.Value):
			s.By, s.ByWhat = r.Value(p.Value, s.What, KindNumber), ShareOrCount
		case err != nil || q.Kind != KindNumber && q.Kind != KindShare:
			r.Fail(p.Value, "%s: found %s, expected a number, a percentage, a parameter, or rest", s.What, diag.Quote(text))
		case q.Kind == KindShare:
			s.Share, _ = r.share(p.Value, s.What)
		case q.Number > 0 && q.Number < 1:
			r.Fail(p.Value, "%s: %s is not a whole number of individuals; write %.6g%% for a share of the population", s.What, diag.Echo(text), 100*q.Number)
		default:
			s.Count, _ = r.wholeNumber(p.Value, s.What, MostIndividuals)
		}
		all = append(all, s)
	}
	return all
}

// startShareSince reads how many begin in a state, and for how long they have been in it.
func (r *Reader) startShareSince(s *StartShare, n *yaml.Node) {
	f := r.Fields(n, s.What, "{share: 5%, since: {uniform: {low: 0 years, high: 5 years}}}", "share", "count", "since")
	share, count := f.Get("share"), f.Get("count")
	switch {
	case share != nil && count != nil:
		r.Fail(count, "%s: both share and count; write one of them", s.What)
	case share != nil && share.Value == "rest":
		s.Rest = true
	case share != nil && r.isComputed(share):
		s.By, s.ByWhat = r.Value(share, s.What+": share", KindShare), ShareGiven
	case count != nil && r.isComputed(count):
		s.By, s.ByWhat = r.Value(count, s.What+": count", KindNumber), CountGiven
	case share != nil:
		s.Share, _ = r.share(share, s.What+": share")
	case count != nil:
		s.Count, _ = r.wholeNumber(count, s.What+": count", MostIndividuals)
	case !f.Meant["share"] && !f.Meant["count"]:
		r.Fail(n, "%s: how many? Write share: 5%%, share: rest or count: 50, for example", s.What)
	}
	s.Since = f.Value("since", KindDistribution)
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

// isComputed tells whether a number is not written out: it is a parameter, or nearly the name of one, or an expression.
func (r *Reader) isComputed(n *yaml.Node) bool {
	text := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "" {
		return false
	}
	_, plain := ParseNumber(strings.TrimSuffix(text, "%"))
	return !plain && (r.Defined[text] || isExpression(text) || !LooksNumeric(text) && nearest.Name(text, slices.Collect(maps.Keys(r.Defined))) != "")
}
