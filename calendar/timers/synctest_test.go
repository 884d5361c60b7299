package timers

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// In a bubble time is exact: what is late is late by the set alone.
func TestInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := New()
		base := time.Now()
		var late []time.Duration
		for _, d := range []time.Duration{0, 1, time.Microsecond, time.Millisecond, 63 * time.Millisecond, time.Second,
			time.Minute, 90 * time.Minute, 24 * time.Hour, 1000 * time.Hour, 3 * 365 * 24 * time.Hour} {
			ts.AfterFunc(d, func() { late = append(late, time.Since(base)-d) })
			time.Sleep(d) // and so alone, but for its own rounding
			time.Sleep(time.Millisecond)
			synctest.Wait()
			base = time.Now()
		}
		if len(late) != 11 {
			t.Fatalf("%d timers fired: %v", len(late), late)
		}
		for i, l := range late {
			if l < 0 || l > time.Millisecond {
				t.Errorf("timer %d is late by %v", i, l)
			}
		}
		ts.Close()
	})
}

// An idle time-out that is reset for an hour, by readings of the shared clock and without.
func TestIdleTimeoutInABubble(t *testing.T) {
	for within, resets := range map[unit]int{0: 1, 1 << 30: 200} {
		synctest.Test(t, func(t *testing.T) {
			var ts Set
			ts.ready().clock.within = within
			const idle = 30 * time.Second
			var fired time.Time
			tm := ts.AfterFunc(idle, func() { fired = time.Now() })
			var last time.Time
			for range 1000 {
				time.Sleep(3600 * time.Millisecond)
				for range resets {
					last = time.Now()
					if !tm.Reset(idle) {
						t.Fatal("expired while it was reset")
					}
				}
			}
			time.Sleep(idle + 10*time.Millisecond)
			synctest.Wait()
			if late := fired.Sub(last) - idle; late < 0 || late > 3*time.Millisecond {
				t.Errorf("within %d: late by %v", within, late)
			}
			if used := ts.ready().clock.closed.Load() > 0; used != (within > 0) {
				t.Errorf("readings of the shared clock were used: %v", used)
			}
			ts.Close()
		})
	}
}

// The wheel is moved on when a bubble jumps by years, and nothing is lost.
func TestSparseTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := New(Resolution(time.Second))
		var n atomic.Int32 // functions of one instant run beside each other
		for i := range 40 {
			d := time.Second << i
			if d > 8*365*24*time.Hour {
				break
			}
			began := time.Now()
			ts.AfterFunc(d, func() {
				n.Add(1)
				if late := time.Since(began) - d; late < 0 || late > time.Second {
					t.Errorf("%v: late by %v", d, late)
				}
			})
		}
		all := ts.Len()
		time.Sleep(9 * 365 * 24 * time.Hour)
		synctest.Wait()
		if int(n.Load()) != all || ts.Len() != 0 {
			t.Errorf("%d of %d fired", n.Load(), all)
		}
		if err := ts.check(); err != nil {
			t.Error(err)
		}
		ts.Close()
	})
}
