package cappedhttp

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/capped"
)

// Slots are those of requests: one bound, one line, one account.
func TestSlots(t *testing.T) {
	u, _ := url.Parse("http://a")
	v, _ := url.Parse("http://b")
	tr, err := NewTransport([]*url.URL{u, v}, Capacity(1), PoolLimit(1), FailOn(503), Rest(30*time.Second, 30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	one, ok := tr.TryAcquire(now)
	two, ok2 := tr.TryAcquire(now)
	if !ok || !ok2 || one.Backend().Host == two.Backend().Host {
		t.Fatal(one, two)
	}
	if _, ok := tr.TryAcquire(now); ok || tr.Stats().Requests != 2 {
		t.Error("a third slot, or a request that was counted", tr.Stats().Counts)
	}
	got := make(chan Slot)
	go func() {
		s, err := tr.Acquire(context.Background(), now)
		if err != nil {
			t.Error(err)
		}
		got <- s
	}()
	for tr.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	if _, err := tr.Acquire(context.Background(), now); err != capped.ErrFull {
		t.Error(err)
	}
	one.Begun(200)
	one.End(Answered, 200, nil)
	three := <-got
	if three.Backend().Host != one.Backend().Host {
		t.Error(three.Backend())
	}
	// A failure sends a backend to rest; the request takes the other one when that has a slot.
	two.End(Abandoned, 200, nil)
	four, err := three.Again(context.Background(), errors.New("no connection"))
	if err != nil || four.Backend().Host != two.Backend().Host {
		t.Fatal(err, four.Backend())
	}
	if _, ok := tr.TryAcquire(now); ok {
		t.Error("a slot of a backend that rests")
	}
	four.End(Answered, 503, nil)
	s := tr.Stats()
	if s.Requests != 4 || s.Answered != 3 || s.Full != 1 || s.Retries != 1 || s.InFlight != 0 || s.Backends[0].Resting == 0 || s.Backends[1].Resting == 0 {
		t.Errorf("%+v", s)
	}
	if err := tr.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if _, ok := tr.TryAcquire(now); ok {
		t.Error("a slot after the end")
	}
}

// Each ending is counted where it belongs, and blames who is to blame.
func TestEndings(t *testing.T) {
	u, _ := url.Parse("http://a")
	for how, want := range map[Ending][2]uint64{Answered: {0, 1}, Abandoned: {0, 0}, Cancelled: {0, 0}, Broken: {1, 0}, Failed: {1, 0}, Unsent: {0, 0}} {
		tr, err := NewTransport([]*url.URL{u}, Capacity(1))
		if err != nil {
			t.Fatal(err)
		}
		s, _ := tr.TryAcquire(time.Now())
		s.End(how, 200, errors.New("why"))
		st := tr.Stats()
		c := map[Ending]uint64{Answered: st.Answered, Abandoned: st.Answered, Cancelled: st.Cancelled, Broken: st.Broken, Failed: st.Failed, Unsent: st.Failed}
		if c[how] != 1 || st.Backends[0].Failed != want[0] || st.Backends[0].Answered != want[1] {
			t.Errorf("%d: %+v", how, st)
		}
		tr.Close(context.Background())
	}
}
