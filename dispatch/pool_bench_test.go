package dispatch

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/dispatch/slots"
	"github.com/almanac-sim/almanac/relaxed"
)

// Which data structure for the pool? Goroutines insert and remove an item, by turns in one process,
// 50,000 pairs each with 1000 items in the pool. It reports the best of all turns, in ns per pair.
// The list and the ring are exact and behind a mutex; the relaxed calendar is neither.
func BenchmarkPoolsByTurns(b *testing.B) {
	const pairs, resident = 50_000, 1000
	for _, goroutines := range []int{1, 2, 16, 64} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			var mu sync.Mutex
			var l slots.Queue[content[int]]
			var free *item[int]
			var seq uint64
			byList := func() {
				mu.Lock()
				it := free
				if it == nil {
					it = new(item[int])
				} else {
					free, it.Links[byPlace].Next = it.Links[byPlace].Next, nil
				}
				seq++
				it.Seq = seq
				l.Push(it)
				mu.Unlock()
				mu.Lock()
				it = l.Head
				l.Remove(it)
				it.Links[byPlace].Next, free = free, it
				mu.Unlock()
			}
			ring, head, n := make([]item[int], 2048), 0, 0
			byRing := func() {
				mu.Lock()
				seq++
				ring[(head+n)%len(ring)].Seq = seq
				n++
				mu.Unlock()
				mu.Lock()
				ring[head].Seq = 0
				head = (head + 1) % len(ring)
				n--
				mu.Unlock()
			}
			c := relaxed.New[int]()
			var clock atomic.Int64 // as the time would be
			byCalendar := func() {
				c.Schedule(float64(clock.Add(1)), 1)
				c.Next()
			}
			channel := make(chan int, 2048)
			byChannel := func() {
				channel <- 1
				<-channel
			}
			for range resident {
				seq++
				l.Push(&item[int]{Seq: seq})
				n++
				c.Schedule(float64(clock.Add(1)), 1)
				channel <- 1
			}
			ways := []struct {
				name string
				pair func()
			}{{"list", byList}, {"ring", byRing}, {"calendar", byCalendar}, {"channel", byChannel}}
			best := make([]time.Duration, len(ways))
			for b.Loop() {
				for i, w := range ways {
					start := time.Now()
					var all sync.WaitGroup
					for range goroutines {
						all.Go(func() {
							for range pairs / goroutines {
								w.pair()
							}
						})
					}
					all.Wait()
					if took := time.Since(start); best[i] == 0 || took < best[i] {
						best[i] = took
					}
				}
			}
			for i, w := range ways {
				b.ReportMetric(float64(best[i].Nanoseconds())/pairs, "ns/"+w.name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
