package population

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Model is a model that can be run: read, checked, and compiled to tables. It does not change, and may be run any
// number of times, also at once.
type Model struct {
	name, about string
	source      []byte
	asked       changes           // in place of what the file says
	file        *file             // for explanations
	here        scope             // at the start
	tables      map[string][]byte // that the file names
	entries     int               // of the tables that it is run by
	unit        unit
	start, end  float64 // on the model's clock
	slack       float64 // times that differ by no more are the same
	size, most  int
	starts      []int // how many begin in each state
	begin       []beginning
	states      []string
	attributes  attributes
	flows       []Flow
	names       []string // that clocks, contacts, entries and interventions go by
	flowsFrom   []int32  // the flows from a state, or from outside, begin here
	flowsTo     []uint16 // where each flow goes
	phases      []*tables
	first       *tables // at the start
	plans       []plan  // interventions in the order in which they happen
	triggers    []*deed // interventions that wait, in the order of the file
	rows        []float64
	groupings   []grouping // that are recorded by
	groups      []Group    // all of them
	timers      int        // clocks of states that an individual carries, at most
	plainMixing bool       // whether any contact is with the whole population
	counting    bool       // whether any rate depends on how many there are
	mixes       []bool
}

// A Flow is a way from one state to another that individuals can take: From is a state, or how they entered; To is a
// state, or "out".
type Flow struct{ From, To string }

// String is from->to.
func (f Flow) String() string { return f.From + "->" + f.To }

type attribute struct {
	name   string
	values []string
}

type attributes []attribute

// names are those of all of them.
func (all attributes) names() (names []string) {
	for _, a := range all {
		names = append(names, a.name)
	}
	return names
}

// index is the number of the one that goes by a name; −1 if there is none.
func (all attributes) index(name string) int {
	return slices.IndexFunc(all, func(a attribute) bool { return a.name == name })
}

// Out is where those go who leave the population.
const Out = "out"

// Where those come from who enter it, beside the states.
const (
	fromBirths = iota
	fromImmigration
	fromPlans
	entrances
)

var entranceNames = [entrances]string{"births", "immigration", "interventions"}

// Load reads a model file and compiles it. If the model is wrong, the error is of type [Problems].
func Load(path string, changes ...Change) (*Model, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Compile(path, source, append([]Change{Files(Dir(filepath.Dir(path)))}, changes...)...)
}

// Compile turns the text of a model file into a model. The name is the file's, for messages; tables that the model names are read as
// [Files] says, and not at all without it. If the model is wrong, the error is of type [Problems].
func Compile(name string, source []byte, asked ...Change) (*Model, error) {
	var c changes
	for _, change := range asked {
		change(&c)
	}
	m, err := compileWith(name, source, c)
	if err != nil {
		return nil, c.blame(name, source, err)
	}
	return m, nil
}

// compileWith turns text into a model, with changes.
func compileWith(name string, source []byte, c changes) (*Model, error) {
	list := &problemList{}
	r := newReader(list, name)
	c.set = slices.Clone(c.set) // what they say is noted there
	r.asked = c
	r.tables = &tableFiles{read: c.files, have: map[string][]byte{}, failed: map[string]error{}}
	f := r.parse(source)
	if f == nil || list.stopped {
		return nil, list.err()
	}
	r.apply(f, c)
	m := compile(f, list)
	if err := list.err(); err != nil {
		return nil, err
	}
	m.source, m.asked, m.tables = slices.Clone(source), c, r.tables.have
	return m, nil
}

// Name is the model's name.
func (m *Model) Name() string { return m.name }

// Source is the model file as it was read.
func (m *Model) Source() []byte { return slices.Clone(m.source) }

// Unit is the unit of the times that a run reports: "day".
func (m *Model) Unit() string { return m.unit.name }

// Start and End are when a run begins and ends, on the model's clock.
func (m *Model) Start() float64 { return m.start }

// End is when a run ends, on the model's clock.
func (m *Model) End() float64 { return m.end }

// Size is how many individuals there are at the start.
func (m *Model) Size() int { return m.size }

// States are the names of the states, in the order of the file; results list them in this order.
func (m *Model) States() []string { return slices.Clone(m.states) }

// Flows are the ways between states that individuals can take, in the order in which results list them.
func (m *Model) Flows() []Flow { return slices.Clone(m.flows) }

// Names are those that clocks, contacts, entries and interventions of the file go by, in the order in which results list them.
func (m *Model) Names() []string { return slices.Clone(m.names) }

// Attributes are the names of the attributes, in the order of the file; the values of an event are listed in this order.
func (m *Model) Attributes() []string { return m.attributes.names() }

// Times are when a run is recorded, on the model's clock.
func (m *Model) Times() []float64 {
	times := make([]float64, len(m.rows))
	for i, t := range m.rows {
		times[i] = tidy(m.start + t)
	}
	if n := len(times); n > 0 {
		times[n-1] = m.end
	}
	return times
}

// tidy is a number without the noise that arithmetic leaves in its last place: 0.8999999999999999 is 0.9.
func tidy(x float64) float64 {
	if short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 15, 64), 64); err == nil && math.Abs(short-x) <= 2*ulp(x) {
		return short
	}
	return x
}

// ulp is the distance from a number to the next.
func ulp(x float64) float64 { return math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x) }

// String says in a few words what the model is.
func (m *Model) String() string {
	return fmt.Sprintf("%s: %s, states %s", m.name, plural(m.size, "individual"), strings.Join(m.states, ", "))
}
