//go:build soak

package relaxed

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/stress"
)

var soaking = flag.Duration("soak", 2*time.Minute, "how long the soak test runs")

// A queue, for minutes, with 1 to 64 goroutines on 1, 2 and 8 processors:
//
//	go test -tags soak -run QueueSoak -timeout 1h ./relaxed -soak 30m
//
// With -race operations are interrupted in the middle, too.
func TestQueueSoak(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	rounds := 0
	for began := time.Now(); time.Since(began) < *soaking && !t.Failed(); rounds++ {
		s := storm{
			processors: []int{1, 2, 8}[r.IntN(3)],
			goroutines: 1 << r.IntN(7),
			pending:    1 << r.IntN(12),
			spread:     r.IntN(4),
			seed:       r.Uint64(),
		}
		p, per, lag := 1+r.IntN(9), 1+r.IntN(3), 1+r.IntN(32)
		c := New[int](Concurrency(p), perProcess(per), sticky(lag), Seed(s.seed))
		if !interleave.Enabled {
			s.operations = 400_000
			s.run(t, c)
		} else {
			s.operations = 20_000
			stress.Interrupted(10+r.IntN(300), func() { s.run(t, c) })
		}
		if t.Failed() {
			t.Logf("%+v, with %d processes of %d subqueues, lag %d", s, p, per, lag)
		}
	}
	t.Logf("%d rounds", rounds)
}

// A storm is what comes down on a queue.
type storm struct {
	processors, goroutines int
	pending                int // events for each goroutine
	operations             int // of all goroutines, about
	spread                 int // of times: 0 is the same for all
	seed                   uint64
}

// run has goroutines schedule, cancel and dispatch events, in several bouts, and checks after each
// that every event came to exactly one end, that there is nothing left when all have, and that
// memory does not grow from bout to bout.
//
// During a bout there always are more events than goroutines, so that Next must find one: each
// goroutine replaces what it takes, and cancels an event only when it has scheduled another in its
// stead. In the end they take all that there is together, and find at last that there is nothing.
func (s storm) run(t *testing.T, c *Queue[int]) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(s.processors))
	const bouts = 6
	most, scheduled, ended := 0, uint64(0), uint64(0)
	var stale []Handle
	for bout := range bouts {
		each := s.operations/bouts/s.goroutines + s.pending + 1
		fates := make([]atomic.Uint32, s.goroutines*(2*each+1))
		var drain, done sync.WaitGroup
		drain.Add(s.goroutines)
		var count atomic.Uint64
		names := make([][]Handle, s.goroutines)
		for g := range s.goroutines {
			done.Go(func() {
				r := rand.New(rand.NewPCG(s.seed, uint64(g*bouts+bout)))
				from := g * (2*each + 1)
				id := from
				schedule := func(now float64) {
					e, err := c.Schedule(s.time(r, now), id)
					if err != nil {
						t.Error(err)
					}
					names[g] = append(names[g], e)
					id++
				}
				for range s.pending + 1 {
					schedule(0)
				}
				for range each - s.pending - 1 {
					if r.IntN(3) == 0 {
						schedule(0)
						if k := r.IntN(len(names[g])); c.Cancel(names[g][k]) {
							fates[from+k].Add(1)
						} else if v, _, ok := c.Next(); !ok {
							t.Error("Next found nothing")
						} else {
							fates[v].Add(1)
						}
						if len(stale) > 0 && c.Cancel(stale[r.IntN(len(stale))]) {
							t.Error("a stale name cancelled something")
						}
						continue
					}
					v, at, ok := c.Next()
					if !ok {
						t.Error("Next found nothing")
						continue
					}
					fates[v].Add(1)
					schedule(at)
				}
				count.Add(uint64(id - from))
				drain.Done()
				drain.Wait()
				// Others cancel the same events that this one dispatches.
				for i, e := range names[(g+1)%s.goroutines] {
					if i%3 == 0 && c.Cancel(e) {
						fates[(g+1)%s.goroutines*(2*each+1)+i].Add(1)
					}
				}
				for {
					v, _, ok := c.Next()
					if !ok {
						break
					}
					fates[v].Add(1)
				}
			})
		}
		done.Wait()
		for g := range s.goroutines {
			for k := range 2*each + 1 {
				want := uint32(0)
				if k < len(names[g]) {
					want = 1
				}
				if n := fates[g*(2*each+1)+k].Load(); n != want {
					t.Fatalf("event %d of goroutine %d was dispatched or cancelled %d times", k, g, n)
				}
			}
		}
		if _, ok := c.Peek(); ok || c.Len() != 0 {
			t.Fatalf("%d events are left", c.Len())
		}
		mustCheck(t, c)
		sum, _ := c.Stats()
		scheduled += count.Load()
		if ended = sum.Dispatched + sum.Canceled; sum.Scheduled != scheduled || ended != scheduled {
			t.Fatalf("%d events were scheduled and %d ended, but there were %d", sum.Scheduled, ended, scheduled)
		}
		// How events are spread over the subqueues is a matter of chance, and room is doubled where
		// it is short.
		if bout < 2 {
			most = max(most, sum.Bytes)
		} else if sum.Bytes > 4*most {
			t.Fatalf("%d bytes after bout %d, %d after the second", sum.Bytes, bout, most)
		}
		stale = stale[:0]
		for _, n := range names {
			stale = append(stale, n[:min(len(n), 50)]...)
		}
	}
}

// time is when an event should be that is scheduled at a time.
func (s storm) time(r *rand.Rand, now float64) float64 {
	switch s.spread {
	case 0:
		return 0
	case 1:
		return now + r.ExpFloat64()
	case 2:
		return float64(r.IntN(100)) - 50 // as often late as not
	}
	return now + 1e-9 + r.ExpFloat64()*float64(uint64(1)<<r.IntN(40))
}

// The matrix with so many events that whatever is lost of them is noticed, and long idle in
// between.
func TestSoakMatrix(t *testing.T) {
	matrix(t, 1000, 1_000_000, 300*time.Millisecond)
}
