package population

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/format"
)

// starts works out how many begin in each group and state. Shares are rounded so that they add up: of 5 individuals, two times 50% are
// 3 and 2.
func (c *compiler) starts(here scope) {
	f := c.f
	c.m.starts = make([]int, len(c.m.states))
	sizes, good := c.groupSizes()
	for g := range f.groups {
		c.startsOf(here, &f.groups[g], sizes[g], good)
	}
	if f.size > f.most && !f.sizeBad && !f.mostBad {
		c.add(f.sizeAt, "population: size %d is more than the most there may be, %d; write most: %d in population", f.size, f.most, f.size)
	}
}

// groupSizes is how many individuals each group has, and whether they are known.
func (c *compiler) groupSizes() ([]int, bool) {
	f := c.f
	sizes := make([]int, len(f.groups))
	if f.sizeBad || f.startsBad {
		return sizes, false
	}
	shares, total, counts := 0.0, 0, 0
	at := f.startsAt
	if asked(f.sizeAt) { // what a command line changed is where it went wrong
		at = f.sizeAt
	}
	for i := range f.groups {
		if asked(f.groups[i].sizeAt) {
			at = f.groups[i].sizeAt
		}
		if f.groups[i].isShare {
			shares += f.groups[i].share
		} else {
			counts++
		}
	}
	if counts == 0 && !isOne(shares) {
		c.add(at, "population: groups: the shares add up to %.6g, expected 1", shares)
		return sizes, false
	}
	whole := 1.0 // of which the shares are parts
	if counts == 0 {
		whole = shares
	}
	before := 0.0
	for i := range f.groups {
		g := &f.groups[i]
		if sizes[i] = g.count; g.isShare {
			upTo := before + g.share
			sizes[i] = int(math.Round(upTo/whole*float64(f.size))) - int(math.Round(before/whole*float64(f.size)))
			before = upTo
		}
		total += sizes[i]
	}
	if total != f.size {
		c.add(at, "population: groups: they have %s, and the size is %d; expected the same", format.Plural(total, "individual"), f.size)
		return sizes, false
	}
	return sizes, true
}

// startsOf works out how many of a group begin in each state.
func (c *compiler) startsOf(here scope, g *groupText, size int, good bool) {
	what, whose := g.what, "the size"
	if c.f.grouped {
		what, whose = g.what+": start", "the group has"
	}
	in := entrance{given: c.given(g.with, g.what+": with", nil)}
	all, texts := make([]*beginning, len(c.m.states)), make([]*startShare, len(c.m.states))
	rest, total, before := -1, 0, 0.0
	for k := range g.starts {
		s := &g.starts[k]
		i := c.state(s.state, what, false)
		if i == nobody {
			good = false
			continue
		}
		count, share, known := c.howMany(here, s)
		if !known {
			good = false
			continue
		}
		b := &beginning{entrance: in, count: count}
		b.to = i
		all[i], texts[i] = b, s
		switch {
		case s.rest && rest >= 0:
			c.add(s.state.at, "%s: a second rest; only one state can have those who are left over", what)
			good = false
		case s.rest:
			rest = int(i)
		case share > 0:
			upTo := before + share
			b.count = int(math.Round(upTo*float64(size))) - int(math.Round(before*float64(size)))
			before = upTo
		}
		total += b.count
	}
	at := g.at
	if !c.f.grouped {
		at = c.f.startsAt
	}
	// What a command line changed is where it went wrong.
	if asked(c.f.sizeAt) {
		at = c.f.sizeAt
	}
	for k := range g.starts {
		if asked(g.starts[k].at) {
			at = g.starts[k].at
		}
	}
	switch {
	case !good:
	case total > size:
		c.add(at, "%s: %s %s more than %s, %d", what, format.Plural(total, "individual"), format.Be(total), whose, size)
	case rest >= 0:
		all[rest].count = size - total
	case total < size:
		c.add(at, "%s: %d of %s; give one state the rest, as in susceptible: rest", what, total, format.Plural(size, "individual"))
	}
	for i, b := range all {
		if b != nil {
			c.m.starts[i] += b.count
			c.m.begin, c.startTexts = append(c.m.begin, *b), append(c.startTexts, texts[i])
		}
	}
}

// howMany is the number of those who begin in a state, or their share of the group.
func (c *compiler) howMany(here scope, s *startShare) (count int, share float64, ok bool) {
	switch {
	case s.byWhat == byNothing:
		return s.count, s.share, true
	case s.by.bad:
		return 0, 0, false
	}
	isShare, expected := s.byWhat == byShare, ""
	if s.byWhat == byEither {
		got, _, _ := here.resolve(s.by, s.what)
		isShare, expected = got.plain() && got.quantity.kind == aShare, ", or a percentage"
	}
	if isShare {
		share, ok = here.chance(s.by, s.what)
		return 0, share, ok
	}
	const most = float64(mostIndividuals)
	x, ok := here.within(s.by, s.what, aNumber, func(x float64) bool { return x >= 0 && x <= most && x == float64(int(x)) },
		fmt.Sprintf("expected a whole number from 0 to %.0f%s", most, expected))
	return int(x), 0, ok
}

// sinces works out how old those at the start are, and for how long they have been in their states, and refuses times by which a clock has struck for certain.
func (c *compiler) sinces(here scope) {
	for i := range c.m.begin {
		b, text := &c.m.begin[i], c.startTexts[i]
		b.age = c.m.first.ages
		if !text.since.given() {
			continue
		}
		what := text.what + ": since"
		b.since = eachCell(c, here, []value{text.since}, func(here scope) law {
			l, ok := here.law(text.since, what)
			if !ok {
				return l
			}
			if why := l.whyEndless(); why != "" {
				here.broken(text.since.at, []value{text.since}, "%s: %s, but those who are there have come at some time", what, why)
				return l
			}
			c.checkSince(here, b, text.since, &l, what)
			return l
		})
	}
}

// checkSince compares the longest that somebody may have been in a state with the latest that its clocks strike. Of a split, one branch that
// goes on is enough.
func (c *compiler) checkSince(here scope, b *beginning, since value, l *law, what string) {
	st := &c.m.first.states[b.to]
	for k, cell := range st.cells {
		if c.mayBe(&b.entrance, here, st.by, k) {
			c.checkSinceOf(here, b, since, cell, l, what)
		}
	}
	if st.by == nil {
		c.checkSinceOf(here, b, since, st, l, what)
	}
}

// mayBe tells whether those who come by an entrance may be in a cell, in a scope in which some of their attributes may be known.
func (c *compiler) mayBe(in *entrance, here scope, by []cellBy, k int) bool {
	cell := c.cell(by, k)
	for _, a := range by {
		v := cell[a.attribute]
		if given := in.of(a.attribute); given >= 0 && uint16(given) != v || here.own != nil && here.own[a.attribute] != unset && here.own[a.attribute] != v {
			return false
		}
	}
	return true
}

// checkSinceOf does so for those of a cell.
func (c *compiler) checkSinceOf(here scope, b *beginning, since value, st *stateTable, l *law, what string) {
	for k := range st.split {
		if st.split[k].vary != nil {
			here.broken(since.at, []value{since}, "%s: a branch of %s has a rate that changes, so that it is not known who would still be there; expected a state without one", what, c.m.states[b.to])
			return
		}
	}
	reach := "may be " + c.f.unit.Duration(l.longest())
	switch {
	case l.fixed():
		reach = "is " + c.f.unit.Duration(l.longest())
	case math.IsInf(l.longest(), 1):
		reach = "has no bound"
	}
	struck := func(latest float64) bool {
		return l.longest() > latest || l.longest() == latest && l.fixed() && latest > 0
	}
	refuse := func(which string, latest float64) {
		here.broken(since.at, []value{since}, "%s: it %s, but %s of %s has struck by %s", what, reach, which, c.m.states[b.to], c.f.unit.Duration(latest))
	}
	for k := range st.race {
		if latest := st.race[k].law.longest(); !st.race[k].off && struck(latest) {
			refuse("a clock", latest)
			return
		}
	}
	latest, before := 0.0, 0.0
	for k := range st.split {
		if st.split[k].upTo > before {
			latest = max(latest, st.split[k].law.longest())
		}
		before = st.split[k].upTo
	}
	if len(st.split) > 0 && struck(latest) {
		refuse("every branch", latest)
	}
}

// ages works out the ages of those who are there, or who come by an entrance.
func (c *compiler) ages(here scope, t *tables, in *entrance, text value, what string) *perCell[law] {
	return eachCell(c, here, []value{text}, func(here scope) law {
		l, ok := here.law(text, what)
		if ok {
			c.checkAges(here, t, in, l, text, what)
		}
		return l
	})
}

// checkAges refuses ages that nobody can have reached: beyond the longest life of those who may have them.
func (c *compiler) checkAges(here scope, t *tables, in *entrance, ages law, text value, what string) {
	if ages.endless() {
		here.broken(text.at, []value{text}, "%s: %s, but an age must have one", what, ages.whyEndless())
		return
	}
	reach := fmt.Sprintf("reach %.6g %s", ages.longest(), c.f.unit.of(ages.longest()))
	if math.IsInf(ages.longest(), 1) {
		reach = "have no bound"
	}
	for i := range t.always {
		clock := &t.always[i]
		longest := clock.longest
		if clock.by != nil {
			longest = math.Inf(1)
			for k, cell := range clock.cells {
				if c.mayBe(in, here, clock.by, k) {
					longest = min(longest, cell.longest)
				}
			}
		}
		if oldest := ages.longest(); clock.ends && (oldest > longest || oldest == longest && ages.fixed()) {
			here.broken(text.at, []value{text, c.afters[i]}, "%s: ages %s, but a clock of always ends every life by %.6g %s", what, reach, longest, c.f.unit.of(longest))
		}
	}
}
