package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// among says of which others a contact is, if not of everybody.
func (e *explainer) among(c *syntax.Contact) string {
	if !c.Among.Given() {
		return ""
	}
	if slices.Contains(e.file.PlaceNames(), c.Among.Name) {
		return " in the same " + c.Among.Name
	}
	if slices.Contains(e.file.NetworkNames(), c.Among.Name) {
		return " linked with it in " + c.Among.Name
	}
	return " with the same " + c.Among.Name
}

// amongWords returns the first attribute or kind of places that a contact is among, or "".
func (e *explainer) amongWords() string {
	for i := range e.file.Transmission {
		if c := &e.file.Transmission[i]; c.Among.Given() {
			return c.Among.Name
		}
	}
	return ""
}

// places lists the kinds of places: who is in them, how they are filled and who joins them later.
func (e *explainer) places() {
	e.section("Places", len(e.file.Places))
	for i := range e.file.Places {
		p := &e.file.Places[i]
		who := "everybody"
		if len(p.Where) > 0 {
			who = "those" + ofConditions(p.Where)
		}
		e.line("  %s: %s, in places %s%s%s", p.Name, who, e.placeSizes(p), e.fromPeople(i), e.capacity(p))
		if len(p.Alike) > 0 {
			e.line("    who shares one has the same %s", strings.ReplaceAll(orList(p.Alike), " or ", " and "))
		}
		for k := range p.Made {
			m := &p.Made[k]
			var parts []string
			for _, part := range m.Parts {
				parts = append(parts, e.value(part.Count)+" "+part.Of.Name)
			}
			e.line("    %s of them begin with %s", e.probability(m.Share), strings.Join(parts, " and "))
		}
		if p.FromPeople && !p.Join.Given() { // nobody can come to belong
			continue
		}
		switch e.program.Places[i].Join {
		case program.JoinAny:
			e.line("    who comes to belong joins one that has room, all with the same probability")
		case program.JoinNew:
			e.line("    who comes to belong founds a new one")
		default:
			e.line("    who comes to belong is in none, until a move leads there")
		}
	}
}

// placeSizes says how many members places have, or how many there are.
func (e *explainer) placeSizes(p *syntax.Place) string {
	switch {
	case p.Number.Given():
		return "of which there are always " + e.value(p.Number)
	case p.Size.Given():
		return "of size " + e.howMany(p.Size)
	case p.FromPeople:
		return ""
	}
	return "made up by " + p.By.Name
}

// fromPeople says that people of a file are in the places that the file says.
func (e *explainer) fromPeople(kind int) string {
	p := e.program.People
	if !p.HasPlaces(kind) {
		return ""
	}
	words := "of " + e.file.People.File + ", which has " + format.Thousands(float64(p.Places[kind].Number))
	if e.file.Places[kind].Number.Given() {
		return ", those " + words
	}
	return words
}

// capacity says how many a place holds.
func (e *explainer) capacity(p *syntax.Place) string {
	if !p.Capacity.Given() {
		return ""
	}
	return fmt.Sprintf(", at most %s in each", e.value(p.Capacity))
}

// placeWarnings lists the clocks that fire once, and in vain if no place has room.
func (e *explainer) placeWarnings() (all []string) {
	for k := range e.program.Places {
		p := &e.program.Places[k]
		if !p.Limited() || p.Join != program.JoinAny {
			continue
		}
		e.file.EachClock(func(c *syntax.Clock) {
			if c.Uses.Full.Given() || !c.After.Given() || !e.leadsInto(c, p) {
				return
			}
			all = append(all, c.What+": if it fires while no "+p.Name+" has room, nothing comes after it; write full: and a "+
				"state beside it, or a rate, which fires again")
		})
	}
	return all
}

// leadsInto reports whether a clock may lead somebody into places of a kind.
func (e *explainer) leadsInto(c *syntax.Clock, p *program.Place) bool {
	for _, w := range p.Where {
		values := e.program.Attributes[w.Attribute]
		is := func(name string) bool {
			v := slices.Index(values.Values, name)
			return v >= 0 && w.Is[v]
		}
		if w.Attribute == e.program.StateAttribute && is(c.To.Name) {
			return true
		}
		for _, m := range c.Moves {
			if m.Attribute.Name == values.Name && is(m.Gives.Value.Name) {
				return true
			}
		}
	}
	return false
}
