package sim

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// whatever is a thing that a process may do again and again, each time recovering from what comes of it.
type whatever struct {
	name string
	do   func(w *world, p *Process)
}

type world struct {
	s, other  *Simulation
	desk      *Resource
	far       *Resource // of the other simulation
	store     *Store[int]
	tank      *Container
	never     *Signal
	neighbour *Process
}

func newWorld() *world {
	w := &world{s: New(), other: New()}
	w.desk, w.far = NewResource(w.s, "desk", 1), NewResource(w.other, "far", 1)
	w.store, w.tank = NewStore[int](w.s, "store", 1), NewContainer(w.s, "tank", 1, 0)
	w.never = w.s.Signal("never")
	w.neighbour = w.s.Go("neighbour", func(p *Process) { _ = p.WaitFor(w.never) })
	return w
}

var stubbornness = []whatever{
	{"Wait", func(w *world, p *Process) { _ = p.Wait(1) }},
	{"Wait(0)", func(w *world, p *Process) { _ = p.Wait(1); _ = p.Wait(0) }},
	{"Wait for ever", func(w *world, p *Process) { _ = p.Wait(math.Inf(1)) }},
	{"WaitUntil", func(w *world, p *Process) { _ = p.WaitUntil(p.Now() + 1) }},
	{"WaitFor", func(w *world, p *Process) { _ = p.WaitFor(w.never) }},
	{"WaitFor a condition", func(w *world, p *Process) { _ = p.WaitFor(AllOf(w.never, w.neighbour)) }},
	{"WaitForWithin", func(w *world, p *Process) { _, _ = p.WaitForWithin(w.never, 1) }},
	{"Request", func(w *world, p *Process) { _, _ = w.desk.Request(p, 1) }},
	{"Use", func(w *world, p *Process) { _ = w.desk.Use(p, 1, func() { _ = p.Wait(1) }) }},
	{"Put", func(w *world, p *Process) { _ = w.store.Put(p, 1) }},
	{"Get", func(w *world, p *Process) { _, _ = w.store.Get(p); _ = p.Wait(1) }},
	{"Get an amount", func(w *world, p *Process) { _ = w.tank.Get(p, 1) }},
	{"Put an amount", func(w *world, p *Process) { _ = w.tank.Put(p, 1) }},
	{"let another wait", func(w *world, p *Process) { _ = p.Wait(1); _ = w.neighbour.Wait(1) }},
	{"request elsewhere", func(w *world, p *Process) {
		defer func() { _ = recover(); _ = p.Wait(1) }()
		_, _ = w.far.Request(p, 1)
	}},
	{"start others", func(w *world, p *Process) { w.s.Go("child", func(p *Process) { _ = p.Wait(1) }); _ = p.Wait(1) }},
	{"close", func(w *world, p *Process) { defer w.s.Close(); _ = p.Wait(1) }},
	{"panic", func(w *world, p *Process) { defer panic("no"); _ = p.Wait(1) }},
	{"defer a wait", func(w *world, p *Process) { defer func() { _ = p.Wait(1) }(); _ = p.Wait(1) }},
	{"wait in a loop of deferred calls", func(w *world, p *Process) {
		for range 1000 {
			defer func() { _ = recover(); _ = p.Wait(1) }()
		}
		_ = p.Wait(1)
	}},
}

// wantStubborn checks that Close panics with the name of the process that always recovers, and that
// it is the only one that is left. When the process has been told to give up, another Close ends it.
func wantStubborn(t *testing.T, s *Simulation, giveUp func()) {
	t.Helper()
	wantPanic(t, "cannot end process stubborn", s.Close)
	if left := s.Live(); len(left) != 1 || left[0].Name() != "stubborn" {
		t.Errorf("%v are left", left)
	}
	giveUp()
	s.Close()
	if s.Processes() != 0 {
		t.Errorf("%v are left", s.Live())
	}
}

// Close panics if a process recovers from whatever ends it, again and again. All others have ended by
// then.
func TestCloseReportsWhoAlwaysRecovers(t *testing.T) {
	noLeak(t)
	for _, x := range stubbornness {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld()
			var log []string
			gives := false
			note := func(name string) func() { return func() { log = append(log, name) } }
			w.s.Go("before", func(p *Process) {
				defer note("before")()
				_ = p.WaitFor(w.never)
			})
			w.s.Go("stubborn", func(p *Process) {
				defer note("stubborn")()
				for !gives {
					func() {
						defer func() { _ = recover() }()
						x.do(w, p)
					}()
				}
			})
			w.s.Go("after", func(p *Process) {
				defer note("after")()
				_ = p.WaitFor(w.never)
			})
			_ = w.s.Run(background, 3)
			wantStubborn(t, w.s, func() { gives = true })
			if got := strings.Join(log, " "); got != "before after stubborn" {
				t.Errorf("ended: %s", got)
			}
			w.s.Close()
		})
	}
}

// The deferred calls of a process may recover without an end, too.
func TestCloseReportsDeferredCallsThatAlwaysRecover(t *testing.T) {
	noLeak(t)
	tries := []whatever{
		{"TryRequest", func(w *world, p *Process) { _, _ = w.desk.TryRequest(1) }},
		{"TryPut", func(w *world, p *Process) { w.store.TryPut(1) }},
		{"TryGet", func(w *world, p *Process) { _, _ = w.store.TryGet() }},
		{"TryPut of an amount", func(w *world, p *Process) { w.tank.TryPut(1) }},
		{"TryGet of an amount", func(w *world, p *Process) { w.tank.TryGet(1) }},
	}
	for _, x := range slices.Concat(stubbornness, tries) {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld()
			gives, ended := false, false
			w.s.Go("stubborn", func(p *Process) {
				defer func() { ended = true }()
				defer func() {
					for !gives {
						func() {
							defer func() { _ = recover() }()
							x.do(w, p)
						}()
					}
				}()
				_ = p.WaitFor(w.never)
			})
			_ = w.s.Run(background, 3)
			wantStubborn(t, w.s, func() { gives = true })
			if !ended {
				t.Error("it has not ended")
			}
		})
	}
}

// A process that recovers and waits many times, but not for ever, ends. Its last deferred call runs.
func TestCloseEndsWhoRecoversOften(t *testing.T) {
	noLeak(t)
	w := newWorld()
	ended := false
	w.s.Go("many deferred calls", func(p *Process) {
		defer func() { ended = true }()
		for range 1000 {
			defer func() { _ = recover(); _ = p.Wait(1) }()
		}
		_ = p.WaitFor(w.never)
	})
	_ = w.s.Run(background, 3)
	if w.s.Close(); !ended || w.s.Processes() != 0 {
		t.Errorf("ended %t, %v are left", ended, w.s.Live())
	}
}

// Close in a deferred call of a process that Close is ending does nothing, and all end.
func TestCloseWhileClosing(t *testing.T) {
	noLeak(t)
	s := New()
	var log []string
	for _, name := range []string{"a", "b", "c"} {
		s.Go(name, func(p *Process) {
			defer func() { log = append(log, name) }()
			defer s.Close()
			defer func() { _ = recover() }()
			_ = p.Wait(100)
		})
	}
	_ = s.Run(background, 1)
	s.Close()
	if got := strings.Join(log, " "); got != "a b c" || s.Processes() != 0 {
		t.Errorf("%s ended, %d are left", got, s.Processes())
	}
}
