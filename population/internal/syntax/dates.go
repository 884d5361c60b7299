package syntax

import (
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/population/internal/diag"
)

const (
	ADay    = 24 * 60 * 60 // seconds
	LastDay = 2_932_896    // 9999-12-31, since 1970
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
func parseDate(text string) (Quantity, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Quantity{}, fmt.Errorf("%s is not a date; expected one such as 2020-03-01: the year, the month and the day", diag.Quote(text))
	}
	return Quantity{KindDate, float64(t.Unix() / ADay), Unit{}}, nil
}

// A Epoch is the date at which the clock of a model is 0, if it has one.
type Epoch struct {
	day   float64 // since 1970
	Dated bool
}

// Clock is a time on the clock of a model, in its unit: a number, a duration, or a date. The error says why it is none.
func (z Epoch) Clock(q Quantity, u Unit) (float64, error) {
	switch {
	case q.Kind == KindNumber || q.Kind == KindDuration:
		return q.In(u), nil
	case q.Kind == KindDate && z.Dated:
		return (q.Number - z.day) * ADay / u.Seconds, nil
	case q.Kind == KindDate:
		return 0, fmt.Errorf("a date, but the clock of the model does not start at one; write start: 2020-03-01 in time, for example")
	}
	return 0, fmt.Errorf("%s; expected a time such as 160, in the unit of the model, or 160 days", q.Kind)
}

// Date is when the clock is 0, and whether that is a date.
func (z Epoch) Date() (time.Time, bool) { return time.Unix(int64(z.day)*ADay, 0).UTC(), z.Dated }

// words is a time at which something on the clock is, for a message.
func (z Epoch) words(t float64) string {
	if z.Dated && t == 0 {
		date, _ := z.Date()
		return date.Format(time.DateOnly)
	}
	return fmt.Sprintf("%.12g", t)
}
