package population

import (
	"fmt"
	"math"
	"regexp"
	"sync"
	"time"
)

// Dates here are those of the Gregorian calendar, each its midnight in UTC: days of 24 hours, with leap days and without daylight saving. A clock that
// starts at a date is 0 there.

const (
	aDay    = 24 * 60 * 60 // seconds
	lastDay = 2_932_896    // 9999-12-31, since 1970
)

var (
	looksLikeDate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{4}-\d{1,2}-\d{1,2}(?:$|[^\d_.%eE])`) })
	isDate        = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{4}-\d{1,2}-\d{1,2}`) })
)

// dateAt is the date that a text begins with, as it is written; "" if it does not. A difference of numbers has spaces, or other numbers.
func dateAt(text string) string {
	if !looksLikeDate().MatchString(text) {
		return ""
	}
	return isDate().FindString(text)
}

// parseDate reads a date: 2020-03-01.
func parseDate(text string) (quantity, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return quantity{}, fmt.Errorf("%s is not a date; expected one such as 2020-03-01: the year, the month and the day", quote(text))
	}
	return quantity{aDate, float64(t.Unix() / aDay), unit{}}, nil
}

// A calendarZero is the date at which the clock of a model is 0, if it has one.
type calendarZero struct {
	day   float64 // since 1970
	dated bool
}

// clock is a time on the clock of a model, in its unit: a number, a duration, or a date. The error says why it is none.
func (z calendarZero) clock(q quantity, u unit) (float64, error) {
	switch {
	case q.kind == aNumber || q.kind == aDuration:
		return q.in(u), nil
	case q.kind == aDate && z.dated:
		return (q.number - z.day) * aDay / u.seconds, nil
	case q.kind == aDate:
		return 0, fmt.Errorf("a date, but the clock of the model does not start at one; write start: 2020-03-01 in time, for example")
	}
	return 0, fmt.Errorf("%s; expected a time such as 160, in the unit of the model, or 160 days", q.kind)
}

// words is a time at which something on the clock is, for a message.
func (z calendarZero) words(t float64) string {
	if z.dated && t == 0 {
		return time.Unix(int64(z.day)*aDay, 0).UTC().Format(time.DateOnly)
	}
	return fmt.Sprintf("%.12g", t)
}

// startWords is when the model starts, for a message.
func (m *file) startWords() string {
	if m.zero.dated {
		return m.zero.words(m.start)
	}
	return fmt.Sprintf("%.12g %s", m.start, m.unit.of(m.start))
}

// Dates are those of the times at which a run is recorded, if the clock of the model starts at a date, and otherwise nil: 2020-03-01, or, if a row is not
// at midnight, all of them as 2020-03-01T18:00:00. They are in UTC, to the second.
func (m *Model) Dates() []string {
	zero := m.here.zero
	if !zero.dated {
		return nil
	}
	layout := time.DateOnly
	times := make([]time.Time, len(m.rows))
	for i, t := range m.Times() {
		seconds := math.Round(t * m.unit.seconds)
		days := math.Floor(seconds / aDay)
		times[i] = time.Unix(int64(zero.day)*aDay, 0).UTC().AddDate(0, 0, int(days)).Add(time.Duration(seconds-float64(days*aDay)) * time.Second)
		if seconds != days*aDay {
			layout = "2006-01-02T15:04:05"
		}
	}
	dates := make([]string, len(times))
	for i, t := range times {
		dates[i] = t.Format(layout)
	}
	return dates
}

// StartDate is the date at which the clock of the model is 0, and whether it has one.
func (m *Model) StartDate() (time.Time, bool) {
	zero := m.here.zero
	return time.Unix(int64(zero.day)*aDay, 0).UTC(), zero.dated
}
