package syntax

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// Later are changes from a time on. Up to that time the model runs exactly as without them, and as
// it does with another end.
type Later struct {
	Time     float64 // on the model's clock
	Scenario *string
	Set      []Setting
	// Until is the end with which the model ran up to the time, as [Changes] has it; nil for that of
	// the file. Rates that change over time are cut into pieces by it, and the draws depend on them.
	Until *string
	// State is true if the model goes on with a saved state, false if it goes on with runs of a fit.
	// If the state was saved by a run that went on with another, Before are the changes of that one.
	State  bool
	Before *Later
	// Rows is true if the rows are those of a run that was saved: see File.FromState.
	Rows bool
}

// clone copies the changes, so that settings can be parsed.
func (l *Later) clone() *Later {
	if l == nil {
		return nil
	}
	later := *l
	later.Set, later.Before = slices.Clone(l.Set), l.Before.clone()
	return &later
}

// since is what messages call the time, and begun who has begun then.
func (l *Later) since() (time, begun, instead string) {
	if l.State {
		return "the time of the saved state", "the run", "a run without --from-state begins anew"
	}
	return "the last data point", "the runs of the fit", "--parameters-only begins anew"
}

// applyStop sets where the run is left.
func (r *Reader) applyStop(m *File, stop *string) {
	m.Stop = math.NaN()
	if stop == nil || math.IsNaN(m.End) {
		return
	}
	flag := r.ForFlag("--save-at")
	at, ok := flag.ClockTime(&yaml.Node{Kind: yaml.ScalarNode, Value: *stop}, "the time", m.Unit)
	switch {
	case !ok:
	case !(at >= m.Start):
		r.Add(diag.Place{File: "--save-at"}, "%s is before the start of the model, %s", diag.Shorten(*stop),
			m.Epoch.Format(m.Start))
	case !(at <= m.End):
		r.Add(diag.Place{File: "--save-at"}, "%s is after the end of the model, %s; --until gives it a later one",
			diag.Shorten(*stop), m.Epoch.Format(m.End))
	default:
		m.Stop = at
	}
}

// applyLater makes changes from a time on. They are an intervention, which package compile puts
// just after that time: those of the file at that time come before it, and so does the row of that
// time.
func (r *Reader) applyLater(m *File, l *Later) {
	if l == nil {
		return
	}
	r.applyLater(m, l.Before)
	m.FromState, m.KeepsRows = l.State, l.State || l.Rows
	since, begun, instead := l.since()
	at := diag.Place{File: "--from"}
	p := Intervention{At: at, What: "after the data", FirstTime: l.Time, Until: math.Inf(1), Later: true}
	if l.State {
		p.At.File, p.What = "--from-state", "after the saved state"
	}
	give := func(v NamedValue) {
		i := slices.IndexFunc(p.Set, func(s NamedValue) bool { return s.Label.Name == v.Label.Name })
		if i >= 0 {
			p.Set[i] = v
		} else {
			p.Set = append(p.Set, v)
		}
	}
	have := "have"
	if l.State {
		have = "has"
	}
	tooLate := "%sit says who is there at the start, and " + begun + " " + have + " begun: from " + since +
		" on, parameters can have other values, and " + instead
	if l.Scenario != nil {
		k := slices.Index(m.ScenarioNames(), *l.Scenario)
		if k < 0 {
			r.Add(diag.Place{File: "--scenario"}, "%s", diag.Unknown("scenario", *l.Scenario, m.ScenarioNames))
			return
		}
		for _, v := range m.Scenarios[k].Set {
			if !m.HasParameter(v.Label.Name) {
				r.Add(v.Label.At, tooLate, "scenario "+*l.Scenario+": "+v.Label.Name+": ")
				continue
			}
			give(v)
		}
	}
	for _, set := range l.Set {
		flag := r.ForFlag("--set " + set.Name)
		here := diag.Place{File: flag.file}
		switch {
		case set.Node == nil: // it could not be parsed
		case m.HasParameter(set.Name):
			flag.MaxNodes = AliasAllowance + 4*CountNodes(set.Node)
			give(NamedValue{Ref{Name: set.Name, At: here}, flag.Value(set.Node, "the value", quantity.Any), set.Node})
		case isPath(set.Name):
			r.Add(here, tooLate, "")
		default:
			r.Add(here, "%s", diag.Unknown("parameter", set.Name, m.ParameterNames))
		}
	}
	used, fixed := m.usedWhileRunning(), m.fixed()
	p.Set = slices.DeleteFunc(p.Set, func(v NamedValue) bool {
		maybeUnused := func(s Setting) bool { return s.Any && s.Name == v.Label.Name }
		if !used[v.Label.Name] && slices.ContainsFunc(l.Set, maybeUnused) {
			i := slices.Index(m.ParameterNames(), v.Label.Name)
			m.Parameters[i].Value, m.Parameters[i].Node = v.Value, v.Node
			m.Overridden[v.Label.Name] = true
			return true
		}
		name := ""
		if !strings.HasPrefix(v.Label.At.File, "--") { // of a scenario
			name = "scenario " + *l.Scenario + ": " + v.Label.Name + ": "
		}
		what, isFixed := fixed[v.Label.Name]
		switch {
		case isFixed:
			r.Add(v.Label.At, "%s%s is fixed when a run begins, and %s %s begun: it cannot change after %s; %s", name, what,
				begun, have, since, instead)
		case !used[v.Label.Name]:
			r.Add(v.Label.At, "%snothing that happens depends on it: it is for the start, or for what is observed, and would "+
				"change nothing after %s; %s", name, since, instead)
		}
		return isFixed
	})
	if len(p.Set) > 0 {
		m.Interventions = append(m.Interventions, p)
	}
}

// cutEnd is the end by which rates that change over time are cut into pieces, before the end of the
// changes is applied.
func (r *Reader) cutEnd(m *File, l *Later) float64 {
	for l != nil && l.Before != nil {
		l = l.Before
	}
	if l != nil && l.Until != nil {
		until := &yaml.Node{Kind: yaml.ScalarNode, Value: *l.Until}
		flag, what := "--from", "the end of the fit"
		if l.State {
			flag, what = "--from-state", "the end of the saved run"
		}
		if end, ok := r.ForFlag(flag).ClockTime(until, what, m.Unit); ok {
			return end
		}
	}
	return m.End
}

// A Passed is an intervention of the file at or before the time of [Later], and a parameter that
// Later gives a value.
type Passed struct {
	What      string
	Time      float64 // when it was first; NaN if it waits for a condition, and may not have been yet
	Parameter string
	Sets      bool // it gave the parameter a value, which Later replaces; otherwise it used it for the last time
}

// Passed lists the interventions on which the changes of Later bear, and come too late.
func (m *File) Passed() (all []Passed) {
	k := slices.IndexFunc(m.Interventions, func(p Intervention) bool { return p.Later })
	if k < 0 {
		return nil
	}
	later := &m.Interventions[k]
	for i := range m.Interventions {
		p := m.Interventions[i]
		begun := p.HasCondition || p.FirstTime <= later.FirstTime+float64(1e-9*math.Abs(later.FirstTime))
		if p.Later || !begun {
			continue
		}
		at := p.FirstTime
		if p.HasCondition {
			at = math.NaN()
		}
		repeated := p.HasCondition || p.Every.Given() || p.Months > 0
		over := !repeated || p.Until <= later.FirstTime
		used := map[string]bool{}
		set := p.Set
		p.Set = nil // what it sets a parameter to follows the parameters that this depends on
		EachValue(reflect.ValueOf(p), func(v Value) { m.mark(used, v) })
		for _, v := range later.Set {
			name := v.Label.Name
			k := slices.IndexFunc(set, func(s NamedValue) bool { return s.Label.Name == name })
			switch {
			case k >= 0 && set[k].Value.Text != v.Value.Text:
				all = append(all, Passed{p.What, at, name, true})
			case k < 0 && over && !p.HasCondition && used[name]:
				all = append(all, Passed{p.What, at, name, false})
			}
		}
	}
	return all
}

// mark adds the parameters that a value depends on to a set.
func (m *File) mark(used map[string]bool, v Value) {
	if i := slices.Index(m.ParameterNames(), v.Name); i >= 0 && !used[v.Name] {
		used[v.Name] = true
		m.mark(used, m.Parameters[i].Value)
	}
	v.Each(func(part Value) { m.mark(used, part) })
}

// fixed returns the parameters on which durations and laws of numbers depend that are the same
// throughout a run, with what has such a duration or law.
func (m *File) fixed() map[string]string {
	fixed := map[string]string{}
	note := func(v Value, what string) {
		used := map[string]bool{}
		m.mark(used, v)
		for name := range used {
			if fixed[name] == "" {
				fixed[name] = what
			}
		}
	}
	for i := range m.Interventions {
		p := &m.Interventions[i]
		note(p.For, p.What+": when: for")
		for k := range p.Conditions {
			note(p.Conditions[k].Over, p.What+": when: "+p.Conditions[k].Of.Name)
		}
	}
	for _, a := range m.Attributes {
		for _, age := range a.Ages {
			note(age, "attributes: "+a.Name+": age")
		}
	}
	for i := range m.Places {
		note(m.Places[i].Number, m.Places[i].What+": number")
		note(m.Places[i].Capacity, m.Places[i].What+": capacity")
	}
	for i := range m.Numbers { // those who enter later draw from the same law
		EachValue(reflect.ValueOf(m.Numbers[i]), func(v Value) { note(v, "attributes: "+m.Numbers[i].Name+": number") })
	}
	return fixed
}

// usedWhileRunning returns the parameters that anything after the start depends on.
func (m *File) usedWhileRunning() map[string]bool {
	used := map[string]bool{}
	parts := []any{m.States, m.Always, m.Births, m.Immigration, m.Transmission, m.Tracing, m.Supplies,
		m.Interventions, m.Outcomes}
	for i := range m.Machines {
		parts = append(parts, m.Machines[i].States, m.Machines[i].Enter)
	}
	for i := range m.Networks {
		parts = append(parts, []Value{m.Networks[i].Most, m.Networks[i].Ends, m.Networks[i].After})
	}
	if m.CanEnter() { // those who enter draw from them
		parts = append(parts, m.Attributes)
	}
	for _, part := range parts {
		EachValue(reflect.ValueOf(part), func(v Value) { m.mark(used, v) })
	}
	return used
}
