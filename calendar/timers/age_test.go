package timers

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const day = 24 * time.Hour

// A deadline survives its way through a word, wherever time stands.
func TestPackTime(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 40))
	for range 100_000 {
		now := unit(1) + r.Uint64N(1<<r.IntN(49))
		if r.IntN(2) == 0 {
			now = max(unit(1), (1+r.Uint64N(100))<<timeBits+r.Uint64N(100)-50)
		}
		to := now + r.Uint64N(1<<r.IntN(timeBits))
		word := packTime(to)
		behind := now - min(now, r.Uint64N(lap)) // the wheel's time
		for _, near := range []unit{now, behind, to, to + past - 1} {
			if got := unpackTime(word, near); got < to || got > to+2 {
				t.Fatalf("%d at %d becomes %d", to, near, got)
			}
		}
		if word == 0 || word == timeMask {
			t.Fatalf("%d becomes %d in a word", to, word)
		}
	}
	if packTime(never) != timeMask {
		t.Error("never is another time in a word")
	}
}

// A set goes on working when the time in a word has begun again, also if it was not used meanwhile.
func TestOldSet(t *testing.T) {
	for _, resolution := range []time.Duration{50 * time.Microsecond, time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			ts := New(Resolution(resolution))
			defer ts.Close()
			wraps := time.Duration(1) << (ts.ready().clock.shift + timeBits)
			var endless atomic.Int32
			ts.AfterFunc(math.MaxInt64, func() { endless.Add(1) })
			for range 5 { // the second one of these waits is from before to after
				for _, idle := range []time.Duration{wraps - 40*day, 39 * day, 2 * day} {
					time.Sleep(idle)
					began := time.Now()
					var fired [4]time.Time
					durations := [4]time.Duration{0, time.Second, time.Hour, 30 * day}
					for i, d := range durations {
						ts.AfterFunc(d, func() { fired[i] = time.Now() })
					}
					time.Sleep(31 * day)
					synctest.Wait()
					for i, d := range durations {
						if late := fired[i].Sub(began) - d; late < 0 || late > resolution {
							t.Fatalf("resolution %v, timer of %v: late by %v", resolution, d, late)
						}
					}
					if err := ts.check(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if endless.Load() != 0 || ts.Len() != 1 {
				t.Errorf("an endless timer has fired %d times; %d pending", endless.Load(), ts.Len())
			}
		})
	}
}

// A timer that is reset once a day, and one that is reset for a week by readings of the shared
// clock, while the time in a word begins again.
func TestResetWhenTimeWraps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := New(Resolution(50 * time.Microsecond))
		defer ts.Close()
		clock := &ts.ready().clock
		clock.within = 1 << 50 // any number of Resets is many
		n := 0
		var daily Timer
		daily = ts.AfterFunc(math.MaxInt64, func() {
			n++
			daily.Reset(day)
		})
		daily.Reset(day)
		const idle = 40 * day
		var fired time.Time
		tm := ts.AfterFunc(idle, func() { fired = time.Now() })
		var last time.Time
		for range 250 {
			time.Sleep(day)
			for range 2 * wantedMany {
				last = time.Now()
				if !tm.Reset(idle) {
					t.Fatal("expired while it was reset")
				}
			}
			if tm.shard.at(uint32(tm.reference.Load()&idMask)).word.Load()&sharedBit == 0 {
				t.Fatal("no reading of the shared clock was used")
			}
		}
		time.Sleep(idle + time.Hour)
		synctest.Wait()
		if late := fired.Sub(last) - idle; late < 0 || late > 150*time.Microsecond {
			t.Errorf("late by %v", late)
		}
		if n != 290 {
			t.Errorf("%d firings in 290 days", n)
		}
	})
}

// Readings of the shared clock never have the last bits that mean something else in a word.
func TestReadingsWhenTimeWraps(t *testing.T) {
	c := &clock{shift: 14}
	for reading := unit(3<<timeBits - 20); reading < 3<<timeBits+20; reading++ {
		if c.publish(reading); !packable(c.now.Load()) || c.now.Load() < reading || c.now.Load() > reading+2 {
			t.Errorf("reading %d is published as %d", reading, c.now.Load())
		}
	}
}

// An empty wheel has no bucket to open, whatever the time is.
func TestAdvanceOfAnEmptyWheel(t *testing.T) {
	ts := New(Resolution(50 * time.Microsecond))
	s := &ts.ready().shards[0]
	s.mu.Lock()
	for _, ns := range []int64{1 << 40, 1 << 54, 1 << 60, math.MaxInt64} {
		if s.advance(ns) || len(s.due) > 0 {
			t.Error("something is due")
		}
	}
	s.mu.Unlock()
	ts.Close()
}
