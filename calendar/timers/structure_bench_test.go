package timers

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/calendar"
)

// A structure is what a shard could be made of: it has timers of 30 s, in units.
type structure interface {
	start(id uint32, to unit) uint32
	stop(id uint32)
	due(now unit, again func(id uint32, to unit)) // takes what is due, and calls again for each
}

const (
	benchUnits = 30 * unit(time.Second) >> 18
	benchFirst = 1 << 20
)

type calendarStructure struct{ q *calendar.Queue }

func (c calendarStructure) start(id uint32, to unit) uint32 {
	if err := c.q.Schedule(id, float64(to)); err != nil {
		panic(err)
	}
	return id
}
func (c calendarStructure) stop(id uint32) { c.q.Cancel(id) }
func (c calendarStructure) due(now unit, again func(id uint32, to unit)) {
	for id, at := range c.q.Until(float64(now)) {
		again(id, unit(at))
	}
}

type wheelStructure struct{ s *shard }

func newWheelStructure() wheelStructure {
	ts := New()
	s := &ts.ready().shards[0]
	s.running = true // keeps the runtime timer out of it
	return wheelStructure{s}
}

func (w wheelStructure) start(_ uint32, to unit) uint32 {
	reference, _ := w.s.start(0, to, 0, nothing)
	return uint32(reference & idMask)
}

func (w wheelStructure) stop(id uint32) {
	at := w.s.at(id)
	at.stop()
	w.s.pending--
	w.s.unlink(at)
	w.s.release(id, at)
}

func (w wheelStructure) due(now unit, again func(id uint32, to unit)) {
	for more := true; more; {
		more = w.s.advance(int64(now << w.s.set.clock.shift))
		for range w.s.due {
			again(0, now)
		}
	}
}

// BenchmarkStructures compares what a shard could be made of, with 10⁶ timers of 30 s pending in
// all. The calendars do not keep functions, which would take 16 bytes a timer more.
func BenchmarkStructures(b *testing.B) {
	kinds := []struct {
		name   string
		shards int
		make   func() structure
	}{
		{"calendar", 1, func() structure { return calendarStructure{calendar.New()} }},
		{"calendars", 4, func() structure { return calendarStructure{calendar.New()} }},
		{"wheels", 4, func() structure { return newWheelStructure() }},
	}
	for _, k := range kinds {
		type part struct {
			mu sync.Mutex
			structure
			_ [64]byte
		}
		fill := func() (parts []part, bytes float64) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			parts = make([]part, k.shards)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range parts {
				parts[i].structure = k.make()
				for id := range uint32(benchPending / k.shards) {
					parts[i].start(id, benchFirst+r.Uint64N(benchUnits))
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			return parts, float64(after.HeapAlloc-before.HeapAlloc) / benchPending
		}
		b.Run("StartStop/"+k.name, func(b *testing.B) {
			parts, bytes := fill()
			var goroutine atomic.Int32
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				g := int(goroutine.Add(1))
				p := &parts[g%k.shards]
				id, to := uint32(benchPending+g), unit(benchFirst)
				for pb.Next() {
					p.mu.Lock()
					at := p.start(id, to+benchUnits)
					p.mu.Unlock()
					p.mu.Lock()
					p.stop(at)
					p.mu.Unlock()
					to++
				}
			})
			b.ReportMetric(bytes, "bytes/timer")
		})
		b.Run("Expire/"+k.name, func(b *testing.B) {
			parts, bytes := fill()
			now, n := unit(benchFirst), 0
			b.ResetTimer()
			for n < b.N {
				now += 4
				for i := range parts {
					p := &parts[i]
					p.due(now, func(id uint32, at unit) {
						n++
						p.start(id, max(at, now)+benchUnits)
					})
				}
			}
			b.ReportMetric(bytes, "bytes/timer")
		})
	}
}
