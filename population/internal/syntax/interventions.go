package syntax

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// An Intervention is an item of the section interventions. It happens at times (FirstTime, Every,
// Until) or waits for conditions, and does one or more of: set parameters (Set), change or pick
// individuals (Who, Where, Coverage or Count, To, Moves), let individuals in (Enter, With, Count).
type Intervention struct {
	At            diag.Place
	What          string  // how messages name it
	FirstTime     float64 // the first time, on the model's clock
	Every         Value   // once if not given
	Months        int     // every so many calendar months, in place of Every; 0 if not given
	Interval      float64 // Every in the model's unit, which package compile works out; 0 for once
	Until         float64
	Set           []NamedValue
	Who           []Ref
	Everyone      bool
	Where         []Where
	Coverage      Value // all if not given
	To            Ref
	Moves         []Move
	Enter         Enter
	With          []Move // the attributes of individuals that enter
	Age           Value  // their ages; newly born if not given
	Count         int
	ComputedCount Value // in place of Count, if the number has to be worked out
	PicksCount    bool  // Count of the individuals that Who and Where select
	Supply        Ref   // in place of Count: as many as it has, and one is taken for each
	Uses          Uses  // what happens if there is no room
	Name          string
	Later         bool // see type Later

	HasCondition bool // until all Conditions are true
	Conditions   []Condition
	Among        []Where // only these individuals and their events are counted
	For          Value   // how long the conditions must have been true; optional
	Again        bool    // each time they become true
}

// interventions reads the section interventions.
func (r *Reader) interventions(m *File, n *yaml.Node) {
	const example = "{at: 30 days, set: {beta: 0.2 per day}}"
	for i, item := range r.Items(n, "interventions", "["+example+"]") {
		p := Intervention{What: fmt.Sprintf("intervention %d", i+1), Until: math.Inf(1)}
		f := r.Fields(item, p.What, example, "at", "every", "until", "when", "again", "set", "who", "where", "coverage",
			"to", "move", "enter", "with", "age", "count", "name", "for", "full", "queue")
		if f == nil {
			continue
		}
		if n := f.Get("for"); n != nil {
			r.Fail(n, "%s: for is part of a condition; write when: {infectious: above 1%%, for: 14 days}, for example", p.What)
		}
		p.At = r.Place(f.Node)
		if f.Get("name") != nil {
			p.Name = f.name()
			p.What = "intervention " + diag.Shorten(p.Name)
			f.what = p.What
		}
		var ok bool
		if when := f.Get("when"); when != nil {
			p.HasCondition = true
			ok = r.conditions(&p, f, when)
		} else {
			ok = r.schedule(m, &p, f)
		}
		if ok && r.action(&p, f) {
			m.Interventions = append(m.Interventions, p)
		}
	}
}

// schedule reads at which times an intervention happens, and reports whether it could.
func (r *Reader) schedule(m *File, p *Intervention, f *Fields) bool {
	good := true
	if n := f.Get("again"); n != nil {
		r.Fail(n, "%s: again without when; write every: 7 days for something that happens at known times", p.What)
		good = false
	}
	at, every := f.Get("at"), f.Get("every")
	if at == nil && every == nil {
		f.Need("at", "30 days")
		return false
	}
	clockTime := func(n *yaml.Node, key string) float64 {
		x, ok := r.ClockTime(n, p.What+": "+key, m.Unit)
		good = good && ok
		return x
	}
	first := "the start"
	p.FirstTime = m.Start
	if at != nil {
		p.FirstTime, first = clockTime(at, "at"), "at, "+diag.Shorten(at.Value)
		if good && p.FirstTime < m.Start {
			r.Fail(at, "%s: at: %s is before the start of the model, %s; times are those of the model's clock",
				p.What, diag.Shorten(at.Value), m.FormatStart())
			good = false
		}
	}
	repeats := every != nil
	if repeats {
		what := p.What + ": every"
		if months, calendar := r.calendarMonths(every, what); calendar {
			p.Months, every = months, nil
			good = good && months > 0
		}
	}
	if every != nil {
		what := p.What + ": every"
		v := r.Value(every, what, quantity.Duration)
		if name := v.firstParameter(); name != "" {
			r.Fail(every, "%s: found %s, expected %s such as %s; a parameter cannot stand here",
				what, diag.Quote(name), quantity.Duration, quantity.Duration.Example())
			v.Bad = true
		}
		p.Every = v
	}
	if n := f.Get("until"); n != nil {
		p.Until = clockTime(n, "until")
		if !repeats {
			r.Fail(n, "%s: until without every; something that happens once needs no end", p.What)
			good = false
		} else if good && p.Until < p.FirstTime {
			r.Fail(n, "%s: until: %s is before %s", p.What, diag.Shorten(n.Value), first)
		}
	}
	return good
}

// action reads what an intervention does, and reports whether the intervention is kept, so that
// package compile checks it further.
func (r *Reader) action(p *Intervention, f *Fields) bool {
	before := r.Count
	if n := f.Get("set"); n != nil {
		for _, s := range r.Pairs(n, p.What+": set", "{beta: 0.2 per day}") {
			v := r.Value(s.Value, p.What+": set: "+diag.Shorten(s.Name), quantity.Any)
			p.Set = append(p.Set, NamedValue{Ref{Name: s.Name, At: r.Place(s.Key)}, v, s.Value})
		}
	}
	for _, who := range f.refs("who") {
		if who.Name == "everyone" {
			p.Everyone = true
		} else {
			p.Who = append(p.Who, who)
		}
	}
	p.Where = f.where("where")
	p.Moves = f.moves("move")
	p.Coverage, p.To = f.Value("coverage", quantity.Share), f.ref("to")
	if n := f.Get("enter"); n != nil {
		p.Enter = r.enter(n, p.What+": enter")
		if count := f.Need("count", "10"); count != nil {
			r.count(p, count)
		}
	} else if n := f.Get("count"); n != nil {
		if p.PicksCount = f.Get("who") != nil; !p.PicksCount {
			r.Fail(n, "%s: count of whom? Write who and to beside it, or enter: infectious, for example", p.What)
		}
		if p.Coverage.Given() {
			r.Fail(n, "%s: both coverage and count; a share of those whom it is about is reached, or a number of them",
				p.What)
		}
		r.count(p, n)
	}
	p.Uses = f.uses()
	p.With, p.Age = f.moves("with"), f.Value("age", quantity.Distribution)
	moving := f.Get("to") != nil || f.Get("move") != nil
	choosing := p.Everyone || len(p.Who) > 0
	switch {
	case r.Count > before:
		return true // what could be read is still checked
	case moving && !choosing:
		r.Fail(f.Node, "%s: who? Write who: susceptible, for example, or who: everyone", p.What)
	case choosing && !moving:
		r.Fail(f.Node, "%s: what becomes of them? Write to: recovered, for example", p.What)
	case !moving && (p.Coverage.Given() || len(p.Where) > 0):
		r.Fail(f.Node, "%s: coverage and where are about individuals; write who and to beside them", p.What)
	case p.Uses.Full.Given() && !moving:
		r.Fail(f.Node, "%s: full is about individuals; write who and to beside it", p.What)
	case len(p.With) > 0 && !p.Enter.Given():
		r.Fail(f.Node, "%s: with is about those who enter; write enter and count beside it", p.What)
	case p.Age.Given() && !p.Enter.Given():
		r.Fail(f.Node, "%s: age is about those who enter; write enter and count beside it", p.What)
	case !moving && !p.Enter.Given() && len(p.Set) == 0:
		r.Fail(f.Node, "%s: it does nothing; write set: {beta: 0.2 per day}, or who and to, or enter and count", p.What)
	default:
		return true
	}
	return false
}

// count reads the key count: a whole number, or a parameter or an expression that is one.
func (r *Reader) count(p *Intervention, n *yaml.Node) {
	what := p.What + ": count"
	if text := strings.TrimSpace(n.Value); slices.Contains(r.supplyNames, text) && n.Kind == yaml.ScalarNode {
		if p.Supply = r.Ref(n, what); p.Enter.Given() {
			r.Fail(n, "%s: %s is a supply, and one is taken for each of those who are there; those who enter need a number",
				what, diag.Shorten(text))
		}
		return
	}
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		text := strings.TrimSpace(n.Value)
		if _, plain := quantity.ParseNumber(text); !plain && (!quantity.LooksNumeric(text) || isExpression(text)) {
			p.ComputedCount = r.Value(n, what, quantity.Number)
			return
		}
	}
	p.Count, _ = r.wholeNumber(n, what, MaxIndividuals)
}

// A Condition compares a number with a limit: of the individuals in a state, of the living, or of
// the events in the time before.
type Condition struct {
	Of    Ref   // the state or total, as it is written; or the whole text of a condition on incidence
	Event Ref   // incidence: the name or the flow that is counted
	Over  Value // incidence: in how much time; not given otherwise
	Above bool  // otherwise below
	Limit Value
}

// Text returns the condition as it is written.
func (c *Condition) Text() string {
	if c.Above {
		return c.Of.Name + " above " + c.Limit.Text
	}
	return c.Of.Name + " below " + c.Limit.Text
}

var incidencePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^incidence *\((.*)\)(.*)$`)
})

// conditions reads what an intervention waits for, and reports whether it could.
func (r *Reader) conditions(p *Intervention, f *Fields, when *yaml.Node) bool {
	const example = "{infectious: above 1%}"
	before := r.Count
	for _, key := range []string{"at", "every", "until"} {
		if n := f.Get(key); n != nil {
			r.Fail(n, "%s: both when and %s; it happens when its condition becomes true, or at times that are known",
				p.What, key)
		}
	}
	if n := f.Get("again"); n != nil {
		if p.Again = n.Value == "true"; !p.Again && n.Value != "false" {
			r.Fail(n, "%s: again: found %s, expected true or false", p.What, Describe(n))
		}
	}
	for _, c := range r.Pairs(when, p.What+": when", example) {
		// A state may be called for or where, too.
		switch {
		case c.Name == "where" && !isComparison(c.Value):
			p.Among = (&Fields{r: r, what: p.What + ": when", Node: when}).whereOf(c.Value, "where")
		case c.Name == "for" && !isComparison(c.Value):
			p.For = r.Value(c.Value, p.What+": when: for", quantity.Duration)
		default:
			r.condition(p, c)
		}
	}
	if len(p.Conditions) == 0 && r.Count == before {
		r.Fail(when, "%s: when: expected a state, or total, and what its number is to be, such as %s", p.What, example)
	}
	return r.Count == before
}

// isComparison reports whether a value is written as one of a condition.
func isComparison(n *yaml.Node) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(n.Value), " ")
	return n.Kind == yaml.ScalarNode && (word == "above" || word == "below")
}

// condition reads one condition.
func (r *Reader) condition(p *Intervention, c Pair) {
	what := p.What + ": when: " + diag.Shorten(c.Name)
	text, ok := r.text(c.Value, what, "above or below a number or a percentage, such as above 1%")
	if !ok {
		return
	}
	_, limit, _ := strings.Cut(text, " ")
	limit = strings.TrimSpace(limit)
	if above, lasts, ok := strings.Cut(text, " for "); ok && isComparison(c.Value) {
		r.Fail(c.Value, "%s: found %s; write for beside it: {%s: %s, for: %s}", what, diag.Quote(text),
			diag.Shorten(c.Name), diag.Shorten(above), diag.Shorten(lasts))
		return
	}
	if number, per, ok := strings.Cut(limit, " per "); ok && isComparison(c.Value) {
		instead := "a percentage of the living, such as above 1%"
		x, known := quantity.ParseNumber(strings.TrimSpace(number))
		y, alsoKnown := quantity.ParseNumber(strings.TrimSpace(per))
		if known && alsoKnown && x >= 0 && x <= y && y > 0 {
			instead = fmt.Sprintf("%s %.12g%%", strings.Fields(text)[0], 100*x/y)
		}
		if strings.HasPrefix(c.Name, "incidence") {
			instead = "a number of events"
		}
		r.Fail(c.Value, "%s: found %s; numbers per so many individuals are not understood here, write %s", what,
			diag.Quote(text), instead)
		return
	}
	if !isComparison(c.Value) || limit == "" {
		r.Fail(c.Value, "%s: found %s, expected above or below and a number or a percentage, such as above 1%%",
			what, diag.Quote(text))
		return
	}
	condition := Condition{Of: Ref{Name: c.Name, At: r.Place(c.Key)}, Above: strings.HasPrefix(text, "above")}
	if by, _, is := strings.Cut(c.Name, "="); is {
		r.noteAsked(by)
	}
	parts := incidencePattern().FindStringSubmatch(c.Name)
	if parts != nil && !r.incidence(&condition, c.Key, parts, what) {
		return
	}
	v := *c.Value
	v.Value = limit
	condition.Limit = r.Value(&v, what, quantity.Number)
	p.Conditions = append(p.Conditions, condition)
}

// incidence reads a condition on the events in the time before, such as
// incidence(infection) over 7 days, and reports whether it could.
func (r *Reader) incidence(c *Condition, key *yaml.Node, parts []string, what string) bool {
	event := strings.Trim(strings.TrimSpace(parts[1]), `"`)
	c.Event = Ref{Name: strings.ReplaceAll(event, " -> ", "->"), At: r.Place(key)}
	over, ok := strings.CutPrefix(strings.TrimSpace(parts[2]), "over ")
	if !ok || event == "" {
		r.Fail(key, "%s: expected what is counted and in how much time, such as incidence(infection) over 7 days", what)
		return false
	}
	n := *key
	n.Value = strings.TrimSpace(over)
	c.Over = r.Value(&n, what+": over", quantity.Duration)
	return !c.Over.Bad
}
