package page

import (
	"context"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/almanac-sim/almanac/internal/study"
	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/runs"
)

// A countingFS counts what is opened.
type countingFS struct {
	fstest.MapFS
	opened map[string]int
}

func (c countingFS) Open(name string) (fs.File, error) {
	c.opened[name]++
	return c.MapFS.Open(name)
}

// Stat does not open.
func (c countingFS) Stat(name string) (fs.FileInfo, error) { return c.MapFS.Stat(name) }

// Whatever reads files or draws waits for its turn, and what was read for a page is not read again
// for its figures.
func TestComputeSlots(t *testing.T) {
	files := countingFS{fstest.MapFS{}, map[string]int{}}
	for name, text := range map[string]string{
		"run/summary.json": `{"model": "m", "replicas": 1, "unit": "day", "times": [0, 1], "states": {"a": {"median": ` +
			`[1, 2], "mean": [1, 2]}}, "flows": {}}`,
		"sweep/points.csv":    "a,replicas,output,mean,sd,low,high\n1,3,x,1,,,\n2,3,x,1,,,\n",
		"clinic/courses.csv":  "statistic,from,to,mean,min,max\nline,0,1,1,1,1\nline,1,2,2,2,2\n",
		"report/claims.json":  `{"results": []}`,
		"walk.yaml":           "states: {}",
		"deeper/in/walk.yaml": "states: {}",
	} {
		files.MapFS[name] = &fstest.MapFile{Data: []byte(text)}
	}
	s := inside(t, Config{Files: files})
	run, err := s.runs.Start(runs.Work{Do: func(_ context.Context, report *runs.Reporter) error {
		report.Show(func() runs.View { return runs.View{Figures: []figure.Figure{pageFigure(4)}} })
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-run.Over()
	ask := func(path string, busy bool) int {
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "localhost"
		if busy {
			left, leave := context.WithCancel(t.Context())
			leave()
			r = r.WithContext(left)
			for range cap(s.computeSlots) {
				s.computeSlots <- struct{}{}
				defer func() { <-s.computeSlots }()
			}
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	for _, path := range []string{
		"/", "/compare", "/studies", "/queues", "/papers", "/runs/1", "/runs/1/figures/f.svg?w=400", "/runs/1/figures/f.png",
		"/runs/1/figures/f.csv",
		"/results/run", "/result/states.svg?dir=run&w=400", "/sweeps/sweep", "/sweep-figures/over-0-0.svg?dir=sweep&w=400",
		"/courses/clinic", "/course/course-0.svg?dir=clinic&w=400",
	} {
		want := "503 200 503"
		// what has been drawn needs no turn
		if path == "/runs/1" || strings.HasPrefix(path, "/runs/1/figures/f.svg") ||
			strings.HasPrefix(path, "/runs/1/figures/f.png") {
			want = "503 200 200"
		}
		if got := fmt.Sprint(ask(path, true), ask(path, false), ask(path, true)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	read := func(name string, times int) {
		t.Helper()
		if n := files.opened[name]; n != times {
			t.Errorf("%s was read %d times", name, n)
		}
	}
	for _, name := range []string{"run/summary.json", "sweep/points.csv", "clinic/courses.csv", "walk.yaml",
		"deeper/in/walk.yaml"} {
		read(name, 1)
	}
	// A list reads what has changed, and forgets what is gone.
	files.MapFS["walk.yaml"] = &fstest.MapFile{Data: []byte("# Another.\nstates: {}"), ModTime: time.Now()}
	delete(files.MapFS, "deeper/in/walk.yaml")
	if status, body := s.get("/"); status != 200 || !strings.Contains(body, "Another.") ||
		strings.Contains(body, "deeper") {
		t.Errorf("%d: %s", status, body)
	}
	read("walk.yaml", 2)
	if n := len(s.index.entries); n != 1 {
		t.Errorf("%d heads are remembered", n)
	}
}

// The points of a sweep are counted once: what is kept of it is about what they take.
func TestSizeOfSweep(t *testing.T) {
	sweep := study.NewSweep("", nil, false, nil)
	for range 1000 {
		if err := sweep.Add(study.Point{Values: []string{"1", "2"}, Outputs: make([]study.Output, 4)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := (sweepResult{Sweep: sweep}).Size(); n != 1000*(64+2*32+4*64) {
		t.Errorf("a thousand points take %d bytes", n)
	}
}
