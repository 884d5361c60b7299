package syntax

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/population/internal/diag"
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
			if m.Unit, ok = unitByName(text); !ok {
				r.Fail(u, "time: unit: %s", unknownUnit(text))
			}
		}
	}
	if s := f.Get("start"); s != nil {
		// A clock that starts at a date is 0 there.
		if text := strings.TrimSpace(s.Value); s.Kind == yaml.ScalarNode && datePrefixPattern().MatchString(text) {
			q, err := parseDate(text)
			if err != nil {
				r.Fail(s, "time: start: %v", err)
			}
			r.Epoch = Epoch{day: q.Number, Dated: true}
			m.Epoch = r.Epoch
		} else if x, ok := r.ClockTime(s, "time: start", m.Unit); ok {
			m.Start = x
		}
	}
	if e := f.Need("end", "160"); e != nil {
		if x, ok := r.ClockTime(e, "time: end", m.Unit); ok {
			if m.End = x; m.endProblem() != "" {
				r.Fail(e, "time: end: %s is %s the start, %s",
					diag.Shorten(e.Value), m.endProblem(), m.Epoch.format(m.Start))
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
	case m.Epoch.Dated && m.End*m.Unit.Seconds/SecondsPerDay > LastDay-m.Epoch.day:
		return "after the year 9999, too far from"
	}
	return ""
}

// FormatStart returns the start of the model for a message: a date, or a time with its unit.
func (m *File) FormatStart() string {
	if m.Epoch.Dated {
		return m.Epoch.format(m.Start)
	}
	return fmt.Sprintf("%.12g %s", m.Start, m.Unit.NameFor(m.Start))
}

// ClockTime reads a time on the model's clock: a number in the model's unit, a number with a unit,
// or a date if the clock starts at one. It returns the time in the unit u, which is the model's.
func (r *Reader) ClockTime(n *yaml.Node, what string, u Unit) (float64, bool) {
	const expected = "expected a time such as 160, in the unit of the model, or 160 days"
	text, ok := r.text(n, what, "a time such as 160 or 160 days")
	if !ok {
		return 0, false
	}
	if datePrefixPattern().MatchString(text) {
		if _, err := parseDate(text); err != nil {
			r.Fail(n, "%s: %v", what, err)
			return 0, false
		}
	}
	q, err := ParseQuantity(text)
	if err != nil && !LooksNumeric(text) {
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

// Dates are counted in days since 1970-01-01.
const (
	SecondsPerDay = 24 * 60 * 60 // seconds
	LastDay       = 2_932_896    // 9999-12-31
)

var (
	// dateTokenPattern matches a date, valid or not, that is not the beginning of arithmetic:
	// 2020-03-01.5 or 2020-03-01e2 are differences of numbers.
	dateTokenPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\d{4}-\d{1,2}-\d{1,2}(?:$|[^\d_.%eE])`)
	})
	datePrefixPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\d{4}-\d{1,2}-\d{1,2}`)
	})
)

// leadingDate returns the date that a text begins with, as it is written and valid or not, or "". A
// difference of numbers is not taken for a date: it has spaces, or other numbers.
func leadingDate(text string) string {
	if !dateTokenPattern().MatchString(text) {
		return ""
	}
	return datePrefixPattern().FindString(text)
}

// parseDate reads a date: 2020-03-01.
func parseDate(text string) (Quantity, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Quantity{}, fmt.Errorf("%s is not a date; "+
			"expected one such as 2020-03-01: the year, the month and the day", diag.Quote(text))
	}
	return Quantity{KindDate, float64(t.Unix() / SecondsPerDay), Unit{}}, nil
}

// An Epoch is the date at which a model's clock is 0, if the model has dates.
type Epoch struct {
	day   float64 // since 1970-01-01
	Dated bool
}

// ClockTime converts a number, a duration or a date to a time on the model's clock, in the model's
// unit. The error says why another quantity is not a time.
func (z Epoch) ClockTime(q Quantity, u Unit) (float64, error) {
	switch {
	case q.Kind == KindNumber || q.Kind == KindDuration:
		return q.In(u), nil
	case q.Kind == KindDate && z.Dated:
		return (q.Number - z.day) * SecondsPerDay / u.Seconds, nil
	case q.Kind == KindDate:
		return 0, fmt.Errorf("a date, but the clock of the model does not start at one; " +
			"write start: 2020-03-01 in time, for example")
	}
	return 0, fmt.Errorf("%s; expected a time such as 160, in the unit of the model, or 160 days", q.Kind)
}

// Date returns the date at which the clock is 0, and whether the model has dates.
func (z Epoch) Date() (time.Time, bool) {
	return time.Unix(int64(z.day)*SecondsPerDay, 0).UTC(), z.Dated
}

// format returns a time on the clock for a message. Only the start of a dated clock, 0, becomes a
// date.
func (z Epoch) format(t float64) string {
	if z.Dated && t == 0 {
		date, _ := z.Date()
		return date.Format(time.DateOnly)
	}
	return fmt.Sprintf("%.12g", t)
}
