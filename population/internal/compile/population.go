package compile

import (
	"fmt"
	"math"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/lookup"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// attributeShares returns the cumulative shares of an attribute's values.
func attributeShares(here eval.Scope, a *syntax.Attribute) []float64 {
	shares := make([]float64, len(a.Values))
	sum, good := 0.0, len(shares) > 0
	for i, v := range a.Shares {
		if i == a.Rest {
			continue
		}
		var ok bool
		shares[i], ok = here.Chance(v, "attributes: "+a.Name+": "+a.Values[i].Name)
		sum, good = sum+shares[i], good && ok
	}
	switch {
	case good && a.Rest >= 0 && sum > 1+eval.SumTolerance:
		here.ReportTogether(a.At, a.Shares, "attributes: %s: the shares add up to %.6g, and nothing is left for %s",
			a.Name, sum, a.Values[a.Rest].Name)
	case a.Rest >= 0:
		shares[a.Rest] = max(0, 1-sum)
	case good && !eval.IsOne(sum):
		here.ReportTogether(a.At, a.Shares,
			"attributes: %s: the shares add up to %.6g, expected 1; or write rest for one of them", a.Name, sum)
	}
	return lookup.CumulativeShares(shares)
}

// startGroups works out how many individuals begin in each group and state. Shares are rounded so
// that the numbers add up: of 5 individuals, 50% and 50% are 3 and 2.
func (c *compiler) startGroups(here eval.Scope) {
	f := c.file
	c.program.StartCounts = make([]int, len(c.program.States))
	if f.People != nil {
		if f.People.Table != nil {
			c.startPeople(here)
			c.checkMost()
		}
		return
	}
	sizes, good := c.groupSizes()
	for g := range f.Groups {
		c.startGroup(here, &f.Groups[g], sizes[g], good)
	}
	c.checkMost()
}

// checkMost compares the size with the most there may be.
func (c *compiler) checkMost() {
	if f := c.file; f.Size > f.Most && !f.SizeBad && !f.MostBad {
		c.Add(f.SizeAt, "population: size %d is more than the most there may be, %d; write most: %d in population",
			f.Size, f.Most, f.Size)
	}
}

// groupSizes returns the number of individuals in each group, and false if they cannot be known.
func (c *compiler) groupSizes() ([]int, bool) {
	f := c.file
	sizes := make([]int, len(f.Groups))
	if f.SizeBad || f.StartsBad {
		return sizes, false
	}
	shares, total, counts := 0.0, 0, 0
	at := f.StartsAt
	if diag.OnCommandLine(f.SizeAt) { // report a change on the command line there
		at = f.SizeAt
	}
	for i := range f.Groups {
		if diag.OnCommandLine(f.Groups[i].SizeAt) {
			at = f.Groups[i].SizeAt
		}
		if f.Groups[i].IsShare {
			shares += f.Groups[i].Share
		} else {
			counts++
		}
	}
	if counts == 0 && !eval.IsOne(shares) {
		c.Add(at, "population: groups: the shares add up to %.6g, expected 1", shares)
		return sizes, false
	}
	whole := 1.0 // what the shares are shares of
	if counts == 0 {
		whole = shares
	}
	before := 0.0
	for i := range f.Groups {
		g := &f.Groups[i]
		if sizes[i] = g.Count; g.IsShare {
			upTo := before + g.Share
			sizes[i] = int(math.Round(upTo/whole*float64(f.Size))) - int(math.Round(before/whole*float64(f.Size)))
			before = upTo
		}
		total += sizes[i]
	}
	if total != f.Size {
		c.Add(at, "population: groups: they have %s, and the size is %d; expected the same",
			format.Plural(total, "individual"), f.Size)
		return sizes, false
	}
	return sizes, true
}

// startGroup works out how many individuals of a group begin in each state.
func (c *compiler) startGroup(here eval.Scope, g *syntax.StartGroup, size int, good bool) {
	what, whose := g.What, "the size"
	if c.file.People != nil {
		whose = "those whose state the file of people leaves empty"
	}
	if c.file.HasGroups {
		what, whose = g.What+": start", "the group has"
	}
	in := program.Entry{}
	c.givenAttributes(here, &in, g.With, g.What+": with", nil, "")
	all, texts := make([]*program.StartGroup, len(c.program.States)), make([]*syntax.StartShare, len(c.program.States))
	rest, total, before := -1, 0, 0.0
	for k := range g.Starts {
		s := &g.Starts[k]
		i := c.state(s.State, what, false)
		if i == program.NoState {
			good = false
			continue
		}
		count, share, known := startCount(here, s)
		if !known {
			good = false
			continue
		}
		b := &program.StartGroup{Entry: in, Count: count}
		b.To = i
		all[i], texts[i] = b, s
		switch {
		case s.Rest && rest >= 0:
			c.Add(s.State.At, "%s: a second rest; only one state can have those who are left over", what)
			good = false
		case s.Rest:
			rest = int(i)
		case share > 0:
			upTo := before + share
			b.Count = int(math.Round(upTo*float64(size))) - int(math.Round(before*float64(size)))
			before = upTo
		}
		total += b.Count
	}
	at := g.At
	if !c.file.HasGroups {
		at = c.file.StartsAt
	}
	// A change on the command line is reported there.
	if diag.OnCommandLine(c.file.SizeAt) {
		at = c.file.SizeAt
	}
	for k := range g.Starts {
		if diag.OnCommandLine(g.Starts[k].At) {
			at = g.Starts[k].At
		}
	}
	switch {
	case !good:
	case total > size:
		c.Add(at, "%s: %s %s more than %s, %d", what, format.Plural(total, "individual"), format.Be(total), whose, size)
	case rest >= 0:
		all[rest].Count = size - total
	case total < size:
		c.Add(at, "%s: %d of %s; give one state the rest, as in susceptible: rest", what, total,
			format.Plural(size, "individual"))
	}
	for i, b := range all {
		if b != nil {
			c.program.StartCounts[i] += b.Count
			c.program.StartGroups, c.startSyntax = append(c.program.StartGroups, *b), append(c.startSyntax, texts[i])
			c.startGroupSyntax = append(c.startGroupSyntax, g)
		}
	}
}

// startCount returns the number of individuals that begin in a state, or their share of the group.
func startCount(here eval.Scope, s *syntax.StartShare) (count int, share float64, ok bool) {
	switch {
	case s.ComputedKind == syntax.NotComputed:
		return s.Count, s.Share, true
	case s.Computed.Bad:
		return 0, 0, false
	}
	isShare, expected := s.ComputedKind == syntax.ComputedShare, ""
	if s.ComputedKind == syntax.ComputedShareOrCount {
		got, _, _ := here.Resolve(s.Computed, s.What)
		isShare, expected = got.IsQuantity() && got.Quantity.Kind == quantity.Share, ", or a percentage"
	}
	if isShare {
		share, ok = here.Chance(s.Computed, s.What)
		return 0, share, ok
	}
	count, ok = here.Individuals(s.Computed, s.What, expected)
	return count, 0, ok
}

// startSince works out ages at the start and the time already spent in each state. It refuses times
// by which a clock has fired with certainty.
func (c *compiler) startSince(here eval.Scope) {
	for i := range c.program.StartGroups {
		b, text := &c.program.StartGroups[i], c.startSyntax[i]
		switch group := c.startGroupSyntax[i]; {
		case !group.Age.Given():
			b.Age = c.program.FirstPhase.Ages
		case i > 0 && group == c.startGroupSyntax[i-1]:
			b.Age = c.program.StartGroups[i-1].Age
		case !group.Age.Bad:
			b.Age = c.ages(here, c.program.FirstPhase, &b.Entry, group.Age, group.What+": age")
		}
		if !text.Since.Given() {
			continue
		}
		b.Since = c.sinceLaw(here, &b.Entry, text.Since, text.What+": since", c.program.States[b.To],
			&c.program.FirstPhase.States[b.To])
	}
}

// sinceLaw works out how long those who enter in a given way have been in a state with a name. The
// table of its clocks is nil if none has a timer.
func (c *compiler) sinceLaw(
	here eval.Scope, in *program.Entry, since syntax.Value, what, state string, table *program.State,
) *program.ByCell[law.Law] {
	return eachCell(c, here, []syntax.Value{since}, func(here eval.Scope) law.Law {
		l, ok := here.Law(since, what)
		if !ok {
			return l
		}
		if why := l.WhyEndless(); why != "" {
			here.ReportTogether(since.At, []syntax.Value{since},
				"%s: %s, but those who are there have come at some time", what, why)
			return l
		}
		if table != nil {
			c.checkSince(here, in, since, &l, what, state, table)
		}
		return l
	})
}

// checkSince compares the longest time that an individual may have spent in a state with the latest
// time at which its clocks fire. In a split, one branch that lasts long enough is sufficient.
func (c *compiler) checkSince(
	here eval.Scope, in *program.Entry, since syntax.Value, l *law.Law, what, state string, st *program.State,
) {
	for k, cell := range st.Cells {
		if c.mayBeInCell(in, here, st.By, k) {
			c.checkSinceInCell(here, since, cell, l, what, state)
		}
	}
	if st.By == nil {
		c.checkSinceInCell(here, since, st, l, what, state)
	}
}

// checkSinceInCell does the same with the table of one cell.
func (c *compiler) checkSinceInCell(
	here eval.Scope, since syntax.Value, st *program.State, l *law.Law, what, state string,
) {
	for k := range st.Split {
		if st.Split[k].Varying != nil {
			here.ReportTogether(since.At, []syntax.Value{since},
				"%s: a branch of %s has a rate that changes, so that it is not known who would still be there; "+
					"expected a state without one", what, state)
			return
		}
	}
	reach := "may be " + c.file.Unit.Duration(l.Longest())
	switch {
	case l.Fixed():
		reach = "is " + c.file.Unit.Duration(l.Longest())
	case math.IsInf(l.Longest(), 1):
		reach = "has no bound"
	}
	hasFired := func(latest float64) bool {
		return l.Longest() > latest || l.Longest() == latest && l.Fixed() && latest > 0
	}
	refuse := func(which string, latest float64) {
		here.ReportTogether(since.At, []syntax.Value{since}, "%s: it %s, but %s of %s has fired by %s", what, reach,
			which, state, c.file.Unit.Duration(latest))
	}
	for k := range st.Race {
		if latest := st.Race[k].Law.Longest(); !st.Race[k].Off && hasFired(latest) {
			refuse("a clock", latest)
			return
		}
	}
	latest, before := 0.0, 0.0
	for k := range st.Split {
		if st.Split[k].CumulativeChance > before {
			latest = max(latest, st.Split[k].Law.Longest())
		}
		before = st.Split[k].CumulativeChance
	}
	if len(st.Split) > 0 && hasFired(latest) {
		refuse("every branch", latest)
	}
}

// mayBeInCell reports whether an individual that enters in this way may be in cell k. Some of its
// attributes may be known from the scope.
func (c *compiler) mayBeInCell(in *program.Entry, here eval.Scope, by []program.CellAttribute, k int) bool {
	cell := c.cell(by, k)
	for _, a := range by {
		v := cell[a.Attribute]
		if given := in.ValueOf(a.Attribute); given >= 0 && uint16(given) != v {
			return false
		}
		if here.Own != nil && here.Own[a.Attribute] != eval.Unset && here.Own[a.Attribute] != v {
			return false
		}
	}
	return true
}

// ages works out the ages of individuals at the start, or of those that enter in a given way.
func (c *compiler) ages(
	here eval.Scope, t *program.Phase, in *program.Entry, text syntax.Value, what string,
) *program.ByCell[law.Law] {
	for _, a := range here.Dependence(text).Own {
		if c.bands[a] != nil {
			here.ReportTogether(text.At, []syntax.Value{text}, "%s: a table by %s, which follows the age itself; expected "+
				"a table by something else", what, c.program.Attributes[a].Name)
			return nil
		}
	}
	if c.dependsOnLater(here, c.program.Plain(), what, text) {
		return nil
	}
	return eachCell(c, here, []syntax.Value{text}, func(here eval.Scope) law.Law {
		l, ok := here.Law(text, what)
		if ok {
			c.checkAges(here, t, in, l, text, what)
		}
		return l
	})
}

// checkAges refuses ages that no individual can have reached: those beyond the longest life.
func (c *compiler) checkAges(
	here eval.Scope, t *program.Phase, in *program.Entry, ages law.Law, text syntax.Value, what string,
) {
	if ages.Endless() {
		here.ReportTogether(text.At, []syntax.Value{text}, "%s: %s, but an age must have one", what, ages.WhyEndless())
		return
	}
	reach := fmt.Sprintf("reach %.6g %s", ages.Longest(), c.file.Unit.NameFor(ages.Longest()))
	if math.IsInf(ages.Longest(), 1) {
		reach = "have no bound"
	}
	for i := range t.Always {
		clock := &t.Always[i]
		longest := clock.Longest
		if clock.By != nil {
			longest = math.Inf(1)
			for k, cell := range clock.Cells {
				if c.mayBeInCell(in, here, clock.By, k) {
					longest = min(longest, cell.Longest)
				}
			}
		}
		if oldest := ages.Longest(); clock.EndsLife && (oldest > longest || oldest == longest && ages.Fixed()) {
			here.ReportTogether(text.At, []syntax.Value{text, c.alwaysAfter[i]},
				"%s: ages %s, but a clock of always ends every life by %.6g %s", what, reach, longest,
				c.file.Unit.NameFor(longest))
		}
	}
}
