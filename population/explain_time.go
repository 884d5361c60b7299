package population

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
)

// mostKnots is how many of the times of steps or of a line are told.
const mostKnots = 6

// clock is a time on the model's clock, and its date if it has one.
func (e *explainer) clock(t float64) string {
	day := fmt.Sprintf("%s %.12g", e.f.unit.name, t)
	if zero, ok := e.f.zero.date(); ok {
		if days := t * e.f.unit.seconds / aDay; days == math.Floor(days) && math.Abs(days) < lastDay {
			return zero.AddDate(0, 0, int(days)).Format(time.DateOnly) + " (" + day + ")"
		}
	}
	return day
}

// figure puts a number of a dimension into words.
func (e *explainer) figure(x float64, d dimension) string {
	switch d {
	case ofDuration:
		return e.f.unit.Duration(x)
	case ofRate:
		return fmt.Sprintf("%.4g per %s", x, e.f.unit.name)
	case noDimension:
		return fmt.Sprintf("%.6g", x)
	}
	return fmt.Sprintf("%.4g, %s", x, d.words(e.f.unit))
}

// changing puts a value that may change with time or with counts into words, for the individual of a scope.
func (e *explainer) changing(here scope, v value, show func(x float64) string) string {
	got, _, _ := here.stands(v, "")
	if got.count != nil {
		most, _ := here.rate(got.count.most, "")
		now := ""
		if m, ok := here.part(got.count.value, ""); ok {
			if x := m.at(0, census{total: e.p.size, counts: e.p.starts}); x >= 0 && x <= most {
				now = "which is " + show(x) + " at the start, "
			}
		}
		return fmt.Sprintf("%s, %snever below 0 and at most %s", got.count.value.text, now, show(most))
	}
	m, ok := here.part(got, "")
	switch {
	case !ok:
		return v.text
	case m.op == termConstant:
		return show(m.x)
	case got.course == nil:
		low, high := e.reach(m.term)
		return fmt.Sprintf("%s, which changes with time between %s and %s", got.text, show(low), show(high))
	case got.course.form == "seasonal":
		c := got.course
		amplitude, _ := here.chance(c.amplitude, "")
		peak, _ := here.clock(c.peak, "")
		period, _ := here.longer(c.period, "")
		return fmt.Sprintf("%s on average, with a season: %s more at %s and every %s from then, and as much less half-way between",
			e.changing(here, c.mean, show), format.Percent(amplitude), e.clock(peak), e.each(period))
	}
	return e.knots(got.course, m.term, show)
}

// knots are the times of steps and of lines.
func (e *explainer) knots(c *courseValue, t *term, show func(x float64) string) string {
	var all []string
	for i := range min(len(t.times), mostKnots) {
		at := e.clock(format.Tidy(e.p.start + t.times[i]))
		switch {
		case c.form == "line":
			all = append(all, show(t.values[i])+" at "+at)
		case i == 0:
			all = append(all, show(t.values[0]))
		default:
			all = append(all, show(t.values[i])+" from "+at+" on")
		}
	}
	text := strings.Join(all, ", ")
	if more := len(t.times) - mostKnots; more > 0 {
		text += fmt.Sprintf(", and so on for %s more times until %s", format.Thousands(float64(more)), e.clock(format.Tidy(e.p.start+t.times[len(t.times)-1])))
	}
	if c.form == "line" {
		text += ", with straight lines between"
	}
	return text
}

// reach is what a term is at least and at most in the run, to the digits that are told: it is looked at often, and on both sides of all knots.
func (e *explainer) reach(t *term) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	look := func(at float64) {
		x := t.at(at, census{})
		low, high = min(low, x), max(high, x)
	}
	const looks = 2000
	span := e.p.end - e.p.start
	for i := range looks {
		look(span * (float64(i) + 0.5) / looks)
	}
	for at, n := 0.0, 0; at < span && n < looks; n++ {
		look(at)
		at = t.next(at)
		look(math.Nextafter(min(at, span), 0))
	}
	return low, high
}
