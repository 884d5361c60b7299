//go:build !race

package relaxed

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Tests of one goroutine, or of memory. The race detector finds nothing in them, and makes them up
// to thirty times as slow.

func TestQueueAllocatesNothing(t *testing.T) {
	c := New[int]()
	r := rand.New(rand.NewPCG(4, 0))
	for i := range 1000 {
		_, _ = c.Schedule(r.ExpFloat64(), i)
	}
	hold := func() {
		for range 1000 {
			v, at, _ := c.Next()
			e, _ := c.Schedule(at+r.ExpFloat64(), v)
			if v%2 == 0 {
				c.Cancel(e)
				_, _ = c.Schedule(at+r.ExpFloat64(), v)
			}
		}
	}
	for range 200 {
		hold()
	}
	if allocs := testing.AllocsPerRun(50, hold); allocs > 0 {
		t.Errorf("%v allocations in 1000 holds", allocs)
	}
}

// Events that pass through for ever need no more room than those that are there at once, whether
// they are dispatched or cancelled. That is of each queue: if the system moves the goroutine to
// another thread it uses those of another shard, which keep what they had.
func TestQueueMemoryIsBounded(t *testing.T) {
	c := New[int](Concurrency(2))
	r := rand.New(rand.NewPCG(5, 0))
	const n = 5000
	events := make([]Handle, n)
	now := 0.0
	add := func(i int) { events[i], _ = c.Schedule(now+r.ExpFloat64()*math.Exp(3*r.NormFloat64()), i) }
	for i := range n {
		add(i)
	}
	most := 0
	for round := range 60 {
		for range n {
			if i := r.IntN(n); r.IntN(3) > 0 {
				if !c.Cancel(events[i]) {
					t.Fatal("an event is gone")
				}
				add(i)
			} else {
				v, at, ok := c.Next()
				if !ok {
					t.Fatal("all events are gone")
				}
				now = max(now, at)
				add(v)
			}
		}
		sum, each := c.Stats()
		if sum.Pending != n || c.Len() != n {
			t.Fatalf("%d events", sum.Pending)
		}
		for _, q := range each {
			if round < 20 {
				most = max(most, q.Bytes)
			} else if q.Bytes > 2*most {
				t.Fatalf("%d bytes, after %d", q.Bytes, most)
			}
		}
	}
	mustCheck(t, c)
	if perEvent := most / (n / 2); perEvent > 400 {
		t.Errorf("%d bytes for an event", perEvent)
	}
	for _, e := range events {
		c.Cancel(e)
	}
	mustCheck(t, c)
	if _, _, ok := c.Next(); ok {
		t.Error("a cancelled event was dispatched")
	}
}

// However many goroutines fill a queue, an array is replaced once, by one twice as long. All arrays
// together are then less than twice the last ones. A megabyte is for the levels that were replaced,
// and for the goroutines.
func TestQueueMemoryIsMadeOnce(t *testing.T) {
	there, made := growTogether(t, 1<<19)
	if made > 2*there+1<<20 {
		t.Errorf("%d bytes were made, where %d bytes are there", made, there)
	}
}

// A queue with room for so many events makes no second array for them, whatever their times.
func TestQueueCapacityMemory(t *testing.T) {
	sizes := testscale.Size([]int{1, 100, 10_000, 65_536, 262_144},
		[]int{1, 100, 10_000, 65_536, 100_000, 262_144, 400_000})
	for _, n := range sizes {
		for name, at := range map[string]func(r *rand.Rand) float64{
			"exponential": (*rand.Rand).ExpFloat64,
			"log-normal":  func(r *rand.Rand) float64 { return math.Exp(5 * r.NormFloat64()) },
		} {
			for _, per := range []int{1, 2} {
				if per > 1 && n < 10_000 {
					continue // by chance, one of the queues gets far more than its share
				}
				r := rand.New(rand.NewPCG(27, uint64(n)))
				c := New[int](Concurrency(1), perProcess(per), Capacity(n))
				type room struct{ chunks, slots int }
				var before []room
				for i := range c.subqueues {
					q := c.subqueues[i].Load()
					before = append(before, room{len(q.chunks), cap(q.slots)})
				}
				for i := range n {
					_, _ = c.Schedule(at(r), i)
				}
				for i := range c.subqueues {
					q := c.subqueues[i].Load()
					if after := (room{len(q.chunks), cap(q.slots)}); after != before[i] {
						t.Errorf("%d %s events, queue %d of %d: %+v became %+v", n, name, i, per, before[i], after)
					}
				}
			}
		}
	}
}

// Next is O(p) events away from the earliest, whatever the machine does.
func TestQueueRankError(t *testing.T) {
	n := testscale.Size(1500, 4000)
	for _, p := range []int{1, 2, 4, 8, 16} {
		for _, turn := range []int{0, 1, 50} {
			c := New[int](Concurrency(p))
			mean, p99, delay := rankError(c, p, n, 3*n, turn, 1)
			sum, _ := c.Stats()
			t.Logf("%d processes, turns of %d: rank error %.2f in the mean, %d in 99 %%; delay up to %d; %.3f helped", p, turn,
				mean, p99, delay, float64(sum.Helped)/float64(sum.Dispatched))
			if mean > 8*float64(p) || p == 1 && mean > 0 {
				t.Errorf("%d processes, turns of %d: mean rank error %.1f", p, turn, mean)
			}
			if delay > 400*p {
				t.Errorf("%d processes, turns of %d: an event was overtaken %d times", p, turn, delay)
			}
			mustCheck(t, c)
		}
	}
}

func TestQueueAgainstDiary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for i := range 120 {
		data := make([]byte, 3*r.IntN(1500))
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		if i%3 == 0 { // more in than out, so that it fills
			for k := 0; k < len(data); k += 3 {
				if data[k]%8 >= 4 && r.IntN(2) == 0 {
					data[k] &^= 7
				}
			}
		}
		p, per := 1+i/2%4, 1+i%3
		if err := followQueue(data, p, per); err != nil {
			t.Fatalf("%d processes with %d subqueues each: %v", p, per, err)
		}
	}
}

// With one process the order is exact, for times of every kind, events that are earlier than what
// has been taken among them, and with one subqueue also of equal times.
func TestQueueExact(t *testing.T) {
	n := testscale.Size(7000, 20_000)
	r := rand.New(rand.NewPCG(2, 0))
	for name, next := range map[string]func(i int, now float64) float64{
		"exponential": func(_ int, now float64) float64 { return now + r.ExpFloat64() },
		"equal":       func(int, float64) float64 { return 7 },
		"now":         func(_ int, now float64) float64 { return now },
		"increasing":  func(i int, _ float64) float64 { return float64(i) },
		"decreasing":  func(i int, _ float64) float64 { return -float64(i) },
		"late":        func(_ int, now float64) float64 { return now - r.ExpFloat64() },
		"bimodal":     func(i int, now float64) float64 { return now + r.ExpFloat64()*math.Pow(1e6, float64(i%2)) },
		"few":         func(i int, _ float64) float64 { return float64(i % 3) },
		"hostile":     func(i int, _ float64) float64 { return hostileTimes[r.IntN(len(hostileTimes))] },
		"any float":   func(int, float64) float64 { return anyFloat(r) },
		"close": func(i int, _ float64) float64 {
			return math.Float64frombits(0x4059000000000000 + uint64(r.IntN(100_000)))
		},
		"heavy":        func(_ int, now float64) float64 { return now + math.Exp(6*r.NormFloat64()) },
		"far and near": func(i int, now float64) float64 { return now + math.Pow(10, float64(r.IntN(30)-20)) },
	} {
		for _, per := range []int{1, 2, 5} {
			c := New[int](Concurrency(1), perProcess(per))
			var d diary
			now := 0.0
			add := func(i int) {
				at := next(i, now)
				if math.IsInf(at, 0) {
					at = math.Copysign(math.MaxFloat64, at)
				}
				e, err := c.Schedule(at, i)
				if err != nil {
					t.Fatal(name, err)
				}
				d = append(d, diaryEntry{at, i, e})
			}
			// The reference is sorted when it is needed, for it would take long to keep it so.
			take := func(k int) {
				slices.SortStableFunc(d, func(a, b diaryEntry) int {
					switch {
					case a.at < b.at:
						return -1
					case a.at > b.at:
						return 1
					}
					return 0
				})
				values := map[int]bool{}
				for i, e := range d[:k] {
					v, at, ok := c.Next()
					if !ok || at != e.at || per == 1 && v != e.value || values[v] {
						t.Fatalf("%s, %d subqueues: %d is %d at %v, want %+v", name, per, i, v, at, e)
					}
					values[v] = true
					now = at
				}
				left := d[k:]
				if per > 1 && k > 0 && len(left) > 0 && left[0].at == now {
					// Others of the same time may have been taken in their stead.
					left = slices.DeleteFunc(slices.Clone(d), func(e diaryEntry) bool { return values[e.value] })
				}
				d = slices.Clone(left)
			}
			for i := range n {
				add(i)
				if i%1000 == 999 {
					take(700)
					if err := checkQueue(c); err != nil {
						t.Fatal(name, err)
					}
				}
			}
			take(len(d))
			if _, _, ok := c.Next(); ok || c.Len() != 0 {
				t.Fatalf("%s: something is left", name)
			}
			sum, _ := c.Stats()
			if moves := float64(sum.Moved) / float64(n); moves > 12 {
				t.Errorf("%s: an event was moved %.1f times", name, moves)
			}
		}
	}
}

// An event taken and one scheduled at once, for long: as the work per event does not grow, it is
// constant.
func TestQueueMovesFewTimes(t *testing.T) {
	for _, n := range []int{1, 10, 1000, 100_000} {
		c := New[int](Concurrency(1))
		r := rand.New(rand.NewPCG(3, uint64(n)))
		for i := range n {
			_, _ = c.Schedule(r.ExpFloat64(), i)
		}
		holds := 3*n + 1000
		for range holds {
			v, at, _ := c.Next()
			_, _ = c.Schedule(at+r.ExpFloat64(), v)
		}
		mustCheck(t, c)
		sum, _ := c.Stats()
		if moves := float64(sum.Moved) / float64(sum.Dispatched); moves > 4 {
			t.Errorf("with %d events, each was moved %.2f times", n, moves)
		}
		if sum.Pending != n || sum.Scheduled != uint64(n+holds) || sum.Dispatched != uint64(holds) || sum.Canceled != 0 ||
			sum.Late != 0 {
			t.Errorf("%+v", sum)
		}
	}
}

// A wrong number in an option does not take memory for what is not there.
func TestQueueOfTooMany(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := New[int](Concurrency(1 << 16))
	for i := range 100 {
		_, _ = c.Schedule(float64(i), i)
	}
	sum, _ := c.Stats()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 100<<20 || sum.Bytes > 32<<20 || sum.Pending != 100 {
		t.Errorf("%d bytes were allocated, %d are held", n, sum.Bytes)
	}
	for i := range 100 {
		if v, at, ok := c.Next(); !ok || at != float64(i) || v != i {
			t.Fatalf("event %d at %v is after %d others", v, at, i)
		}
	}
	if _, _, ok := c.Next(); ok || c.Len() != 0 {
		t.Error("it is not empty at last")
	}
}
