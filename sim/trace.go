package sim

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/almanac-sim/almanac/sim/trace"
)

// record passes a record to the trace, which must not be nil.
func (s *Simulation) record(r trace.Record) {
	r.Time = s.now
	s.trace(r)
}

// who is the name of the running process in a trace, empty in an event.
func (s *Simulation) who() string {
	if s.current != nil {
		return s.current.traced()
	}
	return ""
}

// tracedNames tells processes of one name apart in a trace: the first has the name, and the others
// the name and a number, as in "customer#2". They are kept only while there is a trace, and not in
// the processes, which would be larger for all.
type tracedNames struct {
	count map[string]int      // processes so far, by name
	of    map[*Process]string // of those that are not the first of their name
}

// startTracing numbers a process that is started.
func (s *Simulation) startTracing(p *Process) {
	n := &s.tracedNames
	if n.count == nil {
		n.count, n.of = map[string]int{}, map[*Process]string{}
	}
	if n.count[p.name]++; n.count[p.name] > 1 {
		n.of[p] = fmt.Sprintf("%s#%d", p.name, n.count[p.name])
	}
}

// traced is the name of the process in a trace.
func (p *Process) traced() string {
	if p.s.trace != nil {
		if name, ok := p.s.tracedNames.of[p]; ok {
			return name
		}
	}
	return p.name
}

// label keeps the name of an event while there is a trace.
func (s *Simulation) label(id uint32, opts []EventOption) {
	if s.trace == nil {
		return
	}
	for _, o := range opts {
		if name, ok := o.(namedOption); ok {
			s.labels[id] = string(name)
		}
	}
}

// traceEvent records the call of an event's function, by its name or else that of the function.
func (s *Simulation) traceEvent(id uint32) {
	name, ok := s.labels[id]
	if !ok {
		name = functionName(s.slots[id].f)
	}
	s.record(trace.Record{Kind: trace.Event, Who: name})
	if s.slots[id].kind == once {
		delete(s.labels, id)
	}
}

// traceTurn records the turn of a process.
func (s *Simulation) traceTurn(p *Process) {
	r := trace.Record{Kind: trace.Resume, Who: p.traced()}
	if p.state == notStarted {
		r.Kind = trace.Start
	}
	s.record(r)
}

// functionName is the name of a function without the path of its package.
func functionName(f func()) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], "-fm")
}
