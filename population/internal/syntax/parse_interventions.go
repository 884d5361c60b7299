package syntax

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
