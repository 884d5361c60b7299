package timers

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// benchPending is how many timers are pending while something is measured.
const benchPending = 1_000_000

const idle = 10 * time.Minute

// pendingTime and pendingSet start the timers that are pending throughout.
func pendingTime(b *testing.B) []*time.Timer {
	all := make([]*time.Timer, benchPending)
	for i := range all {
		all[i] = time.AfterFunc(idle, nothing)
	}
	b.Cleanup(func() {
		for _, t := range all {
			t.Stop()
		}
	})
	return all
}

func pendingSet(b *testing.B, ts *Set) []Timer {
	all := make([]Timer, benchPending)
	for i := range all {
		all[i] = ts.AfterFunc(idle, nothing)
	}
	b.Cleanup(ts.Close)
	return all
}

// BenchmarkClock is a part of every Reset of package time.
func BenchmarkClock(b *testing.B) {
	base := time.Now()
	for b.Loop() {
		time.Since(base)
	}
}

// BenchmarkReset resets timers in turn: all to one duration, each to its own of a million different
// ones, and each to another one every time, as time-outs with jitter are.
func BenchmarkReset(b *testing.B) {
	durations := []struct {
		name string
		of   func(i, reset int) time.Duration
	}{
		{"one", func(int, int) time.Duration { return idle }},
		{"own", func(i, _ int) time.Duration { return idle + time.Duration(i) }},
		{"jitter", func(i, reset int) time.Duration {
			return idle + time.Duration(uint32(i^reset)*2654435761)
		}},
	}
	run := func(b *testing.B, of func(i, reset int) time.Duration, reset func(i int, d time.Duration)) {
		for i := range benchPending {
			reset(i, of(i, 0))
		}
		runtime.GC()
		b.ReportAllocs()
		b.ResetTimer()
		b.RunParallel(func(p *testing.PB) {
			first := rand.IntN(benchPending)
			for n := 0; p.Next(); n++ {
				i := (first + n) % benchPending
				reset(i, of(i, n))
			}
		})
	}
	for _, d := range durations {
		b.Run(d.name+"/time", func(b *testing.B) {
			all := pendingTime(b)
			run(b, d.of, func(i int, d time.Duration) { all[i].Reset(d) })
		})
		b.Run(d.name+"/timers", func(b *testing.B) {
			var ts Set
			all := pendingSet(b, &ts)
			run(b, d.of, func(i int, d time.Duration) { all[i].Reset(d) })
		})
	}
}

func BenchmarkStartStop(b *testing.B) {
	b.Run("time", func(b *testing.B) {
		pendingTime(b)
		runtime.GC()
		b.ReportAllocs()
		b.ResetTimer()
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				time.AfterFunc(idle, nothing).Stop()
			}
		})
	})
	b.Run("timers", func(b *testing.B) {
		var ts Set
		pendingSet(b, &ts)
		runtime.GC()
		b.ReportAllocs()
		b.ResetTimer()
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				t := ts.AfterFunc(idle, nothing)
				t.Stop()
			}
		})
	})
}
