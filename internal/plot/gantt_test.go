package plot

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Every bar is drawn, texts stand in those that have room for them and lie on nothing else, and the
// picture is the same again.
func TestGantt(t *testing.T) {
	for _, rows := range []int{1, 4, 40} {
		g := Gantt{Title: "who held what", Note: "a thick edge: taken away", XLabel: "time"}
		for i := range rows {
			r := GanttRow{Name: fmt.Sprint("a desk of some length ", i)}
			for k := range 20 {
				r.Bars = append(r.Bars, GanttBar{From: float64(10 * k), To: float64(10*k) + 8, Text: "a", Colour: k, Cut: k == 3,
					Open: k == 19})
			}
			r.Bars = append(r.Bars, GanttBar{From: 199, To: 199.1, Text: "a name that has no room"})
			g.Rows = append(g.Rows, r)
		}
		svg, err := g.picture("svg")
		if err != nil {
			t.Fatal(err)
		}
		all, width, height := texts(t, svg)
		apartFromEachOther(t, all, width, height, 6)
		if n := bytes.Count(svg, []byte("fill-opacity")); n != 21*rows {
			t.Errorf("%d bars, want %d", n, 21*rows)
		}
		if n := strings.Count(string(svg), ">a<"); n != 20*rows || strings.Contains(string(svg), "no room") {
			t.Errorf("%d names, want %d", n, 20*rows)
		}
		again, err := g.picture("svg")
		if err != nil || !bytes.Equal(svg, again) {
			t.Errorf("another picture of the same: %v", err)
		}
	}
	for _, g := range []Gantt{{}, {Rows: []GanttRow{{Name: "潜"}}},
		{Rows: []GanttRow{{Bars: []GanttBar{{From: 3, To: 3, Colour: 99}}}}}} {
		for _, format := range []string{"svg", "png", "pdf"} {
			if _, err := g.picture(format); err != nil {
				t.Errorf("%+v: %v", g, err)
			}
		}
	}
}
