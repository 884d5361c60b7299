package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// A Directory is what almanac run --out wrote.
type Directory struct {
	Path    string
	Summary *Summary
}

// Open reads the summary of a directory that almanac run wrote. Tables are read later, by the
// methods.
func Open(dir string) (*Directory, error) {
	file, err := os.Open(filepath.Join(dir, "summary.json"))
	if err != nil {
		return nil, fmt.Errorf("results: %w; is it a directory that almanac run --out wrote?", err)
	}
	defer file.Close()
	s, err := ReadSummary(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return &Directory{dir, s}, nil
}

// A SeriesRow says how many were in a state.
type SeriesRow struct {
	Replica int
	Time    float64
	Date    string // if the model's clock has dates
	State   string
	// of the attributes that are recorded by, as [Directory.Attributes] lists them; "" where the
	// row is not about one
	Values []string
	Count  int64
}

// A FlowRow says how many individuals made a transition, or how often a named event happened.
type FlowRow struct {
	Replica   int
	Time      float64
	Date      string // if the model's clock has dates
	Kind      string // flow or named
	Flow      string
	Values    []string // as in a SeriesRow
	Count     int64    // since the start
	Incidence int64    // in the interval that ends at the time; 0 if it is not recorded
}

// An OutcomeRow says what an outcome has accrued since the start, such as a cost.
type OutcomeRow struct {
	Replica int
	Time    float64
	Date    string // if the model's clock has dates
	Outcome string
	Values  []string // as in a SeriesRow
	Value   float64
}

// A ValueRow is a value of the whole population, as the section record has them.
type ValueRow struct {
	Replica int
	Time    float64
	Date    string // if the model's clock has dates
	Name    string
	Value   float64 // NaN if it is not a number, as 0/0 is none
}

// An EventRow is something that happened to an individual; see [population.Event].
type EventRow struct {
	Replica        int
	Time           float64
	Kind           string // start, enter, change, leave, move or happen
	Individual     uint64 // 0 if the event is about nobody
	From, To, Name string
	By             uint64 // 0 if it was nobody
	Values         []string
}

// A NetworkRow is a number of a network; see [population.Network]. What is links, degrees, formed
// or ended.
type NetworkRow struct {
	Replica       int
	Time          float64
	Date          string
	Network, What string
	Degree        int // of degrees: how many links the individuals have; -1 otherwise
	Count         int64
}

// A SupplyRow says how much of a supply there was; see [population.Supply].
type SupplyRow struct {
	Replica                   int
	Time                      float64
	Date                      string // if the model's clock has dates
	Supply                    string
	Left, Used, Lost, Refused int64
}

// An ObservedRow says how many an observation has seen since the start, or, for a survey, how many
// it has tested, and how many of these were expected to be positive.
type ObservedRow struct {
	Replica int
	Time    float64
	Date    string // if the model's clock has dates
	Name    string
	What    string   // seen, tested or expected; or incidence, in the interval that ends at the time
	Values  []string // as in a SeriesRow
	Count   float64
}

// A TreeRow is who infected an individual; see [population.Infection].
type TreeRow struct {
	Replica    int
	Infected   uint64
	Time       float64
	By         uint64  // 0 if there is nobody
	ByTime     float64 // NaN if the infector was never infected
	Generation int
	Root       uint64
	Among      string
}

// A PersonRow is what was recorded of an individual; see [population.Person].
type PersonRow struct {
	Replica int
	Number  uint64
	ID      string
	Entered float64
	Left    float64 // NaN if it was there at the end
	How     string
	Mother  uint64 // 0 if there is none
	State   string
	Values  []string  // of its attributes and machines, then of its numbers, then of its places
	Times   []float64 // when each thing that the model records first happened; NaN if it did not
}

// Series reads how many were in each state, row by row. An error ends the sequence.
func (d *Directory) Series() iter.Seq2[SeriesRow, error] {
	return each(d.opener(seriesTable.name), &seriesTable)
}

// ReadSeries is [Directory.Series] of a table as CSV.
func ReadSeries(r io.Reader) iter.Seq2[SeriesRow, error] {
	return each(csvOpener("series.csv", r), &seriesTable)
}

// Flows reads how many individuals made each transition, row by row. An error ends the sequence.
func (d *Directory) Flows() iter.Seq2[FlowRow, error] {
	return each(d.opener(flowTable.name), &flowTable)
}

// ReadFlows is [Directory.Flows] of a table as CSV.
func ReadFlows(r io.Reader) iter.Seq2[FlowRow, error] {
	return each(csvOpener("flows.csv", r), &flowTable)
}

// Outcomes reads what each outcome has accrued, if the model has outcomes, row by row. An error
// ends the sequence.
func (d *Directory) Outcomes() iter.Seq2[OutcomeRow, error] {
	return each(d.opener(outcomeTable.name), &outcomeTable)
}

// ReadOutcomes is [Directory.Outcomes] of a table as CSV.
func ReadOutcomes(r io.Reader) iter.Seq2[OutcomeRow, error] {
	return each(csvOpener("outcomes.csv", r), &outcomeTable)
}

// Supplies reads how much of each supply there was, row by row, if the model has supplies. An error
// ends the sequence.
func (d *Directory) Supplies() iter.Seq2[SupplyRow, error] {
	return each(d.opener(supplyTable.name), &supplyTable)
}

// Networks reads how many links there were, row by row, if the model has networks. An error ends
// the sequence.
func (d *Directory) Networks() iter.Seq2[NetworkRow, error] {
	return each(d.opener(networkTable.name), &networkTable)
}

// Values reads the values of the whole population, if the model records any, row by row. An error
// ends the sequence.
func (d *Directory) Values() iter.Seq2[ValueRow, error] {
	return each(d.opener(valueTable.name), &valueTable)
}

// Observed reads what each observation has seen, if the model observes anything, row by row. An
// error ends the sequence.
func (d *Directory) Observed() iter.Seq2[ObservedRow, error] {
	return each(d.opener(observedTable.name), &observedTable)
}

// Tree reads who infected whom, if the model records it, row by row. An error ends the sequence.
func (d *Directory) Tree() iter.Seq2[TreeRow, error] {
	return each(d.opener(treeTable.name), &treeTable)
}

// People reads everybody who was there, if the model records people, row by row. An error ends
// the sequence.
func (d *Directory) People() iter.Seq2[PersonRow, error] {
	return each(d.opener(peopleTable.name), &peopleTable)
}

// Events reads everything that happened, if it was written, row by row. An error ends the sequence.
func (d *Directory) Events() iter.Seq2[EventRow, error] {
	return each(d.opener(eventTable.name), &eventTable)
}

// Attributes are the columns of the table of series that are attributes recorded by.
func (d *Directory) Attributes() ([]string, error) {
	t, err := d.open("series")
	if err != nil {
		return nil, err
	}
	defer t.close()
	return slices.DeleteFunc(slices.Clone(t.columns()),
		func(name string) bool { return slices.Contains(countColumns(), name) }), nil
}

// A table that is open.
type table struct {
	source
	file interface {
		io.Closer
		Name() string
	}
}

// An opener opens a table.
type opener func() (*table, error)

func (d *Directory) opener(name string) opener { return func() (*table, error) { return d.open(name) } }

// A named is a table that somebody else has opened.
type named string

func (n named) Name() string { return string(n) }
func (named) Close() error   { return nil }

func csvOpener(name string, r io.Reader) opener {
	return func() (*table, error) {
		s, err := newCSVSource(r)
		return &table{s, named(name)}, err
	}
}

// close has nothing to tell: what was read has been.
func (t *table) close() {
	_ = t.source.close()
	_ = t.file.Close()
}

// open finds a table in one of the formats.
func (d *Directory) open(name string) (*table, error) {
	for _, f := range Formats() {
		file, err := os.Open(filepath.Join(d.Path, name+"."+string(f)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var s source
		switch f {
		case CSV:
			s, err = newCSVSource(file)
		case JSON:
			s, err = newJSONSource(file)
		default:
			var info fs.FileInfo
			if info, err = file.Stat(); err == nil {
				s, err = newParquetSource(file, info.Size())
			}
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", file.Name(), err), file.Close())
		}
		return &table{s, file}, nil
	}
	return nil, fmt.Errorf("results: %s has no %s.csv, .parquet or .json", d.Path, name)
}

// each gives the rows of a table. Columns that the schema does not have are attributes.
func each[R any](open opener, s *schema[R]) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		t, err := open()
		if err != nil {
			yield(none, err)
			return
		}
		defer t.close()
		r := s.reading(t.columns())
		if r.missing != "" {
			yield(none, fmt.Errorf("%s: there is no column %q", t.file.Name(), r.missing))
			return
		}
		for row := 1; ; row++ {
			cells, err := t.next()
			if err == io.EOF {
				return
			}
			if err == nil {
				err = r.check(cells, t.file.Name(), row)
			}
			if err != nil {
				yield(none, err)
				return
			}
			if !yield(r.row(cells), nil) {
				return
			}
		}
	}
}

// check refuses a row that has no number where there should be one.
func (r *reading[R]) check(cells []cell, file string, row int) error {
	for k := range r.fields {
		f := &r.fields[k]
		if f.kind == text || f.kind == optionalText || f.when == firstTimes {
			continue
		}
		c := &cells[r.at[k]]
		if math.IsNaN(c.number) && !(f.kind.optional() && c.text == "") {
			return fmt.Errorf("%s: row %d: %s: found %q, expected a number", file, row, f.name, c.text)
		}
	}
	return nil
}
