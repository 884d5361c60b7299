package explain

import (
	"fmt"
	"math"
	"slices"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// networks lists the networks: their links at the start, who makes others, and how links end.
func (e *explainer) networks() {
	e.section("Networks", len(e.file.Networks))
	for i := range e.file.Networks {
		n, p := &e.file.Networks[i], &e.program.Networks[i]
		e.line("  %s: %s", n.Name, e.firstLinks(n, i))
		if p.Start == program.DegreeLinks {
			dropped := "less than one of them is"
			if x := e.program.ExpectedDropped(i); x >= 1 {
				dropped = "of these about " + format.Thousands(math.Round(x)) + " are"
			}
			e.line("    %s to be expected to be dropped: links with oneself, and all but one between two", dropped)
		}
		if p.Grows {
			e.line("    contacts make links, between two who have none%s", e.mostLinks(n))
		}
		switch {
		case n.Ends.Given():
			e.line("    a link ends at %s, and when one of the two leaves", e.rate(n.Ends))
		case n.After.Given():
			e.line("    a link ends after a time that is %s, drawn when it begins, and when one of the two leaves",
				e.duration(n.After))
		default:
			e.line("    a link ends when one of the two leaves")
		}
		if bytes := e.program.ExpectedLinks(i) * p.LinkBytes(); bytes >= 1e6 {
			e.line("    the links of the start take about %s of memory", format.Bytes(uint64(bytes)))
		}
	}
}

// firstLinks says which links there are at the start.
func (e *explainer) firstLinks(n *syntax.Network, i int) string {
	links := format.Thousands(math.Round(e.program.ExpectedLinks(i)))
	switch e.program.Networks[i].Start {
	case program.RandomLinks:
		return fmt.Sprintf("at the start any two are linked with the same probability, so that everybody has %s links on "+
			"average: about %s in all", e.value(n.Mean), links)
	case program.DegreeLinks:
		return fmt.Sprintf("at the start everybody has %s ends of links, which are paired at random: about %s links",
			e.howMany(n.Degrees), links)
	case program.FileLinks:
		weights := ""
		if e.program.Networks[i].Weights != nil {
			weights = ", with weights"
		}
		return fmt.Sprintf("at the start the %s links of %s%s", links, n.File.Name, weights)
	}
	return "at the start nobody is linked"
}

// mostLinks says how many links an individual can have.
func (e *explainer) mostLinks(n *syntax.Network) string {
	if !n.Most.Given() {
		return ""
	}
	return ", if each has fewer than " + e.howMany(n.Most)
}

// linked says when a contact makes a link.
func (e *explainer) linked(c *syntax.Contact) string {
	i := slices.Index(e.file.NetworkNames(), c.Link.Name)
	most := ""
	if i >= 0 && e.file.Networks[i].Most.Given() {
		most = ", or if one of them has the most links there"
	}
	return "the two are then linked in " + c.Link.Name + "; nothing of it happens if they are already" + most
}

// inProportion says how the other is chosen among those who are near.
func (e *explainer) inProportion(c *syntax.Contact) string {
	i := slices.Index(e.file.NetworkNames(), c.Among.Name)
	if i >= 0 && e.program.Networks[i].Weights != nil {
		return "in proportion to the weights of the links"
	}
	return "all with the same probability"
}
