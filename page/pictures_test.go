package page

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/runs"
)

var quietLog = slog.New(slog.DiscardHandler)

// pageFigure is a figure with a line of so many points.
func pageFigure(n int) figure.Figure {
	s := plot.Series{Name: "a"}
	for i := range n {
		s.Add(float64(i), float64(i*i))
	}
	return figure.Figure{ID: "f", Chart: plot.Chart{Series: []plot.Series{s}}}
}

// pageHolding is work that goes on until it is let go, or stopped.
func pageHolding(let chan struct{}) runs.Work {
	return runs.Work{Title: "holding", Do: func(ctx context.Context, report *runs.Reporter) error {
		select {
		case <-let:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

// inside is a server without a connection, for tests that look into it.
func inside(t *testing.T, c Config) *Server {
	t.Helper()
	if c.Files == nil {
		c.Files = fstest.MapFS{}
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// get is the status and the body of an answer.
func (s *Server) get(path string) (int, string) {
	r := httptest.NewRequest("GET", path, nil)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// Pictures are kept by what they depend on, whatever else an address has; not more of them than
// there is room for; and numbers not at all.
func TestRenderingsCached(t *testing.T) {
	s := inside(t, Config{})
	run, err := s.runs.Start(runs.Work{Do: func(_ context.Context, report *runs.Reporter) error {
		report.Show(func() runs.View { return runs.View{Figures: []figure.Figure{pageFigure(400)}} })
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-run.Over()
	ask := func(form, query string) {
		t.Helper()
		if status, body := s.get("/runs/1/figures/f." + form + "?" + query); status != 200 {
			t.Fatalf("%s: %d: %s", query, status, body)
		}
	}
	for i := range 40 {
		ask("svg", fmt.Sprintf("w=400.%d&text=13&junk=%d&text=%d&hide=0,%s,0&log=%d", i, i, i, strings.Repeat("x", i), i))
		ask("csv", fmt.Sprintf("w=%d", 300+i))
		ask("json", fmt.Sprintf("w=%d", 300+i))
	}
	if n, _ := run.CacheSize(); n != 2 { // 400 and 401 pixels wide
		t.Errorf("%d pictures are kept", n)
	}
	most := 0
	for i := range 150 {
		ask("svg", fmt.Sprintf("w=600&from=0&to=%d", 100+i))
		n, _ := run.CacheSize()
		most = max(most, n)
	}
	if most < 10 || most > 120 {
		t.Errorf("%d pictures were kept at once", most)
	}
}

// A chart whose axis is logarithmic by itself has its switch on, and switching it off makes another
// drawing.
func TestLogAxis(t *testing.T) {
	s := inside(t, Config{})
	f := figure.Figure{ID: "f", Chart: plot.Chart{LogY: true, Series: []plot.Series{
		{Name: "a", X: []float64{0, 1, 2}, Y: []float64{1, 10, 100}}}}}
	run, err := s.runs.Start(runs.Work{Do: func(_ context.Context, report *runs.Reporter) error {
		report.Show(func() runs.View { return runs.View{Figures: []figure.Figure{f}} })
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-run.Over()
	if _, body := s.get("/runs/1"); !strings.Contains(body, "data-log checked") {
		t.Error("the switch is off")
	}
	for query, want := range map[string]string{"": "y", "&log=y": "y", "&log=n": ""} {
		if _, body := s.get("/runs/1/figures/f.svg?w=400" + query); !strings.Contains(body, `data-log="`+want+`"`) {
			t.Errorf("%s: %.300s", query, body)
		}
	}
}
