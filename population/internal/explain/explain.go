package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/fitting"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Model describes a model in plain words, and lists what may be mistakes in it.
func Model(m *compile.Model) string {
	p := m.Program
	e := &explainer{model: m, program: p, file: m.File, here: m.StartScope()}
	e.line("%s: %s %s from %s to %s, recorded %s %s%s.",
		p.Name, format.Thousands(float64(p.Size)), format.Things(p.Size, "individual"),
		e.modelTime(p.Start), e.modelTime(p.End),
		format.Thousands(float64(len(p.RecordTimes))), format.Things(len(p.RecordTimes), "time"), e.recording())
	if e.file.About != "" {
		e.line("%s", e.file.About)
	}
	if p.FirstPhase.Ages != nil {
		e.line("Ages at the start: %s.", e.unnamedDuration(e.file.Age))
	}
	e.people()
	e.attributes()
	e.groups()
	e.states()
	e.machines()
	e.contacts()
	e.tracing()
	e.always()
	e.entries()
	e.places()
	e.networks()
	e.supplies()
	e.interventions()
	e.outcomes()
	e.observations()
	e.parameters()
	e.scenarios()
	e.fit()
	e.remembered()
	e.observedBytes()
	e.cores()
	e.warnings()
	return e.text.String()
}

// An explainer writes the text.
type explainer struct {
	text    strings.Builder
	model   *compile.Model
	program *program.Program
	file    *syntax.File
	here    eval.Scope
}

// line writes a line.
func (e *explainer) line(format string, args ...any) {
	fmt.Fprintf(&e.text, format, args...)
	e.text.WriteByte('\n')
}

// section writes the title of a section, if it has any things to list.
func (e *explainer) section(title string, things int) {
	if things > 0 {
		e.line("\n%s", title)
	}
}

// recording says by which groups the model records, and whether it records incidence.
func (e *explainer) recording() string {
	var by []string
	for _, g := range e.program.Groupings {
		names := e.program.Groups[g.First].Attributes
		by = append(by, strings.Join(names, " and ")+" ("+format.Plural(g.Groups, "group")+")")
	}
	words := ""
	if len(by) > 0 {
		words = ", by " + strings.Join(by, ", by ")
	}
	if e.file.Record.Incidence {
		words += ", with counts in each interval"
	}
	if e.program.RecordsTime {
		words += ", with the person-time in each state"
	}
	for _, v := range e.file.Record.Values {
		words += ", with " + v.Label.Name + ", " + v.Text
	}
	return words
}

// attributes lists the attributes, with the shares of their values.
func (e *explainer) attributes() {
	e.section("Everybody has a value of", len(e.file.Attributes)+len(e.file.Numbers))
	defer e.numbers()
	for _, a := range e.file.Attributes {
		var values []string
		if a.SameAs.Given() {
			e.line("  %s: at first that of %s", a.Name, a.SameAs.Name)
			continue
		}
		if a.File != "" && len(a.Values) > maxGroups {
			e.line("  %s: %s, with the shares in %s", a.Name, format.Plural(len(a.Values), "value"), a.File)
			continue
		}
		for i, v := range a.Values {
			if a.ByAge {
				values = append(values, v.Name+" from "+e.asWritten(a.Ages[i])+" on")
				continue
			}
			share := "the rest"
			if i != a.Rest {
				share = e.probability(a.Shares[i])
			}
			values = append(values, share+" "+v.Name)
		}
		if a.ByAge {
			values[0] = "follows the age, and changes by itself: " + values[0]
		}
		e.line("  %s: %s", a.Name, strings.Join(values, ", "))
	}
}

// groups describes the groups at the start.
func (e *explainer) groups() {
	if !e.file.HasGroups {
		return
	}
	e.section("At the start there are", len(e.file.Groups))
	next := 0
	for g := range e.file.Groups {
		text := &e.file.Groups[g]
		total, in := 0, []string(nil)
		for range text.Starts {
			b := &e.program.StartGroups[next]
			next++
			total += b.Count
			in = append(in, format.Thousands(float64(b.Count))+" "+e.program.States[b.To])
		}
		e.line("  %s%s: %s", format.Thousands(float64(total)), e.ofValues(text.With), strings.Join(in, ", "))
		e.ages(text.Age)
	}
}

// states lists the states, with what happens in each.
func (e *explainer) states() {
	e.section("States", len(e.file.States))
	for i := range e.file.States {
		s := &e.file.States[i]
		e.line("  %s: %s at the start", s.Name, format.Thousands(float64(e.program.StartCounts[i])))
		e.since(i)
		e.clocks(s)
	}
}

// since says how long the individuals that begin in a state have been in it.
func (e *explainer) since(state int) {
	for i := range e.program.StartGroups {
		b := &e.program.StartGroups[i]
		if int(b.To) != state || b.Since == nil || b.Count == 0 {
			continue
		}
		who := "they"
		if b.Count < e.program.StartCounts[state] {
			who = format.Thousands(float64(b.Count)) + " of them"
		}
		e.line("    %s have been so for a time that is %s, and their clocks go on from there", who,
			e.duration(e.model.StartShares[i].Since))
	}
}

// clockTime says when a clock fires.
func (e *explainer) clockTime(c *syntax.Clock) string {
	if c.Rate.Given() {
		return "at " + e.rate(c.Rate)
	}
	if e.here.Dependence(c.After).Fixed() {
		if l, _ := e.here.Law(c.After, ""); l.Fixed() {
			return "after " + e.duration(c.After) + e.readAtStart(c)
		}
	}
	return "after a time that is " + e.duration(c.After) + e.readAtStart(c)
}

// contacts lists the contacts, with what they do and with whom they are.
func (e *explainer) contacts() {
	e.section("Contacts", len(e.file.Transmission))
	for i := range e.file.Transmission {
		c := &e.file.Transmission[i]
		if c.EachPair {
			e.line("  %s meets each of the others%s at %s%s", makers(c), e.among(c), e.rate(c.Rate.CountDependent.Value),
				nameTag(c.Name))
		} else {
			e.line("  %s meets others at %s%s", makers(c), e.contactRate(c), nameTag(c.Name))
		}
		if c.Everybody {
			e.everybodyMet(c)
		}
		for _, to := range c.To {
			chance := ""
			if c.Chance.Given() {
				chance = " with probability " + e.probability(c.Chance)
			}
			what := e.becomes(to.Becomes, c.Moves, false)
			if to.Becomes.Name != syntax.Out {
				what += inherits(c.Inherit, "the one who met it")
			}
			if e.file.Stays(c, to) {
				what = "stays as it is"
			}
			if c.Self.Given() {
				what += ", and the one who met it " + outcome(c.Self)
				if e.file.Stays(c, to) {
					what = e.addMoves(what, c.Moves, false) + inherits(c.Inherit, "the one that was met")
				}
			}
			e.line("    whoever is met and is %s%s %s%s", ofMachine(c, to.Met.Name), andConditions(c.Whom), what,
				chance+uses(&c.Uses))
		}
		if c.Link.Given() && !c.Everybody {
			e.line("    %s", e.linked(c))
		}
		if c.EachPair {
			continue
		}
		if c.Among.Given() {
			e.line("    any of the others%s may be met, %s; without others nobody is met", e.among(c), e.inProportion(c))
			continue
		}
		if !c.By.Given() {
			e.line("    anybody else may be met, all with the same probability")
			continue
		}
		e.mixing(c)
	}
}

// always lists the clocks that run in all states.
func (e *explainer) always() {
	e.section("To everybody, whatever the state", len(e.file.Always))
	for i := range e.file.Always {
		c := &e.file.Always[i]
		what := e.outcomeOfClock(c)
		if len(c.From) > 0 {
			what += " if " + orList(c.From)
		}
		if c.Chance.Given() {
			what += " with probability " + e.probability(c.Chance)
		}
		once := ""
		if !c.Rate.Given() && c.To.Name != syntax.Out {
			once = " after entering the population, once"
		}
		e.line("  %s %s%s%s%s%s", what, e.clockTime(c), once, whereConditions(c.Where), uses(&c.Uses), nameTag(c.Name))
		e.childrenOf(c)
	}
}

// entries lists births and immigration.
func (e *explainer) entries() {
	e.section("Entering the population", len(e.file.Births)+len(e.file.Immigration))
	for i := range e.file.Births {
		b := &e.file.Births[i]
		who := "each living individual"
		if len(b.From) > 0 {
			who = "each individual that is " + orList(b.From) + andConditions(b.Where)
		} else {
			who += ofConditions(b.Where)
		}
		e.line("  %s has children%s at %s, who begin as %s%s", who, e.ofValues(b.With), e.rate(b.Rate),
			e.entryState(&b.Enter), nameTag(b.Name))
		if b.Count.Given() {
			e.line("    %s at once", e.howMany(b.Count))
		}
		e.inheritance(b)
	}
	for i := range e.file.Immigration {
		a := &e.file.Immigration[i]
		per := ""
		if a.Per.Given() {
			per = fmt.Sprintf(" for every %s at the start,", e.value(a.Per))
			if t := &e.program.FirstPhase.Immigration[i]; t.Varying == nil {
				per += fmt.Sprintf(" which is %.6g per %s,", t.Rate, e.file.Unit.Name)
			}
		}
		rate := e.rate(a.Rate)
		if per == "" && strings.Contains(rate, ",") {
			per = ","
		}
		e.line("  individuals%s arrive at %s%s as %s%s", e.ofValues(a.With), rate, per, e.entryState(&a.Enter),
			nameTag(a.Name))
		if a.Count.Given() {
			e.line("    %s at once", e.howMany(a.Count))
		}
		e.ages(a.Age)
	}
}

// ages says how old those are who enter, if that is given.
func (e *explainer) ages(age syntax.Value) {
	if age.Given() {
		e.line("    their age is %s", e.duration(age))
	}
}

// interventions lists the interventions, with what each does.
func (e *explainer) interventions() {
	e.section("Interventions", len(e.file.Interventions))
	for i := range e.file.Interventions {
		p := &e.file.Interventions[i]
		e.line("  %s%s", e.interventionTime(p), nameTag(p.Name))
		for _, s := range p.Set {
			e.line("    %s becomes %s", s.Label.Name, e.withName(s.Value, e.value(s.Value)))
		}
		if what := e.becomes(p.To, p.Moves, p.PicksCount); what != "" {
			e.line("    %s %s", e.target(p), what)
		}
		if p.Enter.Given() {
			verb := "enter"
			if p.Count == 1 {
				verb = "enters"
			}
			individuals := " individuals"
			if !p.ComputedCount.Given() {
				individuals = " " + format.Things(p.Count, "individual")
			}
			e.line("    %s%s%s %s as %s", e.count(p), individuals, e.ofValues(p.With), verb, e.entryState(&p.Enter))
			e.ages(p.Age)
		}
	}
}

// interventionTime says when an intervention happens.
func (e *explainer) interventionTime(p *syntax.Intervention) string {
	becomes := "becomes true"
	if p.For.Given() {
		becomes = "has been true for " + e.asWritten(p.For)
	}
	switch {
	case p.HasCondition && p.Again:
		return "each time it " + becomes + " that " + e.condition(p) + "; once then, not again while it stays true"
	case p.HasCondition && p.For.Given():
		return "as soon as it " + becomes + " that " + e.condition(p) + ", once"
	case p.HasCondition:
		return "as soon as " + e.condition(p) + ", once"
	case p.Interval > 0 || p.Months > 0:
		words := e.modelTime(p.FirstTime) + ", and every "
		if p.Months > 0 {
			words += quantity.CalendarWords(p.Months)
		} else {
			words += e.interval(p.Interval)
		}
		if math.IsInf(p.Until, 1) {
			return words + " from then on"
		}
		return words + " from then on until " + e.modelTime(p.Until)
	}
	return e.modelTime(p.FirstTime)
}

// condition says what triggers an intervention.
func (e *explainer) condition(p *syntax.Intervention) string {
	var all []string
	for _, c := range p.Conditions {
		word, are := "fewer", c.Of.Name
		if c.Above {
			word = "more"
		}
		if are == "total" {
			are = "alive"
		}
		limit := e.value(c.Limit)
		if c.Over.Given() {
			all = append(all, fmt.Sprintf("%s happened %s than %s times in the %s before", c.Event.Name, word,
				e.withName(c.Limit, limit), e.asWritten(c.Over)))
			continue
		}
		share := strings.HasSuffix(limit, "%")
		if limit = e.withName(c.Limit, limit); share {
			limit += " of the living"
		}
		all = append(all, fmt.Sprintf("%s than %s are %s", word, limit, are))
	}
	words := strings.Join(all, " and ")
	if len(p.Among) > 0 {
		words += ", counting only individuals" + ofConditions(p.Among)
	}
	return words
}

// target says which individuals an intervention applies to.
func (e *explainer) target(p *syntax.Intervention) string {
	who := "everybody"
	if len(p.Who) > 0 {
		who = "whoever is " + orList(p.Who)
	}
	if p.PicksCount {
		who = e.count(p) + " of those who are " + orList(p.Who)
		if len(p.Who) == 0 {
			who = e.count(p) + " of all"
		}
	}
	if p.Supply.Given() {
		who = strings.TrimPrefix(who, e.count(p)+" ")
	}
	if len(p.Who) > 0 {
		who += andConditions(p.Where)
	} else {
		who += ofConditions(p.Where)
	}
	switch {
	case p.Coverage.Given():
		who += ", each with probability " + e.probability(p.Coverage) + ","
	case p.Supply.Given():
		who += ", as many as there are " + p.Supply.Name + " left, chosen at random, which takes one for each,"
	case p.PicksCount:
		who += ", chosen at random (all of them, if there are fewer),"
	}
	return who
}

// count says how many individuals enter or are picked.
func (e *explainer) count(p *syntax.Intervention) string {
	if p.ComputedCount.Given() {
		return e.withName(p.ComputedCount, e.value(p.ComputedCount))
	}
	return format.Thousands(float64(p.Count))
}

// parameters lists the parameters, with what they stand for.
func (e *explainer) parameters() {
	e.section("Parameters (--set changes them)", len(e.file.Parameters))
	for _, p := range e.file.Parameters {
		e.line("  %s: %s", p.Label.Name, e.value(p.Value))
	}
}

// scenarios lists the scenarios, with what each changes.
func (e *explainer) scenarios() {
	e.section("Scenarios (--scenario NAME runs one)", len(e.file.Scenarios))
	for _, s := range e.file.Scenarios {
		var changes []string
		for _, v := range s.Set {
			words := syntax.OneLine(v.Node)
			if slices.Contains(e.file.ParameterNames(), v.Label.Name) {
				words = e.value(v.Value)
			}
			changes = append(changes, v.Label.Name+" is "+words)
		}
		if len(changes) == 0 {
			changes = []string{"everything as it is"}
		}
		e.line("  %s: %s", s.Label.Name, strings.Join(changes, ", "))
	}
}

// fit says which parameters are to be fitted to which data.
func (e *explainer) fit() {
	f := fitting.Read(e.model, &diag.List{}, fitting.Options{})
	if f == nil {
		return
	}
	e.section("To be fitted to "+f.Data.Name, 1)
	for _, u := range f.Unknown {
		e.line("  %s is unknown: %s", u.Label.Name, syntax.OneLine(u.Node))
	}
	for i := range f.Match {
		m := &f.Match[i]
		what := map[string]string{
			"state":     "how many are " + m.Of.Name,
			"flow":      m.Of.Name + " since the start",
			"incidence": m.Of.Name + " in each interval",
			"seen":      "how many " + m.Of.Name + " has seen in each interval",
			"survey":    "how many of those in " + m.Tested.Name + " are positive, by " + m.Of.Name,
			"value":     m.Of.Name,
		}[m.Kind]
		if m.Observed.Given() {
			what += ", of which " + e.probability(m.Observed) + " are seen"
		}
		e.line("  column %s: %s, with an error that is %s", m.Column.Name, what, e.errorWords(&m.Error))
	}
}

// cores says why a large run is on one core, if age bands, machines, curves, numbers, batches,
// supplies, outcomes or rates by counts are why.
func (e *explainer) cores() {
	p := e.program
	switch {
	case p.Size < program.WindowsFrom:
	case len(p.Bands) > 0:
		e.line("\nA run uses one core once it is set up, because %s changes while it goes on.",
			p.Attributes[p.Bands[0].Attribute].Name)
	case len(p.Machines) > 0:
		e.line("\nA run uses one core once it is set up, because the machine %s changes while it goes on.",
			e.file.Machines[0].Name)
	case len(p.Since) > 0:
		e.line("\nA run uses one core once it is set up, because values depend on the time since %s.", p.Since[0].Words)
	case len(p.Numbers) > 0:
		e.line("\nA run uses one core once it is set up, because everybody has a number, %s.", p.Numbers[0].Name)
	case e.enterTogether():
		e.line("\nA run uses one core once it is set up, because several enter at once, or by a clock.")
	case len(p.Places) > 0:
		e.line("\nA run uses one core once it is set up, because people are in places, such as %s.", p.Places[0].Name)
	case len(p.Networks) > 0:
		e.line("\nA run uses one core once it is set up, because people are linked, as in %s.", p.Networks[0].Name)
	case len(p.Near) > 0:
		e.line("\nA run uses one core once it is set up, because contacts are among those with the same %s.", e.amongWords())
	case p.Calls != nil:
		e.line("\nA run uses one core once it is set up, because of tracing.")
	case p.UsesCounts:
		e.line("\nA run uses one core once it is set up, because a rate depends on how many there are.")
	case e.usesWhileRunning() != "":
		e.line("\nA run uses one core once it is set up, because %s are used while it goes on.", e.usesWhileRunning())
	case p.Observes():
		e.line("\nA run uses one core once it is set up, because individuals are looked at event by event.")
	default:
		e.coresOfOutcomes()
	}
}

// errorWords names the distribution of an error.
func (e *explainer) errorWords(l *fitting.Error) string {
	switch {
	case l.Family == "negative binomial":
		return "negative binomial, of dispersion " + e.value(l.Arg)
	case l.Family == "normal" && l.IsRelative(e.here):
		return "normal, with a standard deviation of " + e.value(l.Arg) + " of what is expected"
	case l.Family == "normal":
		return "normal, with a standard deviation of " + e.value(l.Arg)
	}
	if l.Family == "binomial" {
		return "binomial"
	}
	return "Poisson"
}
