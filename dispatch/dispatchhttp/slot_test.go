package dispatchhttp

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

// A slot that is held by hand is one of those of RoundTrip: it goes to the oldest, and its outcome
// decides about the health of the backend.
func TestAcquire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &url.URL{Scheme: "http", Host: "a"}
		tr := transport(t, []*url.URL{u}, Capacity(1), PoolLimit(2), MaxWait(time.Minute),
			Backoff(time.Second, 30*time.Second))
		check := func() {
			t.Helper()
			if err := tr.scheduler.verify(); err != nil {
				t.Fatal(err)
			}
		}
		first, err := tr.Acquire(t.Context())
		if err != nil || first.Backend().String() != "http://a" {
			t.Fatal(first, err)
		}
		now := time.Now()
		got := make(chan string, 2)
		wait := func(name string, start time.Time) {
			go func() {
				s, err := tr.Acquire(WithStart(t.Context(), start))
				if err != nil {
					t.Error(err)
					return
				}
				got <- name
				s.Release(nil)
			}()
			synctest.Wait()
		}
		wait("younger", now)
		wait("older", now.Add(-time.Hour))
		if _, err := tr.Acquire(t.Context()); !errors.Is(err, dispatch.ErrFull) {
			t.Errorf("%v, want a full pool", err)
		}
		first.Release(nil)
		first.Release(errors.New("again")) // does nothing
		synctest.Wait()
		if a, b := <-got, <-got; a != "older" || b != "younger" {
			t.Errorf("%s, then %s", a, b)
		}
		check()

		// A failure ejects the backend; a success of its probe makes it healthy again.
		s, _ := tr.Acquire(t.Context())
		s.Release(errors.New("no connection"))
		if b := tr.Stats().Backends[0]; b.Ejected == 0 || b.Failed != 1 {
			t.Errorf("%+v", b)
		}
		began := time.Now()
		probe, err := tr.Acquire(t.Context()) // waits for the end of the backoff
		if err != nil || time.Since(began) != time.Second || !tr.Stats().Backends[0].HalfOpen {
			t.Errorf("%v after %v: %+v", err, time.Since(began), tr.Stats().Backends[0])
		}
		check()
		probe.Release(nil)
		if b := tr.Stats().Backends[0]; b.HalfOpen || b.Failures != 0 {
			t.Errorf("%+v", b)
		}

		// What the client has given up says nothing.
		ctx, cancel := context.WithCancel(t.Context())
		s, _ = tr.Acquire(ctx)
		if _, err := func() (*Slot, error) {
			short, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			return tr.Acquire(short)
		}(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the end of the context", err)
		}
		cancel()
		s.Release(errors.New("broken pipe"))
		s, _ = tr.Acquire(t.Context())
		s.Release(context.Canceled)
		if b := tr.Stats().Backends[0]; b.Ejected != 0 || b.Failed != 1 {
			t.Errorf("%+v", b)
		}
		check()

		// Close waits for slots that are held.
		s, _ = tr.Acquire(t.Context())
		closed := make(chan error)
		go func() { closed <- tr.Close(t.Context()) }()
		synctest.Wait()
		if _, err := tr.Acquire(t.Context()); !errors.Is(err, dispatch.ErrClosed) {
			t.Errorf("%v, want closed", err)
		}
		select {
		case err := <-closed:
			t.Errorf("closed with a slot held: %v", err)
		default:
		}
		s.Release(nil)
		if err := <-closed; err != nil {
			t.Error(err)
		}
		want := Counts{Requests: 11, Completed: 5, Failed: 1, Canceled: 3, Full: 1, Closed: 1}
		if got := tr.Stats(); got.Counts != want || got.InFlight != 0 || got.Waiting != 0 {
			t.Errorf("%+v, want %+v", got.Counts, want)
		}
	})
}

// Many goroutines hold slots at once, and never more than there are, whatever they report.
func TestAcquireConcurrently(t *testing.T) {
	backends := []*url.URL{{Scheme: "http", Host: "a"}, {Scheme: "http", Host: "b"}}
	tr := transport(t, backends, Capacity(3), PoolLimit(1000), Backoff(time.Microsecond, time.Millisecond))
	outcomes := []error{nil, nil, nil, context.Canceled, errors.New("no")}
	var held [2]atomic.Int32
	var all sync.WaitGroup
	const goroutines, each = 16, 500
	for g := range goroutines {
		all.Go(func() {
			for i := range each {
				s, err := tr.Acquire(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				n := &held[s.Backend().Host[0]-'a']
				if now := n.Add(1); now > 3 {
					t.Errorf("%d at %s", now, s.Backend())
				}
				n.Add(-1)
				s.Release(outcomes[(g+i)%len(outcomes)])
			}
		})
	}
	all.Wait()
	if s := tr.Stats(); s.Requests != goroutines*each || s.Completed+s.Canceled+s.Failed != s.Requests {
		t.Errorf("%+v", s.Counts)
	}
}
