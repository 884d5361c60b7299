package page

import (
	"context"
	"fmt"
	"math"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/almanac-sim/almanac/internal/plot"
)

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
func TestPicturesKept(t *testing.T) {
	s := inside(t, Config{})
	run, err := s.runs.Start(Work{Do: func(_ context.Context, tell *Teller) error {
		tell.Show(func() View { return View{Figures: []Figure{figure(400)}} })
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
	if n := len(run.drawn); n != 2 { // 400 and 401 pixels wide
		t.Errorf("%d pictures are kept: %v", n, run.drawn)
	}
	kept := 0
	for i := range 150 {
		ask("svg", fmt.Sprintf("w=600&from=0&to=%d", 100+i))
		bytes := 0
		for key, d := range run.drawn {
			bytes += len(key) + len(d.what.([]byte))
		}
		if bytes > mostDrawn || bytes != run.drawnBytes {
			t.Fatalf("%d bytes are kept, said to be %d", bytes, run.drawnBytes)
		}
		kept = max(kept, len(run.drawn))
	}
	if kept < 10 || kept > 120 {
		t.Errorf("%d pictures were kept at once", kept)
	}
}

// A wish is what an address says, or nothing where that makes no sense.
func TestWish(t *testing.T) {
	for query, want := range map[string]string{
		"": `0 0 "" 0 0 []`, "w=400": `400 13 "" 0 0 []`,
		"w=400&text=11.26&log=y&from=1&to=2&hide=3,1,1,-4,x,5000": `400 11.3 "y" 1 2 [1 3]`,
		"from=2&to=1": `0 0 "" 0 0 []`, "from=NaN&to=1": `0 0 "" 0 0 []`, "from=-Inf&to=Inf": `0 0 "" 0 0 []`,
		"log=n": `0 0 "n" 0 0 []`, "log=x": `0 0 "" 0 0 []`, "w=400&text=NaN": `400 13 "" 0 0 []`,
	} {
		q, _ := url.ParseQuery(query)
		if w, err := wishOf(q); err != nil || w.key() != want {
			t.Errorf("%s: %v, want %s", query, w.key(), want)
		}
	}
	for _, query := range []string{"w=NaN", "w=159", "w=4001", "w="} {
		q, _ := url.ParseQuery(query)
		if _, err := wishOf(q); err == nil {
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

// A chart whose axis is logarithmic by itself has its switch on, and switching it off makes another
// drawing.
func TestLogAxis(t *testing.T) {
	s := inside(t, Config{})
	f := Figure{ID: "f", Chart: plot.Chart{LogY: true, Series: []plot.Series{
		{Name: "a", X: []float64{0, 1, 2}, Y: []float64{1, 10, 100}}}}}
	run, err := s.runs.Start(Work{Do: func(_ context.Context, tell *Teller) error {
		tell.Show(func() View { return View{Figures: []Figure{f}} })
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
