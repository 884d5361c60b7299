package dispatchhttp

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/dispatch/health"
)

// A guest is a request of a random run.
type guest struct {
	start    int64
	cancel   context.CancelFunc
	t        slot
	err      error
	back     bool // acquire or retry has returned
	attempts int
}

// Random runs, step by step: requests of any age arrive, succeed, fail, are retried and canceled;
// backends are added, removed, ejected and checked. After each step the invariants hold, and a
// request that got a slot is older than all that still wait.
func TestSchedulerInvariants(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) { randomRun(t, seed) })
	}
}

func randomRun(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 19))
	o := schedulerOptions{capacity: 1 + r.IntN(3), poolLimit: r.IntN(30)}
	if r.IntN(2) == 0 {
		o.maxWait = time.Duration(1+r.IntN(20)) * time.Second
	}
	d := newScheduler(&o, seed)
	d.rule = health.Rule{After: 1, First: health.First, Most: health.Most}
	sick := map[string]bool{}
	var mu sync.Mutex // guards guests and sick; held by the run except while it waits
	mu.Lock()
	defer mu.Unlock()
	pause := func(d time.Duration) {
		mu.Unlock()
		time.Sleep(d)
		synctest.Wait()
		mu.Lock()
	}
	if r.IntN(2) == 0 {
		d.interval = time.Second
		d.check = func(_ context.Context, u *url.URL) error {
			mu.Lock()
			defer mu.Unlock()
			if sick[u.Host] {
				return errors.New("sick")
			}
			return nil
		}
	}
	var all []*guest
	wait := func(g *guest, f func() (slot, error)) {
		g.back = false
		go func() {
			held, err := f()
			mu.Lock()
			defer mu.Unlock()
			g.t, g.err, g.back = held, err, true
		}()
	}
	pick := func(flying bool) *guest {
		var some []*guest
		for _, g := range all {
			if g.err == nil && g.back == flying {
				some = append(some, g)
			}
		}
		if len(some) == 0 {
			return nil
		}
		return some[r.IntN(len(some))]
	}
	for step := range 300 {
		var waited []*guest
		for _, g := range all {
			if !g.back {
				waited = append(waited, g)
			}
		}
		again := (*guest)(nil)
		host := "b" + strconv.Itoa(r.IntN(4))
		u := &url.URL{Scheme: "http", Host: host}
		switch k := r.IntN(20); {
		case k < 8:
			ctx, cancel := context.WithCancel(t.Context())
			start := time.Now().Add(-time.Duration(r.IntN(3)*r.IntN(1000)) * time.Millisecond)
			g := &guest{cancel: cancel, start: int64(start.Sub(d.start))}
			all = append(all, g)
			wait(g, func() (slot, error) { return d.acquire(ctx, start) })
		case k < 14:
			if g := pick(true); g != nil {
				if v := health.Verdict(r.IntN(3)); r.IntN(3) == 0 {
					g.attempts++
					again = g
					ctx, cancel := context.WithCancel(t.Context())
					g.cancel = cancel
					held := g.t
					wait(g, func() (slot, error) { return d.retry(ctx, held, v) })
				} else if d.responded(g.t); r.IntN(3) > 0 {
					d.finish(g.t, v, outcome(r.IntN(4)))
					g.err = errors.New("done")
				}
			}
		case k < 15:
			if g := pick(false); g != nil {
				g.cancel()
			}
		case k < 16:
			d.mu.Lock()
			if s := d.find(u); s == nil || s.removed {
				d.add(u)
				d.fillSlots()
			} else if r.IntN(2) == 0 {
				d.remove(s)
			}
			d.mu.Unlock()
		case k < 17:
			sick[host] = !sick[host]
		default:
			pause(time.Duration(r.ExpFloat64() * float64(300*time.Millisecond)))
		}
		pause(0)
		if err := d.verify(); err != nil {
			t.Fatalf("seed %d, step %d: %v", seed, step, err)
		}
		// Guests with a slot, and guests that still wait.
		for _, g := range waited {
			for _, still := range waited {
				if g != again && g.back && g.err == nil && !still.back && still.start < g.start {
					t.Fatalf("seed %d, step %d: a request got a slot that is younger than one that waits", seed, step)
				}
			}
		}
	}
	d.mu.Lock()
	d.closed = true
	d.signalDrained()
	d.mu.Unlock()
	pause(0)
	d.end()
	pause(0)
	for _, g := range all {
		g.cancel()
		if !g.back {
			t.Fatalf("seed %d: a request waits forever", seed)
		}
		if g.err == nil {
			d.finish(g.t, health.Success, completed)
		}
	}
	<-d.drained
	if err := d.verify(); err != nil {
		t.Fatal(err)
	}
}
