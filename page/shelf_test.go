package page

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/internal/plot"
	"github.com/almanac-sim/almanac/internal/study"
)

// sized is something to see that takes about so many bytes.
func sized(bytes int) saved {
	return saved{View: View{Figures: []Figure{{Chart: plot.Chart{Series: []plot.Series{{X: make([]float64, bytes/8)}}}}}}}
}

// What is asked for by many is made once; what takes long to make holds up nobody who wants
// something else; who leaves while it is made for them, or makes it in vain, does not keep others
// from it; and what is made badly is not kept.
func TestShelfConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shelf
		var made atomic.Int64
		slow := func() (saved, error) { made.Add(1); time.Sleep(time.Minute); return sized(8), nil }
		for range 5 {
			go func() {
				if v, err := s.get(t.Context(), "slow", slow); err != nil || len(v.Figures) != 1 {
					t.Errorf("%v, %v", v, err)
				}
			}()
		}
		synctest.Wait()
		began := time.Now()
		if _, err := s.get(t.Context(), "quick", func() (saved, error) { return sized(8), nil }); err != nil ||
			time.Since(began) != 0 {
			t.Errorf("another waits for %v, %v", time.Since(began), err)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.get(impatient, "slow", slow); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) !=
			time.Second {
			t.Errorf("one who leaves waits for %v, %v", time.Since(began), err)
		}
		time.Sleep(time.Minute)
		if n := made.Load(); n != 1 {
			t.Errorf("made %d times", n)
		}
		// The one for whom it is made leaves.
		leaving, leave := context.WithCancel(t.Context())
		go s.get(leaving, "left", func() (saved, error) { <-leaving.Done(); return saved{}, leaving.Err() })
		synctest.Wait()
		other := make(chan error)
		go func() {
			_, err := s.get(t.Context(), "left", func() (saved, error) { return sized(8), nil })
			other <- err
		}()
		synctest.Wait()
		leave()
		if err := <-other; err != nil {
			t.Errorf("one who stays gets %v", err)
		}
		// What fails is tried again, and a panic is not waited for.
		for range 2 {
			if _, err := s.get(t.Context(), "bad", func() (saved, error) { return saved{}, errUnmade }); !errors.Is(err,
				errUnmade) {
				t.Error(err)
			}
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = s.get(t.Context(), "panics", func() (saved, error) { panic("a bug") })
		}()
		if _, err := s.get(t.Context(), "panics", func() (saved, error) { return sized(8), nil }); err != nil {
			t.Error(err)
		}
	})
}

// Only so many things are kept, and only so many bytes of them: those that were asked for last.
func TestShelfBounds(t *testing.T) {
	var s shelf
	keys := func() (all []string) {
		for _, e := range s.kept {
			all = append(all, e.key)
		}
		return all
	}
	there := func(key string) bool {
		old := true
		_, _ = s.get(t.Context(), key, func() (saved, error) { old = false; return saved{}, errUnmade })
		return old
	}
	put := func(key string, bytes int) {
		_, _ = s.get(t.Context(), key, func() (saved, error) { return sized(bytes), nil })
	}
	for i := range mostShelved + 1 {
		put(fmt.Sprint(i), 8)
		put("0", 8) // which is asked for again and again
	}
	if !there("0") || there("1") || !there("2") {
		t.Errorf("%q are kept", keys())
	}
	put("large", mostShelvedBytes-(1<<20))
	put("also large", 2<<20)
	if there("large") || !there("also large") {
		t.Errorf("%q are kept", keys())
	}
	put("too large", mostShelvedBytes+8)
	if there("too large") || !there("also large") || s.bytes() > mostShelvedBytes || s.bytes() < 2<<20 {
		t.Errorf("%q are kept, %d bytes", keys(), s.bytes())
	}
}

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
func TestTurns(t *testing.T) {
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
	run, err := s.runs.Start(Work{Do: func(_ context.Context, tell *Teller) error {
		tell.Show(func() View { return View{Figures: []Figure{figure(4)}} })
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
			for range cap(s.turns) {
				s.turns <- struct{}{}
				defer func() { <-s.turns }()
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
	if n := len(s.lister.heads); n != 1 {
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
	if n := (View{Sweep: &swept{Sweep: sweep}}).size(); n != 1000*(64+2*32+4*64) {
		t.Errorf("a thousand points take %d bytes", n)
	}
}
