package population

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/compile"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"go.yaml.in/yaml/v3"
)

// A Model is a compiled model. It does not change, and may be run any number of times, also at the
// same time.
type Model struct {
	source   []byte
	compiled *compile.Model
	program  *program.Program
	state    *State // that it goes on with; nil if it begins at its start
}

// A Flow is a possible change of state. From is a state, or "births", "immigration" or
// "interventions"; To is a state, or "out".
type Flow struct{ From, To string }

// String returns from->to.
func (f Flow) String() string { return f.From + "->" + f.To }

// Load reads a model file and compiles it. If the model is wrong, the error is of type [Problems].
func Load(path string, changes ...Change) (*Model, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Compile(path, source, append([]Change{Files(Dir(filepath.Dir(path))),
		Streams(OpenDir(filepath.Dir(path)))}, changes...)...)
}

// Compile compiles the text of a model file. The name is the file's, for messages. Tables that the
// model names are read as [Files] says, and not at all without it. If the model is wrong, the error
// is of type [Problems].
func Compile(name string, source []byte, asked ...Change) (*Model, error) {
	var c syntax.Changes
	for _, change := range asked {
		change(&c)
	}
	m, err := compileWith(name, source, c)
	if err != nil {
		return nil, blame(c, name, source, err)
	}
	return m, nil
}

// compileWith compiles a text with changes.
func compileWith(name string, source []byte, c syntax.Changes) (*Model, error) {
	m, err := compile.Text(name, source, c)
	if err != nil {
		return nil, err
	}
	return &Model{source: slices.Clone(source), compiled: m, program: m.Program}, nil
}

// Name is the model's name.
func (m *Model) Name() string { return m.program.Name }

// Source is the text of the model file.
func (m *Model) Source() []byte { return slices.Clone(m.source) }

// Unit is the unit of the times that a run reports: "day".
func (m *Model) Unit() string { return m.program.Unit }

// Start is when a run begins, on the model's clock.
func (m *Model) Start() float64 { return m.program.Start }

// End is when a run ends, on the model's clock.
func (m *Model) End() float64 { return m.program.End }

// Size is the number of individuals at the start.
func (m *Model) Size() int { return m.program.Size }

// States are the names of the states, in the order of the file and of results.
func (m *Model) States() []string { return slices.Clone(m.program.States) }

// Counted returns the names of all that is counted: the states, and then the states of machines, as
// in hiv=positive.
func (m *Model) Counted() []string { return slices.Clone(m.program.Counted) }

// Machines are the names of the machines, in the order of the file. To tables and groups they are
// attributes, the last of [Model.Attributes].
func (m *Model) Machines() []string { return m.program.Listed()[m.program.Plain():].Names() }

// Flows are the possible flows, in the order of results.
func (m *Model) Flows() []Flow {
	all := make([]Flow, len(m.program.Flows))
	for i, f := range m.program.Flows {
		all[i] = Flow(f)
	}
	return all
}

// Names are the names of clocks, contacts, entries and interventions, in the order of results.
func (m *Model) Names() []string { return slices.Clone(m.program.CountedNames) }

// CountedByGroup reports whether a name, by its index in [Model.Names], is counted in groups. An
// intervention that only sets parameters happens to no individual, and is not.
func (m *Model) CountedByGroup(name int) bool { return !m.program.OfNobody(name) }

// Attributes are the names of the attributes and then of the machines, in the order of the file and
// of [Event.Values].
func (m *Model) Attributes() []string { return m.program.Listed().Names() }

// Numbers returns the names of the numeric attributes, in the order of the file.
func (m *Model) Numbers() (names []string) {
	for i := range m.program.Numbers {
		names = append(names, m.program.Numbers[i].Name)
	}
	return names
}

// Times are when a run is recorded, on the model's clock.
func (m *Model) Times() []float64 {
	times := make([]float64, len(m.program.RecordTimes))
	for i, t := range m.program.RecordTimes {
		times[i] = format.Tidy(m.program.Start + t)
	}
	if n := len(times); n > 0 {
		times[n-1] = m.program.Stop
	}
	return times
}

// rowTimes are the times of the rows, and how far from one a time may be that equals it.
type rowTimes struct {
	times     []float64
	tolerance float64
}

func (m *Model) rowTimes() rowTimes {
	// A run whose state is saved has the times of the whole run, byte for byte.
	p := m.program
	rows := p.RecordTimes
	if p.ExtraRow {
		rows = rows[:len(rows)-1]
	}
	times := make([]float64, len(rows))
	for i, t := range rows {
		if times[i] = format.Tidy(p.Start + t); t >= p.End-p.Start-p.TimeTolerance {
			times[i] = p.End
		}
	}
	// On the model's clock both times are rounded, by a quarter of the tolerance at most.
	return rowTimes{times, 1.25 * p.TimeTolerance}
}

// of returns a time as results have it: the time of a row if it is later by no more than the rounding
// error that the engine allows, which makes it equal to it. So nothing is after the row that counts
// it.
func (r rowTimes) of(t float64) float64 {
	i, _ := slices.BinarySearch(r.times, t-r.tolerance)
	if i < len(r.times) && r.times[i] < t {
		return r.times[i]
	}
	return t
}

// String describes the model in a few words.
func (m *Model) String() string {
	return fmt.Sprintf("%s: %s, states %s", m.program.Name, format.Plural(m.program.Size, "individual"),
		strings.Join(m.program.States, ", "))
}

// Dates are the dates of Times, in UTC, if the clock of the model starts at a date, and otherwise
// nil: 2020-03-01, or, if a row is not at midnight, all of them as 2020-03-01T18:00:00.
func (m *Model) Dates() []string {
	start, dated := m.StartDate()
	if !dated {
		return nil
	}
	layout := time.DateOnly
	times := make([]time.Time, len(m.program.RecordTimes))
	for i, t := range m.Times() {
		seconds := math.Round(t * m.program.UnitSeconds)
		days := math.Floor(seconds / quantity.SecondsPerDay)
		times[i] = start.AddDate(0, 0, int(days)).
			Add(time.Duration(seconds-float64(days*quantity.SecondsPerDay)) * time.Second)
		if seconds != days*quantity.SecondsPerDay {
			layout = "2006-01-02T15:04:05"
		}
	}
	dates := make([]string, len(times))
	for i, t := range times {
		dates[i] = t.Format(layout)
	}
	return dates
}

// StartDate is the date at which the clock of the model is 0, and whether there is one.
func (m *Model) StartDate() (time.Time, bool) {
	return m.compiled.File.Epoch.Date()
}

// A Group is a group that record: by asks for: the individuals with the given values of some
// attributes.
type Group struct {
	Attributes []string // in the order of the file's section record
	Values     []string // one of each
}

// By names the attributes, as results do: "region", or "region,age" for combinations.
func (g Group) By() string { return strings.Join(g.Attributes, ",") }

// String names the group, as results do: "north", or "north,child" for combinations.
func (g Group) String() string { return strings.Join(g.Values, ",") }

// Groups returns the groups that are recorded separately, in the order of results.
func (m *Model) Groups() []Group {
	all := make([]Group, len(m.program.Groups))
	for i, g := range m.program.Groups {
		all[i] = Group{slices.Clone(g.Attributes), slices.Clone(g.Values)}
	}
	return all
}

// RecordsIncidence reports whether the file asks for counts in each interval: record: {incidence:
// true}.
func (m *Model) RecordsIncidence() bool { return m.compiled.File.Record.Incidence }

// Clock parses a time on the model's clock, written as in a model file: "160", "160 days", or a
// date if the model starts at one.
func (m *Model) Clock(text string) (float64, error) {
	list := &diag.List{}
	r := syntax.NewReader(list, "time")
	r.Epoch = m.compiled.File.Epoch
	x, ok := r.ClockTime(&yaml.Node{Kind: yaml.ScalarNode, Value: text}, "the time", m.compiled.File.Unit)
	if !ok {
		if problems, some := list.Err().(diag.Problems); some {
			return 0, fmt.Errorf("%s", problems[0].Message)
		}
		return 0, fmt.Errorf("%s is no time", diag.Quote(text))
	}
	return x, nil
}
