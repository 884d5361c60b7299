package population

import (
	"fmt"
	"regexp"
	"sync"
	"time"
)

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

// date is when the clock is 0, and whether that is a date.
func (z calendarZero) date() (time.Time, bool) { return time.Unix(int64(z.day)*aDay, 0).UTC(), z.dated }

// words is a time at which something on the clock is, for a message.
func (z calendarZero) words(t float64) string {
	if z.dated && t == 0 {
		date, _ := z.date()
		return date.Format(time.DateOnly)
	}
	return fmt.Sprintf("%.12g", t)
}
