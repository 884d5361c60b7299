package compile

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// The limits of networks: how many of them, of links in each, and of individuals.
const (
	maxNetworks = 250
	maxLinks    = 1 << 32
	maxLinked   = 1 << 26 // a block of store.Links has a number of 27 bits
)

// network returns the number of the network with a name, −1 if there is none.
func (c *compiler) network(name string) int { return slices.Index(c.file.NetworkNames(), name) }

// link returns 1 + the number of the network in which a contact links two individuals, 0 for none.
func (c *compiler) link(text *syntax.Contact) int {
	if !text.Link.Given() || text.Link.Bad {
		return 0
	}
	k := c.network(text.Link.Name)
	if k < 0 {
		c.Add(text.Link.At, "%s: link: %s", text.What, diag.Unknown("network", text.Link.Name, c.file.NetworkNames))
	}
	return 1 + k
}

// networks works out the links of the start.
func (c *compiler) networks(here eval.Scope) {
	all := c.file.Networks
	if n := len(all); n > maxNetworks {
		c.Add(all[maxNetworks].At, "networks: %d are more than the %d there can be", n, maxNetworks)
		c.Stopped = true
		return
	}
	if len(all) > 0 && c.file.Size > maxLinked {
		c.Add(all[0].At, "networks: %d individuals are more than the %d that can have links", c.file.Size, maxLinked)
	}
	for i := range all {
		c.program.Networks = append(c.program.Networks, c.networkStart(here, &all[i]))
	}
}

// networkStart works out those of one network.
func (c *compiler) networkStart(here eval.Scope, text *syntax.Network) program.Network {
	n := program.Network{Name: text.Name}
	for i := range c.file.Transmission {
		n.Grows = n.Grows || c.file.Transmission[i].Link.Name == text.Name
	}
	n.Timed = text.After.Given() && !c.isExponential(text.After, 0)
	if text.Bad {
		return n
	}
	switch {
	case text.Mean.Given():
		n.Start = program.RandomLinks
		c.randomLinks(here, text, &n)
	case text.Degrees.Given():
		n.Start = program.DegreeLinks
		c.degrees(here, text, &n)
	case text.File != nil:
		n.Start = program.FileLinks
		if links := text.File.Links; links != nil {
			n.Pairs, n.Weights = links.Pairs, links.Weights
		}
	case !n.Grows && !c.linksUnknown():
		c.Add(text.At, "%s: nothing makes its links; give it file, random or degrees, or a transmission with link: %s",
			text.What, text.Name)
	}
	return n
}

// linksUnknown reports whether a contact makes links in a network that there is not.
func (c *compiler) linksUnknown() bool {
	return slices.ContainsFunc(c.file.Transmission, func(t syntax.Contact) bool {
		return t.Link.Given() && (t.Link.Bad || c.network(t.Link.Name) < 0)
	})
}

// randomLinks works out the probability of a link of two individuals.
func (c *compiler) randomLinks(here eval.Scope, text *syntax.Network, n *program.Network) {
	notNegative := func(x float64) bool { return x >= 0 }
	what := text.What + ": random: mean"
	mean, ok := here.Within(text.Mean, what, quantity.Number, notNegative, "expected a mean from 0 on")
	if !ok || c.file.SizeBad {
		return
	}
	if people := c.program.Size; mean > max(0, float64(people-1)) {
		here.Report(text.Mean, text.Mean.At, "%s: %s, but of %d people each has at most %d links", what,
			text.Mean.Text, people, max(0, people-1))
		return
	}
	if c.tooManyLinks(here, text, text.Mean, float64(float64(c.program.Size)*mean)/2) {
		return
	}
	n.Mean = mean
}

// degrees works out how many ends of links individuals have.
func (c *compiler) degrees(here eval.Scope, text *syntax.Network, n *program.Network) {
	expected := 0.0
	values, told := []syntax.Value{text.Degrees}, false
	if text.Most.Given() {
		values = append(values, text.Most)
	}
	n.Degrees = eachCell(c, here, values, func(here eval.Scope) program.Whole {
		w, ok := here.Whole(text.Degrees, text.What+": degrees")
		if !ok || !c.reserveEntries(1+len(w.Sums)/16) {
			return program.Whole{}
		}
		if text.Most.Given() && !told {
			most, ok := here.WholeNumber(text.Most, text.What+": most")
			if largest := w.First + max(0, len(w.Sums)-1); ok && largest > most {
				c.Add(text.Most.At, "%s: most: %d, but degrees may be more%s; write most: %d into its law", text.What, most,
					c.cellWords(here), most)
				told = true
			}
		}
		expected = max(expected, w.Mean())
		return w
	})
	c.tooManyLinks(here, text, text.Degrees, float64(c.program.Size)*expected/2)
}

// tooManyLinks reports that so many links are expected, if they are too many.
func (c *compiler) tooManyLinks(here eval.Scope, text *syntax.Network, v syntax.Value, expected float64) bool {
	if expected <= maxLinks {
		return false
	}
	here.Report(v, v.At, "%s: about %.3g links; expected at most %d", text.What, expected, uint64(maxLinks))
	return true
}

// networkTable works out what a phase says of a network.
func (c *compiler) networkTable(here eval.Scope, i int) program.NetworkTable {
	text := &c.file.Networks[i]
	var t program.NetworkTable
	if text.Bad {
		return t
	}
	if text.Most.Given() {
		t.Most = eachCell(c, here, []syntax.Value{text.Most}, func(here eval.Scope) int {
			n, _ := here.WholeNumber(text.Most, text.What+": most")
			return n
		})
	}
	if c.program.Networks[i].Timed {
		if d := here.Dependence(text.After); d.Cells() {
			here.ReportTogether(text.After.At, []syntax.Value{text.After}, "%s: ends: after: a table by group would be of two "+
				"people; write one duration, or make two networks", text.What)
		} else if l, ok := here.Law(text.After, text.What+": ends: after"); ok {
			t.After = &l
		}
	}
	return t
}

// linkEnds adds the ends of the links of a network to the rate events of all states, if they are at
// a rate. Both ends of a link may end it, each at half of the rate.
func (c *compiler) linkEnds(here eval.Scope, i int) {
	text := &c.file.Networks[i]
	if text.Bad || !text.Ends.Given() && (!text.After.Given() || c.program.Networks[i].Timed) {
		return
	}
	rate, key, instead := text.Ends, "rate", "rate"
	if !rate.Given() {
		rate, key, instead = text.After, "after", "duration"
	}
	if d := here.Dependence(rate); d.Cells() || d.Since || d.Number {
		here.ReportTogether(rate.At, []syntax.Value{rate}, "%s: ends: %s: a table by group would be of two people; "+
			"write one %s, or make two networks", text.What, key, instead)
		return
	}
	near := c.near(program.Neighbourhood{Attribute: -1, Kind: -1, Network: i, Ends: true})
	c.program.Near[near].Pairs = true
	what := fmt.Sprintf("%s: ends", text.What)
	var of *program.TimeVarying
	if text.Ends.Given() {
		pairs := &syntax.CountDependent{Value: rate, Pairs: true, Near: 1 + near}
		each := syntax.Value{At: rate.At, Text: rate.Text, CountDependent: pairs}
		of, _ = c.timeVarying(here, each, what+": rate", quantity.Rate)
	} else if l, ok := here.Law(rate, what+": after"); ok && l.Rate() < math.Inf(1) {
		of = &program.TimeVarying{Root: program.Constant(l.Rate()), Near: 1 + near, Personal: true}
	}
	if of == nil {
		return
	}
	do := program.Action{Kind: program.DoUnlink, Contact: near, Name: -1, Chance: 1}
	c.addRateEvent(nil, &rateEvent{
		what: what, do: do, varies: true, known: true,
		varying: &program.VaryingRate{Rate: of, Factor: 0.5, What: what, Do: do},
	})
}
