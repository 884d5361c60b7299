package syntax

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/function"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// A File is the syntax tree of a model file: what is written, in the order of the file. Names are
// not looked up and values are not worked out.
type File struct {
	Path        string
	Name, About string

	Functions function.Functions // that a program supplies; none is in the file

	Unit       quantity.Unit // section time
	Start, End float64
	CutEnd     float64 // the end by which rates that change over time are cut into pieces: as a rule End
	Stop       float64 // where the run is left to save its state; NaN if it goes to its end
	FromState  bool    // the run goes on with a saved state
	KeepsRows  bool    // rows are those of a run that was saved
	Epoch      quantity.Epoch

	Size      int // section population
	SizeAt    diag.Place
	SizeBad   bool
	Most      int // how many may be alive at once
	MostBad   bool
	Groups    []StartGroup // a plain start is one group
	HasGroups bool         // the section has groups and not a plain start
	StartsAt  diag.Place
	StartsBad bool
	Age       Value   // the ages at the start, if given
	People    *People // those of a file, if given

	Parameters    []NamedValue
	Overridden    map[string]bool // parameters that a scenario or --set gave another value
	Attributes    []Attribute
	Numbers       []Number // attributes that are a number of its own for everyone
	Machines      []Machine
	Places        []Place
	Networks      []Network
	UsesState     *bool           // a table or a condition is by StateName
	Asked         map[string]bool // what tables and conditions are by: false if only those of what is looked at are
	States        []State
	StatesBad     bool            // no state could be read
	InvalidStates map[string]bool // invalid names of states; the file may still refer to them
	Always        []Clock
	Births        []Entry
	Immigration   []Entry
	Transmission  []Contact
	Tracing       []Tracing
	Supplies      []Supply
	Interventions []Intervention
	Outcomes      []Outcome
	Observations  []Observation
	Scenarios     []Scenario
	Record        Record
	Fit           *yaml.Node // left as YAML: a run ignores it, and package fitting reads it
}

// Parse reads a model file. It returns nil if there is no mapping to read; otherwise the tree holds
// what could be read, and the list of problems decides whether it may be used.
func (r *Reader) Parse(source []byte) *File {
	doc := r.Document(source)
	if doc == nil {
		return nil
	}
	r.replaceNodes(doc)
	top := r.Fields(doc, "the model", "name: sir", "name", "about", "time", "population", "parameters",
		"states", "machines", "places", "networks", "always", "births", "immigration", "transmission", "tracing",
		"supplies", "interventions", "attributes", "outcomes", "observe",
		"record", "scenarios", "fit")
	if top == nil {
		return nil
	}
	r.defineParameters(top.Get("parameters"))
	r.defineNumbers(top.Get("attributes"))
	r.hasPlaces = top.Get("places") != nil
	m := &File{
		Path:          r.file,
		End:           math.NaN(),
		Most:          500_000_000,
		InvalidStates: map[string]bool{},
		Overridden:    map[string]bool{},
		UsesState:     r.usesState,
		Asked:         r.asked,
		SizeBad:       true,
		StartsBad:     true,
		StatesBad:     true, // until they have been read
	}
	if n := top.Need("name", "sir"); n != nil {
		m.Name = r.freeName(n, "name")
	}
	if n := top.Get("about"); n != nil {
		m.About, _ = r.text(n, "about", "a text")
	}
	if n := top.Need("time", "{unit: day, start: 0, end: 160}"); n != nil {
		r.time(m, n)
	}
	if m.Unit.Seconds == 0 {
		m.Unit = quantity.Units[3] // so that the other sections can be checked
	}
	if n := top.Need("population", "{size: 1000, start: {susceptible: rest}}"); n != nil {
		r.population(m, n)
	}
	if n := top.Get("parameters"); n != nil {
		r.parameters(m, n)
	}
	if n := top.Get("attributes"); n != nil {
		r.attributes(m, n)
	}
	if n := top.Need("states", "{susceptible: {}, infectious: {}}"); n != nil {
		r.states(m, n)
	}
	if n := top.Get("machines"); n != nil {
		r.machines(m, n)
	}
	if n := top.Get("places"); n != nil {
		r.places(m, n)
	}
	if n := top.Get("networks"); n != nil {
		r.networks(m, n)
	}
	if n := top.Get("always"); n != nil {
		r.always(m, n)
	}
	if n := top.Get("births"); n != nil {
		r.births(m, n)
	}
	if n := top.Get("immigration"); n != nil {
		r.immigration(m, n)
	}
	if n := top.Get("transmission"); n != nil {
		r.transmission(m, n)
	}
	if n := top.Get("supplies"); n != nil {
		r.supplies(m, n)
	}
	if n := top.Get("tracing"); n != nil {
		r.tracing(m, n)
	}
	if n := top.Get("interventions"); n != nil {
		r.interventions(m, n)
	}
	if n := top.Get("outcomes"); n != nil {
		r.looks = true
		r.outcomes(m, n)
		r.looks = false
	}
	if n := top.Get("observe"); n != nil {
		r.looks = true
		r.observe(m, n)
		r.looks = false
	}
	if n := top.Get("scenarios"); n != nil {
		r.scenarios(m, n)
	}
	m.Fit = top.Get("fit")
	if n := top.Get("record"); n != nil {
		r.looks = true
		r.record(m, n)
		r.looks = false
	}
	return m
}
