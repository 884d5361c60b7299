// Package trace has the records of everything that happens in a simulation, and functions that
// write them.
//
//	s := sim.New(sim.TraceTo(trace.Text(os.Stdout)))
//
// [Text], [JSON] and [Log] make functions for [sim.TraceTo]. A function of your own gets each
// [Record]; its [Kind] says what happened. Records come in the order of events, in the goroutine
// that runs the simulation. The same simulation gives the same records.
//
// It is a package of its own because most models never name a kind of record.
//
// [sim.TraceTo]: https://pkg.go.dev/github.com/almanac-sim/almanac/sim#TraceTo
package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// A Record is one thing that happened in a simulation.
type Record struct {
	Time float64 `json:"time"`
	Kind Kind    `json:"kind"`
	Who  string  `json:"who,omitempty"`  // the name of the process or the event; empty if an event does something
	What string  `json:"what,omitempty"` // what it is about: a resource, a signal, a time to wait
}

// String returns a line of text: the time, the kind, who and what.
func (r Record) String() string {
	return strings.TrimRight(fmt.Sprintf("%12.6g  %-9s  %-16s  %s", r.Time, r.Kind, r.Who, r.What), " ")
}

// A Kind says what happened.
type Kind uint8

// The kinds of records.
const (
	Event     Kind = iota // the function of an event is called
	Start                 // the first turn of a process
	Resume                // another turn of a process
	Wait                  // a process begins to wait
	End                   // a process ends
	Interrupt             // a process is interrupted
	Trigger               // a signal is triggered
	Request               // a request to a resource, a store or a container has to wait
	Grant                 // a resource, a store or a container grants a request
	Release               // units of a resource are released
	Preempt               // units of a resource are taken from a process
	Renege                // a request leaves the queue because its patience has run out
	Balk                  // a request is given up because the queue is too long
	Withdraw              // a request leaves the queue because something else has happened
	Capacity              // the capacity of a resource changes, by its timetable or because of a breakdown
	Stop                  // work with units of a resource is stopped
	GoOn                  // work that was stopped goes on
)

var kinds = [...]string{"event", "start", "resume", "wait", "end", "interrupt", "trigger", "request", "grant",
	"release", "preempt",
	"renege", "balk", "withdraw", "capacity", "stop", "go on"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// MarshalText returns the name of the kind, so that JSON has the name and not a number.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Text returns a function for sim.TraceTo that writes a line of text for each record: the time, the
// kind, who and what. It ignores errors of the writer.
func Text(w io.Writer) func(Record) {
	return func(r Record) { fmt.Fprintln(w, r) }
}

// JSON returns a function for sim.TraceTo that writes a line of JSON for each record, with the
// members time, kind, who and what. It ignores errors of the writer.
func JSON(w io.Writer) func(Record) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return func(r Record) { _ = e.Encode(r) }
}

// Log returns a function for sim.TraceTo that logs each record at debug level, with the kind as the
// message.
func Log(l *slog.Logger) func(Record) {
	return func(r Record) { l.Debug(r.Kind.String(), "time", r.Time, "who", r.Who, "what", r.What) }
}
