package syntax

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"go.yaml.in/yaml/v3"
)

// time reads the section time: the model's unit, and the start and the end of its clock.
func (r *Reader) time(m *File, n *yaml.Node) {
	f := r.Fields(n, "time", "{unit: day, start: 0, end: 160}", "unit", "start", "end")
	if f == nil {
		return
	}
	if u := f.Need("unit", "day"); u != nil {
		if text, ok := r.text(u, "time: unit", "a unit such as day"); ok {
			var err error
			if m.Unit, err = quantity.FindUnit(text); err != nil {
				r.Fail(u, "time: unit: %v", err)
			}
		}
	}
	if s := f.Get("start"); s != nil {
		// A clock that starts at a date is 0 there.
		if text := strings.TrimSpace(s.Value); s.Kind == yaml.ScalarNode && quantity.HasDatePrefix(text) {
			q, err := quantity.ParseDate(text)
			if err != nil {
				r.Fail(s, "time: start: %v", err)
			}
			r.Epoch = quantity.EpochAt(q)
			m.Epoch = r.Epoch
		} else if x, ok := r.ClockTime(s, "time: start", m.Unit); ok {
			m.Start = x
		}
	}
	if e := f.Need("end", "160"); e != nil {
		if x, ok := r.ClockTime(e, "time: end", m.Unit); ok {
			if m.End = x; m.endProblem() != "" {
				r.Fail(e, "time: end: %s is %s the start, %s",
					diag.Shorten(e.Value), m.endProblem(), m.Epoch.Format(m.Start))
				m.End = math.NaN()
			}
		}
	}
}

// endProblem says what is wrong with the end in relation to the start; it is "" if nothing is.
func (m *File) endProblem() string {
	switch span := m.End - m.Start; {
	case !(m.End > m.Start):
		return "not after"
	case math.IsInf(span, 0):
		return "too far from"
	case span/1e6 == 0:
		return "too near to"
	case m.Epoch.Exceeds(m.End, m.Unit):
		return "after the year 9999, too far from"
	}
	return ""
}

// FormatStart returns the start of the model for a message: a date, or a time with its unit.
func (m *File) FormatStart() string {
	if m.Epoch.Dated {
		return m.Epoch.Format(m.Start)
	}
	return fmt.Sprintf("%.12g %s", m.Start, m.Unit.NameFor(m.Start))
}

// ClockTime reads a time on the model's clock: a number in the model's unit, a number with a unit,
// or a date if the clock starts at one. It returns the time in the unit u, which is the model's.
func (r *Reader) ClockTime(n *yaml.Node, what string, u quantity.Unit) (float64, bool) {
	const expected = "expected a time such as 160, in the unit of the model, or 160 days"
	text, ok := r.text(n, what, "a time such as 160 or 160 days")
	if !ok {
		return 0, false
	}
	if quantity.HasDatePrefix(text) {
		if _, err := quantity.ParseDate(text); err != nil {
			r.Fail(n, "%s: %v", what, err)
			return 0, false
		}
	}
	q, err := quantity.Parse(text)
	if err != nil && !quantity.LooksNumeric(text) {
		r.Fail(n, "%s: found %s, %s; a parameter cannot stand here", what, diag.Quote(text), expected)
		return 0, false
	}
	if err != nil {
		r.Fail(n, "%s: %v; %s", what, err, expected)
		return 0, false
	}
	if u.Seconds == 0 {
		return 0, false // the model's unit is invalid, which has been reported
	}
	x, err := r.Epoch.ClockTime(q, u)
	if err != nil {
		r.Fail(n, "%s: %s is %v", what, diag.Shorten(text), err)
		return 0, false
	}
	if math.IsInf(x, 0) {
		r.Fail(n, "%s: %s is too large for a time in %ss", what, diag.Shorten(text), u.Name)
		return 0, false
	}
	return x, true
}

// calendarPattern matches an interval of the calendar: 1 calendar month, 2 calendar years.
var calendarPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\S+)\s+calendar\s+(\S+)$`)
})

// mostMonths is the longest interval of the calendar.
const mostMonths = 12 * 1000

// calendarMonths reads an interval of the calendar, such as 1 calendar month, in months. It returns
// 0 for anything else, and if it is wrong, which is reported. Calendar months need a date at which
// the clock starts.
func (r *Reader) calendarMonths(n *yaml.Node, what string) (months int, is bool) {
	n = r.Resolve(n)
	found := calendarPattern().FindStringSubmatch(strings.TrimSpace(n.Value))
	if n.Kind != yaml.ScalarNode || found == nil {
		return 0, false
	}
	unit := map[string]int{"month": 1, "months": 1, "year": 12, "years": 12}[found[2]]
	count, err := strconv.Atoi(found[1])
	switch {
	case unit == 0:
		r.Fail(n, "%s: there is no calendar %s; expected calendar months or years, such as 1 calendar month", what,
			diag.Shorten(found[2]))
	case err != nil || count < 1 || count*unit > mostMonths:
		r.Fail(n, "%s: found %s, expected a whole number of them from 1 on, such as 1 calendar month", what,
			diag.Quote(n.Value))
	case !r.Epoch.Dated:
		r.Fail(n, "%s: %s: the clock of the model does not start at a date, so that there are no calendar months; write "+
			"start: 2020-03-01 in time, for example, or 1 month, which is a twelfth of a year", what, diag.Shorten(n.Value))
	default:
		return count * unit, true
	}
	return 0, true
}
