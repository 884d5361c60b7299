package results

import (
	"math"
	"slices"
	"strings"
)

// A field is a column of a table, and where its value lies in a row. Tables are written and read by
// the same fields.
//
// To add a column: a field of the row in read.go; a line in the table here; its value where the row
// is filled in write.go; the columns listed in the help of almanac run and in
// docs/reference/results.md. Give it a presence of its own that reading does not require (see
// presence.required): directories of earlier versions do not have the column, and must stay
// readable. An attribute of the same name gets another column name from then on.
type field[R any] struct {
	name   string
	kind   kind
	coding coding
	when   presence
	// value returns a pointer to the value: *int, *int64, *uint64, *float64 or *string, or *[]string
	// for attributes and *[]float64 for times.
	value func(*R) any
}

// A coding is how Parquet stores a column.
type coding bool

const (
	plain      coding = false // each value by itself: counts, times of events, ids
	dictionary coding = true  // values that come again and again: names, times of rows
)

// presence says which tables have a column.
type presence uint8

const (
	always      presence = iota // every table, since the first version
	ifDated                     // those of a model whose clock has dates
	ifIncidence                 // those of a model that records incidence
	attributes                  // one column for each attribute stands here
	firstTimes                  // one column for each time of people stands here, with timeOf before its name
)

// required reports whether a table without the column is refused when it is read.
func (p presence) required() bool { return p == always }

// timeOf begins the names of the columns of firstTimes.
const timeOf = "time of "

// A schema is a table: its name and its columns in order. The series of a sweep is another table of
// the same name, in points.go.
type schema[R any] struct {
	name   string
	fields []field[R]
}

var seriesTable = schema[SeriesRow]{"series", []field[SeriesRow]{
	{"replica", whole, dictionary, always, func(r *SeriesRow) any { return &r.Replica }},
	{"time", number, dictionary, always, func(r *SeriesRow) any { return &r.Time }},
	{"date", text, dictionary, ifDated, func(r *SeriesRow) any { return &r.Date }},
	{"state", text, dictionary, always, func(r *SeriesRow) any { return &r.State }},
	{"", optionalText, dictionary, attributes, func(r *SeriesRow) any { return &r.Values }},
	{"count", whole, plain, always, func(r *SeriesRow) any { return &r.Count }},
}}

var flowTable = schema[FlowRow]{"flows", []field[FlowRow]{
	{"replica", whole, dictionary, always, func(r *FlowRow) any { return &r.Replica }},
	{"time", number, dictionary, always, func(r *FlowRow) any { return &r.Time }},
	{"date", text, dictionary, ifDated, func(r *FlowRow) any { return &r.Date }},
	{"kind", text, dictionary, always, func(r *FlowRow) any { return &r.Kind }},
	{"flow", text, dictionary, always, func(r *FlowRow) any { return &r.Flow }},
	{"", optionalText, dictionary, attributes, func(r *FlowRow) any { return &r.Values }},
	{"count", whole, plain, always, func(r *FlowRow) any { return &r.Count }},
	{"incidence", whole, plain, ifIncidence, func(r *FlowRow) any { return &r.Incidence }},
}}

var outcomeTable = schema[OutcomeRow]{"outcomes", []field[OutcomeRow]{
	{"replica", whole, dictionary, always, func(r *OutcomeRow) any { return &r.Replica }},
	{"time", number, dictionary, always, func(r *OutcomeRow) any { return &r.Time }},
	{"date", text, dictionary, ifDated, func(r *OutcomeRow) any { return &r.Date }},
	{"outcome", text, dictionary, always, func(r *OutcomeRow) any { return &r.Outcome }},
	{"", optionalText, dictionary, attributes, func(r *OutcomeRow) any { return &r.Values }},
	{"value", number, plain, always, func(r *OutcomeRow) any { return &r.Value }},
}}

var supplyTable = schema[SupplyRow]{"supplies", []field[SupplyRow]{
	{"replica", whole, dictionary, always, func(r *SupplyRow) any { return &r.Replica }},
	{"time", number, dictionary, always, func(r *SupplyRow) any { return &r.Time }},
	{"date", text, dictionary, ifDated, func(r *SupplyRow) any { return &r.Date }},
	{"supply", text, dictionary, always, func(r *SupplyRow) any { return &r.Supply }},
	{"left", whole, plain, always, func(r *SupplyRow) any { return &r.Left }},
	{"used", whole, plain, always, func(r *SupplyRow) any { return &r.Used }},
	{"lost", whole, plain, always, func(r *SupplyRow) any { return &r.Lost }},
	{"refused", whole, plain, always, func(r *SupplyRow) any { return &r.Refused }},
}}

var networkTable = schema[NetworkRow]{"networks", []field[NetworkRow]{
	{"replica", whole, dictionary, always, func(r *NetworkRow) any { return &r.Replica }},
	{"time", number, dictionary, always, func(r *NetworkRow) any { return &r.Time }},
	{"date", text, dictionary, ifDated, func(r *NetworkRow) any { return &r.Date }},
	{"network", text, dictionary, always, func(r *NetworkRow) any { return &r.Network }},
	{"what", text, dictionary, always, func(r *NetworkRow) any { return &r.What }},
	{"degree", optionalWhole, dictionary, always, func(r *NetworkRow) any { return &r.Degree }},
	{"count", whole, plain, always, func(r *NetworkRow) any { return &r.Count }},
}}

var valueTable = schema[ValueRow]{"values", []field[ValueRow]{
	{"replica", whole, dictionary, always, func(r *ValueRow) any { return &r.Replica }},
	{"time", number, dictionary, always, func(r *ValueRow) any { return &r.Time }},
	{"date", text, dictionary, ifDated, func(r *ValueRow) any { return &r.Date }},
	{"name", text, dictionary, always, func(r *ValueRow) any { return &r.Name }},
	{"value", optionalNumber, plain, always, func(r *ValueRow) any { return &r.Value }},
}}

var observedTable = schema[ObservedRow]{"observed", []field[ObservedRow]{
	{"replica", whole, dictionary, always, func(r *ObservedRow) any { return &r.Replica }},
	{"time", number, dictionary, always, func(r *ObservedRow) any { return &r.Time }},
	{"date", text, dictionary, ifDated, func(r *ObservedRow) any { return &r.Date }},
	{"name", text, dictionary, always, func(r *ObservedRow) any { return &r.Name }},
	{"what", text, dictionary, always, func(r *ObservedRow) any { return &r.What }},
	{"", optionalText, dictionary, attributes, func(r *ObservedRow) any { return &r.Values }},
	{"count", number, plain, always, func(r *ObservedRow) any { return &r.Count }},
}}

var treeTable = schema[TreeRow]{"tree", []field[TreeRow]{
	{"replica", whole, dictionary, always, func(r *TreeRow) any { return &r.Replica }},
	{"infected", whole, plain, always, func(r *TreeRow) any { return &r.Infected }},
	{"time", number, plain, always, func(r *TreeRow) any { return &r.Time }},
	{"by", optionalID, plain, always, func(r *TreeRow) any { return &r.By }},
	{"by time", optionalNumber, plain, always, func(r *TreeRow) any { return &r.ByTime }},
	{"generation", whole, plain, always, func(r *TreeRow) any { return &r.Generation }},
	{"root", whole, plain, always, func(r *TreeRow) any { return &r.Root }},
	{"among", optionalText, dictionary, always, func(r *TreeRow) any { return &r.Among }},
}}

var peopleTable = schema[PersonRow]{"people", []field[PersonRow]{
	{"replica", whole, dictionary, always, func(r *PersonRow) any { return &r.Replica }},
	{"number", whole, plain, always, func(r *PersonRow) any { return &r.Number }},
	{"id", text, plain, always, func(r *PersonRow) any { return &r.ID }},
	{"entered", number, plain, always, func(r *PersonRow) any { return &r.Entered }},
	{"left", optionalNumber, plain, always, func(r *PersonRow) any { return &r.Left }},
	{"how", text, dictionary, always, func(r *PersonRow) any { return &r.How }},
	{"mother", optionalID, plain, always, func(r *PersonRow) any { return &r.Mother }},
	{"state", text, dictionary, always, func(r *PersonRow) any { return &r.State }},
	{"", optionalText, dictionary, attributes, func(r *PersonRow) any { return &r.Values }},
	{"", optionalNumber, plain, firstTimes, func(r *PersonRow) any { return &r.Times }},
}}

var eventTable = schema[EventRow]{"events", []field[EventRow]{
	{"replica", whole, dictionary, always, func(r *EventRow) any { return &r.Replica }},
	{"time", number, plain, always, func(r *EventRow) any { return &r.Time }},
	{"kind", text, dictionary, always, func(r *EventRow) any { return &r.Kind }},
	{"individual", optionalID, plain, always, func(r *EventRow) any { return &r.Individual }},
	{"from", optionalText, dictionary, always, func(r *EventRow) any { return &r.From }},
	{"to", optionalText, dictionary, always, func(r *EventRow) any { return &r.To }},
	{"name", optionalText, dictionary, always, func(r *EventRow) any { return &r.Name }},
	{"by", optionalID, plain, always, func(r *EventRow) any { return &r.By }},
	{"", optionalText, dictionary, attributes, func(r *EventRow) any { return &r.Values }},
}}

// names are those of all columns that are no attributes, whether or not a table has them.
func (s *schema[R]) names() (all []string) {
	for i := range s.fields {
		if s.fields[i].when != attributes && s.fields[i].when != firstTimes {
			all = append(all, s.fields[i].name)
		}
	}
	return all
}

// A layout is the columns of one table that is written.
type layout[R any] struct {
	fields  []field[R] // those that the table has
	columns []column   // with one for each attribute
	cells   []cell
}

// layout returns the columns of a table. has reports whether the model has what an optional column
// needs. recorded are the attributes that get a column, out of all attributes of the model. If the
// name of an attribute is taken, its column has underscores behind the name: as many as make it
// different from all taken names and from all other attributes. times are what firstTimes are of.
func (s *schema[R]) layout(has func(presence) bool, recorded, all, taken []string, times ...string) layout[R] {
	var l layout[R]
	for _, f := range s.fields {
		switch {
		case f.when == attributes:
			for _, name := range recorded {
				for slices.Contains(taken, name) {
					name += "_"
					for slices.Contains(all, name) {
						name += "_"
					}
				}
				taken = append(taken, name)
				l.columns = append(l.columns, column{name, f.kind, bool(f.coding)})
			}
		case f.when == firstTimes:
			for _, name := range times {
				l.columns = append(l.columns, column{timeOf + name, f.kind, bool(f.coding)})
			}
		case f.when == always || has(f.when):
			l.columns = append(l.columns, column{f.name, f.kind, bool(f.coding)})
		default:
			continue
		}
		l.fields = append(l.fields, f)
	}
	l.cells = make([]cell, len(l.columns))
	return l
}

// row is a row as cells, which are valid until the next one.
func (l *layout[R]) row(r *R) []cell {
	i := 0
	for k := range l.fields {
		switch v := l.fields[k].value(r).(type) {
		case *int:
			l.cells[i].whole = int64(*v)
		case *int64:
			l.cells[i].whole = *v
		case *uint64:
			l.cells[i].whole = int64(*v)
		case *float64:
			l.cells[i].number = *v
		case *string:
			l.cells[i].text = *v
		case *[]string: // of which there may be none
			for _, value := range *v {
				l.cells[i].text = value
				i++
			}
			continue
		case *[]float64:
			for _, x := range *v {
				l.cells[i].number = x
				i++
			}
			continue
		}
		i++
	}
	return l.cells
}

// A reading says where the columns of a schema are in a table that is read.
type reading[R any] struct {
	fields  []field[R]
	at      []int // of each field
	others  []int // columns that the schema does not have: attributes
	times   []int // columns of firstTimes
	missing string
}

// reading finds the columns of a table; missing is one that must be there and is not.
func (s *schema[R]) reading(columns []string) reading[R] {
	var r reading[R]
	known := s.names()
	timed := slices.ContainsFunc(s.fields, func(f field[R]) bool { return f.when == firstTimes })
	for i, c := range columns {
		if timed && strings.HasPrefix(c, timeOf) {
			r.times = append(r.times, i)
		} else if !slices.Contains(known, c) {
			r.others = append(r.others, i)
		}
	}
	for _, f := range s.fields {
		switch k := slices.Index(columns, f.name); {
		case f.when == attributes || f.when == firstTimes:
			r.fields, r.at = append(r.fields, f), append(r.at, -1)
		case k >= 0:
			r.fields, r.at = append(r.fields, f), append(r.at, k)
		case f.when.required() && r.missing == "":
			r.missing = f.name
		}
	}
	return r
}

// row is a row of cells as a struct.
func (r *reading[R]) row(cells []cell) (row R) {
	for k := range r.fields {
		switch v := r.fields[k].value(&row).(type) {
		case *int:
			*v = int(cells[r.at[k]].whole)
			if r.fields[k].kind == optionalWhole && math.IsNaN(cells[r.at[k]].number) {
				*v = -1
			}
		case *int64:
			*v = cells[r.at[k]].whole
		case *uint64:
			*v = uint64(cells[r.at[k]].whole)
		case *float64:
			*v = cells[r.at[k]].number
		case *string:
			*v = cells[r.at[k]].text
		case *[]string:
			for _, i := range r.others {
				*v = append(*v, cells[i].text)
			}
		case *[]float64:
			for _, i := range r.times {
				*v = append(*v, cells[i].number)
			}
		}
	}
	return row
}
