package syntax

import (
	"fmt"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Place is an entry of the section places: a kind of places, such as households.
type Place struct {
	Ref
	What     string // how messages name it
	Size     Value  // one of Size, Made and Number is given
	By       Ref
	Made     []MadeOf
	Number   Value
	Where    []Where
	Alike    []Ref
	Capacity Value
	Join     Ref // any, new or none

	FromPeople bool // none of the three is given: a file of people has to say who is where
}

// A MadeOf is an entry of made of: a share of the places, and how many members with each value they
// have at the start.
type MadeOf struct {
	What  string
	At    diag.Place
	Share Value
	Parts []MadePart
}

// A MadePart is a number of members with a value.
type MadePart struct {
	Of    Ref
	Count Value
}

// places reads the section places.
func (r *Reader) places(m *File, n *yaml.Node) {
	const example = "{household: {size: {1: 40%, 2: 60%}}}"
	for _, p := range r.Pairs(n, "places", example) {
		one := Place{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, What: "places: " + p.Name}
		if !r.checkName(p.Key, "places", p.Name) {
			continue
		}
		isAttribute := func(a Attribute) bool { return a.Name == p.Name }
		switch {
		case p.Name == StateName:
			r.Fail(p.Key, "%s: state means what stands under states; expected another name", one.What)
			continue
		case slices.ContainsFunc(m.Attributes, isAttribute) || r.Numbers[p.Name]:
			r.Fail(p.Key, "%s: there is an attribute of that name; names are given once", one.What)
			continue
		case slices.Contains(m.MachineNames(), p.Name):
			r.Fail(p.Key, "%s: there is a machine of that name; names are given once", one.What)
			continue
		}
		before := r.Count
		f := r.Fields(p.Value, one.What, "{size: {1: 40%, 2: 60%}}", "size", "by", "made of", "number", "where", "alike",
			"capacity", "join")
		if f != nil {
			r.place(&one, f, m.People != nil)
		}
		one.Bad = r.Count > before
		m.Places = append(m.Places, one)
	}
}

// place reads one of them.
func (r *Reader) place(one *Place, f *Fields, people bool) {
	one.Size, one.Number, one.Capacity = f.Value("size", quantity.Number), f.Value("number", quantity.Number),
		f.Value("capacity", quantity.Number)
	if n := f.Get("size"); n != nil && n.Kind == yaml.MappingNode {
		one.Size.Text = diag.Shorten(OneLine(n))
	}
	one.Where, one.By, one.Join = f.where("where"), f.ref("by"), f.ref("join")
	if alike := f.Get("alike"); alike != nil {
		one.Alike = r.attributeRefs(alike, one.What+": alike")
	}
	made := f.Get("made of")
	ways := 0
	for _, n := range []*yaml.Node{f.Get("size"), made, f.Get("number")} {
		if n != nil {
			ways++
		}
	}
	one.FromPeople = ways == 0 && people
	switch {
	case ways == 0 && !people:
		r.Fail(f.Node, "%s: how many are in a place? Write size, by and made of, or number", one.What)
	case ways > 1:
		r.Fail(f.Node, "%s: only one of size, made of and number can be given", one.What)
	case made != nil && !one.By.Given():
		r.Fail(made, "%s: made of without by: which attribute do the names stand for?", one.What)
	case made == nil && one.By.Given():
		r.Fail(f.Get("by"), "%s: by without made of; expected made of: [{share: 100%%, adult: 2}], for example", one.What)
	case f.Get("number") != nil && one.Join.Name == "new":
		r.Fail(f.Get("join"), "%s: join: new, but there are always %s of them; write any or none", one.What, one.Number.Text)
	case f.Get("number") != nil && len(one.Alike) > 0:
		r.Fail(f.Get("alike"), "%s: alike beside number: which are whose?", one.What)
	case one.Join.Given() && !slices.Contains([]string{"any", "new", "none"}, one.Join.Name):
		r.Fail(f.Get("join"), "%s: join: found %s, expected any, new or none", one.What, diag.Quote(one.Join.Name))
	}
	if made != nil {
		r.madeOf(one, made)
	}
}

// madeOf reads the key made of.
func (r *Reader) madeOf(one *Place, n *yaml.Node) {
	const example = "{share: 30%, adult: 2}"
	for i, item := range r.Items(n, one.What+": made of", "["+example+"]") {
		m := MadeOf{What: fmt.Sprintf("%s: made of %d", one.What, i+1), At: r.Place(item)}
		for _, p := range r.Pairs(item, m.What, example) {
			if p.Name == "share" {
				m.Share = r.Value(p.Value, m.What+": share", quantity.Share)
				continue
			}
			count := r.Value(p.Value, m.What+": "+diag.Shorten(p.Name), quantity.Number)
			m.Parts = append(m.Parts, MadePart{Ref{Name: p.Name, At: r.Place(p.Key)}, count})
		}
		if !m.Share.Given() {
			r.Fail(item, "%s: which share of the places? Write share: 30%%, for example", m.What)
		}
		if len(m.Parts) == 0 {
			r.Fail(item, "%s: expected how many members there are of each value, such as %s", m.What, example)
		}
		one.Made = append(one.Made, m)
	}
	if len(one.Made) == 0 && n.Kind == yaml.SequenceNode {
		r.Fail(n, "%s: made of: expected what places consist of, such as [%s]", one.What, example)
	}
}

// PlaceNames are the names of the kinds of places.
func (m *File) PlaceNames() (names []string) {
	for i := range m.Places {
		names = append(names, m.Places[i].Name)
	}
	return names
}

// EachClock visits all clocks of the file.
func (m *File) EachClock(visit func(c *Clock)) {
	clocks := func(all []Clock) {
		for i := range all {
			visit(&all[i])
		}
	}
	states := func(all []State) {
		for i := range all {
			clocks(all[i].Race)
			clocks(all[i].Split)
		}
	}
	states(m.States)
	for i := range m.Machines {
		states(m.Machines[i].States)
	}
	clocks(m.Always)
}
