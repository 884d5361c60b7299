package sim

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A process that calls runtime.Goexit, as t.FailNow does, must end the goroutine that runs the
// simulation, and nothing may hang.
func TestGoexit(t *testing.T) {
	noLeak(t)
	s := New()
	done := make(chan []string)
	go func() {
		var log []string
		defer func() { done <- log }()
		defer s.Close()
		defer func() { log = append(log, "deferred") }()
		s.Go("other", func(p *Process) {
			defer func() { log = append(log, "other") }()
			_ = p.Wait(10)
		})
		s.Go("quits when closed", func(p *Process) {
			defer runtime.Goexit()
			_ = p.Wait(10)
		})
		s.Go("last", func(p *Process) {
			defer func() { log = append(log, "last") }()
			_ = p.Wait(10)
		})
		s.Go("quits", func(p *Process) {
			defer func() { log = append(log, "quits") }()
			_ = p.Wait(1)
			runtime.Goexit()
		})
		_ = s.Run(background, 5)
		log = append(log, "Run returned")
	}()
	if got := strings.Join(<-done, " "); got != "quits deferred other last" {
		t.Error(got)
	}
	if s.Processes() != 0 {
		t.Errorf("%d processes are left", s.Processes())
	}
}

func TestClose(t *testing.T) {
	noLeak(t)
	s := New()
	var log []string
	desk := NewResource(s, "desk", 1)
	for _, name := range []string{"a", "b", "c"} {
		s.Go(name, func(p *Process) {
			defer func() {
				log = append(log, name)
				defer func() { log = append(log, name+"!") }()
				_ = p.Wait(1) // unwinds again
				log = append(log, "a wait returned")
			}()
			_ = desk.Use(p, 1, func() error { return p.Wait(100) })
			log = append(log, "went on")
		})
	}
	s.GoAt(50, "never starts", func(*Process) { log = append(log, "started") })
	s.Go("recovers", func(p *Process) {
		defer func() { _ = recover() }()
		_ = p.Wait(100)
	})
	_ = s.Run(background, 10)
	use, queue, n := desk.Usage().Mean(), desk.Queue().Mean(), desk.Waits().N()
	s.Close()
	s.Close()
	if got := strings.Join(log, " "); got != "a a! b b! c c!" {
		t.Error(got)
	}
	if use != desk.Usage().Mean() || queue != desk.Queue().Mean() || n != desk.Waits().N() ||
		desk.InUse() != 1 || desk.Waiting() != 2 {
		t.Error("closing changed the statistics")
	}
	if s.Processes() != 0 {
		t.Errorf("%d processes are left", s.Processes())
	}
}

// Deferred calls may trigger signals and release units that processes wait for which have ended
// already, or will never have their turn.
func TestSignalsWhileClosing(t *testing.T) {
	noLeak(t)
	s := New()
	desk := NewResource(s, "desk", 1)
	done := s.Signal("done")
	var all []*Process
	for i := range 6 {
		all = append(all, s.Go("p", func(p *Process) {
			defer func() {
				if i == 3 {
					done.Trigger()
				}
				if i > 0 {
					all[i-1].Interrupt("closing")
				}
			}()
			if i%2 == 0 {
				_ = p.WaitFor(AnyOf(done, s.Timeout(100)))
			} else {
				_ = desk.Use(p, 1, func() error { return p.WaitFor(done) })
			}
			t.Error("a wait returned")
		}))
	}
	_ = s.Run(background, 1)
	s.Close()
	for _, p := range all {
		if !p.Happened() {
			t.Error("a process has not ended")
		}
	}
}

// What a process held in Use when it was ended stays held, so that others may still ask for it in
// their deferred calls.
func TestRequestsWhileClosing(t *testing.T) {
	noLeak(t)
	s := New()
	desk := NewResource(s, "desk", 2)
	for range 3 {
		s.Go("user", func(p *Process) {
			defer func() {
				desk.RequestThen(2, func(*Grant, error) { t.Error("granted when all was over") }, Rank(-1), Preempting(Interrupt))
				if err := desk.check(); err != nil {
					t.Error(err)
				}
			}()
			_ = desk.Use(p, 1, func() error { return p.Wait(100) }, Rank(5))
		})
	}
	_ = s.Run(background, 1)
	s.Close()
}

func TestPanicWhileClosing(t *testing.T) {
	noLeak(t)
	s := New()
	ended := 0
	for i := range 10 {
		s.Go(fmt.Sprint(i), func(p *Process) {
			defer func() {
				ended++
				if i > 5 {
					panic("no")
				}
			}()
			_ = p.Wait(10)
		})
	}
	_ = s.Run(background, 1)
	func() {
		defer func() {
			if pp, ok := recover().(*PanicError); !ok || pp.Process != "6" || pp.Value != "no" {
				t.Errorf("%v", pp)
			}
		}()
		s.Close()
	}()
	if ended != 10 {
		t.Errorf("%d ended", ended)
	}
	s.Close()
}

// Thousands of processes that end early, never start, never end, are interrupted, or start others.
func TestNoGoroutineIsLeft(t *testing.T) {
	noLeak(t)
	s := New()
	g := s.Signal("never")
	desk := NewResource(s, "desk", 3)
	var all []*Process
	for i := range 5000 {
		all = append(all, s.GoAt(float64(i%10)*2, "p", func(p *Process) {
			switch i % 6 {
			case 0:
			case 1:
				_ = p.WaitFor(g)
			case 2:
				_ = desk.Use(p, 1+i%3, func() error { return p.Wait(0.01) })
			case 3:
				_ = p.Wait(1000)
			case 4:
				s.Go("child", func(p *Process) { _ = p.Wait(float64(i)) })
			case 5:
				_ = p.WaitFor(all[(i*7)%len(all)])
			}
		}))
	}
	s.At(5, func() {
		for i := 0; i < len(all); i += 3 {
			all[i].Interrupt(i)
		}
	})
	_ = s.Run(background, 11)
	if s.Processes() < 1000 {
		t.Errorf("only %d processes are left, so that this tests little", s.Processes())
	}
	s.Close()
}

// Without Close, no goroutine is left when all processes have ended.
func TestNoGoroutineIsLeftWithoutClose(t *testing.T) {
	noLeak(t)
	for _, step := range []bool{false, true} {
		s := New()
		for i := range 2000 {
			s.Go("p", func(p *Process) { _ = p.Wait(float64(i % 10)) })
		}
		for step && s.Step() {
		}
		run(t, s)
	}
}

// Coroutines whose processes have ended are kept for others, but not many more than there are
// processes.
func TestIdleCoroutinesAreFew(t *testing.T) {
	s := New()
	defer s.Close()
	s.Go("stays", func(p *Process) { _ = p.Wait(math.Inf(1)) })
	for range 5000 {
		s.Go("ends", func(p *Process) { _ = p.Wait(1) })
	}
	if err := s.Run(context.Background(), 2); err != nil {
		t.Fatal(err)
	}
	if n := len(s.idle); n > s.Processes()+idleSlack+1 {
		t.Errorf("%d coroutines are kept, with %d processes", n, s.Processes())
	}
}

// whatever is a thing that a process may do again and again, each time recovering from what comes
// of it.
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
	{"Use", func(w *world, p *Process) { _ = w.desk.Use(p, 1, func() error { return p.Wait(1) }) }},
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
// it is the only one that is left. When the process has been told to give up, another Close ends
// it.
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

// Close panics if a process recovers from whatever ends it, again and again. All others have ended
// by then.
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

// A process that recovers and waits many times, but not for ever, ends. Its last deferred call
// runs.
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
