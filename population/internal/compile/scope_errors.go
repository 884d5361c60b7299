package compile

import (
	"fmt"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// reportValue reports what is wrong with a value, unless something has been said of it. A value is worked out once for each
// time between interventions, and one mistake is enough.
func (s Scope) reportValue(v syntax.Value, at diag.Place, format string, args ...any) {
	if s.reported[v.At] || s.reported[at] {
		return
	}
	s.reported[v.At], s.reported[at] = true, true
	s.reportAt(v.At, at, format, args...)
}

// reportTogether reports that values which are right by themselves are wrong together: the chances of a split, or a row of a matrix. If
// one of them was changed by an intervention or by --set, then that is where it went wrong, and the last such change is to be
// reported and not the place where they stand.
func (s Scope) reportTogether(stands diag.Place, values []syntax.Value, format string, args ...any) {
	if s.reported[stands] {
		return
	}
	s.reported[stands] = true
	at, latest := stands, 0
	for _, v := range values {
		if latest == 0 && diag.OnCommandLine(v.At) {
			at = v.At
		}
		s.latestChange(v, &at, &latest)
	}
	s.reportAt(stands, at, format, args...)
}

// reportAt says what is wrong at a place, and with what, if that stands in another line.
func (s Scope) reportAt(stands, at diag.Place, format string, args ...any) {
	if stands.Line > 0 && (stands.File != at.File || stands.Line != at.Line) {
		format += fmt.Sprintf(" (see line %d)", stands.Line)
	}
	s.Add(at, format, args...)
}

// latestChange looks for the parameter that was changed last of those that a value is made of.
func (s Scope) latestChange(v syntax.Value, at *diag.Place, change *int) {
	s.Behind(v, map[string]bool{}, func(p Parameter) {
		if p.change > *change {
			*at, *change = p.At, p.change
		}
	})
}

// describe is a value as a message repeats it, and what its name stands for if it has one.
func (s Scope) describe(v syntax.Value) string {
	s.List, s.reported = &diag.List{}, map[diag.Place]bool{} // whatever is wrong with it is said elsewhere
	got, _, _ := s.Resolve(v, "")
	return describeResolved(v, got)
}

// describeResolved is a value as it is written, with the name it goes by, and with what it is if that had to be worked out.
func describeResolved(given, resolved syntax.Value) string {
	text := resolved.Text + diag.Echo(resolved.Cell)
	if resolved.Worked {
		text += ", which is " + resolved.Quantity.String()
	}
	if given.Name != "" {
		return fmt.Sprintf("parameter %s, %s", diag.Echo(given.Name), text)
	}
	return text
}

// nameOrText is how a message speaks of a value that is not written out as a quantity.
func (s Scope) nameOrText(v, got syntax.Value) string {
	if v.Name != "" {
		return "parameter " + diag.Echo(v.Name)
	}
	return got.Text
}
