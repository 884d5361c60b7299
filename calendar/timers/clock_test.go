package timers

import (
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// What is said about the end of a reading is never too early, however many lasted long, and exact
// for the last ones.
func TestEndOfReadings(t *testing.T) {
	c := &clock{base: time.Now(), shift: 18}
	r := rand.New(rand.NewPCG(3, 7))
	type reading struct{ at, end unit }
	var all []reading
	for at := unit(1); len(all) < 20*maxLong; {
		end := at + 4 + unit(r.IntN(3))
		if r.IntN(2) == 0 {
			end = at + unit(r.IntN(1000))
		}
		if _, ok := c.end(at); ok {
			t.Fatalf("reading %d has ended before it began", at)
		}
		c.finish(at, end)
		all = append(all, reading{at, end})
		at = max(at+1, end)
	}
	for i, x := range all {
		end, ok := c.end(x.at)
		want := max(x.end, x.at+staleness)
		if !ok || end < want || i > len(all)-maxLong/2 && end != want {
			t.Fatalf("reading %d of %d: ends at %d, wanted %d", i, len(all), end, want)
		}
	}
	if len(c.long) > maxLong {
		t.Errorf("the list has %d readings", len(c.long))
	}
}

// What is said about the end of an old reading does not become later with the number of those after
// it, if all of them last as long.
func TestEndOfMergedReadings(t *testing.T) {
	c := &clock{shift: 18}
	const length = staleness + 3
	for i := range unit(10_000) {
		c.finish(100+12*i, 100+12*i+length)
	}
	for i := range unit(10_000) {
		at := 100 + 12*i
		if end, ok := c.end(at); !ok || end != at+length {
			t.Fatalf("reading %d: ends at %d, wanted %d", at, end, at+length)
		}
	}
}

// A reading during which the process was stopped is no reason to say that later ones, or those long
// before it, ended after they did.
func TestEndOfReadingsBesideAStop(t *testing.T) {
	c := &clock{shift: 18}
	const length, stop = staleness + 3, 1 << 20
	var all []unit
	at := unit(100)
	for i := range 10_000 {
		all = append(all, at)
		end := at + length
		if i == 5000 {
			end += stop
		}
		c.finish(at, end)
		at = end + 1
	}
	wrong := 0
	for i, at := range all {
		if end, _ := c.end(at); i != 5000 && end != at+length {
			wrong++
		}
	}
	if wrong > len(all)/100 {
		t.Errorf("the end of %d readings of %d is said to be later than it was", wrong, len(all))
	}
}

// A timer that was reset by a reading that is withdrawn late is not early: here the clock is never
// withdrawn until long after the deadline.
func TestClockThatIsNotWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := New(Resolution(50 * time.Microsecond))
		defer ts.Close()
		c := &ts.ready().clock
		c.within = 1 << 30
		c.every = time.Hour // as if the goroutine that publishes readings did not run
		var fired []time.Time
		const d = 4 * time.Millisecond
		tm := ts.AfterFunc(d, func() { fired = append(fired, time.Now()) })
		for range 2 * wantedMany {
			tm.Reset(d)
		}
		if c.now.Load() == 0 {
			t.Fatal("no reading was published")
		}
		for range 10 {
			time.Sleep(2 * time.Millisecond)
			before := time.Now()
			if !tm.Reset(d) {
				t.Fatal("expired before its deadline")
			}
			time.Sleep(2 * d)
			synctest.Wait()
			if len(fired) != 1 {
				t.Fatalf("fired %d times", len(fired))
			}
			if after := fired[0].Sub(before); after < d {
				t.Fatalf("early by %v", d-after)
			}
			fired = nil
			tm.Reset(d)
			tm.Reset(d)
		}
		tm.Stop()
		c.every = 50 * time.Microsecond
		c.tick()
		if _, ended := c.end(c.closed.Load()); !ended || len(c.long) == 0 {
			t.Error("the reading that lasted long was not noted")
		}
	})
}

// The driver may have read the time long before a Reset, if it was interrupted. The deadline of a
// reading that has not ended does not count from then.
func TestReadingThatHasNotEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which time stands still until the driver is kept out
		ts := New(Resolution(50 * time.Microsecond))
		const d = 4 * time.Millisecond
		tm := ts.AfterFunc(d, func() { t.Error("fired") })
		s, reference := tm.shard, tm.reference.Load()
		id := uint32(reference & idMask)
		at, clock := s.at(id), &s.set.clock
		s.mu.Lock()
		s.closed = true // nothing but this test works here
		s.mu.Unlock()
		read := clock.time() + int64(time.Second)
		at.word.Store(reference>>genShift<<genShift | sharedBit | 1)
		clock.base = clock.base.Add(-2 * time.Second) // a second later there is a Reset by that reading
		before := clock.time()
		s.unlink(at)
		if s.expire(id, at, read) != nil {
			t.Fatal("expired by a reading that has not ended")
		}
		if to := at.word.Load(); to&sharedBit != 0 || to&timeMask < clock.after(before, d) {
			t.Errorf("due at %d, wanted %d or later", to&timeMask, clock.after(before, d))
		}
	})
}

// A Reset to a duration that is too short or too long does not use a reading, also if it is negative
// or zero: it would postpone the timer each time.
func TestResetByTime(t *testing.T) {
	for _, d := range []time.Duration{-1, 0, time.Millisecond, math.MinInt64, math.MaxInt64} {
		ts := New()
		tm := ts.AfterFunc(math.MaxInt64, nothing)
		s, c := tm.shard, &ts.ready().clock
		s.mu.Lock()
		s.running = true // keeps the runtime timer out of it
		s.mu.Unlock()
		c.now.Store(c.floor(c.time()))
		for range 3 {
			if !tm.Reset(d) {
				t.Fatalf("Reset(%d): not pending", d)
			}
			if s.at(uint32(tm.reference.Load()&idMask)).word.Load()&sharedBit != 0 {
				t.Fatalf("Reset(%d) has noted a reading of the shared clock", d)
			}
		}
		ts.Close()
	}
}

// Resets use readings of the shared clock whatever the number of durations is that a set has seen,
// and those to the duration of before do not need the lock.
func TestManyDurations(t *testing.T) {
	ts := New()
	defer ts.Close()
	all := make([]Timer, 10_000)
	for i := range all {
		all[i] = ts.AfterFunc(time.Hour+time.Duration(i), nothing)
	}
	c := &ts.ready().clock
	c.publish(c.floor(c.time()) + 1)
	for round := range 3 { // the first one binds, and takes the lock
		if round == 2 {
			c.publish(c.now.Load() + 3)
		}
		for i := range all {
			d := 2*time.Hour + time.Duration(i)
			s := all[i].shard
			if round > 0 {
				s.mu.Lock() // a Reset that needs it waits for ever
			}
			if !all[i].Reset(d) {
				t.Fatal("was not pending")
			}
			if round > 0 {
				s.mu.Unlock()
			}
			at := s.at(uint32(all[i].reference.Load() & idMask))
			word := at.word.Load()
			if word&sharedBit == 0 || word&timeMask != c.now.Load()&timeMask || at.duration.Load() != int64(d) {
				t.Fatalf("round %d, timer %d: word %x, bound to %v", round, i, word, time.Duration(at.duration.Load()))
			}
		}
		if err := ts.check(); err != nil {
			t.Fatal(err)
		}
	}
}
