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
	"github.com/almanac-sim/almanac/dispatch/internal/slots"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// verify says what is wrong with a desk between two steps.
func (d *scheduler) verify() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	inFlight := 0
	for _, s := range d.servers {
		inFlight += s.inFlight
		if s.inFlight < 0 || s.inFlight > d.capacity {
			return fmt.Errorf("a server has %d in flight", s.inFlight)
		}
		if s.removed && s.inFlight == 0 {
			return errors.New("a server that was removed and has nothing in flight is still there")
		}
		slot := !s.removed && !s.ejected && s.inFlight < d.capacity && !(s.halfOpen && s.probing)
		if slot && d.waiting.Len > 0 {
			return errors.New("a request waits, and a server has a slot")
		}
		if slot != (s.bin.Class() != slots.None) || slot && (!d.bins.Has(&s.bin, s.bin.Class()) || (s.inFlight == 0) != (s.bin.Class() == slots.Idle)) {
			return fmt.Errorf("a server is in the wrong set: %+v", s)
		}
		if s.timer != nil && (s.removed || d.ended) {
			return errors.New("a server that is gone is still looked after")
		}
		if s.ejected && !s.removed && s.timer == nil && !d.ended {
			return errors.New("a server rests, and nobody will wake it")
		}
	}
	if inFlight != d.inFlight {
		return fmt.Errorf("%d in flight, and servers say %d", d.inFlight, inFlight)
	}
	n := 0
	for w := d.waiting.Head; w != nil; w = w.Links[0].Next {
		next := w.Links[0].Next
		if n++; next != nil && (next.Arrival < w.Arrival || next.Arrival == w.Arrival && next.Seq < w.Seq) || next == nil && d.waiting.Tail != w {
			return errors.New("the line is not by age")
		}
	}
	if n != d.waiting.Len {
		return fmt.Errorf("%d in the line, and it says %d", n, d.waiting.Len)
	}
	t := &d.total
	if sum := t.Completed + t.Broken + t.Failed + t.Canceled + t.Full + t.TooOld + t.Closed + uint64(n+inFlight); sum != t.Requests {
		return fmt.Errorf("%d requests came, and %d are accounted for: %+v", t.Requests, sum, *t)
	}
	return nil
}

// Requests get slots by age, those that come again before those that are younger; who gives up leaves, wherever in the line.
func TestSchedulerIsOldestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newScheduler(&schedulerOptions{capacity: 1, poolLimit: 10}, 1)
		d.firstBackoff, d.maxBackoff = time.Second, time.Second
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
				tk, err := d.acquire(ctx, time.Now().Add(-time.Duration(age)*time.Second))
				if err != nil {
					return
				}
				note(i)
				d.finish(tk, success, completed)
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
			tk, err := d.retry(t.Context(), first, failure) // the only server rests
			note(99)
			if err != nil {
				t.Error(err)
			}
			d.finish(tk, success, completed)
		}()
		synctest.Wait()
		if n := d.stats().InFlight; n != 0 {
			t.Errorf("while all rest, %d have a slot", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if i := slices.Index(order, 99); i != 4 { // as old as 0, and came before it
			t.Errorf("the one that came again was number %d of %v", i, order)
		}
		order = slices.DeleteFunc(order, func(i int) bool { return i == 99 })
		if s := d.stats(); s.Canceled != 1 || s.Completed != 6 || s.Retries != 1 || s.Waits.Count != 7 {
			t.Errorf("%+v", s)
		}
	})
}

// Every idle server is as likely as another, one that is avoided is not picked unless it is alone, and one with a request comes after those without.
func TestSchedulerPicksAtRandom(t *testing.T) {
	d := newScheduler(&schedulerOptions{capacity: 2}, 7)
	var servers []*server
	for i := range 4 {
		servers = append(servers, d.add(&url.URL{Host: strconv.Itoa(i)}))
	}
	d.grant(servers[3], arrival{}, 0)
	const picks = 30_000
	count := func(avoid *server) map[*server]int {
		n := map[*server]int{}
		for range picks {
			var shun *slots.Bin[server]
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

// A rest doubles up to the longest, one request is let through after it, and an answer that came to its end makes the next one short again.
func TestSchedulerEjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newScheduler(&schedulerOptions{capacity: 3, poolLimit: 10}, 1)
		d.firstBackoff, d.maxBackoff = 100*time.Millisecond, 30*time.Second
		s := d.add(&url.URL{Host: "a"})
		enter := func() slot {
			tk, err := d.acquire(t.Context(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			return tk
		}
		a, b := enter(), enter()
		d.finish(a, failure, failed)
		d.finish(b, failure, failed) // of the time before: one rest, not two
		for i := range 12 {
			start := time.Now()
			tk := enter()
			if got, want := time.Since(start), min(100*time.Millisecond<<i, 30*time.Second); got != want {
				t.Errorf("rest %d was %v, want %v", i, got, want)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := d.acquire(ctx, time.Now()); err != context.DeadlineExceeded {
				t.Errorf("on probation there is a second request: %v", err)
			}
			cancel()
			if i == 11 {
				d.responded(tk)
				second := enter()
				d.finish(tk, success, completed)
				d.finish(second, failure, failed)
				break
			}
			if i%3 == 0 {
				d.responded(tk) // and then it breaks off
			}
			d.finish(tk, failure, failed)
		}
		if s.failures != 1 {
			t.Errorf("%d failures", s.failures)
		}
		start := time.Now()
		d.finish(enter(), neutral, completed)
		if got := time.Since(start); got != 100*time.Millisecond {
			t.Errorf("after an answer the rest is %v", got)
		}
		d.finish(enter(), neutral, completed) // that a client went away leaves it on probation, and the next one may try
	})
}

// A context that ends at the moment in which a slot is granted: the request has the slot, or it has an error and the slot is another's.
func TestSchedulerCanceledAsItIsGranted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newScheduler(&schedulerOptions{capacity: 1, poolLimit: 1}, 1)
		d.add(nil)
		got, gaveUp := 0, 0
		for _, cancelFirst := range []bool{true, false} { // it is woken by the first, and sees both
			first, err := d.acquire(t.Context(), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			var second slot
			go func() {
				tk, err := d.acquire(ctx, time.Now())
				second = tk
				done <- err
			}()
			synctest.Wait()
			d.mu.Lock()
			if cancelFirst {
				cancel()
			}
			d.release(first, neutral)
			d.total.Completed++
			d.fillSlots()
			cancel()
			d.mu.Unlock()
			if err := <-done; err == nil {
				got++
				d.finish(second, neutral, completed)
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
		tk, _ := d.acquire(t.Context(), time.Now())
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
		d.finish(tk, neutral, completed)
		if s := d.stats(); s.TooOld != 1 || s.Full != 1 || s.Canceled != 1 || s.Completed != 1 || s.Requests != 4 {
			t.Errorf("%+v", s)
		}
		if err := d.verify(); err != nil {
			t.Error(err)
		}
	})
}
