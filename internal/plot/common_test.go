package plot

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// Charts with the same series have the same colours, and one legend, however long its names are and
// however narrow the picture.
func TestCommonLegend(t *testing.T) {
	for _, name := range []string{"g%d", "a group of some length %d", "%d" + strings.Repeat(" very long", 30) + " %[1]d"} {
		for _, charts := range []int{1, 2, 5} {
			for _, groups := range []int{1, 3, 8, 30} {
				t.Run(fmt.Sprintf("%.10s %d %d", name, charts, groups), func(t *testing.T) {
					ps := Panels{Title: "by group", Note: "lines", Common: true}
					for k := range charts {
						c := Chart{Title: fmt.Sprintf("chart %d", k), XLabel: "day", FromZero: true}
						for g := range groups {
							s := curve(fmt.Sprintf(name, g), 0, 100, 0, float64(g+1), 40)
							s.Low, s.High = s.Y, s.Y
							c.Series = append(c.Series, s)
						}
						ps.Charts = append(ps.Charts, c)
					}
					svg, err := ps.picture("svg")
					if err != nil {
						t.Fatal(err)
					}
					all, width, height := texts(t, svg)
					apartFromEachOther(t, all, width, height, 8)
					if len(name) < 40 {
						for g := range groups {
							if n := bytes.Count(svg, []byte(">"+fmt.Sprintf(name, g)+"<")); n != 1 {
								t.Errorf("%s is named %d times", fmt.Sprintf(name, g), n)
							}
						}
					}
					// The colour of the second line is the same in all charts, and there is one
					// more in the legend.
					if groups == 3 {
						if n := len(regexp.MustCompile(`<path[^>]*fill:none;stroke:#004A86`).FindAll(svg, -1)); n != charts+1 {
							t.Errorf("%d lines have the second colour, want %d", n, charts+1)
						}
					}
					// No band is drawn after a line of its chart.
					if last, first := bytes.LastIndex(svg, []byte("fill-opacity")),
						bytes.Index(svg, []byte("stroke:#D55E00")); charts == 1 && last > first {
						t.Error("a band is drawn over a line")
					}
				})
			}
		}
	}
}

// The legend of all charts has the series that any of them has.
func TestCommonLegendOfDifferentSeries(t *testing.T) {
	ps := Panels{Common: true, Charts: []Chart{
		{Series: []Series{curve("a", 0, 1, 0, 1, 4), {Name: "b"}}},
		{Series: []Series{{Name: "a"}, curve("b", 0, 1, 0, 1, 4)}},
	}}
	svg, err := ps.picture("svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if n := bytes.Count(svg, []byte(">"+name+"<")); n != 1 {
			t.Errorf("%s is named %d times", name, n)
		}
	}
}
