package syntax

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/internal/memory"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/people"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
	"go.yaml.in/yaml/v3"
)

// A Network is an entry of the section networks: links between individuals.
type Network struct {
	Ref
	What    string // how messages name it
	Mean    Value  // random: the mean number of links; of Mean, Degrees and File at most one is given
	Degrees Value
	File    *LinkFile // nil for none
	Most    Value
	Ends    Value // the rate at which a link ends
	After   Value // how long a link lasts, if that is drawn when it begins
}

// networks reads the section networks.
func (r *Reader) networks(m *File, n *yaml.Node) {
	const example = "{friends: {random: {mean: 4}}}"
	for _, p := range r.Pairs(n, "networks", example) {
		one := Network{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, What: "networks: " + p.Name}
		if !r.checkName(p.Key, "networks", p.Name) {
			continue
		}
		isAttribute := func(a Attribute) bool { return a.Name == p.Name }
		taken := ""
		switch {
		case p.Name == StateName:
			r.Fail(p.Key, "%s: state means what stands under states; expected another name", one.What)
			continue
		case slices.ContainsFunc(m.Attributes, isAttribute) || r.Numbers[p.Name]:
			taken = "an attribute"
		case slices.Contains(m.MachineNames(), p.Name):
			taken = "a machine"
		case slices.Contains(m.PlaceNames(), p.Name):
			taken = "a kind of places"
		}
		if taken != "" {
			r.Fail(p.Key, "%s: there is %s of that name; names are given once", one.What, taken)
			continue
		}
		before := r.Count
		f := r.Fields(p.Value, one.What, "{random: {mean: 4}}", "file", "columns", "ignore",
			"random", "degrees", "most", "ends")
		if f != nil {
			r.network(&one, f)
		}
		one.Bad = r.Count > before
		m.Networks = append(m.Networks, one)
	}
}

// network reads one of them.
func (r *Reader) network(one *Network, f *Fields) {
	ways := []string{}
	for _, key := range []string{"file", "random", "degrees"} {
		if f.Get(key) != nil {
			ways = append(ways, key)
		}
	}
	if len(ways) > 1 {
		r.Fail(f.Get(ways[1]), "%s: both %s and %s", one.What, ways[0], ways[1])
		return
	}
	if n := f.Get("random"); n != nil {
		if random := r.Fields(n, one.What+": random", "{mean: 4}", "mean"); random != nil && random.Need("mean", "4") != nil {
			one.Mean = random.Value("mean", quantity.Number)
		}
	}
	one.Degrees, one.Most = f.Value("degrees", quantity.Number), f.Value("most", quantity.Number)
	r.linkFile(one, f)
	n := f.Get("ends")
	if n == nil {
		return
	}
	ends := r.Fields(n, one.What+": ends", "{rate: 0.2 per year}", "rate", "after")
	if ends == nil {
		return
	}
	rate, after := ends.Get("rate"), ends.Get("after")
	switch {
	case rate != nil && after != nil:
		r.Fail(n, "%s: ends: both rate and after; a link ends by one of them", one.What)
	case rate != nil:
		one.Ends = ends.Value("rate", quantity.Rate)
	case after != nil:
		one.After = ends.Value("after", quantity.Duration)
	default:
		r.Fail(n, "%s: ends: when? Write rate: 0.2 per year or after: 5 years, for example", one.What)
	}
}

// NetworkNames are the names of the networks.
func (m *File) NetworkNames() (names []string) {
	for i := range m.Networks {
		names = append(names, m.Networks[i].Name)
	}
	return names
}

// link reads the key link of a contact.
func (r *Reader) link(c *Contact, f *Fields) {
	if n := f.Get("link"); n != nil {
		c.Link = r.Ref(n, c.What+": link")
	}
}

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
	file, err := r.Tables.OpenStream(of.Name)
	if err != nil {
		r.Add(of.At, "%s: file: %s: %v", one.What, diag.Quote(of.Name), err)
		return
	}
	defer file.Close()
	s := &people.LinkSpec{
		Columns: of.Columns, Ignored: of.Ignore, People: m.Size, Most: maxLinks, Bytes: file.Size, Done: file.Done,
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
		if err := file.Changed(); err != nil {
			r.Add(of.At, "%s: file: %s: %v", one.What, diag.Quote(of.Name), err)
			return nil
		}
		return links
	}
	// Links have the numbers of people, which follow from their ids, or from how many there are.
	key := fmt.Sprintf("links %q %v %v %q %d %p", of.Name, file.Key(), of.Columns, of.Ignore, m.Size, s.IDs)
	of.Links = tablefile.Cached(r.Tables.Cache, key, read)
}
