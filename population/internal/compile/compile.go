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
	f          *syntax.File
	m          *program.Program
	here       Scope // at the start
	startTexts []*syntax.StartShare
	states     map[string]uint16
	phases     map[string]*program.Phase // by the values that are in force
	names      map[string]int            // by which something is counted
	settable   []string                  // parameters that interventions change, in the order of the file
	turns      int                       // how often parameters have been changed, --set included
	afters     []syntax.Value            // of the clocks of always that are carried along
	entries    int                       // of the tables, see room
	lines      [][]*rateLine             // what happens at a rate, by state
	actions    map[*syntax.Clock]program.Action
	wheres     map[*syntax.Where][]program.Condition
	courses    map[courseShape][]*program.TimeVarying
	texts      map[*program.Intervention]*syntax.Intervention // what is written of the interventions
	after      map[*program.Effect]standing                   // what the parameters stand for once an intervention is done
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
	c := &compiler{List: list, f: f, m: m, states: map[string]uint16{}, phases: map[string]*program.Phase{}, names: map[string]int{}, turns: 1,
		actions: map[*syntax.Clock]program.Action{}, wheres: map[*syntax.Where][]program.Condition{}, courses: map[courseShape][]*program.TimeVarying{}, texts: map[*program.Intervention]*syntax.Intervention{}, after: map[*program.Effect]standing{}}
	c.compile()
	return &Model{File: f, Start: c.here, Program: m, Starts: c.startTexts, Entries: c.entries}
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
	f, m := c.f, c.m
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
	here.asked = len(f.Changed) > 0
	here.Zero, here.start, here.end = f.Zero, m.Start, m.End
	for i := range f.Interventions {
		for _, set := range f.Interventions[i].Set {
			here.sets[set.Label.Name] = append(here.sets[set.Label.Name], set.Value)
		}
	}
	c.here = here
	c.starts(here)
	for _, p := range f.Parameters {
		if len(here.sets[p.Label.Name]) > 0 {
			c.settable = append(c.settable, p.Label.Name)
		}
	}
	c.parameters(here)
	if c.Found > diag.Most { // enough to do
		return
	}
	c.nameAll()
	m.First = c.phase(here)
	c.sinces(here)
	c.plan(here)
	c.records(here)
	c.groupings()
	c.enumerate()
	c.recordable()
	for i := range m.First.States {
		m.Timers = max(m.Timers, m.First.States[i].Timers)
	}
}

// parameters looks at the parameters where they are defined, so that a mistake in one is reported there, and also if it is used
// nowhere.
func (c *compiler) parameters(here Scope) {
	for _, p := range c.f.Parameters {
		if here.weigh(p.Label.Name).circular {
			here.complain(p.Value, p.Value.At, "parameters: %s: the parameter %s stands for itself", p.Label.Name, diag.Quote(p.Label.Name))
		}
	}
	for _, p := range c.f.Parameters {
		if c.Found > diag.Most {
			return
		}
		if p.Name != "" || here.bearable(p.Label.Name) {
			here.examine(p.Value, "parameters: "+p.Label.Name)
		}
	}
}

// phase is the tables for what the parameters stand for, made once.
func (c *compiler) phase(here Scope) *program.Phase {
	if c.Stopped {
		return c.m.Phases[0]
	}
	var key strings.Builder
	for _, name := range c.settable {
		v, _ := here.Parameter(name)
		fmt.Fprintf(&key, "%s:%d:%d:%s;", v.At.File, v.At.Line, v.At.Column, v.Text)
	}
	t, ok := c.phases[key.String()]
	if !ok {
		t = c.tables(here)
		c.phases[key.String()] = t
		c.m.Phases = append(c.m.Phases, t)
	}
	return t
}

// tables works out all that a run looks up, as the parameters are in a scope.
func (c *compiler) tables(here Scope) *program.Phase {
	t := &program.Phase{States: make([]program.State, len(c.m.States))}
	c.afters, c.lines = nil, make([][]*rateLine, len(c.f.States))
	for i := range c.f.Attributes {
		t.Attributes = append(t.Attributes, c.shares(here, &c.f.Attributes[i]))
	}
	for i := range c.f.States {
		c.stateClocks(here, i)
	}
	for i := range c.f.Always {
		c.always(here, t, &c.f.Always[i])
	}
	for i := range c.f.Births {
		b := &c.f.Births[i]
		do := program.Action{Verb: program.DoBirth, In: &program.Entry{Given: c.given(nil, "", c.inherited(b))}, Name: c.name(b.Name), Chance: 1}
		c.into(here, &b.Enter, b.What+": enter", do.In)
		c.everywhere(c.set(b.From, b.What+": from"), c.line(here, rateLine{what: b.What, rate: b.Rate, where: c.conditions(b.Where, b.What+": where"), do: do}))
	}
	for i := range c.f.Transmission {
		c.contact(here, t, &c.f.Transmission[i])
	}
	for i := range c.f.States {
		if c.Stopped {
			break
		}
		c.build(here, t, i)
	}
	if c.f.Age.Given() && !c.f.Age.Bad && c.m.First == nil { // those who are there at the start do not become others by an intervention
		t.Ages = c.ages(here, t, &program.Entry{}, c.f.Age, "population: age")
	}
	for i := range c.f.Immigration {
		e := &c.f.Immigration[i]
		var a program.Immigration
		factor := 1.0
		if e.Per.Given() {
			if per, ok := here.Positive(e.Per, e.What+": per"); ok {
				factor = float64(c.f.Size) / per
			}
		}
		if d := here.Depends(e.Rate); d.Time || d.Counts {
			var changing *program.TimeVarying
			if changing, a.Rate = c.course(here, e.Rate, e.What+": rate", syntax.KindRate); changing != nil {
				a.Varying = []program.VaryingRate{{Rate: changing, Factor: factor, What: e.What}}
			}
		} else {
			a.Rate, _ = here.Rate(e.Rate, e.What+": rate")
		}
		a.Rate *= factor
		a.Name, a.In.Given = c.name(e.Name), c.given(e.With, e.What+": with", nil)
		c.into(here, &e.Enter, e.What+": enter", &a.In)
		if e.Age.Given() {
			a.In.Age = c.ages(here, t, &a.In, e.Age, e.What+": age")
		}
		t.Immigration = append(t.Immigration, a)
	}
	c.limits(here, t)
	t.Mark()
	return t
}
