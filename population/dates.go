package population

import (
	"math"
	"time"

	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// Dates here are those of the Gregorian calendar, each its midnight in UTC: days of 24 hours, with leap days and without daylight saving. A clock that
// starts at a date is 0 there.

// Dates are those of the times at which a run is recorded, if the clock of the model starts at a date, and otherwise nil: 2020-03-01, or, if a row is not
// at midnight, all of them as 2020-03-01T18:00:00. They are in UTC, to the second.
func (m *Model) Dates() []string {
	start, dated := m.StartDate()
	if !dated {
		return nil
	}
	layout := time.DateOnly
	times := make([]time.Time, len(m.program.Rows))
	for i, t := range m.Times() {
		seconds := math.Round(t * m.program.Seconds)
		days := math.Floor(seconds / syntax.ADay)
		times[i] = start.AddDate(0, 0, int(days)).Add(time.Duration(seconds-float64(days*syntax.ADay)) * time.Second)
		if seconds != days*syntax.ADay {
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
	return m.compiled.File.Zero.Date()
}
