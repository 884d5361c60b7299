package results

import (
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/almanac-sim/almanac/population"
)

// A PlaceRow is a number about the places of a kind; see [population.Places]. What is places (their
// number), members, size (the number of places of a size above 0), turned away (since the start) or
// waiting.
type PlaceRow struct {
	Replica    int
	Time       float64
	Date       string // if the model's clock has dates
	Kind, What string
	Size       uint64 // 0 unless What is size
	Count      int64
}

var placeTable = schema[PlaceRow]{"places", []field[PlaceRow]{
	{"replica", whole, dictionary, always, func(r *PlaceRow) any { return &r.Replica }},
	{"time", number, dictionary, always, func(r *PlaceRow) any { return &r.Time }},
	{"date", text, dictionary, ifDated, func(r *PlaceRow) any { return &r.Date }},
	{"kind", text, dictionary, always, func(r *PlaceRow) any { return &r.Kind }},
	{"what", text, dictionary, always, func(r *PlaceRow) any { return &r.What }},
	{"size", optionalID, dictionary, always, func(r *PlaceRow) any { return &r.Size }},
	{"count", whole, plain, always, func(r *PlaceRow) any { return &r.Count }},
}}

// WritePlaces writes how many places of each kind there were, and how many individuals in them:
// replica, time, the date if the model's clock has dates, kind, what, size and count. The number of
// individuals that wait is written for kinds with a queue.
func WritePlaces(w io.Writer, f Format, r *population.Result) error {
	kinds, queues, dates := r.Model.Places(), r.Model.Queues(), r.Model.Dates()
	l := placeTable.layout(func(p presence) bool { return p == ifDated && dates != nil }, nil, nil, nil)
	out, err := newSink(w, f, placeTable.name, l.columns)
	if err != nil {
		return err
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		for row := range run.Rows() {
			one := PlaceRow{Replica: run.Replica, Time: r.Times[row]}
			if dates != nil {
				one.Date = dates[row]
			}
			var failed error
			put := func(what string, size, count int) {
				if one.What, one.Size, one.Count = what, uint64(size), int64(count); failed == nil {
					failed = out.row(l.row(&one))
				}
			}
			for k, name := range kinds {
				p := run.Places(row, k)
				one.Kind = name
				put("places", 0, p.Number)
				put("members", 0, p.Members)
				for _, size := range slices.Sorted(maps.Keys(p.Sizes)) {
					put("size", size, p.Sizes[size])
				}
				put("turned away", 0, int(p.TurnedAway))
				if q := slices.Index(queues, name); q >= 0 {
					put("waiting", 0, run.Waiting(row, q))
				}
			}
			if failed != nil {
				return failed
			}
		}
	}
	return out.close()
}

// Places reads how many places of each kind there were, and how many individuals in them, row by
// row, if the model has places. An error ends the sequence.
func (d *Directory) Places() iter.Seq2[PlaceRow, error] {
	return each(d.opener(placeTable.name), &placeTable)
}
