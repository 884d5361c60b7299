package syntax

import (
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A Record is the section record.
type Record struct {
	Every     Value // a hundredth of the run if not given
	Months    int   // every so many calendar months, in place of Every; 0 if not given
	By        []RecordBy
	Incidence bool
	Time      bool         // person-time in each state
	Values    []NamedValue // of the whole population
	Tree      Ref          // who infected whom, by what goes by this name; not Given for none
	People    *RecordedPeople
}

// A RecordBy is an attribute by which counts are recorded, or several whose combinations are.
type RecordBy struct {
	At         diag.Place
	Attributes []Ref
}

// record reads the section record.
func (r *Reader) record(m *File, n *yaml.Node) {
	f := r.Fields(n, "record", "{every: 1 day}", "every", "by", "incidence", "values", "time", "people", "tree")
	if f == nil {
		return
	}
	if e := f.Need("every", "1 day"); e != nil {
		var calendar bool
		if m.Record.Months, calendar = r.calendarMonths(e, "record: every"); !calendar {
			m.Record.Every = r.Value(e, "record: every", quantity.Duration)
		}
	}
	if b := f.Get("by"); b != nil {
		const what = "record: by"
		items := r.oneOrMore(b, what, "[region]")
		if len(items) == 0 && b.Kind == yaml.SequenceNode {
			r.Fail(b, "%s: expected at least one attribute, such as [region], "+
				"or combinations, such as [[region, age]]", what)
		}
		for _, item := range items {
			m.Record.By = append(m.Record.By, r.recordBy(item, what))
		}
	}
	if t := f.Get("time"); t != nil {
		r.recordTime(m, t)
	}
	if t := f.Get("tree"); t != nil {
		r.recordTree(m, t)
	}
	if p := f.Get("people"); p != nil {
		r.recordPeople(m, p)
	}
	if v := f.Get("values"); v != nil {
		r.recordedValues(m, v)
	}
	if i := f.Get("incidence"); i != nil {
		switch text, ok := r.text(i, "record: incidence", "true or false"); {
		case !ok:
		case text == "true" || text == "false":
			m.Record.Incidence = text == "true"
		default:
			r.Fail(i, "record: incidence: found %s, expected true or false", diag.Quote(text))
		}
	}
}

// recordedValues reads the values of the whole population that are recorded.
func (r *Reader) recordedValues(m *File, n *yaml.Node) {
	const what, example = "record: values", "{prevalence: count(infectious) / total}"
	before := r.Count
	all := r.Pairs(n, what, example)
	if len(all) == 0 && r.Count == before {
		r.Fail(n, "%s: expected at least one, such as %s", what, example)
	}
	r.allowMeans = true
	defer func() { r.allowMeans = false }()
	for _, p := range all {
		if !r.checkName(p.Key, what, p.Name) {
			continue
		}
		of := what + ": " + diag.Shorten(p.Name)
		v := NamedValue{Label: Ref{Name: p.Name, At: r.Place(p.Key)}, Value: Value{At: r.Place(p.Value)}, Node: p.Value}
		text, ok := r.text(p.Value, of, "an expression such as count(infectious) / total")
		if !ok {
			continue
		}
		v.Text = diag.Shorten(text)
		r.scalar(&v.Value, p.Value, of, quantity.Number, true)
		m.Record.Values = append(m.Record.Values, v)
	}
}

// recordBy reads an item of by: an attribute, or a list of those whose combinations are recorded.
func (r *Reader) recordBy(n *yaml.Node, what string) RecordBy {
	by := RecordBy{At: r.Place(n)}
	if n.Kind != yaml.SequenceNode {
		by.Attributes = append(by.Attributes, r.Ref(n, what))
		return by
	}
	before := r.Count
	for _, item := range r.Items(n, what, "[region, age]") {
		by.Attributes = append(by.Attributes, r.Ref(item, what))
	}
	if len(by.Attributes) == 0 && r.Count == before {
		r.Fail(n, "%s: expected at least one attribute in a combination, such as [region, age]", what)
		by.Attributes = append(by.Attributes, Ref{Bad: true})
	}
	return by
}

// recordBy adds attributes, and combinations of them, to those to record by, unless they are there.
func (m *File) recordBy(more [][]string) {
	const flag = "--output"
	for _, attributes := range more {
		by := RecordBy{At: diag.Place{File: flag}}
		for _, name := range attributes {
			by.Attributes = append(by.Attributes, Ref{Name: name, At: by.At})
		}
		if !slices.ContainsFunc(m.Record.By, func(other RecordBy) bool { return other.key() == by.key() }) {
			m.Record.By = append(m.Record.By, by)
		}
	}
}

// key is the same for the same attributes in any order.
func (by RecordBy) key() string {
	var names []string
	for _, a := range by.Attributes {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// An Observation is an entry of the section observe: of an event, each time it happens, or of
// people, at times.
type Observation struct {
	Ref
	What   string       // how messages name it
	Of     Ref          // the event; not Given for a survey
	Survey Intervention // when and who: FirstTime, Every, Until, Who, Where, Coverage, Count
	Chance Value        // that an individual is seen, or positive; 1 if not given
	After  Value        // the delay until it is counted; 0 if not given
}

// A SourceShare is a state of the key source of a clock, and the weight of those who are in it.
type SourceShare struct {
	State  Ref
	Weight Value // 1 if not given
}

// RecordedPeople is record: people.
type RecordedPeople struct {
	At    diag.Place
	Times []Ref // what is recorded when it first happened
	Only  Ref   // only those to whom it happened; not Given for everybody
}

const exampleSeen = "{of: infection, chance: 40%, after: 6 days}"

// observe reads the section observe.
func (r *Reader) observe(m *File, n *yaml.Node) {
	for _, p := range r.Pairs(n, "observe", "{reports: "+exampleSeen+"}") {
		if !r.checkName(p.Key, "observe", p.Name) {
			continue
		}
		what := "observe: " + p.Name
		o := Observation{Ref: Ref{Name: p.Name, At: r.Place(p.Key)}, What: what}
		f := r.Fields(p.Value, what, exampleSeen, "of", "at", "every", "until", "who", "where", "count", "coverage",
			"chance", "after")
		if f == nil {
			continue
		}
		o.Chance, o.After = f.Value("chance", quantity.Share), f.Value("after", quantity.Duration)
		o.Survey = Intervention{At: o.At, What: what, Until: math.Inf(1)}
		good := false
		if of := f.Get("of"); of != nil {
			good = r.observedEvent(&o, f, of)
		} else {
			good = r.survey(m, &o, f)
		}
		if good {
			m.Observations = append(m.Observations, o)
		}
	}
}

// observedEvent reads which event is observed.
func (r *Reader) observedEvent(o *Observation, f *Fields, of *yaml.Node) bool {
	good := true
	for _, key := range []string{"every", "at", "until"} {
		if n := f.Get(key); n != nil && good {
			r.Fail(n, "%s: both of and %s: an event is seen when it happens, people at times", o.What, key)
			good = false
		}
	}
	for _, key := range []string{"who", "where", "count", "coverage"} {
		if n := f.Get(key); n != nil && good {
			r.Fail(n, "%s: both of and %s: an event is seen of the one to whom it happens; "+
				"write a table in chance to tell them apart", o.What, key)
			good = false
		}
	}
	o.Of = r.Ref(of, o.What+": of")
	o.Of.Name = flowName(o.Of.Name)
	return good && !o.Of.Bad
}

// survey reads when a survey is and whom it asks.
func (r *Reader) survey(m *File, o *Observation, f *Fields) bool {
	if f.Get("at") == nil && f.Get("every") == nil {
		r.Fail(f.Node, "%s: of what, or when? Write of: infection for an event, or at: 40 days for a survey, for example",
			o.What)
		return false
	}
	p := &o.Survey
	good := r.schedule(m, p, f)
	before := r.Count
	for _, who := range f.refs("who") {
		if who.Name == "everyone" {
			p.Everyone = true
		} else {
			p.Who = append(p.Who, who)
		}
	}
	p.Where, p.Coverage = f.where("where"), f.Value("coverage", quantity.Share)
	if n := f.Get("count"); n != nil {
		if p.Coverage.Given() {
			r.Fail(n, "%s: both count and coverage", o.What)
		}
		p.PicksCount = true
		r.count(p, n)
		if p.Supply.Given() {
			r.Fail(n, "%s: count: %s is a supply, and looking uses nothing up; expected a number", o.What,
				diag.Shorten(p.Supply.Name))
		}
	}
	return good && r.Count == before
}

// source reads the key source of a clock: a state, or states with weights.
func (f *Fields) source() (all []SourceShare) {
	n := f.Get("source")
	if n == nil {
		return nil
	}
	what := f.what + ": source"
	if n = f.r.Resolve(n); n.Kind != yaml.MappingNode {
		return []SourceShare{{State: f.r.Ref(n, what)}}
	}
	for _, p := range f.r.Pairs(n, what, "{mild: 1, severe: 2}") {
		state := Ref{Name: strings.TrimSpace(p.Name), At: f.r.Place(p.Key)}
		all = append(all, SourceShare{state, f.r.Value(p.Value, what+": "+diag.Shorten(p.Name), quantity.Number)})
	}
	if len(n.Content) == 0 {
		f.r.Fail(n, "%s: expected at least one state, such as {mild: 1, severe: 2}", what)
	}
	return all
}

// recordTree reads record: tree.
func (r *Reader) recordTree(m *File, n *yaml.Node) {
	f := r.Fields(n, "record: tree", "{of: infection}", "of")
	if f == nil {
		return
	}
	if of := f.Need("of", "infection"); of != nil {
		m.Record.Tree = r.Ref(of, "record: tree: of")
		m.Record.Tree.Name = flowName(m.Record.Tree.Name)
	}
}

// recordPeople reads record: people: true, or what is recorded of them.
func (r *Reader) recordPeople(m *File, n *yaml.Node) {
	const what, expected = "record: people", "true, or {times: [infection]}"
	if n = r.Resolve(n); n.Kind != yaml.MappingNode {
		text, ok := r.text(n, what, expected)
		switch {
		case !ok || text == "false":
		case text == "true":
			m.Record.People = &RecordedPeople{At: r.Place(n)}
		default:
			r.Fail(n, "%s: found %s, expected %s", what, diag.Quote(text), expected)
		}
		return
	}
	f := r.Fields(n, what, "{times: [infection]}", "times", "only")
	if f == nil {
		return
	}
	if times := f.Get("times"); times != nil && times.Kind == yaml.SequenceNode && len(times.Content) == 0 {
		r.Fail(times, "%s: times: expected at least one event, such as [infection]; people: true lists everybody", what)
		return
	}
	p := &RecordedPeople{At: r.Place(f.Node), Times: f.refs("times"), Only: f.ref("only")}
	for i := range p.Times {
		p.Times[i].Name = flowName(p.Times[i].Name)
	}
	p.Only.Name = flowName(p.Only.Name)
	m.Record.People = p
}
