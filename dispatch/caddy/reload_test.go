package caddyqueue

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// A reload keeps the queue: requests that wait keep their place before those that come later, slots
// in flight count, and the new settings are in force.
func TestReloadKeepsTheQueue(t *testing.T) {
	g := make(gate)
	b := startBackend(t, g.handler)
	in := start(t, block(to(b), "capacity 1", "name q"))
	const n = 5
	var all sync.WaitGroup
	send := func(i int) {
		all.Go(func() {
			if r := in.get(fmt.Sprint("/", i)); r.status != 200 {
				t.Errorf("%d: %+v", i, r)
			}
		})
		in.until("request", func(q queueState) bool { return q.InFlight+q.Waiting == i+1 })
	}
	for i := range n {
		send(i)
	}
	if err := in.load(block(to(b), "capacity 1", "name q", "max_queue 7")); err != nil {
		t.Fatal(err)
	}
	send(n)
	if q := in.queues()[0]; q.Waiting != n || q.InFlight != 1 || q.Limit != 7 || q.Requests != n+1 {
		t.Errorf("%+v", q)
	}
	for range n + 1 {
		g <- struct{}{}
	}
	all.Wait()
	for i, line := range b.requests() {
		if line != fmt.Sprint("GET /", i) {
			t.Errorf("%s was request %d", line, i)
		}
	}
	if p := b.peak.Load(); p != 1 {
		t.Errorf("%d at once", p)
	}

	// A new backend takes a request that was waiting before the reload.
	send0 := make(chan reply, 2)
	go func() { send0 <- in.get("/a") }()
	in.until("request in flight", func(q queueState) bool { return q.InFlight == 1 })
	go func() { send0 <- in.get("/b") }()
	in.waiting(1)
	other := startBackend(t, ok)
	if err := in.load(block(to(b, other), "capacity 1", "name q")); err != nil {
		t.Fatal(err)
	}
	if r := <-send0; r.body != "/b" {
		t.Errorf("%+v", r)
	}
	g <- struct{}{}
	<-send0

	// Without the handler the queue is gone; with it again it is a new one.
	if err := in.load("respond ok"); err != nil {
		t.Fatal(err)
	}
	if all := in.queues(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	if err := in.load(block(to(b, other), "name q")); err != nil {
		t.Fatal(err)
	}
	if q := in.idle(); q.Requests != 0 {
		t.Errorf("%+v", q)
	}
}

// A queue that the new configuration does not have serves what waits in it.
func TestReloadWithoutTheQueue(t *testing.T) {
	g := make(gate)
	b := startBackend(t, g.handler)
	in := start(t, block(to(b), "capacity 1"))
	replies := make(chan reply, 3)
	for i := range 3 {
		go func() { replies <- in.get("/") }()
		in.until("request", func(q queueState) bool { return q.InFlight+q.Waiting == i+1 })
	}
	if err := in.load("respond new"); err != nil {
		t.Fatal(err)
	}
	if r := in.get("/"); r.body != "new" {
		t.Errorf("%+v", r)
	}
	close(g)
	for range 3 {
		if r := <-replies; r.status != 200 {
			t.Errorf("%+v", r)
		}
	}
}

// A queue that one configuration does not have, and the next one has again, still counts the
// requests in flight.
func TestReloadWithoutTheQueueAndBack(t *testing.T) {
	g := make(gate)
	b := startBackend(t, g.handler)
	site := block(to(b), "name q", "capacity 2")
	in := start(t, site)
	replies := make(chan reply, 4)
	for i := range 2 {
		go func() { replies <- in.get("/") }()
		in.until("request", func(q queueState) bool { return q.InFlight == i+1 })
	}
	for _, s := range []string{"respond maintenance", site} {
		if err := in.load(s); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		go func() { replies <- in.get("/") }()
	}
	in.waiting(2)
	close(g)
	for range 4 {
		if r := <-replies; r.status != 200 {
			t.Errorf("%+v", r)
		}
	}
	if p := b.peak.Load(); p != 2 {
		t.Errorf("%d at once", p)
	}
}

// Reloads under load, with another capacity and another list of backends each time: no request that
// has reached the handler is lost or sent twice, and no backend ever has more than the largest
// capacity.
//
// Caddy itself may reset a connection that no server has accepted when the old configuration closes
// its socket, and closes idle ones. Such a request has reached nothing, and is sent again here.
func TestReloadUnderLoad(t *testing.T) {
	backends := []*backend{startBackend(t, ok), startBackend(t, ok), startBackend(t, ok)}
	site := func(i int) string {
		return block(to(backends[:1+i%3]...), fmt.Sprint("capacity ", 1+i%4), "max_queue 1000", "name q")
	}
	in := start(t, site(0))
	var stop atomic.Bool
	var all sync.WaitGroup
	var total, resets atomic.Int64
	for c := range 8 {
		all.Go(func() {
			for i := 0; !stop.Load(); i++ {
				path := fmt.Sprintf("/%d/%d", c, i)
				r := in.do(context.Background(), "POST", path, "x")
				switch {
				case r.err != nil:
					resets.Add(1)
				case r.status != 200 || r.body != path:
					t.Errorf("%s: %+v", path, r)
				default:
					total.Add(1)
				}
			}
		})
	}
	reloads := 12
	if testing.Short() {
		reloads = 5
	}
	for i := range reloads {
		before := total.Load()
		if err := in.load(site(i + 1)); err != nil {
			t.Fatal(err)
		}
		in.until("requests after the reload", func(queueState) bool { return total.Load() > before+20 })
	}
	stop.Store(true)
	all.Wait()
	var seen []string
	for _, b := range backends {
		seen = append(seen, b.requests()...)
		if p := b.peak.Load(); p > 4 {
			t.Errorf("%d at once", p)
		}
	}
	q := in.idle()
	n := len(seen)
	slices.Sort(seen)
	t.Logf("%d requests, %d connections reset by Caddy's change of sockets", n, resets.Load())
	if unique := len(slices.Compact(seen)); unique != n || n != int(total.Load()) ||
		q.Requests != uint64(n) || q.Completed != uint64(n) {
		t.Errorf("%d responses, %d requests at backends, %d different ones, %d of %d completed",
			total.Load(), n, unique, q.Completed, q.Requests)
	}
}

// A configuration that cannot be loaded, or not started, changes nothing.
func TestReloadFails(t *testing.T) {
	b := startBackend(t, ok)
	in := start(t, block(to(b), "capacity 3", "name q"))
	if err := in.load(block(to(b), "capacity 0", "name q")); err == nil {
		t.Error("a capacity of 0 was loaded")
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	was := in.address
	for range 10 { // Caddy starts its apps in random order
		in.address = taken.Addr().String()
		if err := in.load(block(to(b), "capacity 5", "name q")); err == nil {
			t.Fatal("a configuration was started on a port that is taken")
		}
		in.address = was
		if q := in.queues(); len(q) != 1 || q[0].Capacity != 3 || len(q[0].Backends) != 1 {
			t.Fatalf("%+v", q)
		}
		if r := in.get("/"); r.status != 200 {
			t.Errorf("%+v", r)
		}
	}
}
