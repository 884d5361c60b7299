package timers

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/internal/stress"
)

// stopper is what a Timer and a time.Timer have in common.
type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// both runs a test for package time and for a set, with AfterFunc of each.
func both(t *testing.T, f func(t *testing.T, afterFunc func(time.Duration, func()) stopper)) {
	t.Run("time", func(t *testing.T) {
		f(t, func(d time.Duration, f func()) stopper { return time.AfterFunc(d, f) })
	})
	t.Run("timers", func(t *testing.T) {
		var ts Set
		f(t, func(d time.Duration, f func()) stopper {
			tm := ts.AfterFunc(d, f)
			return &tm
		})
		if err := ts.check(); err != nil {
			t.Error(err)
		}
		ts.Close()
	})
}

func TestResultsOfStopAndResetAreThoseOfTime(t *testing.T) {
	both(t, func(t *testing.T, afterFunc func(time.Duration, func()) stopper) {
		fired := make(chan bool, 1)
		f := func() { fired <- true }
		want := func(what string, got, want bool) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %v", what, got)
			}
		}
		tm := afterFunc(time.Hour, f)
		want("Stop of a pending timer", tm.Stop(), true)
		want("Stop of a stopped timer", tm.Stop(), false)
		want("Reset of a stopped timer", tm.Reset(time.Hour), false)
		want("Reset of a pending timer, later", tm.Reset(2*time.Hour), true)
		want("Reset of a pending timer, earlier", tm.Reset(time.Minute), true)
		want("Reset of a pending timer, now", tm.Reset(0), true)
		<-fired
		want("Stop of an expired timer", tm.Stop(), false)
		want("Reset of an expired timer", tm.Reset(time.Millisecond), false)
		<-fired
		want("Reset of a timer expired twice", tm.Reset(time.Hour), false)
		want("Stop of that", tm.Stop(), true)
		select {
		case <-fired:
			t.Error("a stopped timer fired")
		default:
		}
	})
}

func TestExtremeDurations(t *testing.T) {
	both(t, func(t *testing.T, afterFunc func(time.Duration, func()) stopper) {
		for _, d := range []time.Duration{0, 1, -1, -time.Hour, math.MinInt64} {
			fired := make(chan bool)
			tm := afterFunc(d, func() { fired <- true })
			<-fired
			if tm.Reset(d); !<-fired {
				t.Error(d)
			}
		}
		var fired atomic.Int32
		var all []stopper
		for _, d := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1, 1 << 62, math.MaxInt64 / 3,
			100 * 365 * 24 * time.Hour} {
			all = append(all, afterFunc(d, func() { fired.Add(1) }))
			tm := afterFunc(time.Hour, func() { fired.Add(1) })
			if !tm.Reset(d) {
				t.Error("was pending")
			}
			all = append(all, tm)
		}
		time.Sleep(10 * time.Millisecond)
		for _, tm := range all {
			if !tm.Stop() {
				t.Error("an endless timer is not pending")
			}
		}
		if fired.Load() != 0 {
			t.Error("an endless timer fired")
		}
	})
}

func TestCallbackResetsItsOwnTimer(t *testing.T) {
	for _, executor := range []func(func()){nil, func(f func()) { f() }} {
		ts := New(Executor(executor))
		var tm Timer
		var assigned sync.Mutex
		n, done := 0, make(chan bool)
		assigned.Lock()
		tm = ts.AfterFunc(0, func() {
			assigned.Lock()
			defer assigned.Unlock()
			if n++; n == 50 {
				close(done)
			} else if tm.Reset(time.Duration(n % 3 * int(time.Millisecond))) {
				t.Error("the timer of a running callback was pending")
			}
		})
		assigned.Unlock()
		<-done
		if ts.Close(); n != 50 || ts.Len() != 0 {
			t.Errorf("fired %d times, %d left", n, ts.Len())
		}
	}
}

func TestCloseStopsAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := New(Resolution(100 * time.Microsecond))
		var late atomic.Bool
		pending := ts.AfterFunc(50*time.Millisecond, func() { late.Store(true) })
		began, finished := make(chan bool), false
		ts.AfterFunc(0, func() {
			close(began)
			time.Sleep(20 * time.Millisecond)
			finished = true
		})
		<-began
		ts.Close()
		if !finished {
			t.Error("Close did not wait for a callback")
		}
		if pending.Stop() || pending.Reset(0) {
			t.Error("a timer is pending after Close")
		}
		after := ts.AfterFunc(0, func() { late.Store(true) })
		if after.Stop() || after.Reset(0) || ts.Len() != 0 {
			t.Error("a timer was started after Close")
		}
		ts.Close()
		time.Sleep(60 * time.Millisecond)
		if late.Load() {
			t.Error("a timer fired after Close")
		}
	})
}

func TestGoexitInACallback(t *testing.T) {
	var ts Set
	ts.AfterFunc(0, runtime.Goexit)
	fired := make(chan bool)
	ts.AfterFunc(2*time.Millisecond, func() { close(fired) })
	<-fired
	ts.Close()
}

func TestWrongUse(t *testing.T) {
	panics := func(what string, f func()) {
		defer func() {
			if recover() == nil {
				t.Error("no panic:", what)
			}
		}()
		f()
	}
	var ts Set
	panics("nil", func() { ts.AfterFunc(0, nil) })
	panics("Stop of the zero Timer", func() { new(Timer).Stop() })
	panics("Reset of the zero Timer", func() { new(Timer).Reset(0) })
	panics("resolution", func() { Resolution(0) })
	panics("resolution", func() { Resolution(2 * time.Hour) })
}

// Resolutions from the finest to the coarsest, with durations of both ends.
func TestResolutions(t *testing.T) {
	for _, resolution := range []time.Duration{50 * time.Microsecond, time.Second, time.Hour} {
		ts := New(Resolution(resolution))
		for _, d := range []time.Duration{0, time.Hour, 100 * time.Hour, 1000 * 24 * time.Hour, math.MaxInt64} {
			tm := ts.AfterFunc(math.MaxInt64, nothing)
			for range 3 {
				if !tm.Reset(d) && d > 0 {
					t.Errorf("%v: a timer of %v is not pending", resolution, d)
				}
			}
			s := tm.shard
			s.mu.Lock()
			bound := s.at(uint32(tm.reference.Load() & idMask)).duration.Load()
			s.mu.Unlock()
			if s.set.shares(d) && time.Duration(bound) != d || s.set.clock.ceil(bound) > longest {
				t.Errorf("%v: a timer of %v is bound to %v", resolution, d, time.Duration(bound))
			}
			tm.Stop()
		}
		if err := ts.check(); err != nil {
			t.Errorf("%v: %v", resolution, err)
		}
		ts.Close()
	}
}

// Timers of all durations, some reset and some stopped: each fires once, and none early.
func TestNeverEarly(t *testing.T) {
	for _, resolution := range []time.Duration{50 * time.Microsecond, time.Millisecond, 30 * time.Millisecond} {
		ts := New(Resolution(resolution))
		r := rand.New(rand.NewPCG(1, uint64(resolution)))
		type one struct {
			deadline atomic.Int64
			fired    atomic.Int32
			timer    Timer
		}
		base := time.Now()
		all := make([]one, stress.FewerRaced(12_000, 2500))
		var early atomic.Int32
		var wg sync.WaitGroup
		for i := range all {
			o := &all[i]
			d := time.Duration(r.ExpFloat64() * float64(100*time.Millisecond))
			o.deadline.Store(int64(time.Since(base) + d))
			wg.Add(1)
			o.timer = ts.AfterFunc(d, func() {
				if int64(time.Since(base)) < o.deadline.Load() {
					early.Add(1)
				}
				o.fired.Add(1)
				wg.Done()
			})
			switch r.IntN(4) {
			case 0: // later or earlier
				d := time.Duration(r.ExpFloat64() * float64(100*time.Millisecond))
				to := int64(time.Since(base) + d)
				if o.timer.Stop() {
					o.deadline.Store(to)
					o.timer.Reset(d)
				}
			case 1:
				if o.timer.Stop() {
					o.fired.Add(1)
					wg.Done()
				}
			}
		}
		wg.Wait()
		if early.Load() != 0 {
			t.Errorf("%v: %d were early", resolution, early.Load())
		}
		for i := range all {
			if n := all[i].fired.Load(); n != 1 {
				t.Fatalf("timer %d fired %d times", i, n)
			}
		}
		if err := ts.check(); err != nil {
			t.Error(err)
		}
		if ts.Len() != 0 {
			t.Error(ts.Len(), "are left")
		}
		ts.Close()
	}
}
