package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/almanac-sim/almanac/page/internal/figure"
	"github.com/almanac-sim/almanac/page/internal/httperr"
)

var quiet = slog.New(slog.DiscardHandler)

// newTestRuns is a queue whose limits are wide where they are zero.
func newTestRuns(l Limits, log *slog.Logger) *Queue {
	l.Running, l.Waiting, l.Kept = cmp.Or(l.Running, 2), cmp.Or(l.Waiting, 20), cmp.Or(l.Kept, 50)
	l.Timeout, l.Bytes = cmp.Or(l.Timeout, 4*time.Hour), cmp.Or(l.Bytes, 1<<29)
	return New(l, log)
}

// holding is work that goes on until it is let go, or stopped.
func holding(let chan struct{}) Work {
	return Work{Title: "holding", Do: func(ctx context.Context, report *Reporter) error {
		select {
		case <-let:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

func states(runs ...*Run) (all string) {
	for _, r := range runs {
		all += string(r.State()) + " "
	}
	return strings.TrimSpace(all)
}

// So many run, so many wait, and one more is refused; when one ends the next begins, in order.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newTestRuns(Limits{Running: 2, Waiting: 2, Kept: 10, Bytes: 1 << 20}, quiet)
		defer q.Close()
		var runs []*Run
		var lets []chan struct{}
		for range 4 {
			let := make(chan struct{})
			r, err := q.Start(holding(let))
			if err != nil {
				t.Fatal(err)
			}
			runs, lets = append(runs, r), append(lets, let)
		}
		if got := states(runs...); got != "running running waiting waiting" {
			t.Error(got)
		}
		if q.Ahead(runs[3]) != 1 || q.Ahead(runs[2]) != 0 {
			t.Error("who waits before whom")
		}
		var p httperr.Error
		if _, err := q.Start(holding(nil)); !errors.As(err, &p) || p.Status != 429 {
			t.Errorf("one too many: %v", err)
		}
		close(lets[1])
		synctest.Wait()
		if got := states(runs...); got != "running done running waiting" {
			t.Error(got)
		}
		runs[3].Stop()
		runs[0].Stop()
		synctest.Wait()
		if got := states(runs...); got != "stopped done running stopped" {
			t.Error(got)
		}
		runs[1].Stop() // which does nothing any more
		close(lets[2])
		synctest.Wait()
		if got := states(runs...); got != "stopped done done stopped" {
			t.Error(got)
		}
	})
}

// Of what is done the last is kept, as many as may be and as there is room for; what goes on is
// never forgotten.
func TestEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newTestRuns(Limits{Running: 2, Waiting: 2, Kept: 3, Bytes: 100}, quiet)
		defer q.Close()
		first, err := q.Start(holding(nil))
		if err != nil {
			t.Fatal(err)
		}
		quick := func(keeps uint64) *Run {
			r, err := q.Start(Work{ResultBytes: keeps, Do: func(context.Context, *Reporter) error { return nil }})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return r
		}
		ids := func() (s string) {
			for _, r := range q.List() {
				s += r.ID + " "
			}
			return s
		}
		for range 6 {
			quick(1)
		}
		if got := ids(); got != "7 6 5 1 " {
			t.Error(got)
		}
		quick(99)
		if got := ids(); got != "8 7 1 " {
			t.Error(got)
		}
		quick(1000) // one that is larger than all room is shown all the same, alone
		if got := ids(); got != "9 1 " {
			t.Error(got)
		}
		var p httperr.Error
		if _, err := q.Get("5"); !errors.As(err, &p) || p.Status != 410 {
			t.Errorf("a forgotten run: %v", err)
		}
		if _, err := q.Get("77"); !errors.As(err, &p) || p.Status != 404 {
			t.Errorf("a run that never was: %v", err)
		}
		if r, err := q.Get("1"); err != nil || r != first {
			t.Errorf("%v", err)
		}
	})
}

// What was made for those who looked counts among what is kept, and what was told them is gone when
// they are; who comes later gets it all the same.
func TestEvictionCountsViews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second) // whoever looks comes to its end
		q := newTestRuns(Limits{Running: 1, Waiting: 1, Kept: 9, Bytes: 50_000}, quiet)
		defer q.Close()
		start := func() *Run {
			r, err := q.Start(Work{Model: true, ResultBytes: 10_000, Do: func(_ context.Context, report *Reporter) error {
				report.Show(func() View { return View{Figures: []figure.Figure{lineOf(1000)}} }) // 17 kB
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return r
		}
		r := start()
		if r.Do != nil {
			t.Error("the work is kept with all that it holds")
		}
		seen := int64(0)
		for range 2 {
			a := r.Subscribe(nil)
			time.Sleep(time.Second)
			text, last, _, end := a.Since(seen)
			if !end || !strings.Contains(string(text), "event: all") || !strings.Contains(string(text), "998001") ||
				!strings.Contains(string(text), "event: end") {
				t.Errorf("one who comes at the end gets %.100s", text)
			}
			seen = last
			a.Close()
			if len(r.subscriptions) != 0 {
				t.Error("what was told is kept")
			}
		}
		start()
		start()
		if n := len(q.List()); n != 3 {
			t.Errorf("%d runs are kept, of which one was looked at", n)
		}
		q.List()[0].View()
		start()
		if n := len(q.List()); n != 3 { // 10 + 27 + 10 kB, and no more
			t.Errorf("%d runs are kept, of which two were looked at", n)
		}
	})
}

// Work that fails, panics or does not fit says so, and the next begins.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newTestRuns(Limits{Running: 1, Waiting: 9, Kept: 10, Bytes: 100}, quiet)
		defer q.Close()
		began := false
		for why, w := range map[string]Work{
			"no luck":                {Do: func(context.Context, *Reporter) error { return errors.New("no luck") }},
			"the work failed: a bug": {Do: func(context.Context, *Reporter) error { panic("a bug") }},
			"not enough memory for it": {CheckMemory: func() error { return errors.New("not enough memory for it") },
				Do: func(context.Context, *Reporter) error { began = true; return nil }},
		} {
			r, err := q.Start(w)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if r.State() != Failed || r.Status().Why != why {
				t.Errorf("%s: %s", r.State(), r.Status().Why)
			}
		}
		if began {
			t.Error("what does not fit has begun")
		}
	})
}

// Work begins beside other work if there is memory for what both need, whatever of it has been
// taken; if not, it waits until it is alone, and those behind it wait, too. What is small need not.
func TestMemoryOfConcurrentRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newTestRuns(Limits{Running: 3, Waiting: 9, Kept: 10}, quiet)
		defer q.Close()
		free := uint64(1000)
		q.FreeMemory = func() uint64 { return free }
		var runs []*Run
		var lets []chan struct{}
		start := func(needs uint64) {
			t.Helper()
			let := make(chan struct{})
			w := holding(let)
			w.Memory = needs
			r, err := q.Start(w)
			if err != nil {
				t.Fatal(err)
			}
			runs, lets = append(runs, r), append(lets, let)
		}
		want := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := states(runs...); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		start(600)
		start(500) // which would fit by itself, and nothing has been taken yet
		want("running waiting")
		start(100)
		want("running waiting waiting")
		close(lets[0])
		want("done running running")
		free = 450 // the first of them has taken its memory, the second half of it
		start(400) // together 1000
		want("done running running running")
		close(lets[1])
		close(lets[2])
		want("done done done running")
		free = 600
		start(601) // more than there is now
		want("done done done running waiting")
		runs[4].Stop()
		start(37) // a sixteenth of what is free
		want("done done done running stopped running")
		close(lets[3])
		close(lets[5])
		synctest.Wait()
		// By itself it begins, and says itself that it does not fit. Sums do not begin anew where
		// numbers end.
		free = 1 << 40
		start(math.MaxUint64)
		start(math.MaxUint64)
		if got := states(runs[6:]...); got != "running waiting" {
			t.Error(got)
		}
	})
}

// One that waits for memory holds up those behind it; when it is stopped, they begin, and it counts
// among what is kept.
func TestStopWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newTestRuns(Limits{Running: 3, Waiting: 9, Kept: 1}, quiet)
		defer q.Close()
		q.FreeMemory = func() uint64 { return 1000 }
		var runs []*Run
		for _, needs := range []uint64{600, 500, 100, 900} {
			w := holding(nil)
			w.Memory = needs
			r, err := q.Start(w)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r)
		}
		if got := states(runs...); got != "running waiting waiting waiting" {
			t.Error(got)
		}
		runs[1].Stop()
		if got := states(runs...); got != "running stopped running waiting" {
			t.Errorf("after one that waited was stopped: %s", got)
		}
		runs[3].Stop()
		if n := len(q.List()); n != 3 {
			t.Errorf("%d runs are kept, of which two go on", n)
		}
	})
}

// Who watches a run that waits is told so once, and then that it begins.
func TestWaitingIsSentOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Second) // whoever looks comes to its end
		q := newTestRuns(Limits{Running: 1, Waiting: 1}, quiet)
		defer q.Close()
		first, err := q.Start(holding(nil))
		if err != nil {
			t.Fatal(err)
		}
		r, err := q.Start(holding(nil))
		if err != nil {
			t.Fatal(err)
		}
		a := r.Subscribe(nil)
		defer a.Close()
		time.Sleep(time.Minute)
		text, seen, _, _ := a.Since(0)
		if seen != 1 || !strings.Contains(string(text), `"state":"waiting"`) {
			t.Errorf("%d events of a run that waits: %s", seen, text)
		}
		first.Stop()
		time.Sleep(time.Second)
		if text, _, _, _ := a.Since(seen); !strings.Contains(string(text), `"state":"running"`) {
			t.Errorf("it has begun: %s", text)
		}
	})
}

// Nothing takes longer than it may.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newTestRuns(Limits{Timeout: time.Hour}, quiet)
		defer q.Close()
		r, err := q.Start(holding(nil))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour - time.Second)
		if r.State() != Running {
			t.Errorf("%s too early", r.State())
		}
		time.Sleep(2 * time.Second)
		if r.State() != Stopped || !strings.Contains(r.Status().Why, "the longest that is run here") {
			t.Errorf("%s: %s", r.State(), r.Status().Why)
		}
	})
}

// What work took that is over, done or stopped, is given back before the next is judged; it is seen
// to have ended before that.
func TestMemoryIsReleased(t *testing.T) {
	for _, stop := range []bool{false, true} {
		q := newTestRuns(Limits{Running: 1, Waiting: 2, Kept: 9, Bytes: 1 << 20}, quiet)
		var taken weak.Pointer[[1 << 20]byte]
		began, let := make(chan struct{}), make(chan struct{})
		first, err := q.Start(Work{Memory: releaseAbove, Do: func(ctx context.Context, report *Reporter) error {
			individuals := new([1 << 20]byte)
			taken = weak.Make(individuals)
			report.Show(func() View { return View{} })
			close(began)
			select {
			case <-let:
			case <-ctx.Done():
			}
			runtime.KeepAlive(individuals)
			return ctx.Err()
		}})
		if err != nil {
			t.Fatal(err)
		}
		<-began
		released := q.release
		q.release = func() {
			if !first.State().Over() {
				t.Error("whoever watches has to wait until memory is given back")
			}
			released()
		}
		held := true
		second, err := q.Start(Work{Title: "next", CheckMemory: func() error { held = taken.Value() != nil; return nil },
			Do: func(context.Context, *Reporter) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		if stop {
			first.Stop()
		} else {
			close(let)
		}
		if <-second.Over(); held {
			t.Errorf("stopped: %v: the next is judged while the memory of %s is held", stop, first.State())
		}
		q.Close()
	}
}

// The cache of renderings never takes more bytes than it may, and counts them right, whatever is
// stored again under the same key.
func TestRenderingCache(t *testing.T) {
	l, random := newLive(quiet), rand.New(rand.NewPCG(1, 2))
	most := 0
	for range 2000 {
		l.Store(fmt.Sprint("key ", random.IntN(100)), Rendering{Bytes: random.IntN(maxRenderedBytes / 8)})
		sum := 0
		for _, d := range l.renderings {
			sum += d.Bytes
		}
		n, bytes := l.CacheSize()
		if most = max(most, n); bytes != sum || bytes > maxRenderedBytes {
			t.Fatalf("%d bytes are kept, said to be %d", sum, bytes)
		}
	}
	if l.Store("too large", Rendering{Bytes: maxRenderedBytes}); l.renderings["too large"].Bytes != 0 || most < 8 {
		t.Errorf("at most %d were kept at once, or one that is too large", most)
	}
}
