package sim

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"runtime"
	"strings"
)

// A Record is one thing that happened, for a trace.
type Record struct {
	Time float64   `json:"time"`
	Kind TraceKind `json:"kind"`
	Who  string    `json:"who,omitempty"`  // the name of the process or the event; empty if an event does something
	What string    `json:"what,omitempty"` // what it is about: a resource, a signal, a time to wait
}

// String is a line of text: the time, the kind, who and what.
func (r Record) String() string {
	return strings.TrimRight(fmt.Sprintf("%12.6g  %-9s  %-16s  %s", r.Time, r.Kind, r.Who, r.What), " ")
}

// A TraceKind says what happened.
type TraceKind uint8

// The kinds of records.
const (
	TraceEvent     TraceKind = iota // the function of an event is called
	TraceStart                      // the first turn of a process
	TraceResume                     // another turn of a process
	TraceWait                       // a process begins to wait
	TraceEnd                        // of a process
	TraceInterrupt                  // somebody interrupts a process
	TraceTrigger                    // of a signal
	TraceRequest                    // somebody asks a resource, a store or a container, and has to wait
	TraceGrant                      // a resource, a store or a container gives what it was asked for
	TraceRelease                    // of units of a resource
	TracePreempt                    // units of a resource are taken from a process
	TraceRenege                     // somebody has waited long enough and leaves the line
	TraceBalk                       // somebody finds the line too long
	TraceWithdraw                   // somebody leaves the line because something else has happened
	TraceCapacity                   // a resource has another number of units, by its timetable or because of a breakdown
	TraceStop                       // work with units of a resource is stopped
	TraceGoOn                       // work that was stopped goes on
)

var traceKinds = [...]string{"event", "start", "resume", "wait", "end", "interrupt", "trigger", "request", "grant", "release", "preempt",
	"renege", "balk", "withdraw", "capacity", "stop", "go on"}

// String is the kind's name.
func (k TraceKind) String() string {
	if int(k) < len(traceKinds) {
		return traceKinds[k]
	}
	return fmt.Sprintf("TraceKind(%d)", int(k))
}

// MarshalText writes the kind's name, so that it is what stands in JSON.
func (k TraceKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// record hands a record to the trace, which must be there.
func (s *Simulation) record(r Record) {
	r.Time = s.now
	s.trace(r)
}

// who is whose turn it is.
func (s *Simulation) who() string {
	if s.current != nil {
		return s.current.name
	}
	return ""
}

// label keeps the name of an event while there is a trace to show it.
func (s *Simulation) label(id uint32, opts []EventOption) {
	if s.trace == nil {
		return
	}
	for _, o := range opts {
		if o.named {
			s.labels[id] = o.name
		}
	}
}

// traceEvent records the call of an event's function, by its name or else that of the function.
func (s *Simulation) traceEvent(id uint32) {
	name, ok := s.labels[id]
	if !ok {
		name = functionName(s.slots[id].f)
	}
	s.record(Record{Kind: TraceEvent, Who: name})
	if s.slots[id].kind == once {
		delete(s.labels, id)
	}
}

// traceTurn records that a process has its turn.
func (s *Simulation) traceTurn(p *Process) {
	r := Record{Kind: TraceResume, Who: p.name}
	if p.state == unborn {
		r.Kind = TraceStart
	}
	s.record(r)
}

// functionName is the name of a function without the path of its package.
func functionName(f func()) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], "-fm")
}

// TextTrace makes a function for [TraceTo] that writes a line of text for each record: the time, the kind, who and what. It
// ignores the errors of the writer.
func TextTrace(w io.Writer) func(Record) {
	return func(r Record) { fmt.Fprintln(w, r) }
}

// JSONTrace makes a function for [TraceTo] that writes a line of JSON for each record, with the members time, kind, who and
// what. It ignores the errors of the writer.
func JSONTrace(w io.Writer) func(Record) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return func(r Record) { _ = e.Encode(r) }
}

// LogTrace makes a function for [TraceTo] that logs each record at the level of debugging: the kind is the message.
func LogTrace(l *slog.Logger) func(Record) {
	return func(r Record) { l.Debug(r.Kind.String(), "time", r.Time, "who", r.Who, "what", r.What) }
}
