package plot

import (
	"cmp"
	"math"
	"slices"
	"time"

	gonum "gonum.org/v1/plot"
)

// Dates make the x axis a calendar: x = 0 is at Zero, and one unit of x takes Unit seconds.
type Dates struct {
	Zero time.Time
	Unit float64
}

// At is the time of an x, to the second, in UTC.
func (d Dates) At(x float64) time.Time {
	return time.Unix(d.Zero.Unix()+int64(math.Round(x*d.Unit)), 0).UTC()
}

// x is where a time is on the axis.
func (d Dates) x(t time.Time) float64 { return float64(t.Unix()-d.Zero.Unix()) / d.Unit }

// drawable reports whether a range can have dates: years of four digits.
func (d Dates) drawable(low, high float64) bool {
	const century = 100 * 365.25 * 86400.0
	if !(d.Unit > 0) || !(math.Abs(low)*d.Unit < 90*century) || !(math.Abs(high)*d.Unit < 90*century) {
		return false
	}
	return d.At(low).Year() >= 0 && d.At(high).Year() <= 9999
}

// A stride is the distance of the labels of a calendar. Only one of its numbers is not 0.
type stride struct{ hours, days, months, years int }

// strides are the distances that readers expect, ascending.
var strides = []stride{{hours: 1}, {hours: 3}, {hours: 6}, {hours: 12}, {days: 1}, {days: 2}, {days: 3},
	{days: 7}, {days: 14}, {months: 1}, {months: 2}, {months: 3}, {months: 6}, {years: 1}, {years: 2}, {years: 5},
	{years: 10}, {years: 20}, {years: 50}, {years: 100}, {years: 200}, {years: 500}, {years: 1000}, {years: 2000}}

// seconds is about the length of a stride.
func (s stride) seconds() float64 {
	return 3600*float64(s.hours) + 86400*(float64(s.days)+30.44*float64(s.months)+365.25*float64(s.years))
}

// first is the first time at or after from at which a label may stand: whole years and months of
// the calendar, hours of the day, and whole days since the day of from.
func (s stride) first(from time.Time) time.Time {
	y, m, d := from.Date()
	var t time.Time
	switch {
	case s.years > 0:
		t = time.Date(y-y%s.years, 1, 1, 0, 0, 0, 0, time.UTC)
	case s.months > 0:
		t = time.Date(y, m-(m-1)%time.Month(s.months), 1, 0, 0, 0, 0, time.UTC)
	case s.days > 0:
		t = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
		if t.Before(from) {
			t = t.AddDate(0, 0, 1)
		}
	default:
		t = time.Date(y, m, d, from.Hour()-from.Hour()%s.hours, 0, 0, 0, time.UTC)
	}
	for t.Before(from) {
		t = s.next(t)
	}
	return t
}

// divides reports whether every label of s is also at a finer stride.
func (s stride) divides(finer stride) bool {
	switch {
	case s.years > 0 && finer.months > 0:
		return true
	case s.years > 0:
		return finer.years > 0 && s.years%finer.years == 0
	case s.months > 0:
		return finer.months > 0 && s.months%finer.months == 0
	case s.days > 0:
		return finer.days > 0 && s.days%finer.days == 0
	}
	return s.hours%finer.hours == 0
}

func (s stride) next(t time.Time) time.Time {
	return t.AddDate(s.years, s.months, s.days).Add(time.Duration(s.hours) * time.Hour)
}

// labels are a day, a month or a year. A second line has the year, or of hours the date, where it
// changes and below the first label.
func (s stride) labels(at []time.Time) []string {
	line, below := "2006", ""
	switch {
	case s.months > 0:
		line, below = "Jan", "2006"
	case s.days > 0:
		line, below = "2 Jan", "2006"
	case s.hours > 0:
		line, below = "15:04", "2 Jan 2006"
	}
	all := make([]string, len(at))
	for i, t := range at {
		all[i] = t.Format(line)
		switch under := t.Format(below); {
		case below == "":
		case i == 0 || at[i-1].Format(below) != under:
			all[i] += "\n" + under
		default:
			all[i] += "\n " // so that first lines have the same height
		}
	}
	return all
}

// dated returns the ticks of a range with labels at a stride, and ticks without labels at shorter
// ones.
func (d Dates) dated(low, high float64, s stride) (ticks []gonum.Tick) {
	times := func(s stride) (all []time.Time) {
		end := d.At(high)
		for t := s.first(d.At(low)); !t.After(end) && t.Year() <= 9999; t = s.next(t) {
			all = append(all, t)
		}
		return all
	}
	at := times(s)
	for i, label := range s.labels(at) {
		ticks = append(ticks, gonum.Tick{Value: d.x(at[i]), Label: label})
	}
	const most = 40 // ticks on the axis
	for _, finer := range strides {
		if finer.seconds() >= s.seconds() || (high-low)*d.Unit/finer.seconds() > most || !s.divides(finer) {
			continue
		}
		for _, t := range times(finer) {
			if !slices.ContainsFunc(at, t.Equal) {
				ticks = append(ticks, gonum.Tick{Value: d.x(t)})
			}
		}
		break
	}
	slices.SortFunc(ticks, func(a, b gonum.Tick) int { return cmp.Compare(a.Value, b.Value) })
	return ticks
}

// axis returns the ticks with the most labels that fit: at most nine, as fit judges. If a range is
// shorter than the shortest stride, it has the label of its start.
func (d Dates) axis(low, high float64, fit func([]gonum.Tick) bool) []gonum.Tick {
	const most = 9
	var last []gonum.Tick
	for _, s := range strides {
		if (high-low)*d.Unit/s.seconds() > most {
			continue
		}
		ticks := d.dated(low, high, s)
		n := 0
		for _, t := range ticks {
			if t.Label != "" {
				n++
			}
		}
		if n == 0 {
			break
		}
		if last = ticks; n == 1 || fit(ticks) {
			break
		}
	}
	if last == nil {
		last = []gonum.Tick{{Value: low, Label: d.At(low).Format("2 Jan 2006")}}
	}
	return last
}
