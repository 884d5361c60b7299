package compile

import (
	"math"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/people"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// table returns the people of a file, nil if there is none.
func (c *compiler) table() *people.Table {
	if c.file.People == nil {
		return nil
	}
	return c.file.People.Table
}

// startPeople works out the start groups of the people of a file: those whose state is dealt, and
// those whom the file gives one.
func (c *compiler) startPeople(here eval.Scope) {
	f, t := c.file, c.table()
	given, free := make([]int, len(c.program.States)), 0
	first := -1 // the first person without a state
	for i := range t.Size {
		if s := t.State.At(i); s >= 0 {
			given[s]++
		} else {
			if free++; first < 0 {
				first = i
			}
		}
	}
	group := &f.Groups[0]
	if free > 0 && len(group.Starts) == 0 && !f.StartsBad {
		who := "this person"
		if free > 1 {
			who = format.Thousands(float64(free)) + " people"
		}
		c.Add(f.People.PersonAt(first), "the state of %s is empty; say what it is, as in start: {%s: rest}", who,
			c.program.States[0])
		return
	}
	c.startGroup(here, group, free, !f.StartsBad)
	p := &program.People{Table: t, Every: 1, Dealt: len(c.program.StartGroups), Given: make([]int, len(given))}
	in := program.Entry{}
	c.givenAttributes(here, &in, nil, group.What, nil, "")
	for s, n := range given {
		p.Given[s] = -1
		if n == 0 {
			continue
		}
		b := program.StartGroup{Entry: in, Count: n}
		b.To = uint16(s)
		text := &syntax.StartShare{What: group.What}
		for k := range group.Starts { // how long those have been in the state of whom the file does not say it
			if group.Starts[k].State.Name == c.program.States[s] {
				text = &group.Starts[k]
			}
		}
		p.Given[s] = len(c.program.StartGroups)
		c.program.StartCounts[s] += n
		c.program.StartGroups, c.startSyntax = append(c.program.StartGroups, b), append(c.startSyntax, text)
		c.startGroupSyntax = append(c.startGroupSyntax, group)
	}
	c.program.People = p
}

// numbersOfPeople adds the least and the greatest of each number that a file of people gives.
func (c *compiler) numbersOfPeople(given map[string][]float64) {
	t := c.table()
	if t == nil {
		return
	}
	for k, name := range c.file.NumberNames() {
		low, high := math.Inf(1), math.Inf(-1)
		for _, x := range t.Numbers[k] {
			if !math.IsNaN(x) {
				low, high = min(low, x), max(high, x)
			}
		}
		if low <= high {
			given[name] = append(given[name], low, high)
		}
	}
}

// person returns how a person enters, as far as the file says it.
func (c *compiler) person(i int) *program.Entry {
	in := &program.Entry{Given: c.allDrawn(nil)}
	for a, column := range c.table().Attributes {
		if v := column.At(i); v >= 0 {
			in.Given[a] = int32(v)
		}
	}
	return in
}

// checkPeople refuses times since by which a clock has fired with certainty, and ages that nobody
// reaches. Most people are cleared by one comparison, and the first that is refused ends it.
func (c *compiler) checkPeople(here eval.Scope) {
	t := c.table()
	if t == nil || c.Count > 0 {
		return
	}
	phase := c.program.FirstPhase
	if t.Since != nil {
		shortest := make([]float64, len(phase.States))
		for s := range phase.States {
			shortest[s] = shortestTime(&phase.States[s])
		}
		for i, x := range t.Since {
			if s := t.State.At(i); x >= 0 && !(x < shortest[s]) &&
				c.refusesSince(here, i, x, "since", c.program.States[s], &phase.States[s]) {
				return
			}
		}
	}
	for m, column := range t.MachineSince {
		tables := phase.Machines[m]
		if column == nil || tables == nil {
			continue
		}
		shortest := make([]float64, len(tables))
		for v := range tables {
			shortest[v] = shortestTime(&tables[v])
		}
		one := &c.program.Machines[m]
		for i, x := range column {
			v := t.Attributes[one.Attribute].At(i)
			if x >= 0 && !(x < shortest[v]) && c.refusesSince(here, i, x, "since "+c.file.Machines[m].Name,
				c.program.Counted[one.FirstCount+v], &tables[v]) {
				return
			}
		}
	}
	if t.Age != nil {
		shortest := math.Inf(1)
		for k := range phase.Always {
			if clock := &phase.Always[k]; clock.EndsLife || clock.By != nil {
				shortest = min(shortest, clock.Longest)
				for _, cell := range clock.Cells {
					shortest = min(shortest, cell.Longest)
				}
			}
		}
		for i, x := range t.Age {
			if x >= 0 && !(x < shortest) && c.refusesAge(here, phase, i, x) {
				return
			}
		}
	}
}

// shortestTime returns the time before which no clock of a state has fired with certainty.
func shortestTime(st *program.State) float64 {
	shortest := math.Inf(1)
	for _, cell := range st.Cells {
		shortest = min(shortest, shortestTime(cell))
	}
	for k := range st.Race {
		shortest = min(shortest, st.Race[k].Law.Longest())
	}
	for k := range st.Split {
		if shortest = min(shortest, st.Split[k].Law.Longest()); st.Split[k].Varying != nil {
			return 0
		}
	}
	return shortest
}

// refusesSince reports a time that a person cannot have been in a state for.
func (c *compiler) refusesSince(here eval.Scope, i int, x float64, what, state string, st *program.State) bool {
	l := law.Exactly(x)
	before := c.Count
	c.checkSince(here, c.person(i), syntax.Value{At: c.file.People.PersonAt(i)}, &l, what, state, st)
	return c.Count > before
}

// refusesAge reports an age that a person cannot have reached.
func (c *compiler) refusesAge(here eval.Scope, phase *program.Phase, i int, x float64) bool {
	before := c.Count
	c.checkAges(here, phase, c.person(i), law.Exactly(x), syntax.Value{At: c.file.People.PersonAt(i)}, "age in years")
	return c.Count > before
}

// checkPlaceOfPeople compares the members that the file gives the places of a kind with its
// capacity, its number, and what they have to share.
func (c *compiler) checkPlaceOfPeople(text *syntax.Place, p *program.Place, k int) {
	t := c.table()
	if t == nil || t.Places[k] == nil {
		return
	}
	at := func(i int) diag.Place { return c.file.People.PersonAt(i) }
	column := t.Places[k]
	if p.Number > 0 && column.Number > p.Number {
		c.Add(text.Number.At, "%s: number: %d, but %s names %d places", text.What, p.Number,
			diag.Shorten(c.file.People.File), column.Number)
		return
	}
	shares := len(p.Alike)+len(p.AlikeIn) > 0
	if p.Capacity == program.NoCapacity && !shares {
		return
	}
	members, first := make([]uint32, column.Number), make([]uint32, column.Number) // first: 1 + the person
	for i := range t.Size {
		place := column.At(i)
		if place < 0 {
			continue
		}
		if members[place]++; int(members[place]) > p.Capacity {
			c.Add(at(i), "%s: the place of line %d has more people than its capacity, %d", text.Name,
				t.Line(int(first[place])-1), p.Capacity)
			return
		}
		if first[place] == 0 {
			first[place] = uint32(i + 1)
		}
		if shares && !c.alikePeople(text, p, i, int(first[place])-1) {
			return
		}
	}
}

// alikePeople reports whether a person shares with another what members of a place have to share.
// It adds a problem if not.
func (c *compiler) alikePeople(text *syntax.Place, p *program.Place, i, first int) bool {
	t := c.table()
	same := func(name string, a, b int) bool {
		switch {
		case a < 0:
			c.Add(c.file.People.PersonAt(i), "%s: %s is empty, and those in the same %s are alike in it", text.Name, name,
				text.Name)
		case a != b:
			c.Add(c.file.People.PersonAt(i), "%s: another %s than in line %d, and those in the same %s are alike in it",
				text.Name, name, t.Line(first), text.Name)
		default:
			return true
		}
		return false
	}
	for _, a := range p.Alike {
		if c.table().Attributes[a] == nil && a != c.program.StateAttribute || a == c.program.StateAttribute {
			c.Add(text.At, "%s: alike: %s has no column %s, and those in the same %s are alike in it", text.What,
				diag.Shorten(c.file.People.File), c.program.Attributes[a].Name, text.Name)
			return false
		}
		if !same(c.program.Attributes[a].Name, t.Attributes[a].At(i), t.Attributes[a].At(first)) {
			return false
		}
	}
	for _, k := range p.AlikeIn {
		if t.Places[k] == nil {
			c.Add(text.At, "%s: alike: %s has no column %s, and those in the same %s are alike in it", text.What,
				diag.Shorten(c.file.People.File), c.file.Places[k].Name, text.Name)
			return false
		}
		if !same(c.file.Places[k].Name, t.Places[k].At(i), t.Places[k].At(first)) {
			return false
		}
	}
	return true
}

// freePeople returns how many people the file gives no state of a machine.
func (c *compiler) freePeople(attribute int) (free int) {
	t := c.table()
	for i := range t.Size {
		if t.Attributes[attribute].At(i) < 0 {
			free++
		}
	}
	return free
}

// peopleSizes adds those who have a value of an attribute by the file to sizes, and returns how
// many have none.
func (c *compiler) peopleSizes(attribute int, sizes []float64) (free int) {
	t := c.table()
	for i := range t.Size {
		v := t.Attributes[attribute].At(i)
		for a := attribute; v < 0 && c.program.SameAs != nil && c.program.SameAs[a] >= 0; {
			a = c.program.SameAs[a]
			v = t.Attributes[a].At(i)
		}
		if v >= 0 {
			sizes[v]++
		} else {
			free++
		}
	}
	return free
}
