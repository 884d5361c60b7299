package population_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/population"
)

// calendarModel has visitors by an intervention, and others by immigration at the rate "open".
const calendarModel = `
name: calendar
time: {unit: day, start: 2019-12-31, end: 2021-04-30}
population: {size: 0, start: {}}
parameters:
  open: OPEN
states: {here: {}}
immigration: {rate: open, enter: here, name: arrival}
interventions: [{EVERY, enter: here, count: 1, name: visit}]
record: {every: 1 day}
`

func calendarText(open, every string) string {
	return strings.NewReplacer("OPEN", open, "EVERY", every).Replace(calendarModel)
}

// An intervention that happens every calendar month does so on the same day of each month, or on
// its last.
func TestCalendarMonths(t *testing.T) {
	for every, want := range map[string][]string{
		"every: 1 calendar month": {"2019-12-31", "2020-01-31", "2020-02-29", "2020-03-31", "2020-04-30", "2020-05-31",
			"2020-06-30", "2020-07-31", "2020-08-31", "2020-09-30", "2020-10-31", "2020-11-30", "2020-12-31", "2021-01-31",
			"2021-02-28", "2021-03-31", "2021-04-30"},
		"at: 2020-02-15, every: 3 calendar months, until: 2020-12-01": {"2020-02-15", "2020-05-15", "2020-08-15",
			"2020-11-15"},
		"at: 2020-02-29, every: 1 calendar year": {"2020-02-29", "2021-02-28"},
	} {
		m := compiled(t, calendarText("0 per day", every))
		r, err := m.Run(t.Context(), population.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for row, date := range m.Dates() {
			if r.Runs[0].NamedIncidence(row, slices.Index(m.Names(), "visit")) > 0 {
				got = append(got, date)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", every, got, want)
		}
	}
	m := compiled(t, calendarText("0 per day", "every: 1 calendar month"))
	if text := m.Explain(); !strings.Contains(text, "and every 1 calendar month from then on") {
		t.Errorf("%s", text)
	}
}

// Rows may be calendar months apart, in any unit of the model.
func TestCalendarRows(t *testing.T) {
	for _, unit := range []string{"hour", "day", "week", "year"} {
		text := strings.NewReplacer("every: 1 day}", "every: 1 calendar month}", "unit: day", "unit: "+unit,
			"start: 2019-12-31", "start: 2020-01-01", "end: 2021-04-30", "end: 2020-06-15").
			Replace(calendarText("1 per day", "at: 2020-03-01"))
		want := []string{"2020-01-01", "2020-02-01", "2020-03-01", "2020-04-01", "2020-05-01", "2020-06-01", "2020-06-15"}
		if got := compiled(t, text).Dates(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", unit, got, want)
		}
	}
}

// Steps and lines with a period are those that repeat them in the file.
func TestPeriodic(t *testing.T) {
	var weekly, terms, line []string
	for day := -1; day < 500; day += 7 { // 2019-12-30 is a Monday, a day before the start
		weekly = append(weekly, fmt.Sprintf("%d days: 10 per day, %d days: 2 per day", day, day+5))
		line = append(line, fmt.Sprintf("%d days: 10 per day, %d days: 2 per day", day, day+5))
	}
	for year := 2018; year < 2023; year++ {
		terms = append(terms, fmt.Sprintf("%d-01-07: 9 per day, %d-07-20: 1 per day, %d-09-01: 8 per day, %d-12-20: 0 per "+
			"day",
			year, year, year, year))
	}
	for _, c := range [][2]string{
		{"{steps: {2020-01-06: 10 per day, 2020-01-11: 2 per day}, period: 1 week}",
			"{steps: {" + strings.Join(weekly, ", ") + "}}"},
		{"{period: 7 days, steps: {2031-01-06: 10 per day, 2031-01-11: 2 per day}}",
			"{steps: {" + strings.Join(weekly, ", ") + "}}"},
		{"{line: {1990-01-01: 10 per day, 1990-01-06: 2 per day}, period: 1 week}",
			"{line: {" + strings.Join(line, ", ") + "}}"},
		{"{steps: {2020-01-07: 9 per day, 2020-07-20: 1 per day, 2020-09-01: 8 per day, 2020-12-20: 0 per day}, " +
			"period: 1 calendar year}", "{steps: {" + strings.Join(terms, ", ") + "}}"},
		{"{steps: {2012-09-01: 8 per day, 2012-12-20: 0 per day, 2013-01-07: 9 per day, 2013-07-20: 1 per day}, " +
			"period: 12 calendar months}", "{steps: {" + strings.Join(terms, ", ") + "}}"},
	} {
		var texts [2]string
		for i, open := range c {
			m := compiled(t, calendarText(open, "at: 2020-03-01"))
			r, err := m.Run(t.Context(), population.Options{Seed: 3, Replicas: 20})
			if err != nil {
				t.Fatal(err)
			}
			texts[i] = fmt.Sprint(r.Named(slices.Index(m.Names(), "arrival")).Mean)
		}
		if texts[0] != texts[1] {
			t.Errorf("%s differs from %.80s…\n%.300s\n%.300s", c[0], c[1], texts[0], texts[1])
		}
	}
	m := compiled(t, calendarText("{steps: {2020-01-06: 10 per day, 2020-01-11: 2 per day}, period: 1 week}",
		"at: 2020-03-01"))
	if text := m.Explain(); !strings.Contains(text, "repeated every 7 days") {
		t.Errorf("%s", text)
	}
}

// What cannot be is said, with what can.
func TestCalendarRefused(t *testing.T) {
	const plain = "1 per day"
	undated := strings.NewReplacer("start: 2019-12-31, end: 2021-04-30", "end: 400").Replace
	for text, want := range map[string]string{
		calendarText(plain, "every: 1 calendar week"): "every: there is no calendar week; expected calendar months or " +
			"years",
		calendarText(plain, "every: 1.5 calendar months"): "every: found \"1.5 calendar months\", expected a whole number " +
			"of them from 1 on",
		calendarText(plain, "every: 0 calendar months"): "expected a whole number of them from 1 on",
		undated(calendarText(plain, "every: 1 calendar month")): "the clock of the model does not start at a date, so " +
			"that there are " +
			"no calendar months; write start: 2020-03-01 in time, for example, or 1 month, which is a twelfth of a year",
		undated(calendarText("{steps: {1: 1 per day, 2: 0 per day}, period: 1 calendar year}",
			"at: 3")): "period: 1 calendar year: " +
			"the clock of the model does not start at a date",
		calendarText("{steps: {2020-01-06: 1 per day, 2020-01-13: 2 per day}, period: 1 week}",
			"at: 2020-03-01"): "steps: period: " +
			"from 2020-01-06 to 2020-01-13 it is not less than the period, 1 week",
		calendarText("{steps: {0 days: 1 per day, 1 second: 2 per day}, period: 2 seconds}",
			"at: 2020-03-01"): "period: it is " +
			"repeated too often: more than 100,000 times",
		calendarText("{steps: {0 days: 1 per day}, period: 0 days}", "at: 2020-03-01"): "period: 0 days: expected more " +
			"than nothing",
		calendarText("{seasonal: {mean: 1 per day, amplitude: 10%, peak: 0 days, period: 1 year}, period: 1 year}",
			"at: 2020-03-01"): "a value that changes with time is one of seasonal, steps and line",
	} {
		if _, err := population.Compile("model.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one message: %v", err)
		}
	}
}
