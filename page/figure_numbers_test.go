package page

import (
	"context"
	"strings"
	"testing"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/runs"
)

// What is taken away of a chart is what is seen of it: the part of the times, without lines that
// are hidden, in each form; and all of it if nothing is said.
func TestDownloadOfView(t *testing.T) {
	s := inside(t, Config{})
	f := figure.Figure{ID: "f", Chart: plot.Chart{XLabel: "day", Series: []plot.Series{
		{Name: "a", X: []float64{0, 10, 20, 30}, Y: []float64{1, 2, 3, 1.0 / 3}, Low: []float64{0, 1, 2, 0},
			High: []float64{2, 3, 4, 1}},
		{Name: "hidden", X: []float64{0, 10, 20, 30}, Y: []float64{5, 6, 7, 8}},
		{Name: "each", X: []float64{0, 10, 20, 30}, Y: []float64{0, 11, 12, 13}, Steps: true},
	}}}
	run, err := s.runs.Start(runs.Work{Do: func(_ context.Context, report *runs.Reporter) error {
		report.Show(func() runs.View { return runs.View{Figures: []figure.Figure{f}} })
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-run.Over()
	get := func(form, query string) string {
		t.Helper()
		status, body := s.get("/runs/1/figures/f." + form + query)
		if status != 200 {
			t.Fatalf("%s: %d %s", query, status, body)
		}
		return body
	}
	const part = "?from=8&to=25&hide=1"
	// The interval from 20 to 30 is seen in part, and what happened in it stands at its end.
	if got, want := get("csv", part), "series,x,y,low,high\na,10,2,1,3\na,20,3,2,4\neach,10,11,,\neach,20,12,,\n"+
		"each,30,13,,\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := get("json", part), `{"x":"day","series":[{"name":"a","steps":false,"drawn":false,"x":[10,20],`+
		`"y":[2,3],"lo":[1,2],"hi":[3,4]},{"name":"each","steps":true,"drawn":false,"x":[10,20,30],"y":[11,12,13]}]}`; got !=
		want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := get("json", ""); !strings.Contains(got, `"hidden"`) || !strings.Contains(got, "0.3333333333333333]") {
		t.Errorf("not all of it: %s", got)
	}
	if got := get("csv", ""); strings.Count(got, "\n") != 13 {
		t.Errorf("not all of it: %s", got)
	}
	whole, some := get("svg", ""), get("svg", part+"&log=y")
	if !strings.Contains(whole, `"hidden"`) || strings.Contains(some, `"hidden"`) || !strings.Contains(some, `"each"`) ||
		!strings.Contains(whole, `label="0"`) || strings.Contains(some, `label="0"`) {
		t.Errorf("the whole and a part are drawn as %s\n%s", whole, some)
	}
	if a, b := get("png", ""), get("png", part); a == b || !strings.HasPrefix(b, "\x89PNG") {
		t.Error("a part is the same picture as the whole")
	}
}
