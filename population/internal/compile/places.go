package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// maxPlaces is the number of kinds of places that a file can have.
const maxPlaces = 250

// kind returns the number of the kind of places with a name, −1 if there is none.
func (c *compiler) kind(name string) int {
	return slices.IndexFunc(c.file.Places, func(p syntax.Place) bool { return p.Name == name })
}

// limited reports whether places of a kind may be full.
func limited(p program.Place) bool { return p.Limited() }

// places works out the kinds of places.
func (c *compiler) places(here eval.Scope) {
	all := c.file.Places
	if n := len(all); n > maxPlaces {
		c.Add(all[maxPlaces].At, "places: %d are more than the %d there can be", n, maxPlaces)
		c.Stopped = true
		return
	}
	if len(all) > 0 {
		c.program.MaxSize = min(c.program.MaxSize, program.MaxPlaced)
	}
	if len(all) > 0 && c.file.Size > program.MaxPlaced {
		c.Add(all[0].At, "places: expected at most %d individuals, who can be in places", program.MaxPlaced)
	}
	for k := range all {
		c.program.Places = append(c.program.Places, c.place(here, k))
	}
	for k := range all {
		if c.program.Places[k].By >= 0 {
			c.checkMade(here, k)
		}
	}
}

// place works out one of them.
func (c *compiler) place(here eval.Scope, k int) (p program.Place) {
	text := &c.file.Places[k]
	p = program.Place{Name: text.Name, By: -1, Capacity: program.NoCapacity}
	if text.Bad {
		return p
	}
	for _, w := range text.Where {
		if c.isPresence(w.Attribute, text.What+": where") {
			return p
		}
	}
	p.Where = c.conditions(text.Where, text.What+": where")
	if text.Capacity.Given() {
		n, ok := c.fixedNumber(here, text.Capacity, text.What+": capacity")
		if ok && n == 0 {
			here.Report(text.Capacity, text.Capacity.At, "%s: capacity: expected at least 1", text.What)
		}
		p.Capacity = min(max(n, 1), program.NoCapacity)
	}
	switch {
	case text.Number.Given():
		n, ok := c.fixedNumber(here, text.Number, text.What+": number")
		if p.Number = max(n, 1); ok && (n == 0 || n > syntax.MaxIndividuals/8) {
			here.Report(text.Number, text.Number.At, "%s: number: expected a number from 1 to %d", text.What,
				syntax.MaxIndividuals/8)
		}
	case text.Size.Given():
		defer func() { c.placeSizes(here, text, &p) }() // once it is known in what members are alike
	case text.FromPeople:
	default:
		c.madeOf(here, text, &p)
	}
	c.alike(text, &p, k)
	switch text.Join.Name {
	case "any":
		p.Join = program.JoinAny
	case "new":
		p.Join = program.JoinNew
	case "none":
	default:
		if p.Join = program.JoinAny; p.Number == 0 {
			p.Join = program.JoinNone
			if why := c.needsJoin(text, k); why != "" {
				c.Add(text.At, "%s: somebody may come to need one (%s); write join: new, join: any or join: none", text.What, why)
			}
		}
	}
	p.Listed = p.Join == program.JoinAny
	if c.file.HasPlaceColumn(k) {
		c.checkPlaceOfPeople(text, &p, k)
	} else if p.Limited() && p.Join == program.JoinAny && c.Count == 0 {
		c.checkRoom(text, &p)
	}
	return p
}

// placeSizes works out how large places are at the start. A table is by something that the members
// of a place share.
func (c *compiler) placeSizes(here eval.Scope, text *syntax.Place, p *program.Place) {
	for _, a := range here.Dependence(text.Size).Own {
		if !slices.Contains(p.Alike, a) {
			name := c.program.Attributes[a].Name
			here.ReportTogether(text.Size.At, []syntax.Value{text.Size},
				"%s: size: a table by %s, in which members may differ; write alike: [%s] beside it", text.What, name, name)
			return
		}
	}
	p.Size = eachCell(c, here, []syntax.Value{text.Size}, func(here eval.Scope) program.Whole {
		w, ok := here.Whole(text.Size, text.What+": size")
		if ok && w.First == 0 {
			here.Report(text.Size, text.Size.At, "%s: size: %s: nobody would be in a place of size 0", text.What,
				text.Size.Text)
		}
		return w
	})
}

// alike looks up what the members of a place share.
func (c *compiler) alike(text *syntax.Place, p *program.Place, k int) {
	for _, n := range text.Alike {
		if n.Bad {
			continue
		}
		if other := c.kind(n.Name); other >= 0 {
			if other >= k {
				c.Add(n.At, "%s: alike: %s must stand before %s", text.What, n.Name, text.Name)
			} else {
				p.AlikeIn = append(p.AlikeIn, other)
			}
			continue
		}
		if a := c.attribute(n, text.What+": alike"); a >= 0 {
			p.Alike = append(p.Alike, a)
		}
	}
}

// madeOf works out what places are made of.
func (c *compiler) madeOf(here eval.Scope, text *syntax.Place, p *program.Place) {
	if c.isPresence(text.By, text.What+": by") {
		return
	}
	a := c.attribute(text.By, text.What+": by")
	if a < 0 || c.followsAge(a, text.By, text.What+": by") {
		return
	}
	if c.machineOf(a) >= 0 || a == c.program.StateAttribute {
		c.Add(text.By.At, "%s: by: %s has a start of its own; expected an attribute", text.What, text.By.Name)
		return
	}
	p.By = a
	values := c.program.Attributes[a].Values
	for g := range c.file.Groups {
		for _, with := range c.file.Groups[g].With {
			if with.Attribute.Name == text.By.Name {
				c.Add(text.At, "%s: made of gives %s, and so does population: groups %d: with; leave it to one of them", text.What,
					text.By.Name, g+1)
			}
		}
	}
	if t := c.table(); t != nil && t.Attributes[a] != nil {
		c.Add(text.At, "%s: made of gives %s, and so does population: people; leave it to one of them", text.What,
			text.By.Name)
	}
	for i := range c.program.Places {
		if c.program.Places[i].By == a {
			c.Add(text.At, "%s: made of gives %s, and so does places: %s; leave it to one of them", text.What, text.By.Name,
				c.program.Places[i].Name)
		}
	}
	var shares []float64
	var written []syntax.Value
	sum, good := 0.0, true
	for i := range text.Made {
		m := &text.Made[i]
		share, ok := here.Chance(m.Share, m.What+": share")
		good = good && ok
		shares, sum, written = append(shares, share), sum+share, append(written, m.Share)
		var seats program.Household
		for _, part := range m.Parts {
			v := slices.Index(values, part.Of.Name)
			n, ok := here.WholeNumber(part.Count, m.What+": "+part.Of.Name)
			if v < 0 {
				c.Add(part.Of.At, "%s: %s", m.What,
					diag.Unknown("value of "+text.By.Name, part.Of.Name, func() []string { return values }))
				ok = false
			}
			if good = good && ok; ok && c.reserveEntries(n/8) {
				seats = append(seats, slices.Repeat([]uint16{uint16(v)}, n)...)
			}
		}
		if good && len(seats) == 0 {
			c.Add(m.At, "%s: nobody would be in a place of size 0", m.What)
		}
		p.Made = append(p.Made, seats)
	}
	if good && !eval.IsOne(sum) {
		here.ReportTogether(text.Made[0].Share.At, written, "%s: made of: the shares add up to %.6g, expected 1", text.What,
			sum)
	}
	p.Sums = lookup.CumulativeShares(shares)
}

// needsJoin says why somebody may come to belong to a kind of places later, "" if nobody can.
func (c *compiler) needsJoin(text *syntax.Place, k int) string {
	inherits := func(e *syntax.Entry) bool {
		return e.InheritAll || slices.ContainsFunc(e.Inherit, func(n syntax.Ref) bool { return n.Name == text.Name })
	}
	for i := range c.file.Births {
		if !inherits(&c.file.Births[i]) {
			return fmt.Sprintf("births %d does not inherit it", i+1)
		}
	}
	if len(c.file.Immigration) > 0 {
		return "immigration 1 enters"
	}
	for i := range c.file.Interventions {
		if c.file.Interventions[i].Enter.Given() {
			return c.file.Interventions[i].What + " lets somebody enter"
		}
	}
	child := ""
	c.file.EachClock(func(clock *syntax.Clock) {
		for i := range clock.Children {
			if !inherits(&clock.Children[i]) && child == "" {
				child = clock.What + " does not inherit it"
			}
		}
	})
	if child != "" {
		return child
	}
	names := slices.Clone(text.Alike)
	for _, w := range text.Where {
		names = append(names, w.Attribute)
	}
	for _, n := range names {
		if c.canChange(n.Name, k) {
			return n.Name + " may change"
		}
	}
	return ""
}

// canChange reports whether the value of an attribute, a machine or the state, or a place of a kind
// that stands before another, may change.
func (c *compiler) canChange(name string, before int) bool {
	if k := c.kind(name); k >= 0 {
		return k >= before || c.isMoved(name) || c.needsJoin(&c.file.Places[k], k) != ""
	}
	a := c.program.Attributes.Index(name)
	if a < 0 || a == c.program.StateAttribute || c.machineOf(a) >= 0 || c.file.Attributes[a].ByAge {
		return true
	}
	return c.isMoved(name)
}

// isMoved reports whether a move or inherit of somebody who is there gives an attribute or a place.
func (c *compiler) isMoved(name string) bool {
	moves := func(all []syntax.Move) bool {
		return slices.ContainsFunc(all, func(m syntax.Move) bool { return m.Attribute.Name == name })
	}
	found := false
	c.file.EachClock(func(clock *syntax.Clock) { found = found || moves(clock.Moves) })
	for i := range c.file.Transmission {
		t := &c.file.Transmission[i]
		found = found || moves(t.Moves) || slices.ContainsFunc(t.Inherit, func(n syntax.Ref) bool { return n.Name == name })
	}
	for i := range c.file.Tracing {
		found = found || moves(c.file.Tracing[i].Contact.Moves)
	}
	for i := range c.file.Interventions {
		found = found || moves(c.file.Interventions[i].Moves)
	}
	return found
}

// checkRoom compares the room of places with those who belong there at the start, if their number
// is known: all, or those in some states.
func (c *compiler) checkRoom(text *syntax.Place, p *program.Place) {
	belong := 0
	for s, n := range c.program.StartCounts {
		is := true
		for _, w := range p.Where {
			if w.Attribute != c.program.StateAttribute {
				return
			}
			is = is && w.Is[s]
		}
		if is {
			belong += n
		}
	}
	if room := p.Number * min(p.Capacity, syntax.MaxIndividuals); belong > room {
		c.Add(text.At, "%s: %d people belong there at the start, and there is room for %d", text.What, belong, room)
	}
}

// placeMoves looks up what moves and inherit say of places.
func (c *compiler) placeMoves(moves []syntax.Move, inherit []syntax.Ref, what string) (all []program.PlaceMove) {
	for i := range moves {
		k := c.kind(moves[i].Attribute.Name)
		if k < 0 || moves[i].Gives.Value.Bad {
			continue
		}
		how := program.JoinNone
		switch name := moves[i].Gives.Value.Name; {
		case name == "new" && c.file.Places[k].Number.Given():
			c.Add(moves[i].Gives.Value.At, "%s: %s: new, but there are always %s of them; write any or none", what,
				c.file.Places[k].Name, c.file.Places[k].Number.Text)
		case name == "new":
			how = program.JoinNew
		case name == "any":
			how = program.JoinAny
			c.program.Places[k].Listed = true
		case name != "none":
			c.Add(moves[i].Attribute.At, "%s: %s is a kind of places; expected new, any or none", what, c.file.Places[k].Name)
		}
		all = append(all, program.PlaceMove{Kind: k, How: how})
	}
	for k := range c.file.Places { // in this order: a place may be shared by those who share one before it
		if slices.ContainsFunc(inherit, func(n syntax.Ref) bool { return n.Name == c.file.Places[k].Name }) {
			all = append(all, program.PlaceMove{Kind: k, How: program.JoinOther})
		}
	}
	return all
}

// inheritPlaces notes the kinds of places that a child has from its parent.
func (c *compiler) inheritPlaces(in *program.Entry, b *syntax.Entry) {
	if len(c.program.Places) == 0 {
		return
	}
	in.Places = make([]bool, len(c.program.Places))
	for k := range in.Places {
		text := &c.file.Places[k]
		has := func(name string) bool {
			return b.InheritAll || slices.ContainsFunc(b.Inherit, func(n syntax.Ref) bool { return n.Name == name })
		}
		in.Places[k] = has(text.Name)
	}
	if !b.InheritAll {
		c.inheritAlike(b.Inherit, "", b.What)
	}
}

// inheritAlike refuses that somebody comes to the place of another without what its members share.
// Those of a contact share what it is among.
func (c *compiler) inheritAlike(inherit []syntax.Ref, among, what string) {
	at := func(name string) int {
		return slices.IndexFunc(inherit, func(n syntax.Ref) bool { return n.Name == name })
	}
	for k := range c.file.Places {
		text := &c.file.Places[k]
		i := at(text.Name)
		if i < 0 {
			continue
		}
		for _, n := range text.Alike {
			if n.Name != among && at(n.Name) < 0 {
				c.Add(inherit[i].At, "%s: inherit: %s without %s, in which its members are alike; write inherit: [%s, %s]", what,
					text.Name, n.Name, n.Name, text.Name)
			}
		}
	}
}

// needLimited refuses full where no place can be. Moves are all that happens besides; nil if there
// is more.
func (c *compiler) needLimited(full syntax.Ref, what string, moves []syntax.Move) {
	if len(c.file.Places) == 0 || slices.ContainsFunc(c.file.Places, func(p syntax.Place) bool { return p.Bad }) {
		return
	}
	// The kind that the message names: the first that somebody is moved to, or that could be limited.
	kind := max(0, slices.IndexFunc(c.file.Places, func(p syntax.Place) bool {
		return p.Number.Given() || p.Capacity.Given()
	}))
	can := slices.ContainsFunc(c.program.Places, limited)
	if len(moves) > 0 && !slices.ContainsFunc(moves, func(m syntax.Move) bool {
		k := c.kind(m.Attribute.Name)
		return k < 0 || limited(c.program.Places[k])
	}) {
		kind, can = c.kind(moves[0].Attribute.Name), false
	}
	if !can {
		c.Add(full.At, "%s: full: %s has no number and capacity, so that nothing can be full", what, c.file.Places[kind].Name)
	}
}

// fixedNumber evaluates a whole number that is the same throughout the run.
func (c *compiler) fixedNumber(here eval.Scope, v syntax.Value, what string) (int, bool) {
	if name := c.setParameter(v, 0); name != "" {
		here.Report(v, v.At, "%s: an intervention sets %s; expected a number that does not change during the run",
			what, diag.Shorten(name))
		return 0, false
	}
	return here.WholeNumber(v, what)
}

// checkMade checks that the people who are put into places that are made of something do not depend
// on the values that these give, nor on those that only later kinds give.
func (c *compiler) checkMade(here eval.Scope, k int) {
	text, p := &c.file.Places[k], &c.program.Places[k]
	for j := range c.program.Places {
		from := c.program.Places[j].By
		if from < 0 {
			continue
		}
		// gives says which kind gives a value. It must stand before the one that asks for it.
		gives := func(a, asks int) string {
			name := c.program.Attributes[from].Name
			if a != from {
				name = c.program.Attributes[a].Name + ", by " + name
			}
			if j == k {
				return name + ", which made of gives"
			}
			return fmt.Sprintf("%s, which places: %s gives; write %s before %s", name, c.file.Places[j].Name,
				c.file.Places[j].Name, c.file.Places[asks].Name)
		}
		for i, w := range p.Where {
			if j >= k && c.followsFrom(here, w.Attribute, from) {
				at := text.Where[min(i, len(text.Where)-1)].Attribute
				c.Add(at.At, "%s: where asks for %s", text.What, gives(w.Attribute, k))
			}
		}
		for _, n := range text.Alike {
			if other := c.kind(n.Name); other >= 0 && other < k {
				if a, asks := c.sortedBy(here, other, j); a >= 0 {
					c.Add(n.At, "%s: alike: who is in which %s depends on %s", text.What, n.Name, gives(a, asks))
				}
				continue
			}
			switch a := c.program.Attributes.Index(n.Name); {
			case a < 0 || j < k || !c.followsFrom(here, a, from):
			case j == k:
				c.Add(n.At, "%s: alike: made of gives %s", text.What, strings.TrimSuffix(gives(a, k), ", which made of gives"))
			default:
				c.Add(n.At, "%s: alike: %s", text.What, gives(a, k))
			}
		}
	}
}

// sortedBy returns an attribute by which people are put into the places of a kind at the start, and
// that follows from what a kind that stands after it gives, and which kind of places asks for it; −1
// if there is none.
func (c *compiler) sortedBy(here eval.Scope, kind, gives int) (attribute, asks int) {
	p := &c.program.Places[kind]
	if from := c.program.Places[gives].By; gives > kind {
		for _, w := range p.Where {
			if c.followsFrom(here, w.Attribute, from) {
				return w.Attribute, kind
			}
		}
		for _, a := range p.Alike {
			if c.followsFrom(here, a, from) {
				return a, kind
			}
		}
	}
	for _, other := range p.AlikeIn {
		if a, asks := c.sortedBy(here, other, gives); a >= 0 {
			return a, asks
		}
	}
	return -1, -1
}

// followsFrom reports whether what an individual of the start has of an attribute depends on its
// value of another, or whether the random numbers do by which it is drawn: a distribution takes as
// many of them as it needs, and what comes after it takes those after these.
func (c *compiler) followsFrom(here eval.Scope, a, from int) bool {
	if a == from {
		return true
	}
	if s := c.program.SameAs; s != nil && a < len(s) && s[a] >= 0 && s[a] < a {
		return c.followsFrom(here, s[a], from)
	}
	follows := func(values ...syntax.Value) bool {
		return slices.ContainsFunc(values, func(v syntax.Value) bool {
			return slices.ContainsFunc(here.Dependence(v).Own, func(own int) bool {
				return c.order(own) < c.order(a) && c.followsFrom(here, own, from)
			})
		})
	}
	for g := range c.file.Groups {
		for i := range c.file.Groups[g].With {
			with := &c.file.Groups[g].With[i]
			for k := range with.Gives.Shares {
				if with.Attribute.Name == c.program.Attributes[a].Name && follows(with.Gives.Shares[k].Share) {
					return true
				}
			}
		}
	}
	ages := []syntax.Value{c.file.Age}
	for g := range c.file.Groups {
		ages = append(ages, c.file.Groups[g].Age)
	}
	m := c.machineOf(a)
	switch byGroup := func(v syntax.Value) bool { return len(here.Dependence(v).Own) > 0 }; {
	case m < 0 && (c.bands[a] == nil || !slices.ContainsFunc(ages, byGroup)): // other ages are drawn first of all
		return false
	case m >= 0 && c.program.Machines[m].StartDraw == nil:
		return false
	case m >= 0:
		for k := range c.file.Machines[m].Start {
			if s := &c.file.Machines[m].Start[k]; !s.Rest && follows(s.Value) {
				return true
			}
		}
	}
	for i := range c.file.Numbers {
		n := &c.file.Numbers[i]
		if follows(n.Law, n.Mean, n.Spread, n.Least, n.Most) {
			return true
		}
	}
	return follows(ages...)
}
