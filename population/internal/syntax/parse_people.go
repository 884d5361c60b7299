package syntax

import (
	"fmt"
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/people"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

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
	file, err := r.Tables.open(p.File)
	if err != nil {
		r.Add(p.FileAt, "population: people: file: %s: %v", diag.Quote(p.File), err)
		return
	}
	defer file.Close()
	s := m.peopleSpec()
	key := fmt.Sprint(*s, file.key())
	s.Bytes, s.Done = file.size, file.done
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
		if err := file.changed(); err != nil {
			r.Add(p.FileAt, "population: people: file: %s: %v", diag.Quote(p.File), err)
			return nil
		}
		return t
	}
	if p.Table = cached(r.Tables.Cache, "people "+key, read); p.Table == nil {
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
