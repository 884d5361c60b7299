package figure

import (
	"fmt"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/plot"
)

func thinFigure(n int) Figure {
	s := plot.Series{Name: "a"}
	for i := range n {
		s.Add(float64(i), float64(i*i))
	}
	return Figure{ID: "f", Chart: plot.Chart{Series: []plot.Series{s}}}
}

// Long lines are told with fewer points, the same ones as the line grows, and always the last.
func TestThin(t *testing.T) {
	for _, n := range []int{0, 1, maxPoints, maxPoints + 1, 5000} {
		s := thinFigure(n).Thin().Chart.Series[0]
		if len(s.X) > maxPoints+2 {
			t.Errorf("%d points of %d", len(s.X), n)
		}
		if n > 0 && (s.X[0] != 0 || s.X[len(s.X)-1] != float64(n-1)) {
			t.Errorf("of %d: from %g to %g", n, s.X[0], s.X[len(s.X)-1])
		}
		for i := range s.X {
			if s.Y[i] != s.X[i]*s.X[i] {
				t.Errorf("of %d: %g at %g", n, s.Y[i], s.X[i])
			}
		}
	}
}

// What has changed is told, and no more: appended, in the middle, a band that begins, fewer points.
func TestChanges(t *testing.T) {
	of := func(y ...float64) Figure {
		s := plot.Series{Name: "a"}
		for i, v := range y {
			s.Add(float64(i), v)
		}
		return Figure{ID: "f", Chart: plot.Chart{Series: []plot.Series{s}}}
	}
	banded := of(1, 2)
	banded.Chart.Series[0].Low, banded.Chart.Series[0].High = []float64{0, 1}, []float64{2, 3}
	for _, x := range []struct {
		was, now Figure
		want     string
	}{
		{of(1, 2), of(1, 2), `[]`},
		{of(1, 2), of(1, 2, 3), `[{"id":"f","note":"","series":[{"i":0,"from":2,"n":3,"x":[2],"y":[3]}]}]`},
		{of(1, 2, 3, 4), of(1, 7, 8, 4), `[{"id":"f","note":"","series":[{"i":0,"from":1,"n":4,"x":[1,2],"y":[7,8]}]}]`},
		{of(1, 2), banded, `[{"id":"f","note":"","series":[{"i":0,"from":0,"n":2,"x":[0,1],"y":[1,2],` +
			`"lo":[0,1],"hi":[2,3]}]}]`},
		{of(1, 2, 3), of(1), `[{"id":"f","note":"","series":[{"i":0,"from":1,"n":1,"x":[],"y":[]}]}]`},
	} {
		if got := string(Diff([]Figure{x.was}, []Figure{x.now})); got != x.want {
			t.Errorf("%s\nwant %s", got, x.want)
		}
	}
	// One without a point has columns, too.
	if got, want := string(Diff(nil, []Figure{of()})), `"x":[],"y":[]`; !strings.Contains(got, want) {
		t.Errorf("%s has no %s", got, want)
	}
	if got := fmt.Sprint(SameSeries([]Figure{of(1)}, []Figure{of(1, 2)}), SameSeries([]Figure{of(1)}, nil)); got !=
		"true false" {
		t.Error(got)
	}
}

// A wish is what an address says, or nothing where that makes no sense.
func TestParseOptions(t *testing.T) {
	for query, want := range map[string]string{
		"": `0 0 "" 0 0 [] false ""`, "w=400": `400 13 "" 0 0 [] false ""`,
		"w=400&text=11.26&log=y&from=1&to=2&hide=3,1,1,-4,x,5000": `400 11.3 "y" 1 2 [1 3] false ""`,
		"from=2&to=1": `0 0 "" 0 0 [] false ""`, "from=NaN&to=1": `0 0 "" 0 0 [] false ""`,
		"from=-Inf&to=Inf": `0 0 "" 0 0 [] false ""`,
		"log=n":            `0 0 "n" 0 0 [] false ""`, "log=x": `0 0 "" 0 0 [] false ""`,
		"w=400&text=NaN":       `400 13 "" 0 0 [] false ""`,
		"per=y&title=+Fig.+1+": `0 0 "" 0 0 [] true "Fig. 1"`, "per=1&title=%ff": `0 0 "" 0 0 [] false ""`,
		"title=" + strings.Repeat("a", maxTitle+1): `0 0 "" 0 0 [] false ""`,
	} {
		q, _ := url.ParseQuery(query)
		if w, err := ParseOptions(q); err != nil || w.Key() != want {
			t.Errorf("%s: %v, want %s", query, w.Key(), want)
		}
	}
	for _, query := range []string{"w=NaN", "w=159", "w=4001", "w="} {
		q, _ := url.ParseQuery(query)
		if _, err := ParseOptions(q); err == nil {
			t.Errorf("%s is a width", query)
		}
	}
}

// The table beside a chart has its rows in order, whichever series they are of.
func TestTableInOrder(t *testing.T) {
	f := Figure{Chart: plot.Chart{XLabel: "x", Series: []plot.Series{
		{Name: "a", X: []float64{4, 0, 2}, Y: []float64{14, 10, 12}}, {Name: "b", X: []float64{1, 2, math.NaN()},
			Y: []float64{21, 22, 99}}}}}
	table, every := f.table()
	if got := fmt.Sprint(table.Rows, every); got != "[[0 10 ] [1  21] [2 12 22] [4 14 ]] 1" {
		t.Error(got)
	}
}

// Dates are written as the axis has them; numbers per 100,000 and the title are those of a file,
// too.
func TestDatesPerAndTitle(t *testing.T) {
	chart := func(y float64) plot.Chart {
		return plot.Chart{Title: "runs", XLabel: "date", Dates: &plot.Dates{Zero: time.Date(2020, 3, 1, 0, 0, 0, 0, time.UTC),
			Unit: 86400}, Series: []plot.Series{{Name: "ill", X: []float64{0, 1.5, 40}, Y: []float64{1, y, y}}}}
	}
	f := Figure{ID: "a", Chart: chart(7), Per: func(n float64) plot.Chart { return chart(n) }}
	table, _ := f.table()
	if got := fmt.Sprint(table.Head, table.Rows); got !=
		"[date ill] [[2020-03-01 1] [2020-03-02 12:00 7] [2020-04-10 7]]" {
		t.Error(got)
	}
	for _, c := range []struct{ form, query, want string }{
		{"json", "", `{"x":"date","zero":1583020800,"unit":86400,"series":[{"name":"ill","steps":false,"drawn":false,` +
			`"x":[0,1.5,40],"y":[1,7,7]}]}`},
		{"json", "per=y", `"y":[1,100000,100000]`}, {"csv", "per=y", "ill,40,100000"},
		{"svg", "title=Fig.+1", `aria-label="Fig. 1"`}, {"svg", "", `aria-label="runs"`}, {"svg", "", `aria-label="8 Mar"`},
		{"svg", "w=400", ">8 Mar</text>"}, {"pdf", "", "%PDF-"},
	} {
		q, _ := url.ParseQuery(c.query)
		o, err := ParseOptions(q)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Encode([]Figure{f}, "a", c.form, o); err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%s %s: %v, %.300s", c.form, c.query, err, got)
		}
	}
}
