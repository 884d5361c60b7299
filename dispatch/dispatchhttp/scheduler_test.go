package dispatchhttp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
	"github.com/almanac-sim/almanac/dispatch/health"
	"github.com/almanac-sim/almanac/dispatch/slots"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// verify returns an error for the first invariant that does not hold between two steps.
func (s *scheduler) verify() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	inFlight := 0
	for _, b := range s.backends {
		inFlight += b.inFlight
		if b.inFlight < 0 || b.inFlight > b.capacity {
			return fmt.Errorf("a server has %d in flight", b.inFlight)
		}
		if b.removed && b.inFlight == 0 {
			return errors.New("a server that was removed and has nothing in flight is still there")
		}
		slot := !b.removed && b.health.Available() && b.inFlight < b.capacity
		if slot && s.waiting.Len > 0 {
			return errors.New("a request waits, and a server has a slot")
		}
		if slot != (b.bin.Class() != slots.None) || slot &&
			(!s.bins.Has(&b.bin, b.bin.Class()) || (b.inFlight == 0) != (b.bin.Class() == slots.Idle)) {
			return fmt.Errorf("a server is in the wrong set: %+v", b)
		}
		if b.health.Timed() && (b.removed || s.ended) {
			return errors.New("a server that is gone is still looked after")
		}
		if b.health.Ejected() && !b.removed && !b.health.Timed() && !s.ended {
			return errors.New("a backend is ejected and has no timer")
		}
	}
	if inFlight != s.inFlight {
		return fmt.Errorf("%d in flight, and servers say %d", s.inFlight, inFlight)
	}
	n := 0
	for w := s.waiting.Head; w != nil; w = w.Links[0].Next {
		next := w.Links[0].Next
		if n++; next != nil && (next.Arrival < w.Arrival || next.Arrival == w.Arrival && next.Seq < w.Seq) || next == nil &&
			s.waiting.Tail != w {
			return errors.New("the queue is not by age")
		}
	}
	if n != s.waiting.Len {
		return fmt.Errorf("%d in the queue, and Len is %d", n, s.waiting.Len)
	}
	t := &s.total
	sum := t.Completed + t.Broken + t.Failed + t.Canceled + t.Full + t.TooOld + t.Closed + uint64(n+inFlight)
	if sum != t.Requests {
		return fmt.Errorf("%d requests came, and %d are accounted for: %+v", t.Requests, sum, *t)
	}
	return nil
}

// Requests get slots by age, retried ones before younger ones; a canceled request leaves from
// anywhere in the queue.
func TestSchedulerIsOldestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newScheduler(&schedulerOptions{capacity: 1, poolLimit: 10}, 1)
		d.rule = health.Rule{After: 1, First: time.Second, Most: time.Second}
		d.add(&url.URL{Host: "a"})
		first, err := d.acquire(t.Context(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var order []int
		var mu sync.Mutex
		note := func(i int) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
		}
		for i, age := range []int{0, 30, 10, 40, 20, 40} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				held, err := d.acquire(ctx, time.Now().Add(-time.Duration(age)*time.Second))
				if err != nil {
					return
				}
				note(i)
				d.finish(held, health.Success, completed)
			}()
			synctest.Wait()
			if i == 4 {
				defer func() {
					if !slices.Equal(order, []int{3, 5, 1, 2, 0}) {
						t.Errorf("the order is %v", order)
					}
				}()
				cancel()
			}
		}
		synctest.Wait()
		go func() {
			held, err := d.retry(t.Context(), first, health.Failure) // the only backend is ejected
			note(99)
			if err != nil {
				t.Error(err)
			}
			d.finish(held, health.Success, completed)
		}()
		synctest.Wait()
		if n := d.stats().InFlight; n != 0 {
			t.Errorf("while all are ejected, %d have a slot", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if i := slices.Index(order, 99); i != 4 { // as old as 0, and arrived before it
			t.Errorf("the one that came again was number %d of %v", i, order)
		}
		order = slices.DeleteFunc(order, func(i int) bool { return i == 99 })
		if s := d.stats(); s.Canceled != 1 || s.Completed != 6 || s.Retries != 1 || s.Waits.Count != 7 {
			t.Errorf("%+v", s)
		}
	})
}

// Idle backends are equally likely; an avoided one is picked only if it is alone; a backend with a
// request is picked after idle ones.
func TestSchedulerPicksAtRandom(t *testing.T) {
	d := newScheduler(&schedulerOptions{capacity: 2}, 7)
	var servers []*backend
	for i := range 4 {
		servers = append(servers, d.add(&url.URL{Host: strconv.Itoa(i)}))
	}
	d.grant(servers[3], arrival{}, 0)
	const picks = 30_000
	count := func(avoid *backend) map[*backend]int {
		n := map[*backend]int{}
		for range picks {
			var shun *slots.Bin[backend]
			if avoid != nil {
				shun = &avoid.bin
			}
			n[d.bins.Pick(&d.random, shun).Of]++
		}
		return n
	}
	n := count(nil)
	for _, s := range servers[:3] { // binomial, standard deviation 82
		if n[s] < picks/3-400 || n[s] > picks/3+400 {
			t.Errorf("one of three was picked %d times of %d", n[s], picks)
		}
	}
	n = count(servers[0])
	if n[servers[0]] != 0 || n[servers[3]] != 0 || n[servers[1]] < picks/2-450 || n[servers[1]] > picks/2+450 {
		t.Errorf("avoiding one of three: %v", n)
	}
	for _, s := range servers[1:3] {
		d.remove(s)
	}
	if n = count(servers[0]); n[servers[3]] != picks {
		t.Errorf("the other one was picked %d times", n[servers[3]])
	}
	d.remove(servers[3])
	if n = count(servers[0]); n[servers[0]] != picks {
		t.Errorf("the only one was picked %d times", n[servers[0]])
	}
}

// The backoff doubles up to the longest; after it one request is admitted; a response that ends
// resets it.
func TestSchedulerEjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newScheduler(&schedulerOptions{capacity: 3, poolLimit: 10}, 1)
		d.rule = health.Rule{After: 1, First: health.First, Most: health.Most}
		s := d.add(&url.URL{Host: "a"})
		enter := func() slot {
			held, err := d.acquire(t.Context(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			return held
		}
		a, b := enter(), enter()
		d.finish(a, health.Failure, failed)
		d.finish(b, health.Failure, failed) // of the time before: one ejection, not two
		for i := range 12 {
			start := time.Now()
			held := enter()
			if got, want := time.Since(start), min(100*time.Millisecond<<i, 30*time.Second); got != want {
				t.Errorf("backoff %d was %v, want %v", i, got, want)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 99*time.Millisecond)
			if _, err := d.acquire(ctx, time.Now()); err != context.DeadlineExceeded {
				t.Errorf("a half-open backend has a second request: %v", err)
			}
			cancel()
			if i == 11 {
				d.responded(held)
				second := enter()
				d.finish(held, health.Success, completed)
				d.finish(second, health.Failure, failed)
				break
			}
			if i%3 == 0 {
				d.responded(held) // and then it breaks off
			}
			d.finish(held, health.Failure, failed)
		}
		if s.health.Failures() != 1 {
			t.Errorf("%d failures", s.health.Failures())
		}
		start := time.Now()
		d.finish(enter(), health.Neutral, completed)
		if got := time.Since(start); got != 100*time.Millisecond {
			t.Errorf("after a response the backoff is %v", got)
		}
		// A client that goes away leaves it half-open, and the next request may probe it.
		d.finish(enter(), health.Neutral, completed)
		// A probe that is silent shuts nobody out: after another backoff there is a second one, whose
		// response makes the backend healthy.
		d.finish(enter(), health.Failure, failed)
		silent := enter()
		start = time.Now()
		held := enter()
		if got := time.Since(start); got != 200*time.Millisecond {
			t.Errorf("a second probe after %v", got)
		}
		d.responded(held)
		d.finish(enter(), health.Success, completed)
		d.finish(held, health.Success, completed)
		d.finish(silent, health.Neutral, canceled)
		if err := d.verify(); err != nil || s.health.HalfOpen() || s.health.Failures() != 0 {
			t.Errorf("%+v: %v", s, err)
		}
	})
}

// A context that ends as a slot is granted: the request has either the slot, or an error and the
// slot is free.
func TestSchedulerCanceledAsItIsGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newScheduler(&schedulerOptions{capacity: 1, poolLimit: 1}, 1)
		d.add(nil)
		got, gaveUp := 0, 0
		for _, cancelFirst := range []bool{true, false} { // the first wakes it, and it sees both
			first, err := d.acquire(t.Context(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			var second slot
			go func() {
				held, err := d.acquire(ctx, time.Now())
				second = held
				done <- err
			}()
			synctest.Wait()
			d.mu.Lock()
			if cancelFirst {
				cancel()
			}
			d.release(first, health.Neutral)
			d.total.Completed++
			d.fillSlots()
			cancel()
			d.mu.Unlock()
			if err := <-done; err == nil {
				got++
				d.finish(second, health.Neutral, completed)
			} else {
				gaveUp++
			}
			if err := d.verify(); err != nil || d.stats().InFlight != 0 {
				t.Fatal(err, d.stats().InFlight)
			}
		}
		if s := d.stats(); got != 1 || gaveUp != 1 || s.Canceled != 1 || s.Completed != 3 {
			t.Errorf("%d got it, %d gave up, %+v", got, gaveUp, s.Counts)
		}
	})
}

func TestSchedulerTooOldAndFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newScheduler(&schedulerOptions{capacity: 1, poolLimit: 1, maxWait: 5 * time.Second}, 1)
		d.add(nil)
		held, _ := d.acquire(t.Context(), time.Now())
		start := time.Now()
		go func() {
			if _, err := d.acquire(t.Context(), start); err != dispatch.ErrTooOld || time.Since(start) != 5*time.Second {
				t.Error(err, time.Since(start))
			}
		}()
		synctest.Wait()
		if _, err := d.acquire(t.Context(), start.Add(-time.Hour)); err != dispatch.ErrFull {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.acquire(ctx, start); err != context.Canceled {
			t.Error(err)
		}
		time.Sleep(6 * time.Second)
		d.finish(held, health.Neutral, completed)
		if s := d.stats(); s.TooOld != 1 || s.Full != 1 || s.Canceled != 1 || s.Completed != 1 || s.Requests != 4 {
			t.Errorf("%+v", s)
		}
		if err := d.verify(); err != nil {
			t.Error(err)
		}
	})
}
