package timers

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A clock gives the time in units, and a reading of it that all goroutines share.
//
// Reading the time takes most of the time of a Reset. So while there are many, a reading is
// published about once a resolution, and a Reset notes that reading and not a deadline. Readings
// are withdrawn late if the processor was busy or stopped. Therefore a deadline is counted from
// when the reading was withdrawn, and not from when it was made:
//
//	     publish c                          withdraw c
//	─────────┼──────────────────────────────────┼─────────▶ time
//	         c        Reset(d) notes c          end of c      deadline = end of c + d
//
// The end is taken to be c + staleness, and the few readings that lasted longer are in a list. So a
// timer is never early, and it is late by staleness at most unless the processor was busy.
type clock struct {
	base  time.Time
	shift uint // a unit is 1<<shift nanoseconds
	every time.Duration
	// The clock is started when wantedMany Resets came within so many units.
	within unit

	now    atomic.Uint64 // the reading that is published, or 0
	closed atomic.Uint64 // readings up to this one have ended, and those that lasted long are in the list
	wanted atomic.Uint32 // calls of want

	mu      sync.Mutex
	since   unit // when the last wantedMany calls of want had been made
	left    int  // how often a reading will still be published
	timer   *time.Timer
	long    []longReading // in order
	anyLong atomic.Bool
	stopped bool
}

// A longReading says of the readings from first to last how long the longest of them lasted, and
// when the last of them ended.
type longReading struct {
	first, last, length, end unit
}

const (
	// staleness is how many units a reading lasts, if all goes well.
	staleness    = 8
	wantedMany   = 64
	wantedWithin = 8
	// leaseLen is how often a reading is published then, before Resets have to prove again that
	// there are many of them.
	leaseLen = 64
	// maxLong is how many readings are in the list, before some of its older half are merged.
	maxLong = 1024
)

// time returns the time in nanoseconds since the set was made, and at least a unit.
func (c *clock) time() int64 { return int64(time.Since(c.base)) + 1<<c.shift }

// floor and ceil convert nanoseconds into units.
func (c *clock) floor(ns int64) unit { return unit(ns) >> c.shift }
func (c *clock) ceil(ns int64) unit  { return (unit(ns) + 1<<c.shift - 1) >> c.shift }

// after returns the first unit that is not before ns + d, or never.
func (c *clock) after(ns int64, d time.Duration) unit {
	ahead := max(0, int64(d))
	if c.floor(ahead) >= horizon || ahead >= 1<<62-ns {
		return never
	}
	return c.ceil(ns + ahead)
}

// deadline returns the deadline that the word of a slot has, read at a time or some time after it.
// If the word has a reading of the shared clock, the deadline may be later: see end.
func (c *clock) deadline(at *slot, word uint64, time unit) unit {
	if word&sharedBit != 0 {
		return unpackTime(word+staleness+c.ceil(at.duration.Load()), time)
	}
	if word&timeMask == timeMask {
		return never
	}
	return unpackTime(word, time)
}

// A deadline is that of a Reset.
type deadline struct {
	now  unit   // when it was computed
	to   unit   // the end of the reading may be later than is assumed here
	bits uint64 // of a word
}

// fromNow returns the deadline after d by the time.
func (c *clock) fromNow(d time.Duration) deadline {
	now := c.time()
	to := c.after(now, d)
	return deadline{c.floor(now), to, packTime(to)}
}

// fromReading returns the deadline after d by a reading.
func (c *clock) fromReading(reading unit, d time.Duration) deadline {
	return deadline{reading, reading + staleness + c.ceil(int64(d)), sharedBit | reading&timeMask}
}

// publish makes a reading the one that is shared.
func (c *clock) publish(reading unit) {
	for !packable(reading) {
		reading++
	}
	c.now.Store(reading)
}

// want counts a Reset that could have used a reading if there had been one.
func (c *clock) want(now unit) {
	if c.wanted.Add(1)%wantedMany != 0 || !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	if now <= c.since+c.within && c.left == 0 && !c.stopped {
		c.left = leaseLen
		c.publish(max(c.floor(c.time()), c.closed.Load()+1))
		if c.timer == nil {
			c.timer = time.AfterFunc(c.every, c.tick)
		} else {
			c.timer.Reset(c.every)
		}
	}
	c.since = now
}

// tick withdraws a reading and publishes the next one.
func (c *clock) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == 0 {
		return
	}
	last := c.now.Load()
	c.now.Store(0) // a Reset that has read it before began before now
	now := c.time()
	c.finish(last, c.ceil(now))
	if c.left--; c.left > 0 {
		c.publish(max(c.floor(now), last+1))
		c.timer.Reset(c.every)
	}
}

// finish notes when a reading ended. The list is written before closed, and read after it.
func (c *clock) finish(reading, end unit) {
	if end > reading+staleness {
		if len(c.long) == maxLong {
			c.long = mergePairs(c.long)
		}
		c.long = append(c.long, longReading{reading, reading, end - reading, end})
		c.anyLong.Store(true)
	}
	c.closed.Store(reading)
}

// mergePairs merges half of the pairs of neighbours in the older half of a list: those that differ
// least in length. What is said of a reading afterwards may be later than it was, by how much the
// longest reading of its entry is longer. One during which the process was stopped stays alone.
func mergePairs(list []longReading) []longReading {
	half := len(list) / 2 &^ 1
	var differences []unit
	for i := 0; i < half; i += 2 {
		differences = append(differences, difference(list[i], list[i+1]))
	}
	slices.Sort(differences)
	median := differences[len(differences)/2]
	var merged []longReading
	for i := 0; i < half; i += 2 {
		a, b := list[i], list[i+1]
		if difference(a, b) > median {
			merged = append(merged, a, b)
			continue
		}
		merged = append(merged, longReading{a.first, b.last, max(a.length, b.length), max(a.end, b.end)})
	}
	return append(merged, list[half:]...)
}

func difference(a, b longReading) unit {
	return max(a.length, b.length) - min(a.length, b.length)
}

// end returns when a reading ended, at the earliest c + staleness. It reports false if it may not
// have ended.
func (c *clock) end(reading unit) (unit, bool) {
	if reading > c.closed.Load() {
		return 0, false
	}
	if c.anyLong.Load() {
		c.mu.Lock()
		defer c.mu.Unlock()
		i, _ := slices.BinarySearchFunc(c.long, reading, func(l longReading, r unit) int {
			if l.last < r {
				return -1
			}
			return 1
		})
		if i < len(c.long) && c.long[i].first <= reading {
			// The end of the last one matters if the process was stopped during one of them.
			return max(min(reading+c.long[i].length, c.long[i].end), reading+staleness), true
		}
	}
	return reading + staleness, true
}

// stop ends the publishing.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped, c.left = true, 0
	c.now.Store(0)
	if c.timer != nil {
		c.timer.Stop()
	}
}
