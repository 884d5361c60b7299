package sim

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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

// A process that recovers from whatever ends it, again and again, ends all the same, and its deferred calls run.
func TestCloseEndsWhoRecovers(t *testing.T) {
	noLeak(t)
	for _, x := range stubbornness {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld()
			var log []string
			note := func(name string) func() { return func() { log = append(log, name) } }
			w.s.Go("before", func(p *Process) {
				defer note("before")()
				_ = p.WaitFor(w.never)
			})
			w.s.Go("stubborn", func(p *Process) {
				defer note("stubborn")()
				for {
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
			w.s.Close()
			if got := strings.Join(log, " "); got != "before stubborn after" {
				t.Errorf("ended: %s", got)
			}
			if w.s.Processes() != 0 {
				t.Errorf("%d processes are left", w.s.Processes())
			}
			w.s.Close()
		})
	}
}

// In its deferred calls, too, a process may do whatever it likes, without an end.
func TestCloseEndsDeferredCalls(t *testing.T) {
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
			ended := false
			w.s.Go("stubborn", func(p *Process) {
				defer func() { ended = true }()
				defer func() {
					for {
						func() {
							defer func() { _ = recover() }()
							x.do(w, p)
						}()
					}
				}()
				_ = p.WaitFor(w.never)
			})
			_ = w.s.Run(background, 3)
			w.s.Close()
			if !ended || w.s.Processes() != 0 {
				t.Errorf("ended %t, %d processes are left", ended, w.s.Processes())
			}
		})
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

// What a process panics with while runtime.Goexit ends it is not lost.
func TestStubbornPanics(t *testing.T) {
	noLeak(t)
	s := New()
	s.Go("stubborn", func(p *Process) {
		defer func() { panic("at last") }()
		for {
			func() {
				defer func() { _ = recover() }()
				_ = p.Wait(1)
			}()
		}
	})
	_ = s.Run(background, 1)
	func() {
		defer func() {
			if f, ok := recover().(*ProcessPanic); !ok || f.Value != "at last" || f.Process != "stubborn" {
				t.Errorf("%v", f)
			}
		}()
		s.Close()
	}()
	if s.Processes() != 0 {
		t.Errorf("%d processes are left", s.Processes())
	}
}

// In a bubble of synctest, where goroutines are counted, the one that ends a stubborn process belongs to it.
func TestStubbornInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.s.Go("stubborn", func(p *Process) {
			for {
				func() {
					defer func() { _ = recover() }()
					_ = p.Wait(1)
				}()
			}
		})
		_ = w.s.Run(background, 3)
		w.s.Close()
		if w.s.Processes() != 0 {
			t.Errorf("%d processes are left", w.s.Processes())
		}
	})
}

// A goroutine that is locked to its thread must not hand a coroutine to another: the runtime would kill the program. Close says what
// it has to leave behind, and ends the others.
func TestCloseLockedToThread(t *testing.T) {
	noLeak(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if !lockedToThread() {
		t.Fatal("the lock is not noticed")
	}
	w := newWorld()
	gives, ended := false, false
	for i := range 3 {
		w.s.Go(fmt.Sprint("stubborn ", i), func(p *Process) {
			for !(gives || i == 1) {
				func() {
					defer func() { _ = recover() }()
					_ = p.Wait(1)
				}()
			}
			if i == 1 {
				defer func() { ended = true }()
				defer func() { _ = p.Wait(1) }()
				_ = p.Wait(100)
			}
		})
	}
	_ = w.s.Run(background, 3)
	wantPanic(t, "process stubborn 0 recovers", w.s.Close)
	if w.s.Processes() != 2 || !ended || w.s.Live()[0].Name() != "stubborn 0" {
		t.Errorf("%v are left", w.s.Live())
	}
	gives = true
	w.s.Close()
	if w.s.Processes() != 0 {
		t.Errorf("%v are left", w.s.Live())
	}
}
