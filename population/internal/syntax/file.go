package syntax

import (
	"math"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

// A File is a model as it is written: read and in order, but with names not looked up and values not worked out.
type File struct {
	Path          string
	Name, About   string
	Unit          Unit
	Start, End    float64
	Zero          Epoch
	Record        Record
	Size          int
	SizeAt        diag.Place
	SizeBad       bool
	Most          int // how many may be alive at once
	MostBad       bool
	Groups        []StartGroup // one, if there is a plain start
	Grouped       bool         // they are written as groups
	StartsAt      diag.Place
	StartsBad     bool
	Age           Value // of those who are there at the start, if it is given
	Parameters    []NamedValue
	Changed       map[string]bool // parameters that were asked to be another
	States        []State
	StatesBad     bool            // none could be read
	Refused       map[string]bool // names that states cannot have
	Always        []Clock
	Births        []Entry
	Immigration   []Entry
	Transmission  []Contact
	Interventions []Intervention
	Scenarios     []Scenario
	Fit           *yaml.Node
	Attributes    []Attribute
}

// Parse reads a model file.
func (r *Reader) Parse(source []byte) *File {
	doc := r.Document(source)
	if doc == nil {
		return nil
	}
	r.replaceNodes(doc)
	top := r.Fields(doc, "the model", "name: sir", "name", "about", "time", "population", "parameters", "states", "always", "births",
		"immigration", "transmission", "interventions", "attributes", "record", "scenarios", "fit")
	if top == nil {
		return nil
	}
	// An expression may name a parameter that is defined after it.
	if n := top.Get("parameters"); n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			r.Defined[r.Resolve(n.Content[i]).Value] = true
		}
	}
	m := &File{Path: r.file, End: math.NaN(), Most: 500_000_000, Refused: map[string]bool{}, Changed: map[string]bool{}}
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
		m.Unit = Units[3] // so that what follows can be checked
	}
	m.SizeBad, m.StartsBad, m.StatesBad = true, true, true
	if n := top.Need("population", "{size: 1000, start: {susceptible: rest}}"); n != nil {
		r.population(m, n)
	}
	if n := top.Get("parameters"); n != nil {
		all := r.Pairs(n, "parameters", "{beta: 0.5 per day}")
		if len(all) > maxParameters {
			r.Fail(n, "parameters: %d parameters are more than the %d there can be", len(all), maxParameters)
		}
		for i, p := range all {
			if !r.checkName(p.Key, "parameters", p.Name) {
				continue
			}
			v := Value{At: r.Place(p.Value), Bad: true}
			if i < maxParameters {
				v = r.Value(p.Value, "parameters: "+p.Name, KindAny)
			}
			m.Parameters = append(m.Parameters, NamedValue{Ref{Name: p.Name, At: r.Place(p.Key)}, v, p.Value})
		}
	}
	if n := top.Get("attributes"); n != nil {
		r.attributes(m, n)
	}
	if n := top.Need("states", "{susceptible: {}, infectious: {}}"); n != nil {
		r.states(m, n)
	}
	if n := top.Get("always"); n != nil {
		m.Always, _ = r.clocks(n, "always", "after", "rate", "to", "move", "name", "from", "chance", "where")
	}
	if n := top.Get("births"); n != nil {
		m.Births = r.entries(n, "births", "{rate: 0.012 per year, enter: susceptible}", "rate", "enter", "from", "where", "inherit", "name")
	}
	if n := top.Get("immigration"); n != nil {
		m.Immigration = r.entries(n, "immigration", "{rate: 500 per year, enter: susceptible}", "rate", "per", "enter", "age", "with", "name")
	}
	if n := top.Get("transmission"); n != nil {
		r.transmission(m, n)
	}
	if n := top.Get("interventions"); n != nil {
		r.interventions(m, n)
	}
	if n := top.Get("scenarios"); n != nil {
		r.scenarios(m, n)
	}
	m.Fit = top.Get("fit") // a run has no use for it; see Model.Check
	if n := top.Get("record"); n != nil {
		r.record(m, n)
	}
	return m
}
