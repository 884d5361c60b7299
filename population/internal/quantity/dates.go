package quantity

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/population/internal/diag"
)

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

// LeadingDate returns the date that a text begins with, as it is written and valid or not, or "". A
// difference of numbers is not taken for a date: it has spaces, or other numbers.
func LeadingDate(text string) string {
	if !dateTokenPattern().MatchString(text) {
		return ""
	}
	return datePrefixPattern().FindString(text)
}

// ParseDate reads a date: 2020-03-01.
func ParseDate(text string) (Quantity, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Quantity{}, fmt.Errorf("%s is not a date; "+
			"expected one such as 2020-03-01: the year, the month and the day", diag.Quote(text))
	}
	return Quantity{Date, float64(t.Unix() / SecondsPerDay), Unit{}}, nil
}

// An Epoch is the date at which a model's clock is 0, if the model has dates.
type Epoch struct {
	day   float64 // since 1970-01-01
	Dated bool
}

// EpochAt returns the epoch of a clock that is 0 at a date.
func EpochAt(date Quantity) Epoch { return Epoch{day: date.Number, Dated: true} }

// Exceeds reports whether a time on a dated clock is after the last date.
func (z Epoch) Exceeds(t float64, u Unit) bool {
	return z.Dated && t*u.Seconds/SecondsPerDay > LastDay-z.day
}

// HasDatePrefix reports whether a text begins with what may be a date, valid or not.
func HasDatePrefix(text string) bool { return datePrefixPattern().MatchString(text) }

// ClockTime converts a number, a duration or a date to a time on the model's clock, in the model's
// unit. The error says why another quantity is not a time.
func (z Epoch) ClockTime(q Quantity, u Unit) (float64, error) {
	switch {
	case q.Kind == Number || q.Kind == Duration:
		return q.In(u), nil
	case q.Kind == Date && z.Dated:
		return (q.Number - z.day) * SecondsPerDay / u.Seconds, nil
	case q.Kind == Date:
		return 0, fmt.Errorf("a date, but the clock of the model does not start at one; " +
			"write start: 2020-03-01 in time, for example")
	}
	return 0, fmt.Errorf("%s; expected a time such as 160, in the unit of the model, or 160 days", q.Kind)
}

// Date returns the date at which the clock is 0, and whether the model has dates.
func (z Epoch) Date() (time.Time, bool) {
	return time.Unix(int64(z.day)*SecondsPerDay, 0).UTC(), z.Dated
}

// Format returns a time on the clock for a message. Only the start of a dated clock, 0, becomes a
// date.
func (z Epoch) Format(t float64) string {
	if z.Dated && t == 0 {
		date, _ := z.Date()
		return date.Format(time.DateOnly)
	}
	return fmt.Sprintf("%.12g", t)
}

// AddMonths returns the time on a dated clock that is some calendar months after another, at the
// same time of the day. A day that the month does not have is its last: 31 January and one month
// are 28 or 29 February.
func (z Epoch) AddMonths(t float64, months int, u Unit) float64 {
	seconds := float64(t * u.Seconds)
	days := math.Floor(seconds/SecondsPerDay + 1e-9) // a midnight that is not exact in the unit
	rest := seconds - float64(days*SecondsPerDay)
	date := time.Unix(int64(z.day+days)*SecondsPerDay, 0).UTC()
	first := time.Date(date.Year(), date.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	then := first.AddDate(0, 0, min(date.Day(), last)-1)
	return (float64((float64(then.Unix()/SecondsPerDay)-z.day)*SecondsPerDay) + rest) / u.Seconds
}

// CalendarWords returns an interval of the calendar in words.
func CalendarWords(months int) string {
	unit, count := "month", months
	if months%12 == 0 {
		unit, count = "year", months/12
	}
	if count != 1 {
		unit += "s"
	}
	return strconv.Itoa(count) + " calendar " + unit
}
