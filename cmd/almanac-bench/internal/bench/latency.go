package bench

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/DataDog/sketches-go/ddsketch"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/calendar/calendartest"
)

// A Latency is how long single calls took, of one kind on one set. Times are nanoseconds, within a
// hundredth; what it takes to look at the clock is in them.
type Latency struct {
	Structure    string  `json:"structure"`
	Distribution string  `json:"distribution"`
	N            int     `json:"n"`
	Call         string  `json:"call"`
	Calls        int     `json:"calls"`
	P50          float64 `json:"p50_ns"`
	P999         float64 `json:"p99.9_ns"`
	P99999       float64 `json:"p99.999_ns"`
	Max          float64 `json:"max_ns"` // exactly
}

// LatencyCalls lists the calls that are timed, in the order in which they are made.
var LatencyCalls = []struct{ Name, About string }{
	{"fill", "Schedule, until all events are pending"},
	{"next", "Next, each followed by a schedule; includes the first Next after filling"},
	{"schedule", "Schedule, of the event that Next returned, one jump later"},
	{"reschedule", "Reschedule, of a random event to one jump from now"},
	{"cancel", "Cancel, of nine in ten events, in random order"},
	{"drain", "Next, until the set is empty"},
}

// A stopwatch collects how long the calls of one kind took.
type stopwatch struct {
	sketch *ddsketch.DDSketch
	max    time.Duration
	calls  int
}

func (w *stopwatch) add(took time.Duration) error {
	w.calls++
	w.max = max(w.max, took)
	return w.sketch.Add(float64(took.Nanoseconds()))
}

// Latencies times every single call on a set that is filled with n events without having been told
// their number, used, and emptied. There are as many calls of each kind as there are events, or so.
func Latencies(ctx context.Context, structure, distribution string, n int, seed uint64) ([]Latency, error) {
	s, err := find(Structures(), structure, "structure", func(s Structure) string { return s.Name })
	if err != nil {
		return nil, err
	}
	dist, err := find(calendartest.Distributions(), distribution, "distribution",
		func(d calendartest.Distribution) string { return d.Name })
	if err != nil {
		return nil, err
	}
	room := 0
	if strings.HasPrefix(structure, Static) { // it cannot grow
		room = n
	}
	set, err := s.New(room, dist)
	if err != nil {
		return nil, err
	}
	watches := make([]stopwatch, len(LatencyCalls))
	for i := range watches {
		if watches[i].sketch, err = ddsketch.NewDefaultDDSketch(0.01); err != nil {
			return nil, err
		}
	}
	runtime.GC() // what was there before should not disturb
	t := timing{ctx: ctx, set: set, jumps: calendartest.NewJumps(dist, n, seed), n: n, watches: watches}
	if err := t.run(); err != nil {
		return nil, fmt.Errorf("%s, n = %d: %w", structure, n, err)
	}
	results := make([]Latency, len(watches))
	for i := range watches {
		w := &watches[i]
		q, err := w.sketch.GetValuesAtQuantiles([]float64{0.5, 0.999, 0.99999})
		if err != nil {
			return nil, err
		}
		longest := float64(w.max.Nanoseconds())
		results[i] = Latency{structure, distribution, n, LatencyCalls[i].Name, w.calls, q[0], min(q[1], longest),
			min(q[2], longest), longest}
	}
	return results, nil
}

// A timing is a run of Latencies.
type timing struct {
	ctx     context.Context
	set     calendartest.Set
	jumps   *calendartest.Jumps
	n       int
	watches []stopwatch
	calls   int
}

// time makes one call and takes its time.
func (t *timing) time(watch int, call func() error) error {
	if t.calls++; t.calls%4096 == 0 {
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
	start := time.Now()
	err := call()
	took := time.Since(start)
	if err != nil {
		return err
	}
	return t.watches[watch].add(took)
}

func (t *timing) run() error {
	set, now := t.set, t.set.Now()
	for id := range calendar.ID(t.n) {
		at := now + t.jumps.Next()
		if err := t.time(0, func() error { return set.Schedule(id, at) }); err != nil {
			return err
		}
	}
	for range t.n {
		var id calendar.ID
		var at float64
		ok := false
		if err := t.time(1, func() error { id, at, ok = set.Next(); return nil }); err != nil {
			return err
		}
		if !(ok && at >= now) {
			return calendartest.ErrEmpty
		}
		now = at
		at += t.jumps.Next()
		if err := t.time(2, func() error { return set.Schedule(id, at) }); err != nil {
			return err
		}
	}
	for range t.n {
		id, at := t.jumps.Pick(t.n), now+t.jumps.Next()
		if err := t.time(3, func() error { return set.Reschedule(id, at) }); err != nil {
			return err
		}
	}
	for left := set.Len(); left > t.n/10; {
		id := t.jumps.Pick(t.n)
		if _, pending := set.Due(id); !pending {
			continue
		}
		if err := t.time(4, func() error { set.Cancel(id); return nil }); err != nil {
			return err
		}
		left--
	}
	for ok := true; ok; {
		if err := t.time(5, func() error { _, _, ok = set.Next(); return nil }); err != nil {
			return err
		}
	}
	return nil
}
