package compile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/detmath"
	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/syntax"
	"github.com/almanac-sim/almanac/population/internal/tablefile"
)

// A Model is a model file together with the program it was compiled to.
type Model struct {
	File         *syntax.File
	Start        eval.Scope // what the parameters stand for at the start
	Program      *program.Program
	StartShares  []*syntax.StartShare // where each of Program.StartGroups is written
	TableEntries int                  // number of table entries, see reserveEntries
	Changes      syntax.Changes       // what was asked for in place of what the file says
	Tables       map[string][]byte    // the table files it names, by name

	Mixing map[*syntax.Contact]*Mixing // the matrices of its contacts
}

// A compiler turns one syntax tree into one program.
type compiler struct {
	*diag.List
	file               *syntax.File
	program            *program.Program
	here               eval.Scope // at the start of the run
	startSyntax        []*syntax.StartShare
	states             map[string]uint16
	phases             map[string]*program.Phase // by the values of the settable parameters
	nameIndexes        map[string]int            // indexes into program.Names
	clockNames         int                       // how many of them are not only of interventions
	settable           []string                  // parameters that interventions set, in file order
	lastChange         int                       // number of the latest change of parameters, see Parameter.change
	entries            int                       // number of table entries so far, see reserveEntries
	actions            map[*syntax.Clock]program.Action
	conditionsOf       map[*syntax.Where][]program.Condition
	timeVaryings       map[timeVaryingShape][]*program.TimeVarying
	interventionSyntax map[*program.Intervention]*syntax.Intervention // where each intervention is written
	stateAfter         map[*program.Effect]parameterState             // the parameter state that each effect leads to
	startGroupSyntax   []*syntax.StartGroup                           // where the group of each of startSyntax is written
	bands              map[int]*program.Band                          // by attribute: those that follow the age
	windows            map[windowKey]int                              // indexes into program.Windows
	windowSyntax       []*syntax.Condition                            // where each of program.Windows is written, first
	windowWhat         []string                                       // how messages name it
	watched            map[*syntax.Where]int                          // indexes into program.Watched
	watchedValues      map[watchedValue]int                           // likewise
	mixings            map[*syntax.Contact]*Mixing
	machineFlows       []flowSet                                      // by machine: those that are possible
	enterMissing       map[int]bool                                   // by machine: that has been reported
	fileGifts          map[*syntax.Move]*program.ByCell[program.Gift] // of moves whose table is in a file

	sourceClocks  []*syntax.Clock       // those with a source
	sourceIndexes map[*syntax.Clock]int // indexes into them, plus 1

	// Of the phase that is being built.
	childEntries map[*syntax.Clock]*program.Entry
	rateEvents   [][]*rateEvent // by state
	alwaysAfter  []syntax.Value // the durations of Phase.Always, for messages
}

// Text reads and compiles a model file, with changes.
func Text(name string, source []byte, c syntax.Changes) (*Model, error) {
	list := &diag.List{}
	r := syntax.NewReader(list, name)
	c = c.Clone() // the reader stores nodes in its settings
	r.Changes = c
	r.Tables = &tablefile.Files{Read: c.ReadFile, Contents: map[string][]byte{}, Failed: map[string]error{},
		Open: c.OpenFile, Progress: c.Progress, Cache: c.Cache}
	f := r.Parse(source)
	if f == nil || list.Stopped {
		return nil, list.Err()
	}
	r.Apply(f, c)
	r.ReadPeople(f)
	r.ReadLinks(f)
	ResolveIntervals(f, list)
	m := File(f, list)
	if err := list.Err(); err != nil {
		return nil, err
	}
	m.Changes, m.Tables = c, r.Tables.Contents
	return m, nil
}

// With compiles the same file again with other values of some of its parameters.
func (m *Model) With(values []syntax.NamedValue) (*Model, error) {
	file, asked := *m.File, m.Changes
	file.Parameters, file.Overridden = slices.Clone(file.Parameters), maps.Clone(file.Overridden)
	asked.Set = slices.Clone(asked.Set)
	for _, v := range values {
		i := slices.IndexFunc(file.Parameters, func(p syntax.NamedValue) bool { return p.Label.Name == v.Label.Name })
		file.Parameters[i].Value, file.Parameters[i].Node = v.Value, v.Node
		file.Overridden[v.Label.Name] = true
		asked.Set = append(asked.Set, syntax.Setting{Name: v.Label.Name, Text: v.Node.Value, Node: v.Node})
	}
	list := &diag.List{}
	with := File(&file, list)
	if err := list.Err(); err != nil {
		return nil, err
	}
	with.Changes, with.Tables = asked, m.Tables
	return with, nil
}

// File compiles a syntax tree. The result is usable only if no problems were added to the list.
func File(f *syntax.File, list *diag.List) *Model {
	p := &program.Program{
		Name: f.Name, Unit: f.Unit.Name, UnitSeconds: f.Unit.Seconds, Start: f.Start, End: f.End, Stop: f.End,
		Size: f.Size, MaxSize: f.Most, StateAttribute: -1,
	}
	c := &compiler{
		List: list, file: f, program: p,
		states:             map[string]uint16{},
		phases:             map[string]*program.Phase{},
		nameIndexes:        map[string]int{},
		lastChange:         1,
		childEntries:       map[*syntax.Clock]*program.Entry{},
		actions:            map[*syntax.Clock]program.Action{},
		conditionsOf:       map[*syntax.Where][]program.Condition{},
		timeVaryings:       map[timeVaryingShape][]*program.TimeVarying{},
		interventionSyntax: map[*program.Intervention]*syntax.Intervention{},
		stateAfter:         map[*program.Effect]parameterState{},
		bands:              map[int]*program.Band{},
		windows:            map[windowKey]int{},
		watched:            map[*syntax.Where]int{},
		watchedValues:      map[watchedValue]int{},
		mixings:            map[*syntax.Contact]*Mixing{},
		enterMissing:       map[int]bool{},
		sourceIndexes:      map[*syntax.Clock]int{},
		fileGifts:          map[*syntax.Move]*program.ByCell[program.Gift]{},
	}
	c.compile()
	return &Model{File: f, Start: c.here, Program: p, StartShares: c.startSyntax, TableEntries: c.entries,
		Mixing: c.mixings}
}

// StartScope returns the scope of the start with a list of problems of its own. They are discarded:
// the model has been compiled, so there should be none.
func (m *Model) StartScope() eval.Scope {
	return m.Start.AtStart(&diag.List{})
}

// ObservedScope is StartScope, with the values that parameters have after a saved state if the
// model goes on with one: what is observed is observed then.
func (m *Model) ObservedScope() eval.Scope {
	here := m.StartScope()
	for i := range m.File.Interventions {
		if p := &m.File.Interventions[i]; p.Later && m.File.FromState {
			changes := map[string]eval.Parameter{}
			for k, s := range p.Set {
				changes[s.Label.Name] = eval.Parameter{Value: s.Value, What: p.What + ": set: " + s.Label.Name, Change: k + 2}
			}
			here = here.With(changes)
		}
	}
	return here
}

// compile fills in the program, and stops early if problems make the rest meaningless.
func (c *compiler) compile() {
	f, p := c.file, c.program
	// Arithmetic on times leaves rounding errors in their last digits, and these must not decide
	// which event comes first: 3 · 0.3 is not 0.9.
	p.TimeTolerance = 4 * max(detmath.ULP(f.Start), detmath.ULP(f.End))
	if !c.listStatesAndAttributes() {
		return
	}
	c.here = c.startScope()
	c.countMachineTimers()
	c.ageBands(c.here)
	c.numbers(c.here)
	c.here.Numbers, c.here.GivenNumbers = p.Numbers, c.giveNumbers()
	c.machineStarts(c.here)
	c.startGroups(c.here)
	c.places(c.here)
	c.networks(c.here)
	c.checkDeals()
	for _, parameter := range f.Parameters {
		if name := parameter.Label.Name; len(c.here.Sets[name]) > 0 {
			c.settable = append(c.settable, name)
		}
	}
	c.checkParameters(c.here)
	if c.Stopped || c.Count > diag.MaxListed { // the list of problems is full
		return
	}
	c.listSupplies()
	c.listRemembered()
	c.numberNames()
	c.listOutcomes(c.here)
	if c.Stopped {
		return
	}
	if p.FirstPhase = c.phase(c.here); c.Stopped {
		return
	}
	c.startSince(c.here)
	c.machineSince(c.here)
	c.checkPeople(c.here)
	c.schedule(c.here)
	c.listObservations()
	c.listCalls()
	c.recordTimes(c.here)
	c.groupings()
	c.listFlows()
	c.resolveWindows()
	c.resolveOutcomes()
	c.resolveObserved()
	c.checkRecordSize()
	c.functions()
	c.listValues()
	c.numberColumns()
	p.Since = *c.here.Sinces
}

// listStatesAndAttributes copies the names of states, attributes and their values into the program.
// It reports false if values cannot be looked up by the attributes.
func (c *compiler) listStatesAndAttributes() bool {
	f, p := c.file, c.program
	for i, s := range f.States {
		p.States = append(p.States, s.Name)
		c.states[s.Name] = uint16(i)
	}
	empty := len(f.States) == 0 // the state may be asked for as an attribute is
	for _, a := range f.Attributes {
		attribute := program.Attribute{Name: a.Name}
		for _, v := range a.Values {
			attribute.Values = append(attribute.Values, v.Name)
		}
		p.Attributes = append(p.Attributes, attribute)
		empty = empty || len(a.Values) == 0
	}
	for i := range f.Machines {
		empty = empty || len(f.Machines[i].States) == 0
	}
	if empty && c.Count > 0 {
		return false
	}
	if n := len(p.Attributes); n > maxAttributes {
		c.Add(f.Attributes[maxAttributes].At, "attributes: %d are more than the %d there can be", n, maxAttributes)
		return false
	}
	if !c.listMachines() {
		return false
	}
	p.MixesBy = make([]bool, len(p.Attributes))
	c.listSameAs()
	return true
}

// listSameAs notes the attributes that begin with the value of another.
func (c *compiler) listSameAs() {
	for i := range c.file.Attributes {
		if from := c.file.Attributes[i].SameAs; from.Given() && !from.Bad {
			if c.program.SameAs == nil {
				c.program.SameAs = slices.Repeat([]int{-1}, len(c.program.Attributes))
			}
			c.program.SameAs[i] = c.program.Attributes.Index(from.Name)
		}
	}
}

// startScope returns the scope of the start of the run.
func (c *compiler) startScope() eval.Scope {
	f, p := c.file, c.program
	here := eval.NewScope(c.List, f.Unit)
	for _, named := range f.Parameters {
		name := named.Label.Name
		parameter := eval.Parameter{Value: named.Value, What: "parameters: " + name}
		if f.Overridden[name] {
			parameter.Change = 1
		}
		here.Define(name, parameter)
	}
	here.Attributes, here.States, here.Machines = p.Attributes, p.Counted, p.Machines
	here.Group = func(name string) int {
		if !c.isValue(name) {
			return -1
		}
		return c.watchValue(name, -1)
	}
	here.Zero, here.Start, here.End, here.CutEnd = f.Epoch, p.Start, p.End, f.CutEnd
	here.Sizes = c.sizes()
	here.Sets = map[string][]syntax.Value{}
	for i := range f.Interventions {
		for _, set := range f.Interventions[i].Set {
			here.Sets[set.Label.Name] = append(here.Sets[set.Label.Name], set.Value)
		}
	}
	return here
}

// checkParameters checks each parameter where it is defined, so that a mistake is reported there,
// even if the parameter is never used.
func (c *compiler) checkParameters(here eval.Scope) {
	for _, p := range c.file.Parameters {
		if here.Circular(p.Label.Name) {
			here.Report(p.Value, p.Value.At, "parameters: %s: the parameter %s stands for itself", p.Label.Name,
				diag.Quote(p.Label.Name))
		}
	}
	for _, p := range c.file.Parameters {
		if c.Count > diag.MaxListed {
			return
		}
		if p.Name != "" || here.CheckComplexity(p.Label.Name) {
			here.CheckDefinition(p.Value, "parameters: "+p.Label.Name)
		}
	}
}

// phase returns the tables for the parameters of a scope. Each is built once.
func (c *compiler) phase(here eval.Scope) *program.Phase {
	if c.Stopped {
		return c.program.Phases[0]
	}
	var key strings.Builder
	settings := map[string]string{}
	for _, name := range c.settable {
		v, _ := here.Parameter(name)
		settings[name] = v.Text
		fmt.Fprintf(&key, "%s:%d:%d:%s;", v.At.File, v.At.Line, v.At.Column, v.Text)
	}
	t, ok := c.phases[key.String()]
	if !ok {
		t = c.newPhase(here)
		t.Settings = settings
		c.phases[key.String()] = t
		c.program.Phases = append(c.program.Phases, t)
	}
	return t
}

// newPhase builds all tables that a run reads while the parameters are those of a scope.
func (c *compiler) newPhase(here eval.Scope) *program.Phase {
	t := &program.Phase{States: make([]program.State, len(c.program.States))}
	clear(c.childEntries)
	c.alwaysAfter, c.rateEvents = nil, make([][]*rateEvent, len(c.file.States))
	for i := range c.file.Attributes {
		if c.file.Attributes[i].ByAge {
			t.Attributes = append(t.Attributes, nil)
			continue
		}
		if c.program.SameAs != nil && c.program.SameAs[i] >= 0 {
			t.Attributes = append(t.Attributes, t.Attributes[c.program.SameAs[i]])
			continue
		}
		t.Attributes = append(t.Attributes, attributeShares(here, &c.file.Attributes[i]))
	}
	for range len(c.program.Attributes) - len(t.Attributes) {
		t.Attributes = append(t.Attributes, nil) // machines, and the state
	}
	c.bandClocks(t)
	for i := range c.file.States {
		c.addStateRates(here, i)
	}
	for m := range c.file.Machines {
		c.machineRates(here, m)
	}
	for i := range c.file.Always {
		c.always(here, t, i)
	}
	for i := range c.file.Births {
		c.birth(here, &c.file.Births[i])
	}
	for i := range c.file.Transmission {
		c.contact(here, t, &c.file.Transmission[i])
	}
	for i := range c.program.Networks {
		c.linkEnds(here, i)
	}
	for i := range c.file.Tracing {
		t.Tracing = append(t.Tracing, c.tracing(here, &c.file.Tracing[i]))
	}
	for i := range c.file.States {
		if c.Stopped {
			break
		}
		c.stateTable(here, t, i)
	}
	for m := range c.file.Machines {
		if c.Stopped {
			break
		}
		t.Machines = append(t.Machines, c.machineTables(here, t, m))
	}
	// Ages at the start are drawn once, by the first phase.
	if c.file.Age.Given() && !c.file.Age.Bad && c.program.FirstPhase == nil {
		t.Ages = c.ages(here, t, &program.Entry{}, c.file.Age, "population: age")
	}
	for i := range c.file.Immigration {
		t.Immigration = append(t.Immigration, c.immigration(here, t, &c.file.Immigration[i]))
	}
	for i := range c.program.Networks {
		t.Networks = append(t.Networks, c.networkTable(here, i))
	}
	c.thresholds(here, t)
	c.outcomeTables(here, t)
	c.sources(here, t)
	c.observationTables(here, t)
	c.recordedValues(here, t)
	t.SetFlags()
	return t
}

// sizes returns how many may be alive, by size class. If nobody can enter there is one class, the
// size at the start. Otherwise the first has room for twice as many, and each for twice as many as
// the one before.
func (c *compiler) sizes() []int {
	f := c.file
	if !f.CanEnter() {
		return []int{f.Size}
	}
	twice := func(n int) int { return n + min(n, math.MaxInt-n) } // an int may have 32 bits
	all := []int{max(twice(f.Size), 64)}
	for all[len(all)-1] < f.Most {
		all = append(all, twice(all[len(all)-1]))
	}
	return all
}
