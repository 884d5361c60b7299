package compile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/portable"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// A Model is a model file together with the program it was compiled to.
type Model struct {
	File    *syntax.File
	Start   Scope // what the parameters stand for at the start
	Program *program.Program
	Starts  []*syntax.StartShare // where each of Program.StartGroups is written
	Entries int                  // number of table entries, see reserveEntries
	Asked   syntax.Changes       // what was asked for in place of what the file says
	Tables  map[string][]byte    // the table files it names, by name
}

// A compiler turns one syntax tree into one program.
type compiler struct {
	*diag.List
	file               *syntax.File
	program            *program.Program
	here               Scope // at the start of the run
	startSyntax        []*syntax.StartShare
	states             map[string]uint16
	phases             map[string]*program.Phase // by the values of the settable parameters
	nameIndexes        map[string]int            // indexes into program.Names
	settable           []string                  // parameters that interventions set, in file order
	lastChange         int                       // number of the latest change of parameters, see Parameter.change
	lifelongAfter      []syntax.Value            // the durations of Phase.Always, for messages; of the phase being built
	entries            int                       // number of table entries so far, see reserveEntries
	rateEvents         [][]*rateEvent            // by state; of the phase being built
	actions            map[*syntax.Clock]program.Action
	conditionsOf       map[*syntax.Where][]program.Condition
	timeVaryings       map[timeVaryingShape][]*program.TimeVarying
	interventionSyntax map[*program.Intervention]*syntax.Intervention // where each intervention is written
	stateAfter         map[*program.Effect]parameterState             // the parameter state that each effect leads to
}

// Text reads and compiles a model file, with changes.
func Text(name string, source []byte, c syntax.Changes) (*Model, error) {
	list := &diag.List{}
	r := syntax.NewReader(list, name)
	c.Set = slices.Clone(c.Set) // the reader stores nodes in it
	r.Asked = c
	r.Tables = &syntax.TableFiles{Read: c.Files, Have: map[string][]byte{}, Failed: map[string]error{}}
	f := r.Parse(source)
	if f == nil || list.Stopped {
		return nil, list.Err()
	}
	r.Apply(f, c)
	Intervals(f, list)
	m := File(f, list)
	if err := list.Err(); err != nil {
		return nil, err
	}
	m.Asked, m.Tables = c, r.Tables.Have
	return m, nil
}

// With compiles the same file again with other values of some of its parameters.
func (m *Model) With(values []syntax.NamedValue) (*Model, error) {
	file, asked := *m.File, m.Asked
	file.Parameters, file.Changed, asked.Set = slices.Clone(file.Parameters), maps.Clone(file.Changed), slices.Clone(asked.Set)
	for _, v := range values {
		p := &file.Parameters[slices.IndexFunc(file.Parameters, func(p syntax.NamedValue) bool { return p.Label.Name == v.Label.Name })]
		p.Value, p.Node = v.Value, v.Node
		file.Changed[v.Label.Name] = true
		asked.Set = append(asked.Set, syntax.Setting{Name: v.Label.Name, Text: v.Node.Value, Node: v.Node})
	}
	list := &diag.List{}
	with := File(&file, list)
	if err := list.Err(); err != nil {
		return nil, err
	}
	with.Asked, with.Tables = asked, m.Tables
	return with, nil
}

// File compiles a syntax tree. The result is usable only if no problems were added to the list.
func File(f *syntax.File, list *diag.List) *Model {
	m := &program.Program{
		Name: f.Name, Unit: f.Unit.Name, Seconds: f.Unit.Seconds, Start: f.Start, End: f.End, Size: f.Size, Most: f.Most,
	}
	c := &compiler{List: list, file: f, program: m, states: map[string]uint16{}, phases: map[string]*program.Phase{}, nameIndexes: map[string]int{}, lastChange: 1,
		actions: map[*syntax.Clock]program.Action{}, conditionsOf: map[*syntax.Where][]program.Condition{}, timeVaryings: map[timeVaryingShape][]*program.TimeVarying{}, interventionSyntax: map[*program.Intervention]*syntax.Intervention{}, stateAfter: map[*program.Effect]parameterState{}}
	c.compile()
	return &Model{File: f, Start: c.here, Program: m, Starts: c.startSyntax, Entries: c.entries}
}

// Quietly returns the scope of the start with a list of problems of its own. They are discarded:
// the model has been compiled, so there should be none.
func (m *Model) Quietly() Scope {
	here := NewScope(&diag.List{}, m.File.Unit)
	here.parameters, here.sets, here.attributes, here.states = m.Start.parameters, m.Start.sets, m.Start.attributes, m.Start.states
	here.Zero, here.start, here.end = m.Start.Zero, m.Start.start, m.Start.end
	return here
}

// compile fills in the program, and stops early if problems make the rest meaningless.
func (c *compiler) compile() {
	f, m := c.file, c.program
	// Arithmetic on times leaves rounding errors in their last digits, and these must not decide
	// which event comes first: 3 · 0.3 is not 0.9.
	m.Slack = 4 * max(portable.ULP(f.Start), portable.ULP(f.End))
	for i, s := range f.States {
		m.States = append(m.States, s.Name)
		c.states[s.Name] = uint16(i)
	}
	for _, a := range f.Attributes {
		kept := program.Attribute{Name: a.Name}
		for _, v := range a.Values {
			kept.Values = append(kept.Values, v.Name)
		}
		m.Attributes = append(m.Attributes, kept)
	}
	if slices.ContainsFunc(m.Attributes, func(a program.Attribute) bool { return len(a.Values) == 0 }) && c.Found > 0 {
		return // tables by this attribute cannot be read
	}
	if len(m.Attributes) > 250 {
		c.Add(f.Attributes[250].At, "attributes: %d are more than the 250 there can be", len(m.Attributes))
		return
	}
	m.Mixes = make([]bool, len(m.Attributes))
	here := NewScope(c.List, f.Unit)
	for _, p := range f.Parameters {
		kept := Parameter{Value: p.Value, what: "parameters: " + p.Label.Name}
		if f.Changed[p.Label.Name] {
			kept.change = 1
		}
		here.parameters[p.Label.Name] = kept
	}
	here.attributes, here.sets, here.states = m.Attributes, map[string][]syntax.Value{}, m.States
	here.changedAtStart = len(f.Changed) > 0
	here.Zero, here.start, here.end = f.Zero, m.Start, m.End
	for i := range f.Interventions {
		for _, set := range f.Interventions[i].Set {
			here.sets[set.Label.Name] = append(here.sets[set.Label.Name], set.Value)
		}
	}
	c.here = here
	c.startGroups(here)
	for _, p := range f.Parameters {
		if len(here.sets[p.Label.Name]) > 0 {
			c.settable = append(c.settable, p.Label.Name)
		}
	}
	c.checkParameters(here)
	if c.Found > diag.Most { // the list of problems is full
		return
	}
	c.numberNames()
	m.First = c.phase(here)
	c.startSince(here)
	c.schedule(here)
	c.recordTimes(here)
	c.groupings()
	c.listFlows()
	c.checkRecordSize()
	for i := range m.First.States {
		m.Timers = max(m.Timers, m.First.States[i].Timers)
	}
}

// checkParameters checks each parameter where it is defined, so that a mistake is reported there,
// even if the parameter is never used.
func (c *compiler) checkParameters(here Scope) {
	for _, p := range c.file.Parameters {
		if here.complexity(p.Label.Name).circular {
			here.reportValue(p.Value, p.Value.At, "parameters: %s: the parameter %s stands for itself", p.Label.Name,
				diag.Quote(p.Label.Name))
		}
	}
	for _, p := range c.file.Parameters {
		if c.Found > diag.Most {
			return
		}
		if p.Name != "" || here.checkComplexity(p.Label.Name) {
			here.checkDefinition(p.Value, "parameters: "+p.Label.Name)
		}
	}
}

// phase returns the tables for the parameters of a scope. Each is built once.
func (c *compiler) phase(here Scope) *program.Phase {
	if c.Stopped {
		return c.program.Phases[0]
	}
	var key strings.Builder
	for _, name := range c.settable {
		v, _ := here.Parameter(name)
		fmt.Fprintf(&key, "%s:%d:%d:%s;", v.At.File, v.At.Line, v.At.Column, v.Text)
	}
	t, ok := c.phases[key.String()]
	if !ok {
		t = c.newPhase(here)
		c.phases[key.String()] = t
		c.program.Phases = append(c.program.Phases, t)
	}
	return t
}

// newPhase builds all tables that a run reads while the parameters are those of a scope.
func (c *compiler) newPhase(here Scope) *program.Phase {
	t := &program.Phase{States: make([]program.State, len(c.program.States))}
	c.lifelongAfter, c.rateEvents = nil, make([][]*rateEvent, len(c.file.States))
	for i := range c.file.Attributes {
		t.Attributes = append(t.Attributes, c.attributeShares(here, &c.file.Attributes[i]))
	}
	for i := range c.file.States {
		c.addStateRates(here, i)
	}
	for i := range c.file.Always {
		c.always(here, t, &c.file.Always[i])
	}
	for i := range c.file.Births {
		b := &c.file.Births[i]
		do := program.Action{Verb: program.DoBirth, In: &program.Entry{Given: c.givenAttributes(nil, "",
			c.inheritedAttributes(b))}, Name: c.nameIndex(b.Name), Chance: 1}
		c.entryStates(here, &b.Enter, b.What+": enter", do.In)
		c.addRateEvent(c.stateSet(b.From, b.What+": from"), c.newRateEvent(here, rateEvent{what: b.What, rate: b.Rate, where: c.conditions(b.Where, b.What+": where"), do: do}))
	}
	for i := range c.file.Transmission {
		c.contact(here, t, &c.file.Transmission[i])
	}
	for i := range c.file.States {
		if c.Stopped {
			break
		}
		c.stateTable(here, t, i)
	}
	// Individuals who are there at the start are drawn once, by the first phase.
	if c.file.Age.Given() && !c.file.Age.Bad && c.program.First == nil {
		t.Ages = c.ages(here, t, &program.Entry{}, c.file.Age, "population: age")
	}
	for i := range c.file.Immigration {
		e := &c.file.Immigration[i]
		var a program.Immigration
		factor := 1.0
		if e.Per.Given() {
			if per, ok := here.Positive(e.Per, e.What+": per"); ok {
				factor = float64(c.file.Size) / per
			}
		}
		if d := here.Depends(e.Rate); d.Time || d.Counts {
			var changing *program.TimeVarying
			if changing, a.Rate = c.timeVarying(here, e.Rate, e.What+": rate", syntax.KindRate); changing != nil {
				a.Varying = []program.VaryingRate{{Rate: changing, Factor: factor, What: e.What}}
			}
		} else {
			a.Rate, _ = here.Rate(e.Rate, e.What+": rate")
		}
		a.Rate *= factor
		a.Name, a.In.Given = c.nameIndex(e.Name), c.givenAttributes(e.With, e.What+": with", nil)
		c.entryStates(here, &e.Enter, e.What+": enter", &a.In)
		if e.Age.Given() {
			a.In.Age = c.ages(here, t, &a.In, e.Age, e.What+": age")
		}
		t.Immigration = append(t.Immigration, a)
	}
	c.thresholds(here, t)
	t.Mark()
	return t
}
