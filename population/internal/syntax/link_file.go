package syntax

import (
	"fmt"

	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/people"
)

// A LinkFile is a table of links: a column for each end and, perhaps, one of weights.
type LinkFile struct {
	Name    string
	At      diag.Place
	Columns map[string]string // what columns are called in the file, by what they are
	Ignore  []string          // columns that are not meant
	Links   *people.Links     // what the file says; nil before it has been read
}

// linkFile reads the keys file, columns and ignore, but not the file.
func (r *Reader) linkFile(one *Network, f *Fields) {
	n := f.Get("file")
	for _, key := range []string{"columns", "ignore"} {
		if n == nil && f.Get(key) != nil {
			r.Fail(f.Get(key), "%s: %s without file: of which?", one.What, key)
		}
	}
	if n == nil {
		return
	}
	name, ok := r.text(n, one.What+": file", "the name of a file, such as friends.csv")
	if !ok {
		return
	}
	one.File = &LinkFile{Name: name, At: r.Place(n), Columns: map[string]string{}}
	if columns := f.Get("columns"); columns != nil {
		for _, p := range r.Pairs(columns, one.What+": columns", "{from: p1, to: p2}") {
			if r.Known(p.Key, one.What+": columns", "column", p.Name, people.LinkColumns) {
				text, ok := r.text(p.Value, one.What+": columns: "+p.Name, "the name of a column")
				for what, other := range one.File.Columns {
					if ok && other == text {
						r.Fail(p.Value, "%s: columns: %s: the column %s is %s already", one.What, p.Name, diag.Quote(text), what)
					}
				}
				if ok {
					one.File.Columns[p.Name] = text
				}
			}
		}
	}
	if ignore := f.Get("ignore"); ignore != nil {
		for _, item := range r.oneOrMore(ignore, one.What+": ignore", "[street]") {
			if text, ok := r.text(item, one.What+": ignore", "the name of a column"); ok {
				one.File.Ignore = append(one.File.Ignore, text)
			}
		}
	}
}

// maxLinks is how many links a file can have.
const maxLinks = 1<<31 - 1

// ReadLinks reads the files of networks, if nothing else is wrong so far. The population must be
// known.
func (r *Reader) ReadLinks(m *File) {
	for i := range m.Networks {
		if one := &m.Networks[i]; one.File != nil && r.Count == 0 && !m.SizeBad {
			r.readLinks(m, one)
		}
	}
}

// readLinks reads one of them.
func (r *Reader) readLinks(m *File, one *Network) {
	of := one.File
	file, err := r.Tables.open(of.Name)
	if err != nil {
		r.Add(of.At, "%s: file: %s: %v", one.What, diag.Quote(of.Name), err)
		return
	}
	defer file.Close()
	s := &people.LinkSpec{
		Columns: of.Columns, Ignored: of.Ignore, People: m.Size, Most: maxLinks, Bytes: file.size, Done: file.done,
		Room: func() uint64 { return memory.Free().Pages },
		Report: func(p people.Problem) {
			r.Add(diag.Place{File: of.Name, Line: p.Line, Column: p.Column}, "%s", p.Message)
		},
	}
	if m.People != nil && m.People.Table != nil && m.People.Table.IDs != nil {
		s.IDs = m.People.Table.IDs
	}
	if r.Tables.Progress != nil {
		s.Progress = func(done, of int64) { r.Tables.Progress(one.File.Name, done, of) }
	}
	read := func() *people.Links {
		links := people.ReadLinks(file, s)
		if links == nil {
			return nil
		}
		if err := file.changed(); err != nil {
			r.Add(of.At, "%s: file: %s: %v", one.What, diag.Quote(of.Name), err)
			return nil
		}
		return links
	}
	// Links have the numbers of people, which follow from their ids, or from how many there are.
	key := fmt.Sprintf("links %q %v %v %q %d %p", of.Name, file.key(), of.Columns, of.Ignore, m.Size, s.IDs)
	of.Links = cached(r.Tables.Cache, key, read)
}
