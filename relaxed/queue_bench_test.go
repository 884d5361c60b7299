package relaxed

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/internal/random"
	"github.com/almanac-sim/almanac/internal/timekey"
)

// What a Queue is compared with. All of them carry a value of 8 bytes, but for the queue of one
// goroutine, which has ids.

type pendingSet interface {
	Schedule(at float64, v uint64)
	Next() (v uint64, at float64, ok bool)
}

type relaxedSet struct{ *Queue[uint64] }

func (s relaxedSet) Schedule(at float64, v uint64) { _, _ = s.Queue.Schedule(at, v) }

type queueSet struct{ *calendar.Queue }

func (s queueSet) Schedule(at float64, v uint64) { _ = s.Queue.Schedule(calendar.ID(v), at) }
func (s queueSet) Next() (v uint64, at float64, ok bool) {
	id, at, ok := s.Queue.Next()
	return uint64(id), at, ok
}

// heap4 is an implicit heap in which every element has four children.
type heap4 []timed

type timed struct {
	at float64
	v  uint64
}

func (h *heap4) push(e timed) {
	*h = append(*h, e)
	a := *h
	i := len(a) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !(e.at < a[parent].at) {
			break
		}
		a[i] = a[parent]
		i = parent
	}
	a[i] = e
}

func (h *heap4) pop() timed {
	a := *h
	top, n := a[0], len(a)-1
	e := a[n]
	a = a[:n]
	*h = a
	if n == 0 {
		return top
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		for k, end := child+1, min(child+4, n); k < end; k++ {
			if a[k].at < a[child].at {
				child = k
			}
		}
		if !(a[child].at < e.at) {
			break
		}
		a[i] = a[child]
		i = child
	}
	a[i] = e
	return top
}

// lockedHeap is a heap behind a mutex.
type lockedHeap struct {
	mutex sync.Mutex
	heap  heap4
}

func (s *lockedHeap) Schedule(at float64, v uint64) {
	s.mutex.Lock()
	s.heap.push(timed{at, v})
	s.mutex.Unlock()
}

func (s *lockedHeap) Next() (v uint64, at float64, ok bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.heap) == 0 {
		return 0, 0, false
	}
	e := s.heap.pop()
	return e.v, e.at, true
}

// multiQueue is a MultiQueue of heaps: insertion into one at random, removal from the better of
// two, never waiting for a lock. It has no way to tell that it is empty, so it should not be.
type multiQueue []heapQueue

type heapQueue struct {
	top  atomic.Uint64 // key of the first
	lock atomic.Uint32
	_    [116]byte
	heap heap4
	_    [104]byte
}

func newMultiQueue(queues int) multiQueue {
	s := make(multiQueue, queues)
	for i := range s {
		s[i].top.Store(pastAll)
	}
	return s
}

func (s multiQueue) any() *heapQueue { return &s[rand.IntN(len(s))] }

func (s multiQueue) Schedule(at float64, v uint64) {
	for {
		q := s.any()
		if q.lock.Load() != 0 || !q.lock.CompareAndSwap(0, 1) {
			continue
		}
		q.heap.push(timed{at, v})
		q.top.Store(timekey.Of(q.heap[0].at))
		q.lock.Store(0)
		return
	}
}

func (s multiQueue) Next() (v uint64, at float64, ok bool) {
	for {
		q, o := s.any(), s.any()
		if o.top.Load() < q.top.Load() {
			q = o
		}
		if q.lock.Load() != 0 || !q.lock.CompareAndSwap(0, 1) {
			continue
		}
		if len(q.heap) == 0 {
			q.lock.Store(0)
			continue
		}
		e := q.heap.pop()
		if len(q.heap) > 0 {
			q.top.Store(timekey.Of(q.heap[0].at))
		} else {
			q.top.Store(pastAll)
		}
		q.lock.Store(0)
		return e.v, e.at, true
	}
}

// each calls f once for each goroutine, all at once: in goroutines of their own, or if there is
// only one, in that of the caller.
func each(goroutines int, f func(g int)) {
	if goroutines == 1 {
		f(0)
		return
	}
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() { f(g) })
	}
	wg.Wait()
}

// fillSet puts n events in, from as many goroutines as will use them.
func fillSet(s pendingSet, n, goroutines int) {
	each(goroutines, func(g int) {
		r := random.New(1, uint64(g))
		for i := g; i < n; i += goroutines {
			s.Schedule(r.Exp(), uint64(i))
		}
	})
}

// holdSet dispatches events and schedules each anew, an exponential time later, so many times in
// all. It returns how long that took.
func holdSet(s pendingSet, goroutines, holds int, seed uint64) time.Duration {
	var left atomic.Int64
	left.Store(int64(holds))
	began := time.Now()
	each(goroutines, func(g int) {
		r := random.New(seed, uint64(g))
		const batch = 250
		for left.Add(-batch) > -batch {
			for range batch {
				v, at, _ := s.Next()
				s.Schedule(at+r.Exp(), v)
			}
		}
	})
	return time.Since(began)
}

// A contender is a set to be compared with others, and how many goroutines use it.
type contender struct {
	name       string
	goroutines int
	set        pendingSet
	times      []float64 // ns per hold
}

// median is the time that a contender usually takes.
func (c *contender) median() float64 {
	slices.Sort(c.times)
	return c.times[len(c.times)/2]
}

func contenders(n int) []*contender {
	p := runtime.GOMAXPROCS(0)
	all := []*contender{
		{name: "queue", goroutines: 1, set: queueSet{calendar.New(calendar.Capacity(n))}},
		{name: "calendar", goroutines: 1, set: relaxedSet{New[uint64]()}},
		{name: "locked-heap", goroutines: p, set: &lockedHeap{}},
		{name: "multiqueue", goroutines: p, set: newMultiQueue(defaultPer * p)},
		{name: "calendar", goroutines: p, set: relaxedSet{New[uint64]()}},
		{name: "calendar", goroutines: 64, set: relaxedSet{New[uint64]()}},
	}
	for _, c := range all {
		fillSet(c.set, n, c.goroutines)
		holdSet(c.set, c.goroutines, 3*n, 1)
	}
	return all
}

// BenchmarkQueueHold times a hold with everything that a Queue is compared with, in turns, so that
// what else the machine does meets them all. It reports the median time of each for a hold, and the
// ratios that matter:
//
//	calendar-1/queue      how much longer one goroutine takes than with a queue of its own
//	x-locked-heap         how many times as fast as a heap behind a mutex
//	x-multiqueue          and as a MultiQueue of as many heaps
//	x-64                  how fast 64 goroutines are, where as many as can run at once are 1
func BenchmarkQueueHold(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := contenders(n)
			turn := uint64(0)
			b.ResetTimer()
			for range b.N {
				turn++
				for _, c := range all {
					const holds = 200_000
					took := holdSet(c.set, c.goroutines, holds, 1+turn)
					c.times = append(c.times, float64(took)/holds)
				}
			}
			b.StopTimer()
			for _, c := range all {
				b.ReportMetric(c.median(), fmt.Sprintf("ns/%s-%d", c.name, c.goroutines))
			}
			b.ReportMetric(all[1].median()/all[0].median(), "calendar-1/queue")
			b.ReportMetric(all[2].median()/all[4].median(), "x-locked-heap")
			b.ReportMetric(all[3].median()/all[4].median(), "x-multiqueue")
			b.ReportMetric(all[4].median()/all[5].median(), "x-64")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkQueueChoices times a hold with other numbers of subqueues for a process, and with
// processes that stay for longer or shorter, in turns. It reports the median time of each for a
// hold, of as many goroutines as can run at once.
func BenchmarkQueueChoices(b *testing.B) {
	const n = 100_000
	p := runtime.GOMAXPROCS(0)
	var all []*contender
	for _, per := range []int{1, 2, 3, 4} {
		for _, lag := range []int{8, 16, 32, 64} {
			c := &contender{
				name: fmt.Sprintf("per-%d-sticky-%d", per, lag), goroutines: p,
				set: relaxedSet{New[uint64](perProcess(per), sticky(lag))},
			}
			fillSet(c.set, n, p)
			holdSet(c.set, p, 3*n, 1)
			all = append(all, c)
		}
	}
	for turn := uint64(1); b.Loop(); turn++ {
		for _, c := range all {
			const holds = 200_000
			took := holdSet(c.set, c.goroutines, holds, 1+turn)
			c.times = append(c.times, float64(took)/holds)
		}
	}
	for _, c := range all {
		b.ReportMetric(c.median(), "ns/"+c.name)
	}
	b.ReportMetric(0, "ns/op")
}
