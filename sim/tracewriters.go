package sim

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

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
