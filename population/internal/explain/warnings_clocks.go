package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// An entrance is a way into the population.
type entrance struct {
	who   string // in words
	in    *program.Entry
	count int // how many enter, if that is known: at the start; otherwise 0
}

// entrances lists all ways into the population: at the start, by birth, by immigration and by
// interventions.
func (e *explainer) entrances() []entrance {
	var all []entrance
	p := e.program
	for i := range p.StartGroups {
		if b := &p.StartGroups[i]; b.Count > 0 {
			all = append(all, entrance{"those at the start", &b.Entry, b.Count})
		}
	}
	born := func(do *program.Action) {
		if do.Child != nil {
			all = append(all, entrance{who: "those who are born", in: do.Child})
		}
	}
	for s := range p.FirstPhase.States {
		p.FirstPhase.States[s].EachAction(born)
	}
	for _, machine := range p.FirstPhase.Machines {
		for v := range machine {
			machine[v].EachAction(born)
		}
	}
	for k := range p.FirstPhase.Always {
		born(&p.FirstPhase.Always[k].Do)
	}
	for i := range p.FirstPhase.Immigration {
		all = append(all, entrance{who: "those who immigrate", in: &p.FirstPhase.Immigration[i].In})
	}
	interventions := p.Triggered
	for i := range p.Scheduled {
		interventions = append(interventions[:len(interventions):len(interventions)], p.Scheduled[i].Intervention)
	}
	for _, d := range interventions {
		for _, effect := range d.Effects {
			if effect.In != nil {
				all = append(all, entrance{who: "those who enter by " + d.What, in: effect.In})
				break
			}
		}
	}
	return all
}

// clockWarnings lists the clocks of always that do not fire for somebody, or for anybody.
func (e *explainer) clockWarnings() (all []string) {
	entrances := e.entrances()
	for k := range e.program.FirstPhase.Always {
		clock := &e.program.FirstPhase.Always[k]
		if clock.Line < 0 {
			continue
		}
		text := &e.file.Always[clock.Line]
		if words := e.neverStarts(clock, text, entrances); words != "" {
			all = append(all, words)
		} else if whom := e.pastFor(clock, text, entrances); !clock.EndsLife && len(whom) > 0 {
			all = append(all, fmt.Sprintf("%s: its time is past for %s, because of their age; for them it never fires%s",
				text.What, strings.Join(whom, " and "), e.pastRemedy(text)))
		}
	}
	for i := range e.program.FirstPhase.States {
		all = append(all, e.outsideItsCurve(&e.program.FirstPhase.States[i], -1, i)...)
	}
	return all
}

// outsideItsCurve warns of clocks of a state whose rate is a curve by the time since coming into
// other states of the same machine: it is 0 in this one.
func (e *explainer) outsideItsCurve(s *program.State, machine, state int) (all []string) {
	for k := range s.Varying {
		root := s.Varying[k].Rate.Root
		if root == nil || root.Op != program.TermSince {
			continue
		}
		since := &e.program.Since[root.Since]
		if !since.Birth && since.Machine == machine && !since.In[state] {
			all = append(all, fmt.Sprintf("%s: the time since %s is asked of nobody who is %s, so that it never fires",
				s.Varying[k].What, since.Words, e.program.States[state]))
		}
	}
	return all
}

// pastFor says for whom the time of a clock is past: they enter at an age, and it fired before. A
// clock that ends every life is drawn given the age, and is not asked for.
func (e *explainer) pastFor(clock *program.AlwaysClock, text *syntax.Clock, entrances []entrance) (all []string) {
	var who []string
	for _, from := range entrances {
		if !slices.Contains(who, from.who) {
			who = append(who, from.who)
		}
	}
	for _, who := range who {
		var of []entrance
		others := false // come by the same entrances, and the clock is not for them
		for _, from := range entrances {
			if from.who != who {
				continue
			}
			others = others || e.matching(from.in, text.Where) < 1-1e-12 // shares are rounded
			if e.mayMatch(from.in, text.Where) {
				of = append(of, from)
			}
		}
		share, may := e.sharePast(clock, text.Where, of)
		if !may {
			continue
		}
		whom := who
		if others {
			whom += " with " + withValues(text.Where)
		}
		switch {
		case share == 0: // not known
			whom = "some of " + whom
		case share < 1:
			whom = format.Percent(share) + " of " + whom
		}
		all = append(all, whom)
	}
	return all
}

// sharePast returns the share of those who come by some entrances, and are those that a clock is
// for, for whom its time is past, or 0 if it is not known, and reports whether there may be any.
func (e *explainer) sharePast(clock *program.AlwaysClock, where []syntax.Where, of []entrance) (share float64,
	may bool) {
	past, weights, known := 0.0, 0.0, true
	least, most := 1.0, 0.0
	for _, from := range of {
		one, mayOne := 0.0, false
		if from.in.Age != nil {
			if one, mayOne = clock.SharePast(from.in.Age); mayOne && one == 0 {
				return 0, true
			}
		}
		may = may || mayOne
		weight := float64(from.count) * e.matching(from.in, where)
		known = known && weight > 0
		past, weights = past+float64(weight*one), weights+weight
		least, most = min(least, one), max(most, one)
	}
	switch {
	case least == most:
		share = most
	case known:
		share = past / weights
	}
	return share, may
}

// matching is the share of those who come by an entrance that meet conditions, or −1 if it is not
// known: what they inherit may be anything, a band depends on their ages, and machines and shares
// of their own may be by other attributes.
func (e *explainer) matching(in *program.Entry, where []syntax.Where) float64 {
	all := 1.0
	for _, w := range where {
		a, share := e.drawnAs(in, e.program.Attributes.Index(w.Attribute.Name)), 0.0
		for _, v := range w.Values {
			k := slices.Index(e.program.Attributes[a].Values, v.Name)
			if e.fileGives(a) {
				return -1
			}
			switch given := in.ValueOf(a); given {
			case program.Inherited, program.ByAge:
				return -1
			case program.Drawn:
				if a >= e.program.Plain() || in.Draws != nil && in.Draws[a] != nil {
					return -1
				}
				sums := e.program.FirstPhase.Attributes[a]
				if share += sums[k]; k > 0 {
					share -= sums[k-1]
				}
			default:
				if int(given) == k {
					share = 1
				}
			}
		}
		all *= share
	}
	return all
}

// withValues names the values that conditions ask for.
func withValues(where []syntax.Where) string {
	var with []string
	for _, w := range where {
		with = append(with, w.Attribute.Name+" "+orList(w.Values))
	}
	return strings.Join(with, " and ")
}

// pastRemedy says what to write in place of a clock whose time may be past.
func (e *explainer) pastRemedy(text *syntax.Clock) string {
	fixed := text.After.IsQuantity()
	switch {
	case text.To.Name == syntax.Out && len(text.Where) > 0:
		return fmt.Sprintf("; write after as a table by %s, without where, and the rest of each life is drawn given the age",
			text.Where[0].Attribute.Name)
	case fixed && len(text.Moves) == 1 && text.Moves[0].Gives.Value.Given() &&
		e.isPlain(text.Moves[0].Attribute.Name) && !text.To.Given() && len(text.Where)+len(text.From) == 0:
		name, to := text.Moves[0].Attribute.Name, text.Moves[0].Value.Name
		young := "young"
		for _, v := range e.program.Attributes[e.program.Attributes.Index(name)].Values {
			if v != to {
				young = v
				break
			}
		}
		return fmt.Sprintf("; an attribute that follows the age is right for all: "+
			"attributes: {%s: {age: {%s: 0 years, %s: %s}}}", name, young, to, text.After.Text)
	}
	return "; let them begin as it would have left them, if they do not"
}

// neverStarts says that a clock never fires, if so: it starts when an individual enters, and nobody
// enters with the values that it is for.
func (e *explainer) neverStarts(clock *program.AlwaysClock, text *syntax.Clock, entrances []entrance) string {
	if len(text.Where) == 0 || startsLater(clock) {
		return ""
	}
	for _, from := range entrances {
		if e.mayMatch(from.in, text.Where) {
			return ""
		}
	}
	name := text.Where[0].Attribute.Name
	return fmt.Sprintf("%s never fires: it starts when somebody enters, and nobody enters with %s. To count the time "+
		"from a change on, write states in place of %s: {%s: {race: [{after: %s, to: …}]}}; or write rate in place of "+
		"after, which follows %s as it changes", text.What, withValues(text.Where), name, text.Where[0].Values[0].Name,
		e.afterText(text), name)
}

// afterText is the duration of a clock as it is written, or as words if it is not one text.
func (e *explainer) afterText(c *syntax.Clock) string {
	if c.After.Text != "" {
		return c.After.Text
	}
	return "…"
}

// startsLater reports whether a clock may start when an attribute changes: one without memory does.
func startsLater(clock *program.AlwaysClock) bool {
	for _, c := range clock.Cells {
		if c.Law.Memoryless() {
			return true
		}
	}
	return clock.By == nil
}

// mayMatch reports whether an individual may meet conditions when it enters. What it inherits may
// be anything.
func (e *explainer) mayMatch(in *program.Entry, where []syntax.Where) bool {
	for _, w := range where {
		a := e.program.Attributes.Index(w.Attribute.Name)
		possible := false
		for _, v := range w.Values {
			possible = possible || e.mayEnterWith(in, a, v.Name)
		}
		if !possible {
			return false
		}
	}
	return true
}

// mayEnterWith reports whether an individual may have a value of an attribute when it enters.
func (e *explainer) mayEnterWith(in *program.Entry, attribute int, value string) bool {
	if attribute = e.drawnAs(in, attribute); e.fileGives(attribute) {
		return true
	}
	values := e.program.Attributes[attribute].Values
	switch given := in.ValueOf(attribute); given {
	case program.Inherited:
		return true
	case program.ByAge:
		oldest := 0.0
		if in.Age != nil {
			for i := range in.Age.Values {
				oldest = max(oldest, in.Age.Values[i].Longest())
			}
		}
		for _, b := range e.program.Bands {
			if b.Attribute == attribute {
				return slices.Index(values, value) <= b.At(oldest)
			}
		}
		return false
	case program.Drawn:
		if attribute >= e.program.Plain() || in.Draws != nil && in.Draws[attribute] != nil {
			return e.mayDraw(in, attribute, value)
		}
		for _, phase := range e.program.Phases {
			sums, k := phase.Attributes[attribute], slices.Index(values, value)
			if k == 0 && sums[0] > 0 || k > 0 && sums[k] > sums[k-1] {
				return true
			}
		}
		return false
	default:
		return values[given] == value
	}
}

// isPlain reports whether a name is that of an attribute, and not of a machine.
func (e *explainer) isPlain(name string) bool {
	return e.program.Attributes.Index(name) < e.program.Plain()
}

// mayDraw reports whether an individual may draw a value of a machine, of the state or of an
// attribute that has shares of its own where the individual enters.
func (e *explainer) mayDraw(in *program.Entry, attribute int, value string) (may bool) {
	v := uint16(slices.Index(e.program.Attributes[attribute].Values, value))
	if attribute == e.program.StateAttribute {
		in.EachState(func(state uint16) { may = may || state == v })
		return may
	}
	if in.Draws != nil && in.Draws[attribute] != nil && slices.Contains(in.Draws[attribute].States, v) {
		return true
	}
	for i := range e.program.Machines {
		m := &e.program.Machines[i]
		isDealt := slices.ContainsFunc(m.Deals, func(d program.Deal) bool { return d.Value == v && d.Count > 0 })
		may = may || m.Attribute == attribute && isDealt && m.Dealt(in)
	}
	return may
}

// bandsWithoutAges says that an attribute follows the age, but everybody is newborn at the start.
func (e *explainer) bandsWithoutAges() (all []string) {
	if e.program.People != nil && e.program.People.Age != nil {
		return nil
	}
	for i := range e.program.StartGroups {
		if b := &e.program.StartGroups[i]; b.Age != nil || b.Count == 0 {
			continue
		}
		for _, b := range e.program.Bands {
			a := &e.program.Attributes[b.Attribute]
			if len(a.Values) > 1 {
				all = append(all, fmt.Sprintf("attributes: %s follows the age, and individuals begin newborn, as %s; write "+
					"age: in population or in its groups if they are older", a.Name, a.Values[0]))
			}
		}
		break
	}
	return all
}
