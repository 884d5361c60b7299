package timers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/interleave"
	"github.com/almanac-sim/almanac/internal/stress"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// durations of the tests below, for a resolution of 50 µs: some are bound to readings of the shared
// clock, and expire while they are reset.
func someDuration(r *rand.Rand) time.Duration {
	switch r.IntN(8) {
	case 0:
		return time.Duration(r.IntN(3)-1) * 100 * time.Microsecond
	case 1:
		return time.Duration(r.IntN(10_000)) * time.Microsecond
	case 2:
		return 4*time.Millisecond + time.Duration(r.IntN(1000))*time.Microsecond
	}
	return 4 * time.Millisecond
}

// An owned timer is used by one goroutine, which knows when it may fire. The k-th firing must not
// be before the deadline of the k-th start that was not stopped: the deadlines increase, and so no
// more than k firings may be before it, in whatever order the callbacks run.
type owned struct {
	timer     Timer
	base      time.Time
	started   bool
	deadline  time.Duration   // of the start that was not seen to end
	deadlines []time.Duration // of those that have fired
	mu        sync.Mutex
	fired     []time.Duration
}

func (o *owned) fire() {
	at := time.Since(o.base)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fired = append(o.fired, at)
}

func (o *owned) step(ts *Set, r *rand.Rand) error {
	d := someDuration(r)
	to := time.Since(o.base) + max(d, 0)
	switch {
	case !o.started:
		o.timer = ts.AfterFunc(d, o.fire)
		o.started, o.deadline = true, to
	case r.IntN(16) == 0:
		if o.timer.Stop() {
			// As if it had never been: the next Reset starts it.
			if o.deadline < 0 {
				return fmt.Errorf("Stop of a timer that was not pending reports true")
			}
		} else if o.deadline >= 0 {
			o.deadlines = append(o.deadlines, o.deadline)
		}
		o.deadline = -1
	default:
		pending := o.timer.Reset(d)
		if pending && o.deadline < 0 {
			return fmt.Errorf("Reset of a timer that was not pending reports true")
		}
		if !pending && o.deadline >= 0 {
			o.deadlines = append(o.deadlines, o.deadline)
		}
		o.deadline = to
	}
	return nil
}

// verify compares the firings with the deadlines, when all have fired.
func (o *owned) verify() error {
	if o.started && o.deadline >= 0 {
		o.deadlines = append(o.deadlines, o.deadline)
	}
	if len(o.fired) != len(o.deadlines) {
		return fmt.Errorf("%d firings, wanted %d", len(o.fired), len(o.deadlines))
	}
	slices.Sort(o.fired) // the callbacks may be in another order
	for k, at := range o.fired {
		if at < o.deadlines[k] {
			return fmt.Errorf("firing %d is %v early", k, o.deadlines[k]-at)
		}
	}
	return nil
}

// A shared timer is used by all goroutines. What is known is that each start ends once.
type shared struct {
	timer  Timer
	starts atomic.Int64 // AfterFunc, and Resets that report false
	ends   atomic.Int64 // Stops that report true
	fired  atomic.Int64
}

func (s *shared) step(r *rand.Rand) {
	if r.IntN(8) == 0 {
		if s.timer.Stop() {
			s.ends.Add(1)
		}
	} else if !s.timer.Reset(someDuration(r)) {
		s.starts.Add(1)
	}
}

// racing uses a set from 64 goroutines while its timers fire.
func racing(t *testing.T, operations int, age time.Duration) {
	ts := New(Resolution(50 * time.Microsecond))
	ts.ready().clock.within = 1 << 30 // any number of Resets is many
	ts.ready().clock.base = time.Now().Add(-age)
	const goroutines, own = 64, 40
	common := make([]shared, 16)
	for i := range common {
		s := &common[i]
		s.starts.Add(1)
		s.timer = ts.AfterFunc(time.Millisecond, func() { s.fired.Add(1) })
	}
	var wg sync.WaitGroup
	base := time.Now()
	all := make([][]owned, goroutines)
	for g := range all {
		all[g] = make([]owned, own)
		for i := range all[g] {
			all[g][i].base = base
		}
		r := rand.New(rand.NewPCG(37, uint64(g)))
		wg.Go(func() {
			for n := range operations / goroutines {
				if n%4096 == 0 {
					time.Sleep(time.Duration(r.IntN(12)) * time.Millisecond) // now and then all expire
				}
				if r.IntN(4) == 0 {
					common[r.IntN(len(common))].step(r)
					continue
				}
				o := &all[g][r.IntN(own)]
				if err := o.step(ts, r); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	waitEmpty(ts)
	if err := ts.check(); err != nil {
		t.Error(err)
	}
	ts.Close() // waits for the callbacks
	fired := 0
	for g := range all {
		for i := range all[g] {
			if err := all[g][i].verify(); err != nil {
				t.Fatalf("timer %d of goroutine %d: %v", i, g, err)
			}
			fired += len(all[g][i].fired)
		}
	}
	for i := range common {
		if s := &common[i]; s.starts.Load() != s.ends.Load()+s.fired.Load() {
			t.Errorf("shared timer %d: %d starts, %d stops, %d firings", i, s.starts.Load(), s.ends.Load(), s.fired.Load())
		}
	}
	t.Logf("%d firings in %v; readings of the shared clock: the last is %d, %d lasted long", fired,
		time.Since(base).Round(time.Millisecond), ts.ready().clock.closed.Load(), len(ts.ready().clock.long))
}

func waitEmpty(ts *Set) {
	for ts.Len() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// Resets and Stops race with firing: 10⁸ operations in make soak.
func TestRacing(t *testing.T) {
	n := testscale.Size(1_000_000, 100_000_000)
	if interleave.Enabled {
		n /= 20
	}
	racing(t, n, 0)
}

// The same while the time in a word begins again at 0, 208 days after the first use of the set.
func TestRacingWhenTimeWraps(t *testing.T) {
	const wraps = 1 << (timeBits + 14) // in nanoseconds: a unit has 2¹⁴
	for _, before := range []time.Duration{5 * time.Millisecond, 50 * time.Millisecond} {
		racing(t, testscale.Size(stress.FewerRaced(60_000, 20_000), 3_000_000), wraps-before)
	}
}

// The same, interrupted between the steps of an operation.
func TestRacingInterrupted(t *testing.T) {
	if !interleave.Enabled {
		t.Skip("needs the race detector")
	}
	for _, every := range []int{3, 20, 200} {
		stress.Interrupted(every, func() { racing(t, testscale.Size(20_000, 1_000_000), 0) })
	}
}

// Many timers are due at one instant: 10⁷ in make soak.
func TestManyAtOneInstant(t *testing.T) {
	n := testscale.Size(200_000, 10_000_000)
	if interleave.Enabled {
		n /= 10
	}
	var fired atomic.Int64
	ts := New(Executor(func(f func()) { f() }))
	base := time.Now()
	const at = 300 * time.Millisecond
	var early atomic.Int64
	f := func() {
		fired.Add(1)
		if time.Since(base) < at {
			early.Add(1)
		}
	}
	all := make([]Timer, n)
	for i := range all {
		all[i] = ts.AfterFunc(at-time.Since(base), f)
	}
	stopped := int64(0)
	for i := 0; i < n; i += 3 {
		if all[i].Stop() {
			stopped++
		}
	}
	waitEmpty(ts)
	took := time.Since(base) - at
	if err := ts.check(); err != nil {
		t.Error(err)
	}
	ts.Close()
	if fired.Load()+stopped != int64(n) || early.Load() > 0 {
		t.Errorf("%d of %d fired, %d were stopped, %d early", fired.Load(), n, stopped, early.Load())
	}
	t.Logf("%d timers fired, the last %v late", fired.Load(), took.Round(time.Millisecond))
}
