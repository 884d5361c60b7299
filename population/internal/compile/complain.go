package compile

import (
	"fmt"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// complain reports what is wrong with a value, unless something has been said of it. A value is worked out once for each
// time between interventions, and one mistake is enough.
func (s Scope) complain(v syntax.Value, at diag.Place, format string, args ...any) {
	if s.said[v.At] || s.said[at] {
		return
	}
	s.said[v.At], s.said[at] = true, true
	s.report(v.At, at, format, args...)
}

// broken reports that values which are right by themselves are wrong together: the chances of a split, or a row of a matrix. If
// one of them was changed by an intervention or by --set, then that is where it went wrong, and the last such change is to be
// reported and not the place where they stand.
func (s Scope) broken(stands diag.Place, values []syntax.Value, format string, args ...any) {
	if s.said[stands] {
		return
	}
	s.said[stands] = true
	at, latest := stands, 0
	for _, v := range values {
		if latest == 0 && diag.OnCommandLine(v.At) {
			at = v.At
		}
		s.latest(v, &at, &latest)
	}
	s.report(stands, at, format, args...)
}

// report says what is wrong at a place, and with what, if that stands in another line.
func (s Scope) report(stands, at diag.Place, format string, args ...any) {
	if stands.Line > 0 && (stands.File != at.File || stands.Line != at.Line) {
		format += fmt.Sprintf(" (see line %d)", stands.Line)
	}
	s.Add(at, format, args...)
}

// latest looks for the parameter that was changed last of those that a value is made of.
func (s Scope) latest(v syntax.Value, at *diag.Place, change *int) {
	s.Behind(v, map[string]bool{}, func(p Parameter) {
		if p.change > *change {
			*at, *change = p.At, p.change
		}
	})
}

// Behind visits the parameters that a value is made of, and those behind them, but none that has been seen.
func (s Scope) Behind(v syntax.Value, seen map[string]bool, do func(p Parameter)) {
	if v.Name == "" {
		v.Each(func(part syntax.Value) { s.Behind(part, seen, do) })
		return
	}
	if p, ok := s.Parameter(v.Name); ok && !seen[v.Name] {
		seen[v.Name] = true
		do(p)
		s.Behind(p.Value, seen, do)
	}
}

// written is a value as a message repeats it, and what its name stands for if it has one.
func (s Scope) written(v syntax.Value) string {
	s.List, s.said = &diag.List{}, map[diag.Place]bool{} // whatever is wrong with it is said elsewhere
	got, _, _ := s.Resolve(v, "")
	return called(v, got)
}
