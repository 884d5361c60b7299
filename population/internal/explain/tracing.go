package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// tracing lists the calls: what makes them, who is looked for, and what becomes of those who are
// found.
func (e *explainer) tracing() {
	e.section("Tracing", len(e.file.Tracing))
	for i := range e.file.Tracing {
		t := &e.file.Tracing[i]
		c := &t.Contact
		e.line("  whenever %s, those near are looked for%s", e.callWhen(t), nameTag(c.Name))
		for k := range t.Through {
			layer := &t.Through[k]
			e.line("    %s, each found with probability %s", e.layer(t, layer), e.probability(layer.Chance))
		}
		e.line("    whoever is found is reached %s", e.delay(t))
		if c.Everybody {
			e.line("    whoever is reached%s %s%s", ofConditions(c.Whom), e.addMoves("", c.Moves, false), uses(&c.Uses))
		}
		for _, to := range c.To {
			what := e.becomes(to.Becomes, c.Moves, false)
			if e.file.Stays(c, to) {
				what = e.addMoves("", c.Moves, false)
			}
			e.line("    whoever is reached and is then %s%s %s%s", ofMachine(c, to.Met.Name), andConditions(c.Whom), what,
				uses(&c.Uses))
		}
	}
	e.logs()
}

// callWhen says what makes a call go out.
func (e *explainer) callWhen(t *syntax.Tracing) string {
	if t.When.Given() {
		if slices.Contains(e.program.Counted, t.When.Name) {
			return "somebody becomes " + t.When.Name
		}
		return "what is called " + t.When.Name + " happens to somebody"
	}
	var all []string
	for _, w := range t.Enters {
		if w.Attribute.Name == syntax.StateName {
			all = append(all, "somebody becomes "+orList(w.Values))
		} else {
			all = append(all, "the "+w.Attribute.Name+" of somebody becomes "+orList(w.Values))
		}
	}
	return strings.Join(all, ", or ")
}

// layer says who is looked for.
func (e *explainer) layer(t *syntax.Tracing, layer *syntax.Through) string {
	if slices.Contains(e.file.PlaceNames(), layer.Layer.Name) {
		return "the others in the same " + layer.Layer.Name
	}
	if i := slices.Index(e.file.NetworkNames(), layer.Layer.Name); i >= 0 {
		ended := ""
		if e.program.Networks[i].Log > 0 {
			ended = fmt.Sprintf(", or were in the last %s", e.value(t.Back))
		}
		return fmt.Sprintf("those who are linked with it by %s%s", layer.Layer.Name, ended)
	}
	return fmt.Sprintf("those met by contacts named %s, made by either, in the last %s", layer.Layer.Name, e.value(t.Back))
}

// delay says when those who are found are reached.
func (e *explainer) delay(t *syntax.Tracing) string {
	if !t.After.Given() {
		return "at once, before anything else happens"
	}
	const between = ", whatever happens in between"
	if e.here.Dependence(t.After).Fixed() {
		if l, _ := e.here.Law(t.After, ""); l.Fixed() {
			return "after " + e.duration(t.After) + between
		}
	}
	return "after a time of their own that is " + e.duration(t.After) + between
}

// logs says how much memory it takes to remember contacts.
func (e *explainer) logs() {
	if e.program.Calls == nil {
		return
	}
	for i := range e.program.Calls.Logs {
		l := &e.program.Calls.Logs[i]
		if l.Network {
			e.line("  links of %s that have ended are remembered for %s, %d bytes each", l.Name, e.file.Unit.Duration(l.Keep),
				program.RememberedBytes)
			continue
		}
		most := ", at a rate that depends on how many are near"
		if n := l.Most(e.program); n > 0 {
			most = fmt.Sprintf(": up to %s if everybody at the start made them all the time", inBytes(n*program.RememberedBytes))
		}
		e.line("  contacts named %s are remembered for %s, %d bytes each%s", l.Name, e.file.Unit.Duration(l.Keep),
			program.RememberedBytes, most)
	}
}

// inBytes is a number of bytes in words.
func inBytes(n float64) string {
	if n < 1e6 {
		return fmt.Sprintf("%.3g kB", n/1e3)
	}
	return format.Bytes(uint64(min(n, 1<<62)))
}

// traced is what becomes of those who are reached, with a label for diagrams.
func traced(t *syntax.Tracing) syntax.Contact {
	c := t.Contact
	c.Name = cmp.Or(c.Name, "traced")
	return c
}
