package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/internal/format"
	"github.com/almanac-sim/almanac/population/internal/eval"
	"github.com/almanac-sim/almanac/population/internal/program"
	"github.com/almanac-sim/almanac/population/internal/quantity"
	"github.com/almanac-sim/almanac/population/internal/syntax"
)

// varying returns a value that may vary with time or with counts in words, for the individual of a
// scope.
func (e *explainer) varying(here eval.Scope, v syntax.Value, show func(x float64) string) string {
	got, _, _ := here.Dereference(v, "")
	if got.CountDependent != nil {
		if !got.CountDependent.Most.Given() {
			return e.boundedBySize(here, got.CountDependent, show)
		}
		most, _ := here.Rate(got.CountDependent.Most, "")
		now := ""
		// How many are in the states of machines at the start is drawn.
		if m, ok := here.Term(got.CountDependent.Value, ""); ok && !m.CountsFrom(len(e.program.States)) && !m.HasSince() {
			if x := m.At(0, program.Census{Total: e.program.Size, Counts: e.program.StartCounts}); x >= 0 && x <= most {
				now = "which is " + show(x) + " at the start, "
			}
		}
		return fmt.Sprintf("%s, %snever below 0 and at most %s", got.CountDependent.Value.Text, now, show(most))
	}
	m, ok := here.Term(got, "")
	switch {
	case !ok:
		return v.Text
	case m.Op == program.TermConstant:
		return show(m.X)
	case m.HasNumber():
		return e.withNumbers(here, got, m.Term)
	case got.TimeVarying != nil && got.TimeVarying.Since != nil:
		return e.sinceCurve(here, got.TimeVarying, m.Term, show)
	case m.HasSince():
		return e.sinceRange(here, got.Text, m.Term, show)
	case got.TimeVarying == nil:
		low, high := e.valueRange(m.Term)
		return fmt.Sprintf("%s, which changes with time between %s and %s", got.Text, show(low), show(high))
	case got.TimeVarying.Form == "seasonal":
		c := got.TimeVarying
		amplitude, _ := here.Chance(c.Amplitude, "")
		peak, _ := here.ClockTime(c.Peak, "")
		every := quantity.CalendarWords(c.Months)
		if c.Months == 0 {
			period, _ := here.PositiveDuration(c.Period, "")
			every = e.interval(period)
		}
		return fmt.Sprintf("%s on average, with a season: %s more at %s and every %s from then, and as much less "+
			"half-way between",
			e.varying(here, c.Mean, show), format.Percent(amplitude), e.modelTime(peak), every)
	}
	return e.knots(got.TimeVarying, m.Term, show)
}

// maxKnots limits how many times of steps or of a line are listed.
const maxKnots = 6

// knots lists the times of steps or of a line.
func (e *explainer) knots(c *syntax.TimeVarying, t *program.Term, show func(x float64) string) string {
	var all []string
	for i := range min(len(t.Times), maxKnots) {
		at := e.modelTime(format.Tidy(e.program.Start + t.Times[i]))
		switch {
		case c.Form == "line":
			all = append(all, show(t.Values[i])+" at "+at)
		case i == 0:
			all = append(all, show(t.Values[0]))
		default:
			all = append(all, show(t.Values[i])+" from "+at+" on")
		}
	}
	text := strings.Join(all, ", ")
	if more := len(t.Times) - maxKnots; more > 0 {
		text += fmt.Sprintf(", and so on for %s more times until %s", format.Thousands(float64(more)),
			e.modelTime(format.Tidy(e.program.Start+t.Times[len(t.Times)-1])))
	}
	if c.Form == "line" {
		text += ", with straight lines between"
	}
	switch {
	case c.Months > 0:
		text += ", repeated every " + quantity.CalendarWords(c.Months)
	case c.Period.Given():
		period, _ := e.here.PositiveDuration(c.Period, "")
		text += ", repeated every " + e.interval(period)
	}
	return text
}

// valueRange returns the least and the greatest value of a term in the run, accurate to the digits
// that are printed: it is sampled at many times and on both sides of all knots.
func (e *explainer) valueRange(t *program.Term) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	look := func(at float64) {
		x := t.At(at, program.Census{})
		low, high = min(low, x), max(high, x)
	}
	const looks = 2000
	span := e.program.End - e.program.Start
	for i := range looks {
		look(span * (float64(i) + 0.5) / looks)
	}
	for at, n := 0.0, 0; at < span && n < looks; n++ {
		look(at)
		at = t.NextChange(at)
		look(math.Nextafter(min(at, span), 0))
	}
	return low, high
}

// number returns a number with its dimension in words.
func (e *explainer) number(x float64, d quantity.Dimension) string {
	switch d {
	case quantity.DurationDimension:
		return e.file.Unit.Duration(x)
	case quantity.RateDimension:
		return fmt.Sprintf("%.4g per %s", x, e.file.Unit.Name)
	case quantity.Dimensionless:
		return fmt.Sprintf("%.6g", x)
	}
	return fmt.Sprintf("%.4g, %s", x, d.Describe(e.file.Unit))
}

// modelTime returns a time on the model's clock, and its date if it has one.
func (e *explainer) modelTime(t float64) string {
	day := fmt.Sprintf("%s %.12g", e.file.Unit.Name, t)
	if zero, ok := e.file.Epoch.Date(); ok {
		if days := t * e.file.Unit.Seconds / quantity.SecondsPerDay; days == math.Floor(days) &&
			math.Abs(days) < quantity.LastDay {
			return zero.AddDate(0, 0, int(days)).Format(time.DateOnly) + " (" + day + ")"
		}
	}
	return day
}

// interval returns the interval of something repeated: "day", "2 days", or "month" in a model of
// years.
func (e *explainer) interval(every float64) string {
	try := append(slices.Clone(quantity.Units), e.file.Unit)
	for _, u := range slices.Backward(try) { // the model's unit first, and then the largest that fits
		n := every * e.file.Unit.Seconds / u.Seconds
		switch whole := math.Round(n); {
		case whole < 1 || math.Abs(n-whole) > 1e-9*whole:
		case whole == 1:
			return u.Name
		case u == e.file.Unit || u.Seconds > quantity.SecondsPerDay:
			return u.Duration(whole)
		}
	}
	return e.file.Unit.Duration(every)
}
