package compile

import (
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// beginsSuffix is added to the name of a triggered intervention that sets parameters again and
// again, for the number of times that it changed them. Of schools that close it is how often a
// closed period began: while they are closed, the condition may become true again and changes
// nothing.
const beginsSuffix = " begins"

// maxWindow is the largest number of events that a condition on incidence can be compared with: the
// run keeps the times of so many.
const maxWindow = 10_000_000

// A windowKey identifies what a condition on incidence counts.
type windowKey struct {
	event   string
	over    float64
	watched int
}

// thresholds works out what triggered interventions compare counts with.
func (c *compiler) thresholds(here eval.Scope, t *program.Phase) {
	for i := range c.file.Interventions {
		p := &c.file.Interventions[i]
		if !p.HasCondition {
			continue
		}
		var all []program.Threshold
		for k := range p.Conditions {
			if l, ok := c.threshold(here, p, &p.Conditions[k]); ok {
				all = append(all, l)
			}
		}
		t.Thresholds = append(t.Thresholds, all)
	}
}

// threshold works out one condition of a triggered intervention.
func (c *compiler) threshold(
	here eval.Scope, p *syntax.Intervention, text *syntax.Condition,
) (program.Threshold, bool) {
	what := p.What + ": when: " + diag.Shorten(text.Of.Name)
	l := program.Threshold{Window: -1, State: -1, Members: -1, Watched: c.watch(p), Above: text.Above}
	if text.Over.Given() {
		return l, c.incidence(here, p, text, &l)
	}
	isState := slices.Contains(c.program.States, text.Of.Name)
	if counted := slices.Index(c.program.Counted, text.Of.Name); counted >= len(c.program.States) {
		l.State = counted
	}
	switch {
	case l.State >= 0: // of a machine
	case c.isValue(text.Of.Name):
		l.Members = c.watchValue(text.Of.Name, l.Watched)
	case strings.Contains(text.Of.Name, "=") && !text.Of.Bad:
		c.Add(text.Of.At, "%s: when: %s", p.What,
			diag.Unknown("state", text.Of.Name, func() []string { return c.program.Counted }))
		return l, false
	case text.Of.Name != "total":
		state := c.state(text.Of, p.What+": when", false)
		if state == program.NoState {
			return l, false
		}
		l.State = int(state)
	case isState:
		c.Add(text.Of.At,
			"%s: there is a state of this name, and it also means all of the living; give the state another name", what)
		return l, false
	}
	got, at, ok := here.Resolve(text.Limit, what)
	if !ok {
		return l, false
	}
	if got.IsQuantity() && got.Quantity.Kind == quantity.Share {
		l.Share = true
		l.Number, ok = here.Chance(text.Limit, what)
		if ok && l.State < 0 && l.Members < 0 {
			here.Report(text.Limit, at, "%s: %s: all of the living are always 100%% of them; write a number", what,
				eval.DescribeResolved(text.Limit, got))
			ok = false
		}
		return l, ok
	}
	l.Number, ok = here.Within(text.Limit, what, quantity.Number, func(x float64) bool { return x >= 0 },
		"a number of individuals cannot be negative")
	if ok && l.Number > 0 && l.Number < 1 {
		here.Report(text.Limit, at,
			"%s: %s is not a number of individuals; write %.6g%% for a share of the living", what,
			eval.DescribeResolved(text.Limit, got), 100*l.Number)
		ok = false
	}
	return l, ok
}

// beginsIndex returns the number of the name with beginsSuffix, or −1 if the file uses that name.
func (c *compiler) beginsIndex(name string) int {
	name += beginsSuffix
	uses := func(p syntax.Intervention) bool { return p.Name == name }
	if i, ok := c.nameIndexes[name]; ok && i < c.clockNames || slices.ContainsFunc(c.file.Interventions, uses) {
		return -1
	}
	return c.nameIndex(name)
}

// sameValue reports whether a parameter that is set to a value keeps the one that it has, but for
// rounding.
func sameValue(here eval.Scope, old eval.Parameter, new syntax.Value) bool {
	quiet := here.Quiet()
	a, _, okA := quiet.Resolve(old.Value, "")
	b, _, okB := quiet.Resolve(new, "")
	switch isQuantity := func(v syntax.Value) bool { return v.IsQuantity() || v.Computed }; {
	case !okA || !okB:
	case a.Distribution != nil && b.Distribution != nil:
		l, okA := quiet.Law(a, "")
		m, okB := quiet.Law(b, "")
		return okA && okB && l.Equal(&m)
	case isQuantity(a) && isQuantity(b):
		x, y := a.Quantity.In(here.Unit), b.Quantity.In(here.Unit)
		return a.Quantity.Kind == b.Quantity.Kind && math.Abs(x-y) <= 1e-12*math.Abs(x)
	}
	return old.At == new.At && old.Text == new.Text
}

// watch returns the number of the group whose individuals the conditions of an intervention count,
// or −1 for all.
func (c *compiler) watch(p *syntax.Intervention) int {
	if len(p.Among) == 0 {
		return -1
	}
	for _, w := range p.Among {
		if w.Attribute.Name == syntax.StateName && c.program.StateAttribute >= 0 {
			c.Add(w.Attribute.At, "%s: when: where: a condition is about a state already; expected an attribute or a machine",
				p.What)
			return -1
		}
	}
	i, ok := c.watched[&p.Among[0]]
	if !ok {
		i = len(c.program.Watched)
		c.watched[&p.Among[0]] = i
		c.program.Watched = append(c.program.Watched, c.conditions(p.Among, p.What+": when: where"))
	}
	return i
}

// ValueOf returns the attribute and the value that a name such as region=north or ward=any stands
// for. It reports false if there is none, or if it is a state of a machine, which is counted by
// itself.
func ValueOf(p *program.Program, name string) (attribute, value int, ok bool) {
	of, is, found := strings.Cut(name, "=")
	attribute = p.Attributes.Index(of)
	if !found || attribute < 0 || attribute >= p.Plain() && !p.IsPresence(attribute) {
		return 0, 0, false
	}
	value = slices.Index(p.Attributes[attribute].Values, is)
	return attribute, value, value >= 0
}

// isValue reports whether a name is that of a value of an attribute.
func (c *compiler) isValue(name string) bool {
	_, _, ok := ValueOf(c.program, name)
	return ok
}

// watchValue returns the number in program.Watched of those with a value of an attribute, among
// those of another group of it, −1 for all.
func (c *compiler) watchValue(name string, among int) int {
	key := watchedValue{name, among}
	if i, ok := c.watchedValues[key]; ok {
		return i
	}
	a, v, _ := ValueOf(c.program, name)
	is := make([]bool, len(c.program.Attributes[a].Values))
	is[v] = true
	where := []program.Condition{{Attribute: a, Is: is}}
	if among >= 0 {
		where = append(where, c.program.Watched[among]...)
	}
	i := len(c.program.Watched)
	c.program.Watched = append(c.program.Watched, where)
	c.watchedValues[key] = i
	return i
}

// A watchedValue identifies a group: those with a value, among those of another group or all.
type watchedValue struct {
	name  string
	among int
}

// incidence works out a condition on the events in the time before, and reports whether it could.
func (c *compiler) incidence(
	here eval.Scope, p *syntax.Intervention, text *syntax.Condition, l *program.Threshold,
) bool {
	what := p.What + ": when: " + diag.Quote(text.Of.Name)
	over, ok := c.fixedDuration(text.Over, what+": over")
	if !ok {
		return false
	}
	if over == 0 {
		c.Add(text.Of.At, "%s: over: expected more than nothing", what)
		return false
	}
	got, at, ok := here.Resolve(text.Limit, what)
	if !ok {
		return false
	}
	if got.IsQuantity() && got.Quantity.Kind == quantity.Share {
		here.Report(text.Limit, at, "%s: %s is a share, but incidence is a number of events; expected a number "+
			"such as above 500", what, eval.DescribeResolved(text.Limit, got))
		return false
	}
	fits := func(x float64) bool { return x >= 0 && x < maxWindow }
	l.Number, ok = here.Within(text.Limit, what, quantity.Number, fits,
		"expected a number of events from 0 to "+format.Thousands(maxWindow))
	if !ok {
		return false
	}
	key := windowKey{text.Event.Name, over, l.Watched}
	if l.Window, ok = c.windows[key]; !ok {
		l.Window = len(c.program.Windows)
		c.windows[key] = l.Window
		c.program.Windows = append(c.program.Windows, program.Window{Flow: -1, Name: -1, Watched: l.Watched, Over: over})
		c.windowSyntax, c.windowWhat = append(c.windowSyntax, text), append(c.windowWhat, what)
	}
	w := &c.program.Windows[l.Window]
	w.Keep = max(w.Keep, l.AtLeast())
	return true
}

// fixedDuration evaluates a duration that is the same throughout the run.
func (c *compiler) fixedDuration(v syntax.Value, what string) (float64, bool) {
	if name := c.setParameter(v, 0); name != "" {
		c.here.Report(v, v.At, "%s: an intervention sets %s; expected a duration that does not change during the run",
			what, diag.Shorten(name))
		return 0, false
	}
	return c.here.Duration(v, what)
}

// setParameter returns the name of a parameter that interventions set and that a value refers to,
// or "".
func (c *compiler) setParameter(v syntax.Value, steps int) (name string) {
	if steps > syntax.MaxParameterChain {
		return ""
	}
	if v.Name != "" {
		if len(c.here.Sets[v.Name]) > 0 {
			return v.Name
		}
		if p, ok := c.here.Parameter(v.Name); ok {
			return c.setParameter(p.Value, steps+1)
		}
		return ""
	}
	v.Each(func(part syntax.Value) {
		if name == "" {
			name = c.setParameter(part, steps+1)
		}
	})
	return name
}

// resolveWindows looks up the names and flows that conditions on incidence count. It comes after
// all of them are numbered.
func (c *compiler) resolveWindows() {
	lasts := func(d *program.Intervention) bool { return d.For > 0 }
	c.program.WaitsForTime = len(c.program.Windows) > 0 || slices.ContainsFunc(c.program.Triggered, lasts)
	for i, text := range c.windowSyntax {
		w := &c.program.Windows[i]
		isEvent := func(f program.Flow) bool { return f.String() == text.Event.Name }
		w.Flow = slices.IndexFunc(c.program.Flows, isEvent)
		if w.Flow < 0 {
			w.Name = slices.Index(c.program.CountedNames, text.Event.Name)
		}
		if w.Watched >= 0 && c.program.OfNobody(w.Name) {
			c.Add(text.Event.At, "%s: where: %s only sets parameters, which happens to no individual, so no group has "+
				"any; leave out where", c.windowWhat[i], diag.Quote(text.Event.Name))
		}
		if w.Flow >= 0 || w.Name >= 0 || c.Count > 0 && strings.Contains(text.Event.Name, "->") {
			continue // flows are not listed if there are problems
		}
		known := slices.Clone(c.program.CountedNames)
		for _, f := range c.program.Flows {
			known = append(known, f.String())
		}
		c.Add(text.Event.At, "%s: nothing goes by that name; %s", c.windowWhat[i], diag.DidYouMean(text.Event.Name, known,
			"give the name to a clock, a contact or an entry, or write a flow such as susceptible->infectious"))
	}
}
