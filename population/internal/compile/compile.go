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

// A Model model is a file, and the program that it was compiled to.
type Model struct {
	File    *syntax.File
	Start   Scope // at the start
	Program *program.Program
	Starts  []*syntax.StartShare // what is written of program.begin
	Entries int                  // of the tables that it is run by
	Asked   syntax.Changes       // in place of what the file says
	Tables  map[string][]byte    // that the file names
}

// A compiler turns a file into a model: it looks names up, and works values out for each of the times between
// interventions.
type compiler struct {
	*diag.List
	file               *syntax.File
	program            *program.Program
	here               Scope // at the start
	startSyntax        []*syntax.StartShare
	states             map[string]uint16
	phases             map[string]*program.Phase // by the values that are in force
	nameIndexes        map[string]int            // by which something is counted
	settable           []string                  // parameters that interventions change, in the order of the file
	lastChange         int                       // how often parameters have been changed, --set included
	lifelongAfter      []syntax.Value            // of the clocks of always that are carried along
	entries            int                       // of the tables, see room
	rateEvents         [][]*rateEvent            // what happens at a rate, by state
	actions            map[*syntax.Clock]program.Action
	conditionsOf       map[*syntax.Where][]program.Condition
	timeVaryings       map[timeVaryingShape][]*program.TimeVarying
	interventionSyntax map[*program.Intervention]*syntax.Intervention // what is written of the interventions
	stateAfter         map[*program.Effect]parameterState             // what the parameters stand for once an intervention is done
}

// Text reads and compiles a file, with changes.
func Text(name string, source []byte, c syntax.Changes) (*Model, error) {
	list := &diag.List{}
	r := syntax.NewReader(list, name)
	c.Set = slices.Clone(c.Set) // what they say is noted there
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

// With compiles the file, which has been read, with other values of some of its parameters.
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

// File compiles a file. What it returns is of use if no problems have been found.
func File(f *syntax.File, list *diag.List) *Model {
	m := &program.Program{
		Name: f.Name, Unit: f.Unit.Name, Seconds: f.Unit.Seconds, Start: f.Start, End: f.End, Size: f.Size, Most: f.Most,
	}
	c := &compiler{List: list, file: f, program: m, states: map[string]uint16{}, phases: map[string]*program.Phase{}, nameIndexes: map[string]int{}, lastChange: 1,
		actions: map[*syntax.Clock]program.Action{}, conditionsOf: map[*syntax.Where][]program.Condition{}, timeVaryings: map[timeVaryingShape][]*program.TimeVarying{}, interventionSyntax: map[*program.Intervention]*syntax.Intervention{}, stateAfter: map[*program.Effect]parameterState{}}
	c.compile()
	return &Model{File: f, Start: c.here, Program: m, Starts: c.startSyntax, Entries: c.entries}
}

// Quietly is the scope of the start, in which complaints, of which there should be none, go nowhere.
func (m *Model) Quietly() Scope {
	here := NewScope(&diag.List{}, m.File.Unit)
	here.parameters, here.sets, here.attributes, here.states = m.Start.parameters, m.Start.sets, m.Start.attributes, m.Start.states
	here.Zero, here.start, here.end = m.Start.Zero, m.Start.start, m.Start.end
	return here
}

// compile does so, as far as problems let it.
func (c *compiler) compile() {
	f, m := c.file, c.program
	// Arithmetic on times leaves noise in their last places, which must not decide what comes first: three times 0.3 is 0.9.
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
		return // what is by it cannot be worked out
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
	if c.Found > diag.Most { // enough to do
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

// checkParameters looks at the parameters where they are defined, so that a mistake in one is reported there, and also if it is used
// nowhere.
func (c *compiler) checkParameters(here Scope) {
	for _, p := range c.file.Parameters {
		if here.complexity(p.Label.Name).circular {
			here.reportValue(p.Value, p.Value.At, "parameters: %s: the parameter %s stands for itself", p.Label.Name, diag.Quote(p.Label.Name))
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

// phase is the tables for what the parameters stand for, made once.
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

// newPhase works out all that a run looks up, as the parameters are in a scope.
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
		do := program.Action{Verb: program.DoBirth, In: &program.Entry{Given: c.givenAttributes(nil, "", c.inheritedAttributes(b))}, Name: c.nameIndex(b.Name), Chance: 1}
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
	if c.file.Age.Given() && !c.file.Age.Bad && c.program.First == nil { // those who are there at the start do not become others by an intervention
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
