package page

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/almanac-sim/almanac/page/internal/runs"
	"github.com/almanac-sim/almanac/reproduce/papers"
	"github.com/almanac-sim/almanac/sim"
)

// What a queue is said to need is more than what it takes when all who come are still in line, and
// not much more.
func TestQueueMemory(t *testing.T) {
	// a hundred thousand come, and each is served for two years
	c, err := queueForm{"1", "", "1000", "1e6", "exponential", "100", "1"}.read()
	if err != nil {
		t.Fatal(err)
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	before := heap()
	s := sim.New(sim.Seed(c.Seed))
	defer s.Close()
	s.Keep(sim.Thinned(maxCourse))
	servers := c.build(s)
	if err := s.Run(t.Context(), c.Until); err != nil {
		t.Fatal(err)
	}
	takes := heap() - before
	if n := servers.Queue().Value(); n < 90_000 {
		t.Fatalf("%v are in line", n)
	}
	if needs := c.memory() - queueBytes; takes > needs || takes < needs/4 {
		t.Errorf("it takes %d bytes, and is said to need %d", takes, c.memory())
	}
	runtime.KeepAlive(s)
}

// Everything that is run says what memory it needs, and what there is no memory for does not begin.
func TestWorkDeclaresMemory(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"a/summary.json", "b/summary.json", "b/series.csv"} {
		files[name] = &fstest.MapFile{Data: make([]byte, 1<<15)}
	}
	s := inside(t, Config{Files: files})
	works := map[string]runs.Work{}
	var err error
	if works["queue"], err = defaultQueue.work(); err != nil {
		t.Fatal(err)
	}
	if works["balls and bins"], err = defaultCapped.work(); err != nil {
		t.Fatal(err)
	}
	if works["compared"], err = s.compareRuns(nil, []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	works["claim"] = claimWork(papers.Claims()[0], 1)
	for name, w := range works {
		if w.Memory < 1<<16 || w.Memory > 1<<32 {
			t.Errorf("%s needs %d bytes", name, w.Memory)
		}
		s.runs.FreeMemory = func() uint64 { return w.Memory - 1 }
		began := false
		w.Do = func(context.Context, *runs.Reporter) error { began = true; return nil }
		run, err := s.runs.Start(w)
		if err != nil {
			t.Fatal(err)
		}
		if <-run.Over(); began || run.State() != runs.Failed || !strings.Contains(run.Status().Why, "of memory") {
			t.Errorf("%s: %s: %s", name, run.State(), run.Status().Why)
		}
	}
}
