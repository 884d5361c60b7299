package population

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/almanac-sim/almanac/internal/portable"
)

// A compiler turns a file into a model: it looks names up, and works values out for each of the times between
// interventions.
type compiler struct {
	*problemList
	f          *file
	m          *program
	here       scope // at the start
	startTexts []*startShare
	states     map[string]uint16
	phases     map[string]*tables // by the values that are in force
	names      map[string]int     // by which something is counted
	settable   []string           // parameters that interventions change, in the order of the file
	turns      int                // how often parameters have been changed, --set included
	afters     []value            // of the clocks of always that are carried along
	entries    int                // of the tables, see room
	lines      [][]*rateLine      // what happens at a rate, by state
	actions    map[*clockText]action
	wheres     map[*whereText][]condition
	courses    map[courseShape][]*course
	texts      map[*deed]*planText // what is written of the interventions
	after      map[*turn]standing  // what the parameters stand for once an intervention is done
}

// A compiled model is a file, and the program that it was compiled to.
type compiled struct {
	file    *file
	here    scope // at the start
	program *program
	starts  []*startShare     // what is written of program.begin
	entries int               // of the tables that it is run by
	asked   changes           // in place of what the file says
	tables  map[string][]byte // that the file names
}

// compileText reads and compiles a file, with changes.
func compileText(name string, source []byte, c changes) (*compiled, error) {
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
	intervals(f, list)
	m := compile(f, list)
	if err := list.err(); err != nil {
		return nil, err
	}
	m.asked, m.tables = c, r.tables.have
	return m, nil
}

// with compiles the file, which has been read, with other values of some of its parameters.
func (m *compiled) with(values []namedValue) (*compiled, error) {
	file, asked := *m.file, m.asked
	file.parameters, file.changed, asked.set = slices.Clone(file.parameters), maps.Clone(file.changed), slices.Clone(asked.set)
	for _, v := range values {
		p := &file.parameters[slices.IndexFunc(file.parameters, func(p namedValue) bool { return p.label.name == v.label.name })]
		p.value, p.node = v.value, v.node
		file.changed[v.label.name] = true
		asked.set = append(asked.set, setting{name: v.label.name, text: v.node.Value, node: v.node})
	}
	list := &problemList{}
	with := compile(&file, list)
	if err := list.err(); err != nil {
		return nil, err
	}
	with.asked, with.tables = asked, m.tables
	return with, nil
}

// compile compiles a file. What it returns is of use if no problems have been found.
func compile(f *file, list *problemList) *compiled {
	m := &program{
		name: f.name, unit: f.unit.name, seconds: f.unit.seconds, start: f.start, end: f.end, size: f.size, most: f.most,
	}
	c := &compiler{problemList: list, f: f, m: m, states: map[string]uint16{}, phases: map[string]*tables{}, names: map[string]int{}, turns: 1,
		actions: map[*clockText]action{}, wheres: map[*whereText][]condition{}, courses: map[courseShape][]*course{}, texts: map[*deed]*planText{}, after: map[*turn]standing{}}
	c.compile()
	return &compiled{file: f, here: c.here, program: m, starts: c.startTexts, entries: c.entries}
}

// quietly is the scope of the start, in which complaints, of which there should be none, go nowhere.
func (m *compiled) quietly() scope {
	here := newScope(&problemList{}, m.file.unit)
	here.parameters, here.sets, here.attributes, here.states = m.here.parameters, m.here.sets, m.here.attributes, m.here.states
	here.zero, here.start, here.end = m.here.zero, m.here.start, m.here.end
	return here
}

// compile does so, as far as problems let it.
func (c *compiler) compile() {
	f, m := c.f, c.m
	// Arithmetic on times leaves noise in their last places, which must not decide what comes first: three times 0.3 is 0.9.
	m.slack = 4 * max(portable.ULP(f.start), portable.ULP(f.end))
	for i, s := range f.states {
		m.states = append(m.states, s.name)
		c.states[s.name] = uint16(i)
	}
	for _, a := range f.attributes {
		kept := attribute{name: a.name}
		for _, v := range a.values {
			kept.values = append(kept.values, v.name)
		}
		m.attributes = append(m.attributes, kept)
	}
	if slices.ContainsFunc(m.attributes, func(a attribute) bool { return len(a.values) == 0 }) && c.found > 0 {
		return // what is by it cannot be worked out
	}
	if len(m.attributes) > 250 {
		c.add(f.attributes[250].at, "attributes: %d are more than the 250 there can be", len(m.attributes))
		return
	}
	m.mixes = make([]bool, len(m.attributes))
	here := newScope(c.problemList, f.unit)
	for _, p := range f.parameters {
		kept := parameter{value: p.value, what: "parameters: " + p.label.name}
		if f.changed[p.label.name] {
			kept.change = 1
		}
		here.parameters[p.label.name] = kept
	}
	here.attributes, here.sets, here.states = m.attributes, map[string][]value{}, m.states
	here.asked = len(f.changed) > 0
	here.zero, here.start, here.end = f.zero, m.start, m.end
	for i := range f.plans {
		for _, set := range f.plans[i].set {
			here.sets[set.label.name] = append(here.sets[set.label.name], set.value)
		}
	}
	c.here = here
	c.starts(here)
	for _, p := range f.parameters {
		if len(here.sets[p.label.name]) > 0 {
			c.settable = append(c.settable, p.label.name)
		}
	}
	c.parameters(here)
	if c.found > mostProblems { // enough to do
		return
	}
	c.nameAll()
	m.first = c.phase(here)
	c.sinces(here)
	c.plan(here)
	c.records(here)
	c.groupings()
	c.enumerate()
	c.recordable()
	for i := range m.first.states {
		m.timers = max(m.timers, m.first.states[i].timers)
	}
}

// parameters looks at the parameters where they are defined, so that a mistake in one is reported there, and also if it is used
// nowhere.
func (c *compiler) parameters(here scope) {
	for _, p := range c.f.parameters {
		if here.weigh(p.label.name).circular {
			here.complain(p.value, p.value.at, "parameters: %s: the parameter %s stands for itself", p.label.name, quote(p.label.name))
		}
	}
	for _, p := range c.f.parameters {
		if c.found > mostProblems {
			return
		}
		if p.name != "" || here.bearable(p.label.name) {
			here.examine(p.value, "parameters: "+p.label.name)
		}
	}
}

// phase is the tables for what the parameters stand for, made once.
func (c *compiler) phase(here scope) *tables {
	if c.stopped {
		return c.m.phases[0]
	}
	var key strings.Builder
	for _, name := range c.settable {
		v, _ := here.parameter(name)
		fmt.Fprintf(&key, "%s:%d:%d:%s;", v.at.file, v.at.line, v.at.column, v.text)
	}
	t, ok := c.phases[key.String()]
	if !ok {
		t = c.tables(here)
		c.phases[key.String()] = t
		c.m.phases = append(c.m.phases, t)
	}
	return t
}

// records works out when rows are recorded: at the start, every so often, and at the end.
func (c *compiler) records(here scope) {
	const tooMany = 10_000_000
	span := c.m.end - c.m.start
	if math.IsNaN(span) {
		return
	}
	every := c.f.record.every
	if !every.given() || every.bad {
		every = value{quantity: quantity{aDuration, span / 100, c.f.unit}, text: "a hundredth of the run"}
	}
	step, ok := here.longer(every, "record: every")
	if !ok {
		return
	}
	if span/step > tooMany {
		c.add(every.at, "record: every: %s would make more than %d rows", every.text, tooMany)
		return
	}
	resolved, _, _ := here.resolve(every, "record: every")
	q := resolved.quantity
	for k := 0.0; ; k++ {
		// Not k times the converted step: 30 days are then exactly what an intervention at 30 days is.
		t := quantity{aDuration, k * q.number, q.unit}.in(c.f.unit)
		if t > span*(1-1e-12) {
			break
		}
		c.m.rows = append(c.m.rows, t)
	}
	c.m.rows = append(c.m.rows, span)
}
