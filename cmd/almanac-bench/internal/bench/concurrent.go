package bench

import (
	"runtime"

	"github.com/almanac-sim/almanac/calendar"
	"github.com/almanac-sim/almanac/cmd/almanac-bench/internal/bench/rivals"
	"github.com/almanac-sim/almanac/relaxed"
	"github.com/almanac-sim/almanac/spray"
)

// A Shared is a priority queue that several goroutines use at once, to be timed.
type Shared struct {
	Name  string
	About string
	// Alone says that it is for one goroutine only, and can only hold: something to compare with,
	// when asked for by name. It is exact, and not metered.
	Alone bool
	// New makes one for n elements and a number of goroutines.
	New func(n, goroutines int) rivals.Concurrent
}

// Names of structures by which targets are judged, and of the second workload.
const (
	sharedList     = "list"
	sharedCalendar = "calendar"
	sharedBinary   = "mutex+container/heap"
	sharedHeap     = "mutex+4-ary heap"
	sharedMulti    = "multiqueue"
	Mixed          = "mixed"
)

// SharedStructures lists what can be timed, our own first.
func SharedStructures() []Shared {
	all := []Shared{
		{
			Name:  sharedList,
			About: "spray.List, given the number of goroutines: Spray",
			New: func(_, goroutines int) rivals.Concurrent {
				return sprayed{spray.New[float64, uint64](spray.Concurrency(goroutines))}
			},
		},
		{
			Name:  "list exact",
			About: "spray.List: DeleteMin",
			New: func(_, goroutines int) rivals.Concurrent {
				return exact{spray.New[float64, uint64](spray.Concurrency(goroutines))}
			},
		},
		{
			Name:  sharedCalendar,
			About: "relaxed.Queue, given the number of goroutines that run at once",
			New: func(_, goroutines int) rivals.Concurrent {
				return calendarQueue{relaxed.New[uint64](relaxed.Concurrency(min(goroutines, runtime.GOMAXPROCS(0))))}
			},
		},
	}
	for _, r := range rivals.AllConcurrent() {
		all = append(all, Shared{Name: r.Name, About: r.About, New: r.New})
	}
	return append(all, Shared{
		Name:  Queue,
		About: "calendar.Queue: Next and Schedule; for one goroutine and hold only",
		Alone: true,
		New:   func(n, _ int) rivals.Concurrent { return alone{calendar.New(calendar.Capacity(n))} },
	})
}

type sprayed struct{ *spray.List[float64, uint64] }

func (q sprayed) Insert(key float64, value uint64) { q.List.Insert(key, value) }
func (q sprayed) Remove() (float64, uint64, bool)  { return q.Spray() }
func (q sprayed) Collisions() uint64               { return q.Stats().Collisions }

type exact struct{ *spray.List[float64, uint64] }

func (q exact) Insert(key float64, value uint64) { q.List.Insert(key, value) }
func (q exact) Remove() (float64, uint64, bool)  { return q.DeleteMin() }

type calendarQueue struct{ *relaxed.Queue[uint64] }

func (q calendarQueue) Insert(key float64, value uint64) {
	if _, err := q.Schedule(key, value); err != nil {
		panic(err) // all keys are finite
	}
}

func (q calendarQueue) Remove() (float64, uint64, bool) {
	value, at, ok := q.Next()
	return at, value, ok
}

func (q calendarQueue) Collisions() uint64 {
	sum, _ := q.Stats()
	return sum.Waits
}

// alone takes values for ids.
type alone struct{ *calendar.Queue }

func (q alone) Insert(key float64, value uint64) {
	if err := q.Schedule(calendar.ID(value), key); err != nil {
		panic(err) // holding never schedules in the past, or twice
	}
}

func (q alone) Remove() (float64, uint64, bool) {
	id, at, ok := q.Next()
	return at, uint64(id), ok
}

// SharedWorkloads lists what goroutines do to a queue.
func SharedWorkloads() []Workload {
	return []Workload{
		{Name: Hold, About: "remove, and insert an exponential time of mean 1 after what was removed"},
		{Name: Mixed, About: "insert or remove, with equal probability"},
	}
}
