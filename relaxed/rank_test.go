package relaxed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/stress"
	"github.com/almanac-sim/almanac/relaxed/relaxedtest"
)

// rankError has one goroutine take the parts of p processes by turns, in a random order or each for
// a number of events, and returns the mean rank error of holds, its 99th percentile, and the
// largest delay: how many events overtook one.
func rankError(c *Queue[int], p, n, holds, turn int, seed uint64) (mean float64, p99, delay int) {
	r := rand.New(rand.NewPCG(seed, uint64(p)))
	processes := newProcesses(c)
	type pending struct {
		at    float64
		since int // how many had been taken from after it when it came
	}
	var sorted []pending
	overtaken := func(at float64) int {
		i, _ := slices.BinarySearchFunc(sorted, at, func(x pending, at float64) int {
			if x.at < at {
				return -1
			}
			return 1
		})
		return i
	}
	add := func(who int, at float64, v int) {
		as(c, &processes[who], func() { _, _ = c.Schedule(at, v) })
		sorted = slices.Insert(sorted, overtaken(at), pending{at: at})
	}
	for i := range n {
		add(r.IntN(p), r.ExpFloat64(), i)
	}
	var ranks []int
	sum, who := 0, 0
	for i := range holds {
		if turn == 0 {
			who = r.IntN(p)
		} else if i%turn == 0 {
			who = (who + 1) % p
		}
		var v int
		var at float64
		as(c, &processes[who], func() { v, at, _ = c.Next() })
		k := overtaken(at)
		for j := range k {
			sorted[j].since++
			delay = max(delay, sorted[j].since)
		}
		sorted = slices.Delete(sorted, k, k+1)
		ranks = append(ranks, k)
		sum += k
		add(who, at+r.ExpFloat64(), v)
	}
	slices.Sort(ranks)
	return float64(sum) / float64(holds), ranks[holds*99/100], delay
}

// What a process has left is dispatched by the others, in its turn: also a few events that are far
// apart.
func TestQueueHelpsTheAbsent(t *testing.T) {
	for _, p := range []int{2, 4, 7} {
		for name, times := range map[string][]float64{
			"one":       {1},
			"a few":     {1, 2, 3, 4, 5, 6, 7, 8},
			"far apart": {1, 5, 1e3, 1e6, 1e9},
		} {
			c := New[int](Concurrency(p))
			processes := newProcesses(c)
			as(c, &processes[0], func() {
				for i, at := range times {
					_, _ = c.Schedule(at, -1-i)
				}
			})
			r := rand.New(rand.NewPCG(7, 0))
			n := stress.FewerRaced(500, 100)
			for i := range n {
				as(c, &processes[1+i%(p-1)], func() { _, _ = c.Schedule(r.ExpFloat64(), i) })
			}
			overtaken := make([]int, len(times))
			for i := range 20 * n {
				as(c, &processes[1+i%(p-1)], func() {
					v, at, ok := c.Next()
					if !ok {
						t.Fatal("all events are lost")
					}
					if v < 0 {
						times[-1-v] = math.Inf(1)
						return
					}
					for k := range times {
						if times[k] < at {
							if overtaken[k]++; overtaken[k] > 150*p {
								t.Fatalf("%d processes, %s: an event at %v is still there at %v", p, name, times[k], at)
							}
						}
					}
					_, _ = c.Schedule(at+r.ExpFloat64(), v)
				})
			}
			t.Logf("%d processes, %s: overtaken %d times", p, name, overtaken)
			mustCheck(t, c)
		}
	}
}

type meteredQueue struct{ *Queue[uint64] }

func (c meteredQueue) Insert(key float64, id uint64) { _, _ = c.Schedule(key, id) }

func (c meteredQueue) Remove() (key float64, id uint64, ok bool) {
	id, key, ok = c.Next()
	return key, id, ok
}

func (c meteredQueue) Collisions() uint64 {
	sum, _ := c.Stats()
	return sum.Waits
}

// With real goroutines nothing is lost, and nothing missed; the rank error depends on the machine,
// and is only told.
func TestQueueMetered(t *testing.T) {
	for _, m := range []relaxedtest.Meter{
		{Goroutines: 2, Fill: stress.FewerRaced(10_000, 2000), Operations: stress.FewerRaced(50_000, 5000), Drain: true},
		{Goroutines: 64, Fill: stress.FewerRaced(10_000, 2000), Operations: stress.FewerRaced(2000, 300), Drain: true},
		{Goroutines: 8, Fill: 5, Operations: stress.FewerRaced(5000, 2000), Workload: relaxedtest.Mixed(20), Drain: true},
		{Goroutines: 3, Fill: 0, Operations: 1 << 16, Duration: 50 * time.Millisecond, Workload: relaxedtest.Mixed(1),
			Drain: true},
	} {
		report, err := relaxedtest.Replay(m.Run(meteredQueue{New[uint64]()}))
		if err != nil {
			t.Fatal(err)
		}
		if report.Missed > 0 {
			t.Errorf("%d goroutines: Next found nothing while there were events, %d times", m.Goroutines, report.Missed)
		}
		t.Logf("%d goroutines, %d events\n%v", m.Goroutines, m.Fill, report)
	}
}
