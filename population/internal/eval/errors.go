package eval

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Report reports a problem with a value, unless one has been reported for it. A value is
// evaluated again for each phase and cell, and one message is enough.
func (s Scope) Report(v syntax.Value, at diag.Place, format string, args ...any) {
	if s.reported[v.At] || s.reported[at] {
		return
	}
	s.reported[v.At], s.reported[at] = true, true
	s.reportAt(v.At, at, format, args...)
}

// ReportTogether reports that values are wrong together that are right by themselves, such as the
// chances of a split or a row of a matrix. If an intervention or --set changed one of them, the
// problem is reported at the last such change rather than where the values stand.
func (s Scope) ReportTogether(stands diag.Place, values []syntax.Value, format string, args ...any) {
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

// reportAt adds a problem at a place, and refers to the place where the value stands if that is
// another line.
func (s Scope) reportAt(stands, at diag.Place, format string, args ...any) {
	if stands.Line > 0 && (stands.File != at.File || stands.Line != at.Line) {
		format += fmt.Sprintf(" (see line %d)", stands.Line)
	}
	s.Add(at, format, args...)
}

// latestChange finds the latest change of a parameter that a value is made of.
func (s Scope) latestChange(v syntax.Value, at *diag.Place, change *int) {
	s.EachParameter(v, map[string]bool{}, func(p Parameter) {
		if p.Change > *change {
			*at, *change = p.At, p.Change
		}
	})
}

// Describe returns a value as messages repeat it, with what its name stands for if it has one.
func (s Scope) Describe(v syntax.Value) string {
	got, _, _ := s.Quiet().Resolve(v, "")
	return DescribeResolved(v, got)
}

// DescribeResolved returns a value as it is written, with the name it goes by, and its quantity if
// that had to be worked out.
func DescribeResolved(given, resolved syntax.Value) string {
	text := resolved.Text + diag.Shorten(resolved.Cell)
	if resolved.Computed {
		text += ", which is " + resolved.Quantity.String()
	}
	if given.Name != "" {
		return fmt.Sprintf("parameter %s, %s", diag.Shorten(given.Name), text)
	}
	return text
}

// nameOrText returns how messages speak of a value that is not written as a quantity.
func nameOrText(v, got syntax.Value) string {
	if v.Name != "" {
		return "parameter " + diag.Shorten(v.Name)
	}
	return got.Text
}

// reportCountDependent reports that a value depends on counts where it must not.
func (s Scope) reportCountDependent(v, got syntax.Value, at diag.Place, what string) {
	s.Report(v, at,
		"%s: %s depends on how many there are, and cannot stand here; only the rate of a clock, of births, of "+
			"immigration or of a transmission can do so", what, nameOrText(v, got))
}

// fraction is a number divided by a rate, as in 1/3 per day.
var fraction = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\d._]+)\s*/\s*([\d._]+)\s+per\s+(\pL+)`)
})

// fractionHint explains 1/3 per day, which is 1 / (3 per day), where a rate is expected. It is
// empty for anything else.
func fractionHint(got syntax.Value, want quantity.Kind) string {
	m := fraction().FindStringSubmatch(got.Text)
	if m == nil || want != quantity.Rate || got.Quantity.Kind != quantity.Duration {
		return ""
	}
	return fmt.Sprintf("; a unit belongs to the number directly before it, so that %s is %s / (%s per %s): write %s / "+
		"%s %ss "+
		"for %s/%s per %s", m[0], m[1], m[2], m[3], m[1], m[2], m[3], m[1], m[2], m[3])
}
