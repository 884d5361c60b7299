package plot

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gonum "gonum.org/v1/plot"
)

// Dates do not overlap, and are about as large as other labels, over hours and over a lifetime,
// beside a legend and in panels.
func TestDatesApart(t *testing.T) {
	dates := &Dates{time.Date(2019, 12, 9, 0, 0, 0, 0, time.UTC), 86400}
	for _, days := range []float64{0.4, 1, 3, 9, 14, 25, 60, 160, 365, 730, 2000, 22_000, 300_000} {
		c := Chart{Title: "chart", XLabel: "date", YLabel: "individuals", FromZero: true, LegendBeside: true, Dates: dates,
			Series: []Series{curve("a state with a long name", 0, days, 0, 100_000, 200)}}
		svg, err := c.picture("svg")
		if err != nil {
			t.Fatal(err)
		}
		for panels := range 4 {
			if panels > 0 {
				svg = savePanels(t, Panels{Title: "panels", Common: true, Charts: slices.Repeat([]Chart{c}, panels)})
			}
			all, width, height := texts(t, svg)
			all = slices.DeleteFunc(all, func(l label) bool { return strings.TrimSpace(l.text) == "" })
			apartFromEachOther(t, all, width, height, 8)
			dated, large := 0, true
			for _, l := range all {
				if l.text == "date" || strings.Contains(l.text, "since") {
					t.Errorf("%g days: the axis is called %s", days, l.text)
				}
				if month.MatchString(l.text) {
					dated++
					large = large && (l.size == 15 || panels > 0 && l.size >= 0.95*10.5)
				}
			}
			if dated < 2 || !large && days < 300_000 {
				t.Errorf("%g days, %d panels: %d dates, large: %t", days, panels, dated, large)
			}
		}
	}
}

// month finds labels of dates: a month, a time of the day or a year.
var month = regexp.MustCompile(`^(\d+ )?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)( \d{4})?$|^\d\d:00$|^\d{4}$`)

// Axes of hours to millennia have dates that readers expect, few enough to be legible: the year
// stands below the first label and where it changes.
func TestDates(t *testing.T) {
	start := time.Date(2020, 3, 1, 0, 0, 0, 0, time.UTC)
	day := Dates{start, 86400}
	for _, c := range []struct {
		d         Dates
		low, high float64
		want      string
	}{
		{day, 0, 1, "00:00/1 Mar 2020 03:00 06:00 09:00 12:00 15:00 18:00 21:00 00:00/2 Mar 2020"},
		{day, 0, 14, "1 Mar/2020 3 Mar 5 Mar 7 Mar 9 Mar 11 Mar 13 Mar 15 Mar"},
		{day, 0.5, 14, "2 Mar/2020 4 Mar 6 Mar 8 Mar 10 Mar 12 Mar 14 Mar"},
		{day, 0, 60, "1 Mar/2020 8 Mar 15 Mar 22 Mar 29 Mar 5 Apr 12 Apr 19 Apr 26 Apr"},
		{day, 0, 160, "Mar/2020 Apr May Jun Jul Aug"},
		{day, 0, 730, "Apr/2020 Jul Oct Jan/2021 Apr Jul Oct Jan/2022"},
		{day, -60, 730, "Jan/2020 Apr Jul Oct Jan/2021 Apr Jul Oct Jan/2022"},
		{Dates{time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC), 365.25 * 86400}, 0, 60.01,
			"1960 1970 1980 1990 2000 2010 2020"},
		{Dates{start, 365.25 * 86400}, 0, 2000, "2500 3000 3500 4000"},
		{Dates{start, 1}, 0, 5, "00:00/1 Mar 2020"},
		{Dates{start, 1}, 61, 66, "1 Mar 2020"},
	} {
		var got []string
		for _, tick := range c.d.axis(c.low, c.high, func([]gonum.Tick) bool { return true }) {
			if tick.Label != "" {
				got = append(got, strings.TrimSuffix(strings.ReplaceAll(tick.Label, "\n", "/"), "/ "))
			}
			if tick.Value < c.low-1e-9 || tick.Value > c.high+1e-9 {
				t.Errorf("%g to %g: a tick at %g", c.low, c.high, tick.Value)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g: %v, want %s", c.low, c.high, got, c.want)
		}
	}
	if at := day.At(14.25); at.Format("2006-01-02 15:04") != "2020-03-15 06:00" || day.x(at) != 14.25 {
		t.Error(at)
	}
}
