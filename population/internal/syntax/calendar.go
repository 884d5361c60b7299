package syntax

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/population/internal/diag"
	"go.yaml.in/yaml/v3"
)

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
