package syntax

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/internal/suggest"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/people"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
	"go.yaml.in/yaml/v3"
)

// MaxIndividuals bounds the size of a population: ids have 32 bits, and an int counts individuals.
const MaxIndividuals = min(4_000_000_000, math.MaxInt)

// A StartGroup is a part of the population at the start.
type StartGroup struct {
	At      diag.Place
	What    string // how messages name it
	IsShare bool
	Share   float64    // of the population's size, if IsShare
	Count   int        // otherwise
	SizeAt  diag.Place // of the share or the count
	With    []Move
	Age     Value // their ages; those of the population if not given
	Starts  []StartShare
}

// A StartShare says how many of a group begin in a state: the rest, a value (By), a share or a
// count.
type StartShare struct {
	State        Ref
	What         string // how messages name it
	Count        int
	Share        float64   // of the group, if a percentage is written
	Computed     Value     // in place of both, if the number has to be worked out
	ComputedKind ShareKind // which of the two By is
	Rest         bool
	Since        Value      // how long they have been in the state, if given
	At           diag.Place // of the number
}

// A ShareKind says what a StartShare's By is.
type ShareKind uint8

// The kinds of a share.
const (
	NotComputed          ShareKind = iota // there is no By: the number is written out
	ComputedShareOrCount                  // a percentage is a share, and a number is a count
	ComputedShare
	ComputedCount
)

// population reads the section population.
func (r *Reader) population(m *File, n *yaml.Node) {
	f := r.Fields(n, "population", "{size: 1000, start: {susceptible: rest}}",
		"size", "start", "groups", "age", "most", "people")
	if f == nil {
		return
	}
	if p := f.Get("people"); p != nil {
		r.people(m, p)
		m.SizeAt = r.Place(p)
		for _, other := range []string{"size", "groups"} {
			if n := f.Get(other); n != nil {
				r.Fail(n, "population: both people and %s; there are as many as rows", other)
			}
		}
	} else if s := f.Need("size", "100_000"); s != nil {
		var ok bool
		m.Size, ok = r.wholeNumber(s, "population: size", MaxIndividuals)
		m.SizeAt, m.SizeBad = r.Place(s), !ok
	}
	if s := f.Get("most"); s != nil {
		var ok bool
		m.Most, ok = r.wholeNumber(s, "population: most", MaxIndividuals)
		m.MostBad = !ok
	}
	m.Age = f.Value("age", quantity.Distribution)
	if g := f.Get("groups"); g != nil {
		if s := f.Get("start"); s != nil {
			r.Fail(s, "population: both start and groups; each group has a start of its own")
			return
		}
		m.StartsAt = r.Place(g)
		before := r.Count
		r.startGroups(m, g)
		m.StartsBad = r.Count > before
		return
	}
	const what = "population: start"
	if m.People != nil && f.Get("start") == nil && !f.Misspelt["start"] { // the file has the states of all
		m.StartsAt, m.StartsBad = m.People.At, false
		m.Groups = []StartGroup{{At: m.StartsAt, What: what, IsShare: true, Share: 1}}
		return
	}
	s := f.Need("start", "{infectious: 10, susceptible: rest}")
	if s == nil {
		return
	}
	m.StartsAt = r.Place(s)
	before := r.Count
	m.Groups = []StartGroup{{At: m.StartsAt, What: what, IsShare: true, Share: 1, Starts: r.startShares(s, what)}}
	m.StartsBad = r.Count > before
}

// startGroups reads population: groups.
func (r *Reader) startGroups(m *File, n *yaml.Node) {
	const example = "{share: 40%, with: {region: north}, start: {susceptible: rest}}"
	m.HasGroups = true
	before := r.Count
	items := r.Items(n, "population: groups", "["+example+"]")
	for i, item := range items {
		g := StartGroup{What: "population: group " + format.Thousands(float64(i+1))}
		f := r.Fields(item, g.What, example, "share", "count", "with", "age", "start")
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
			g.Count, _ = r.wholeNumber(count, g.What+": count", MaxIndividuals)
		case !f.Misspelt["share"] && !f.Misspelt["count"]:
			r.Fail(f.Node, "%s: how many? Write share: 40%% or count: 400, for example", g.What)
		}
		g.With = f.moves("with")
		g.Age = f.Value("age", quantity.Distribution)
		if s := f.Need("start", "{susceptible: rest}"); s != nil {
			g.Starts = r.startShares(s, g.What+": start")
		}
		m.Groups = append(m.Groups, g)
	}
	if len(items) == 0 && r.Count == before {
		r.Fail(n, "population: groups: expected at least one, such as %s", example)
	}
}

// startShares reads how many individuals begin in each state.
func (r *Reader) startShares(n *yaml.Node, what string) []StartShare {
	var all []StartShare
	for _, p := range r.Pairs(n, what, "{infectious: 10, susceptible: rest}") {
		s := StartShare{
			State: Ref{Name: p.Name, At: r.Place(p.Key)},
			What:  what + ": " + diag.Shorten(p.Name),
			At:    r.Place(p.Value),
		}
		if p.Value.Kind == yaml.MappingNode {
			r.startShareSince(&s, p.Value)
			all = append(all, s)
			continue
		}
		text, ok := r.text(p.Value, s.What, "a number, a percentage, or rest")
		if !ok {
			continue
		}
		q, err := quantity.Parse(text)
		switch {
		case text == "rest":
			s.Rest = true
		case r.isComputed(p.Value):
			s.Computed, s.ComputedKind = r.Value(p.Value, s.What, quantity.Number), ComputedShareOrCount
		case err != nil || q.Kind != quantity.Number && q.Kind != quantity.Share:
			r.Fail(p.Value, "%s: found %s, expected a number, a percentage, a parameter, or rest",
				s.What, diag.Quote(text))
		case q.Kind == quantity.Share:
			s.Share, _ = r.share(p.Value, s.What)
		case q.Number > 0 && q.Number < 1:
			r.Fail(p.Value, "%s: %s is not a whole number of individuals; write %.6g%% for a share of the population",
				s.What, diag.Shorten(text), 100*q.Number)
		default:
			s.Count, _ = r.wholeNumber(p.Value, s.What, MaxIndividuals)
		}
		all = append(all, s)
	}
	return all
}

// startShareSince reads a share that is written as a mapping, which may say since when those
// individuals have been in the state.
func (r *Reader) startShareSince(s *StartShare, n *yaml.Node) {
	f := r.Fields(n, s.What, "{share: 5%, since: {uniform: {low: 0 years, high: 5 years}}}", "share", "count", "since")
	share, count := f.Get("share"), f.Get("count")
	switch {
	case share != nil && count != nil:
		r.Fail(count, "%s: both share and count; write one of them", s.What)
	case share != nil && share.Value == "rest":
		s.Rest = true
	case share != nil && r.isComputed(share):
		s.Computed, s.ComputedKind = r.Value(share, s.What+": share", quantity.Share), ComputedShare
	case count != nil && r.isComputed(count):
		s.Computed, s.ComputedKind = r.Value(count, s.What+": count", quantity.Number), ComputedCount
	case share != nil:
		s.Share, _ = r.share(share, s.What+": share")
	case count != nil:
		s.Count, _ = r.wholeNumber(count, s.What+": count", MaxIndividuals)
	case !f.Misspelt["share"] && !f.Misspelt["count"]:
		r.Fail(n, "%s: how many? Write share: 5%%, share: rest or count: 50, for example", s.What)
	}
	s.Since = f.Value("since", quantity.Distribution)
}

// share reads a share that is written out: a percentage, or a number from 0 to 1.
func (r *Reader) share(n *yaml.Node, what string) (float64, bool) {
	text, ok := r.text(n, what, "a percentage such as 40%")
	if !ok {
		return 0, false
	}
	q, err := quantity.Parse(text)
	switch {
	case err != nil || q.Kind != quantity.Number && q.Kind != quantity.Share:
		r.Fail(n, "%s: found %s, expected a percentage such as 40%%", what, diag.Quote(text))
	case !(q.Number >= 0 && q.Number <= 1):
		r.Fail(n, "%s: %s is not between 0%% and 100%%", what, diag.Shorten(text))
	default:
		return q.Number, true
	}
	return 0, false
}

// isComputed reports whether a number has to be worked out: it is written as a parameter, as nearly
// the name of one, or as an expression.
func (r *Reader) isComputed(n *yaml.Node) bool {
	text := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || text == "" {
		return false
	}
	if _, plain := quantity.ParseNumber(strings.TrimSuffix(text, "%")); plain {
		return false
	}
	return r.Parameters[text] || isExpression(text) || !quantity.LooksNumeric(text) && r.isNearParameter(text)
}

// isNearParameter reports whether a text is probably the misspelt name of a parameter.
func (r *Reader) isNearParameter(text string) bool {
	return suggest.Name(text, slices.Collect(maps.Keys(r.Parameters))) != ""
}

// People are those of population: people: a file with a row for each person.
type People struct {
	At      diag.Place
	File    string
	FileAt  diag.Place
	Columns map[string]string // what columns are called in the file, by what they are
	Ignore  []string          // columns that are not meant
	Table   *people.Table     // what the file says; nil before it has been read

	columnAt map[string]diag.Place
}

// people reads population: people, but not the file.
func (r *Reader) people(m *File, n *yaml.Node) {
	const example = "{file: people.csv}"
	f := r.Fields(n, "population: people", example, "file", "columns", "ignore")
	if f == nil {
		return
	}
	p := &People{At: r.Place(n), Columns: map[string]string{}, columnAt: map[string]diag.Place{}}
	name := f.Need("file", "people.csv")
	if name == nil {
		return
	}
	var ok bool
	if p.File, ok = r.text(name, "population: people: file", "the name of a file, such as people.csv"); !ok {
		return
	}
	p.FileAt = r.Place(name)
	if c := f.Get("columns"); c != nil {
		for _, pair := range r.Pairs(c, "population: people: columns", "{household: hh_id}") {
			what := "population: people: columns: " + diag.Shorten(pair.Name)
			if text, ok := r.text(pair.Value, what, "the name of a column"); ok {
				p.Columns[pair.Name], p.columnAt[pair.Name] = text, r.Place(pair.Key)
			}
		}
	}
	if c := f.Get("ignore"); c != nil {
		for _, item := range r.oneOrMore(c, "population: people: ignore", "[street]") {
			if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
				r.Fail(item, "population: people: ignore: found %s, expected the name of a column", Describe(item))
				continue
			}
			p.Ignore = append(p.Ignore, item.Value)
		}
	}
	m.People = p
}

// ReadPeople reads the file of population: people, if there is one and nothing else is wrong so
// far. The size of the population is then known.
func (r *Reader) ReadPeople(m *File) {
	p := m.People
	if p == nil || r.Count > 0 {
		return
	}
	file, err := r.Tables.OpenStream(p.File)
	if err != nil {
		r.Add(p.FileAt, "population: people: file: %s: %v", diag.Quote(p.File), err)
		return
	}
	defer file.Close()
	s := m.peopleSpec()
	key := fmt.Sprint(*s, file.Key())
	s.Bytes, s.Done = file.Size, file.Done
	s.Room = func() uint64 { return memory.Free().Pages }
	s.Report = func(problem people.Problem) {
		r.Add(diag.Place{File: p.File, Line: problem.Line, Column: problem.Column}, "%s", problem.Message)
	}
	s.Asked = func(what, message string) {
		r.Add(p.columnAt[what], "population: people: columns: %s: %s", diag.Shorten(what), message)
	}
	if r.Tables.Progress != nil {
		s.Progress = func(done, of int64) { r.Tables.Progress(p.File, done, of) }
	}
	read := func() *people.Table {
		t := people.Read(file, s)
		if t == nil {
			return nil
		}
		if err := file.Changed(); err != nil {
			r.Add(p.FileAt, "population: people: file: %s: %v", diag.Quote(p.File), err)
			return nil
		}
		return t
	}
	if p.Table = tablefile.Cached(r.Tables.Cache, "people "+key, read); p.Table == nil {
		return
	}
	m.Size, m.SizeBad = p.Table.Size, false
	for k := range m.Places {
		r.checkPlaceColumn(m, k)
	}
}

// checkPlaceColumn looks whether either the file of people or the section places says who is in
// which place of a kind at the start.
func (r *Reader) checkPlaceColumn(m *File, k int) {
	one := &m.Places[k]
	column := m.People.Table.Places[k] != nil
	switch {
	case !column && one.FromPeople:
		r.Add(one.At, "%s: how many are in a place? Write size, by and made of, or number; %s has no column for it",
			one.What, diag.Shorten(m.People.File))
	case column && one.Size.Given():
		r.Add(one.Size.At, "%s: both size and a column of %s; leave it to one of them", one.What,
			diag.Shorten(m.People.File))
	case column && len(one.Made) > 0:
		r.Add(one.At, "%s: both made of and a column of %s; leave it to one of them", one.What,
			diag.Shorten(m.People.File))
	}
}

// peopleSpec says what the file of people can say.
func (m *File) peopleSpec() *people.Spec {
	s := &people.Spec{
		File: m.People.File, Columns: maps.Clone(m.People.Columns), Ignored: slices.Clone(m.People.Ignore),
		Machines: len(m.Machines), Numbers: m.NumberNames(), Places: m.PlaceNames(),
		Year: quantity.SecondsPerYear / m.Unit.Seconds, Unit: m.Unit.Name + "s", Most: MaxIndividuals,
	}
	for i := range m.States {
		s.States = append(s.States, m.States[i].Name)
	}
	for i := range m.Attributes {
		a := people.Attribute{Name: m.Attributes[i].Name}
		for _, v := range m.Attributes[i].Values {
			a.Values = append(a.Values, v.Name)
		}
		if m.Attributes[i].ByAge {
			a.Refused = a.Name + " follows the age; nothing else can give it"
		}
		s.Attributes = append(s.Attributes, a)
	}
	for i := range m.Machines {
		a := people.Attribute{Name: m.Machines[i].Name}
		for j := range m.Machines[i].States {
			a.Values = append(a.Values, m.Machines[i].States[j].Name)
		}
		s.Attributes = append(s.Attributes, a)
	}
	return s
}

// HasPlaceColumn reports whether the file of people says who is in which place of a kind.
func (m *File) HasPlaceColumn(kind int) bool {
	return m.People != nil && m.People.Table != nil && m.People.Table.Places[kind] != nil
}

// PersonAt returns the place of a person in the file of people.
func (p *People) PersonAt(person int) diag.Place {
	return diag.Place{File: p.File, Line: p.Table.Line(person), Column: 1}
}
