package dispatchhttp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

// New options are in force at once, and requests keep their slots and their places.
func TestConfigure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &url.URL{Scheme: "http", Host: "a"}
		tr := transport(t, []*url.URL{u}, Capacity(1), PoolLimit(4), MaxWait(time.Second))
		first, err := tr.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan int, 4)
		slots := make(chan *Slot, 4)
		for i := range 3 {
			go func() {
				s, err := tr.Acquire(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				got <- i
				slots <- s
			}()
			synctest.Wait()
		}
		tr.Configure(Capacity(3), PoolLimit(0))
		synctest.Wait()
		if a, b := <-got, <-got; a+b != 1 {
			t.Errorf("%d and %d have a slot, want the oldest two, 0 and 1", a, b)
		}
		if s := tr.Stats(); s.InFlight != 3 || s.Waiting != 1 || s.Capacity != 3 {
			t.Errorf("%d in flight, %d wait, capacity %d", s.InFlight, s.Waiting, s.Capacity)
		}
		if _, err := tr.Acquire(t.Context()); !errors.Is(err, dispatch.ErrFull) {
			t.Errorf("%v, want a full queue", err)
		}

		// A smaller capacity: the next gets a slot only when fewer than one are in flight.
		tr.Configure(Capacity(1))
		first.Release(nil)
		(<-slots).Release(nil)
		synctest.Wait()
		if s := tr.Stats(); s.InFlight != 1 || s.Waiting != 1 {
			t.Errorf("%d in flight, %d wait, want 1 and 1", s.InFlight, s.Waiting)
		}
		(<-slots).Release(nil)
		if i := <-got; i != 2 {
			t.Errorf("%d, want 2", i)
		}

		// Without MaxWait, which was not given, a request waits as long as its context.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := tr.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the end of the context", err)
		}
		(<-slots).Release(nil)
	})
}

// Health checks begin and end with the options.
func TestConfigureChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var checks atomic.Int32
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			checks.Add(1)
			if req.URL.Path != "/ready" {
				t.Errorf("the check requests %s", req.URL.Path)
			}
			return &http.Response{StatusCode: 200, Body: http.NoBody, Request: req}, nil
		})
		tr := transport(t, []*url.URL{{Scheme: "http", Host: "a"}}, Base(base))
		count := func(want int32) {
			t.Helper()
			checks.Store(0)
			time.Sleep(10*time.Second + time.Millisecond)
			synctest.Wait()
			if n := checks.Load(); n != want {
				t.Errorf("%d checks in 10 s, want %d", n, want)
			}
		}
		count(0)
		tr.Configure(HealthCheck("/ready", 2*time.Second))
		count(5)
		tr.Configure(HealthCheck("/ready", time.Second))
		count(10)
		tr.Configure(HealthCheck("/ready", time.Second), Capacity(7)) // the checks go on
		count(10)
		tr.Configure()
		count(0)
	})
}

// Two checks in a row eject a backend, and three in a row readmit it, also after a request has
// ejected it; then one failed check prolongs the ejection.
func TestCheckCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var results []error // of the checks to come; then they pass
		next := func(all ...error) {
			mu.Lock()
			defer mu.Unlock()
			results = all
		}
		tr := transport(t, []*url.URL{{Scheme: "http", Host: "a"}}, Backoff(time.Second, time.Second), CheckCounts(3, 2),
			Check(func(_ context.Context, u *url.URL) error {
				if u.Host != "a" {
					t.Errorf("the check is of %s", u)
				}
				mu.Lock()
				defer mu.Unlock()
				if len(results) == 0 {
					return nil
				}
				err := results[0]
				results = results[1:]
				return err
			}, time.Second))
		after := func(ejected ...bool) {
			t.Helper()
			for i, want := range ejected {
				time.Sleep(time.Second)
				synctest.Wait()
				b := tr.Stats().Backends[0]
				if (b.Ejected > 0) != want || tr.Ejected(&url.URL{Scheme: "http", Host: "a"}) != want {
					t.Errorf("after check %d it is ejected for %v", i, b.Ejected)
				}
			}
		}
		time.Sleep(time.Millisecond)
		next(errOwn, nil, errOwn, errOwn, nil, nil, errOwn)
		after(false, false, false, true, true, true, true, true, true, false)

		slot, err := tr.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		slot.Release(errOwn)
		next(errOwn)
		after(true, true, true, false)
	})
}

// A backend has its own capacity, also after Configure and if it comes later.
func TestCapacities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, late := &url.URL{Scheme: "http", Host: "a"}, &url.URL{Scheme: "http", Host: "b"}, &url.URL{Scheme: "http", Host: "c"}
		tr := transport(t, []*url.URL{a, b}, Capacity(2), PoolLimit(0), Capacities(map[string]int{"http://a": 1, "http://c": 4}))
		fill := func(want ...int) {
			t.Helper()
			var got []int
			for {
				slot, err := tr.Acquire(t.Context())
				if err != nil {
					break
				}
				defer slot.Release(nil)
			}
			for _, b := range tr.Stats().Backends {
				got = append(got, b.InFlight)
				if b.InFlight != b.Capacity {
					t.Errorf("%d in flight of %d", b.InFlight, b.Capacity)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d in flight, want %d", got, want)
			}
		}
		fill(1, 2)
		tr.Configure(Capacity(3), PoolLimit(0), Capacities(map[string]int{"http://b": 2, "http://c": 4}))
		fill(3, 2)
		if err := tr.Add(late); err != nil {
			t.Fatal(err)
		}
		fill(3, 2, 4)
	})
}

// A slot that is retried keeps the age of its request, is not refused by a full queue, and goes to
// another backend.
func TestSlotRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := transport(t, []*url.URL{{Scheme: "http", Host: "a"}, {Scheme: "http", Host: "b"}},
			Capacity(1), PoolLimit(1), Backoff(time.Second, time.Second))
		s, err := tr.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		was := s.Backend().Host
		if err := s.Retry(errors.New("no connection")); err != nil {
			t.Fatal(err)
		}
		if s.Backend().Host == was {
			t.Errorf("again at %s", was)
		}
		// The other one is half-open after a second, and its only request is a long stream.
		time.Sleep(2 * time.Second)
		stream, err := tr.Acquire(t.Context())
		if err != nil || stream.Backend().Host != was {
			t.Fatal(stream, err)
		}
		halfOpen := func() (n int) {
			for _, b := range tr.Stats().Backends {
				if b.HalfOpen {
					n++
				}
			}
			return n
		}
		if halfOpen() != 1 {
			t.Error("no backend is half-open before a response")
		}
		stream.Responded(http.StatusOK)
		if halfOpen() != 0 {
			t.Error("a backend is half-open after its response has begun")
		}

		// The queue is full with a younger request; the retried one is before it.
		order := make(chan string, 2)
		go func() {
			young, err := tr.Acquire(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			order <- "young"
			young.Release(nil)
		}()
		synctest.Wait()
		if err := s.Retry(nil); err != nil {
			t.Error(err)
		}
		order <- "old"
		s.Release(nil)
		synctest.Wait()
		if a, b := <-order, <-order; a != "old" || b != "young" {
			t.Errorf("%s before %s", a, b)
		}
		stream.Release(nil)
		want := Counts{Requests: 3, Completed: 3, Retries: 2}
		if got := tr.Stats().Counts; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}

		// Without a slot the request is counted, and Release does nothing.
		ctx, cancel := context.WithCancel(t.Context())
		s, _ = tr.Acquire(ctx)
		cancel()
		s.Retry(nil) // it may get a slot all the same: one is free
		s.Release(nil)
		if got := tr.Stats(); got.InFlight != 0 || got.Canceled+got.Completed != 4 {
			t.Errorf("%d in flight, %d canceled, %d completed", got.InFlight, got.Canceled, got.Completed)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := transport(t, []*url.URL{{Scheme: "http", Host: "a"}, {Scheme: "http", Host: "b"}}, Capacity(2), PoolLimit(100))
		if d := tr.RetryAfter(); d != time.Second {
			t.Errorf("%v without a request, want 1s", d)
		}
		s, _ := tr.Acquire(t.Context())
		time.Sleep(8 * time.Second)
		s.Release(nil) // a slot is held for 8 s
		ctx, cancel := context.WithCancel(t.Context())
		for range 4 + 11 {
			go func() {
				if s, err := tr.Acquire(ctx); err == nil {
					<-ctx.Done()
					s.Release(nil)
				}
			}()
		}
		synctest.Wait()
		if d := tr.RetryAfter(); d != 24*time.Second {
			t.Errorf("%v, want (11+1) × 8 s / (2 × 2) = 24s", d)
		}
		cancel()
	})
}
