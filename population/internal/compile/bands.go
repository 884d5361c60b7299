package compile

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/law"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// ageBands works out the ages of the attributes that follow the age.
func (c *compiler) ageBands(here eval.Scope) {
	for i := range c.file.Attributes {
		a := &c.file.Attributes[i]
		if !a.ByAge {
			continue
		}
		b := &program.Band{Attribute: i, Column: len(c.program.Bands), Ages: make([]float64, len(a.Ages))}
		c.bands[i], c.program.Bands = b, append(c.program.Bands, b)
		what := "attributes: " + a.Name + ": age"
		for v := range a.Ages {
			age, ok := c.fixedDuration(a.Ages[v], what+": "+a.Values[v].Name)
			if !ok {
				break
			}
			if b.Ages[v] = age; v == 0 && age > 0 {
				here.Report(a.Ages[v], a.Ages[v].At, "%s: the first is %s; begin with 0 years", what, a.Ages[v].Text)
				break
			}
			if v > 0 && !(age > b.Ages[v-1]) {
				here.ReportTogether(a.Ages[v].At, a.Ages[v-1:v+1], "%s: %s begins at %s, not after %s, which begins at %s; "+
					"expected ages that ascend", what, a.Values[v].Name, a.Ages[v].Text, a.Values[v-1].Name, a.Ages[v-1].Text)
				break
			}
		}
		for v := range a.Values {
			enter := program.Action{Kind: program.DoMove, To: program.SameState, Name: -1, Chance: 1}
			enter.Moves = []program.Move{{Attribute: uint16(i), Value: uint16(v), Machine: -1}}
			b.Enter = append(b.Enter, enter)
		}
	}
}

// bandClocks adds the clocks of the attributes that follow the age to a phase. They come first: at
// the instant at which an age is reached, other clocks read the new value.
func (c *compiler) bandClocks(t *program.Phase) {
	for k, b := range c.program.Bands {
		last := 0.0
		if n := len(b.Ages); n > 0 {
			last = b.Ages[n-1]
		}
		t.Always = append(t.Always, program.AlwaysClock{
			Law: law.Exactly(last), Longest: last, Line: -1, Band: b,
			Do: program.Action{Kind: program.DoAge, Contact: k, Name: -1, Chance: 1},
		})
		c.alwaysAfter = append(c.alwaysAfter, syntax.Value{})
	}
}

// bandFlows lists the flows between the bands of each age, after all others.
func (c *compiler) bandFlows() {
	for _, b := range c.program.Bands {
		a := &c.program.Attributes[b.Attribute]
		b.Flows = make([]int, len(a.Values))
		for v := 1; v < len(a.Values); v++ {
			b.Flows[v] = len(c.program.Flows)
			c.program.Flows = append(c.program.Flows, program.Flow{From: a.Name + ": " + a.Values[v-1], To: a.Values[v]})
		}
	}
}

// followsAge reports whether an attribute follows the age, and adds a problem if so: something else
// is about to give it a value.
func (c *compiler) followsAge(attribute int, n syntax.Ref, what string) bool {
	if c.bands[attribute] == nil {
		return false
	}
	c.Add(n.At, "%s: %s follows the age; nothing else can give it", what, n.Name)
	return true
}

// bandSizes returns the expected number of individuals in each band at the start. It reports false
// if nobody is there then, or if an age is not known.
func (c *compiler) bandSizes(t *program.Phase, b *program.Band) ([]float64, bool) {
	sizes, total := make([]float64, len(b.Ages)), 0.0
	quiet := c.here.Quiet() // problems with ages are reported where they are worked out
	for i := range c.program.StartGroups {
		in := &c.program.StartGroups[i]
		count := float64(in.Count)
		total += count
		age := c.startGroupSyntax[i].Age
		if !age.Given() {
			age = c.file.Age
		}
		if !age.Given() { // newborn
			sizes[0] += count
			continue
		}
		if age.Bad || quiet.Dependence(age).Time {
			return nil, false
		}
		laws := eachCell(c, quiet, []syntax.Value{age}, func(here eval.Scope) law.Law {
			l, ok := here.Law(age, "")
			if !ok {
				quiet.Count++
			}
			return l
		})
		if quiet.Count > 0 || len(laws.Values) == 0 {
			return nil, false
		}
		for k := range laws.Values {
			expected := count * c.startChance(t, &in.Entry, laws.By, k)
			before := 1.0 // the probability of being at least as old
			for v := range sizes {
				next := 0.0
				if v+1 < len(sizes) {
					next = laws.Values[k].Survival(math.Nextafter(b.Ages[v+1], 0))
				}
				sizes[v] += float64(expected * (before - next))
				before = next
			}
		}
	}
	return sizes, total > 0
}

// startChance is the probability that an individual at the start is in a cell. Attributes are drawn
// independently of each other.
func (c *compiler) startChance(t *program.Phase, in *program.Entry, by []program.CellAttribute, k int) float64 {
	chance, cell := 1.0, c.cell(by, k)
	for _, a := range by {
		v := int(cell[a.Attribute])
		if given := in.ValueOf(a.Attribute); given >= 0 {
			if int(given) != v {
				return 0
			}
			continue
		}
		shares, before := t.Attributes[a.Attribute], 0.0
		if v >= len(shares) { // there are problems, which are reported elsewhere
			return 0
		}
		if v > 0 {
			before = min(shares[v-1], 1)
		}
		chance *= max(min(shares[v], 1)-before, 0)
	}
	return chance
}
