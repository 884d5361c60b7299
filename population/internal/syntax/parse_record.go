package syntax

import (
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
