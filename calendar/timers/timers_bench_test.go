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

func BenchmarkReset(b *testing.B) {
	b.Run("time", func(b *testing.B) {
		all := pendingTime(b)
		runtime.GC()
		b.ReportAllocs()
		b.ResetTimer()
		b.RunParallel(func(p *testing.PB) {
			for i := rand.IntN(len(all)); p.Next(); i++ {
				all[i%benchPending].Reset(idle)
			}
		})
	})
	b.Run("timers", func(b *testing.B) {
		var ts Set
		all := pendingSet(b, &ts)
		runtime.GC()
		b.ReportAllocs()
		b.ResetTimer()
		b.RunParallel(func(p *testing.PB) {
			for i := rand.IntN(len(all)); p.Next(); i++ {
				all[i%benchPending].Reset(idle)
			}
		})
	})
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
