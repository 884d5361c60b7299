package dispatchgrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// gated gives every server a gate of its own.
func gated(s *testServer) { s.gate = make(chan struct{}) }

func TestConfig(t *testing.T) {
	b := builder{name: Name}
	for text, want := range map[string]config{
		`{}`:                             {Capacity: 2},
		`{"capacity": 7}`:                {Capacity: 7},
		`{"capacity": 1, "queue": 1000}`: {Capacity: 1, Queue: 1000},
		`{"capacity": 3, "later": true}`: {Capacity: 3}, // of a later version
	} {
		got, err := b.ParseConfig([]byte(text))
		if err != nil || *got.(*config) != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		`{"capacity": 0}`:     "capped_dispatch: capacity 0: expected the number of calls at a server, 1 or more",
		`{"queue": -1}`:       "capped_dispatch: queue -1: expected how many calls may wait",
		`{"capacity": "two"}`: `expected {"capacity": 2, "queue": 1000}`,
		`[]`:                  `expected {"capacity": 2, "queue": 1000}`,
	} {
		if _, err := b.ParseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if balancer.Get(Name) == nil {
		t.Error("the policy is not registered")
	}
	// A wrong one is an error when the client is made.
	_, err := grpc.NewClient("dns:///localhost", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"capped_dispatch": {"capacity": -1}}]}`))
	if err == nil || !strings.Contains(err.Error(), "capacity -1") {
		t.Errorf("%v", err)
	}
}

// No server ever has more calls than its capacity, none is left out, and every call ends well.
func TestCapacity(t *testing.T) {
	b := newBench(t, 3, `{"capacity": 2}`, nil)
	for _, s := range b.servers {
		s.work = func(string) error { time.Sleep(time.Millisecond); return nil } // so that calls meet
	}
	var all []<-chan result
	for i := range 300 {
		all = append(all, b.begin(t.Context(), fmt.Sprint(i)))
	}
	for _, ended := range all {
		if r := <-ended; r.err != nil {
			t.Error(r.err)
		}
	}
	sum := 0
	for _, s := range b.servers {
		_, top, served := s.calls()
		if top > 2 || len(served) == 0 {
			t.Errorf("%s had %d calls at once and %d in all", s.name, top, len(served))
		}
		sum += len(served)
	}
	if sum != 300 {
		t.Errorf("%d calls were served", sum)
	}
	b.check()
}

// Calls that wait are served in the order in which they came, though gRPC wakes all at once.
func TestOldestFirst(t *testing.T) {
	b := newBench(t, 1, `{"capacity": 1}`, gated)
	s := b.servers[0]
	const n = 40
	var want []string
	var all []<-chan result
	for i := range n + 1 {
		want = append(want, fmt.Sprint(i))
		all = append(all, b.begin(t.Context(), fmt.Sprint(i)))
		if i == 0 {
			until(t, "the first call is in the server", func() bool { now, _, _ := s.calls(); return now == 1 })
		} else {
			b.untilWaiting(i)
		}
	}
	for range want {
		s.gate <- struct{}{}
	}
	for _, ended := range all {
		if r := <-ended; r.err != nil {
			t.Error(r.err)
		}
	}
	if _, top, served := s.calls(); !slices.Equal(served, want) || top != 1 {
		t.Errorf("served %v, %d at once", served, top)
	}
	b.check()
}

// A call that waits ends at its deadline, or when it is cancelled, and its place goes to the next.
func TestDeadline(t *testing.T) {
	b := newBench(t, 1, `{"capacity": 1}`, gated)
	first := b.begin(t.Context(), "first")
	until(t, "the first call is in the server", func() bool { now, _, _ := b.servers[0].calls(); return now == 1 })
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if r := <-b.begin(short, "late"); status.Code(r.err) != codes.DeadlineExceeded {
		t.Errorf("at the deadline: %v", r.err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	second := b.begin(ctx, "second")
	b.untilWaiting(1)
	third := b.begin(t.Context(), "third")
	b.untilWaiting(2)
	cancel()
	if r := <-second; status.Code(r.err) != codes.Canceled {
		t.Errorf("cancelled: %v", r.err)
	}
	b.untilWaiting(1)
	b.servers[0].gate <- struct{}{}
	b.servers[0].gate <- struct{}{}
	for _, ended := range []<-chan result{first, third} {
		if r := <-ended; r.err != nil {
			t.Errorf("%s: %v", r.id, r.err)
		}
	}
	if _, _, served := b.servers[0].calls(); !slices.Equal(served, []string{"first", "third"}) {
		t.Errorf("served %v", served)
	}
	b.check()
}

// Beyond the limit of the queue a call fails at once.
func TestQueueLimit(t *testing.T) {
	b := newBench(t, 1, `{"capacity": 1, "queue": 2}`, gated)
	var all []<-chan result
	for i := range 3 {
		all = append(all, b.begin(t.Context(), fmt.Sprint(i)))
		if i == 0 {
			until(t, "the first is in the server", func() bool { now, _, _ := b.servers[0].calls(); return now == 1 })
		} else {
			b.untilWaiting(i)
		}
	}
	// Also one that would wait for servers to be ready.
	if _, err := b.call(t.Context(), "too many", grpc.WaitForReady(true)); status.Code(err) != codes.Unavailable ||
		!strings.Contains(err.Error(), "the queue is full") {
		t.Errorf("%v", err)
	}
	for range all {
		b.servers[0].gate <- struct{}{}
	}
	for _, ended := range all {
		if r := <-ended; r.err != nil {
			t.Error(r.err)
		}
	}
	b.check()
}

// A slow server holds its capacity and no more: all other calls are served meanwhile.
func TestSlowServer(t *testing.T) {
	b := newBench(t, 3, `{"capacity": 2}`, func(s *testServer) {
		if s.name == "s0" {
			gated(s)
		}
	})
	slow := b.servers[0]
	ended := make(chan result)
	const n = 200
	for i := range n {
		go func() { r := <-b.begin(t.Context(), fmt.Sprint(i)); ended <- r }()
	}
	for range n - 2 { // while the slow server has two
		if r := <-ended; r.err != nil || r.server == slow.name {
			t.Fatalf("%+v", r)
		}
	}
	if now, top, _ := slow.calls(); now != 2 || top != 2 {
		t.Errorf("%d calls at the slow server, %d at most", now, top)
	}
	for range 2 {
		slow.gate <- struct{}{}
		if r := <-ended; r.err != nil || r.server != slow.name {
			t.Errorf("%+v", r)
		}
	}
	b.check()
}

// A stream holds its slot until it ends, by the server, the client, or cancellation.
func TestStreams(t *testing.T) {
	b := newBench(t, 1, `{"capacity": 1}`, nil)
	for name, end := range map[string]func(testpb.TestService_FullDuplexCallClient, context.CancelFunc) error{
		"closed by the client": func(s testpb.TestService_FullDuplexCallClient, _ context.CancelFunc) error {
			if err := s.CloseSend(); err != nil {
				return err
			}
			if _, err := s.Recv(); err != io.EOF {
				return fmt.Errorf("at the end: %w", err)
			}
			return nil
		},
		"cancelled": func(_ testpb.TestService_FullDuplexCallClient, cancel context.CancelFunc) error {
			cancel()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stream, err := b.client.FullDuplexCall(ctx)
			if err != nil {
				t.Fatal(err)
			}
			call := b.begin(t.Context(), "behind")
			b.untilWaiting(1)
			for range 20 { // messages end no stream
				if err := stream.Send(&testpb.StreamingOutputCallRequest{}); err != nil {
					t.Fatal(err)
				}
				if _, err := stream.Recv(); err != nil {
					t.Fatal(err)
				}
			}
			if waiting, _ := b.queued(); waiting != 1 {
				t.Error("the call did not wait for the stream")
			}
			if err := end(stream, cancel); err != nil {
				t.Fatal(err)
			}
			if r := <-call; r.err != nil {
				t.Error(r.err)
			}
			b.check()
		})
	}
}

// Servers come and go with what the resolver says: waiting calls go to a new one, those in flight
// at one that is gone go on, and one that returns still has them.
func TestResolverUpdates(t *testing.T) {
	b := newBench(t, 2, `{"capacity": 1}`, gated)
	s0, s1 := b.servers[0], b.servers[1]
	s2 := &testServer{t: t, name: "s2", gate: make(chan struct{})}
	s2.start()
	b.servers = append(b.servers, s2)
	inServer := func(s *testServer, n int) {
		t.Helper()
		until(t, fmt.Sprintf("%d calls in %s", n, s.name), func() bool { now, _, _ := s.calls(); return now == n })
	}
	ended := make(chan result, 10)
	begin := func(id string) { go func() { ended <- <-b.begin(t.Context(), id) }() }
	begin("0")
	begin("1")
	inServer(s0, 1)
	inServer(s1, 1)
	begin("2")
	b.untilWaiting(1)
	b.resolver.UpdateState(b.state(s1, s2)) // s0 is gone
	inServer(s2, 1)
	if now, _, _ := s0.calls(); now != 1 {
		t.Error("the call in flight at a server that is gone has ended")
	}
	begin("3")
	b.untilWaiting(1)
	b.resolver.UpdateState(b.state(s0, s1, s2)) // it returns, and is full
	until(t, "three servers are ready", func() bool {
		b.policy.scheduler.mu.Lock()
		defer b.policy.scheduler.mu.Unlock()
		return b.policy.scheduler.ready == 3
	})
	if waiting, _ := b.queued(); waiting != 1 {
		t.Error("a server that returned got a call beyond its capacity")
	}
	s0.gate <- struct{}{}
	if r := <-ended; r.server != "s0" || r.err != nil {
		t.Errorf("%+v", r)
	}
	inServer(s0, 1) // call 3
	for _, s := range b.servers {
		s.gate <- struct{}{}
		if r := <-ended; r.err != nil || r.server != s.name {
			t.Errorf("%+v", r)
		}
		if _, top, _ := s.calls(); top != 1 {
			t.Errorf("%s had %d calls at once", s.name, top)
		}
	}
	b.check()
}

// More capacity, by a new service config, is used at once.
func TestConfigUpdate(t *testing.T) {
	b := newBench(t, 1, `{"capacity": 1}`, gated)
	var all []<-chan result
	for i := range 3 {
		all = append(all, b.begin(t.Context(), fmt.Sprint(i)))
	}
	b.untilWaiting(2)
	state := b.state(b.servers...)
	state.ServiceConfig = b.resolver.CC().ParseServiceConfig(
		fmt.Sprintf(`{"loadBalancingConfig": [{%q: {"capacity": 3}}]}`, watched))
	b.resolver.UpdateState(state)
	until(t, "all calls are in the server", func() bool { now, _, _ := b.servers[0].calls(); return now == 3 })
	for range all {
		b.servers[0].gate <- struct{}{}
	}
	for _, ended := range all {
		if r := <-ended; r.err != nil {
			t.Error(r.err)
		}
	}
	b.check()
}

// Of a server that dies, the calls in flight fail; those that wait go to the others.
func TestServerDies(t *testing.T) {
	b := newBench(t, 2, `{"capacity": 2}`, gated)
	dying, other := b.servers[0], b.servers[1]
	ended := make(chan result, 10)
	for i := range 10 {
		go func() { ended <- <-b.begin(t.Context(), fmt.Sprint(i)) }()
	}
	b.untilWaiting(6)
	dying.stop()
	for range 2 {
		if r := <-ended; status.Code(r.err) != codes.Unavailable {
			t.Fatalf("%+v", r)
		}
	}
	for range 8 {
		other.gate <- struct{}{}
		if r := <-ended; r.err != nil || r.server != other.name {
			t.Fatalf("%+v", r)
		}
	}
	if _, top, _ := other.calls(); top > 2 {
		t.Errorf("%d calls at once", top)
	}
	b.check()
	// It takes part again when it is back.
	dying.start()
	until(t, "the server is back", func() bool {
		b.policy.scheduler.mu.Lock()
		defer b.policy.scheduler.mu.Unlock()
		return b.policy.scheduler.ready == 2
	})
	for range 4 {
		go func() { ended <- <-b.begin(t.Context(), "again") }()
	}
	until(t, "both are full", func() bool {
		a, _, _ := dying.calls()
		b, _, _ := other.calls()
		return a == 2 && b == 2
	})
	for _, s := range []*testServer{dying, other, dying, other} {
		s.gate <- struct{}{}
		if r := <-ended; r.err != nil {
			t.Error(r.err)
		}
	}
	b.check()
}

// While no server can be reached, calls fail, unless they wait for servers to be ready: those are
// served when one returns.
func TestAllServersDie(t *testing.T) {
	b := newBench(t, 1, `{"capacity": 1}`, gated)
	s := b.servers[0]
	inFlight := b.begin(t.Context(), "in flight")
	until(t, "a call is in the server", func() bool { now, _, _ := s.calls(); return now == 1 })
	hasty := b.begin(t.Context(), "hasty")
	b.untilWaiting(1)
	patient := b.begin(t.Context(), "patient", grpc.WaitForReady(true))
	b.untilWaiting(2)
	s.stop()
	for _, ended := range []<-chan result{inFlight, hasty} {
		if r := <-ended; status.Code(r.err) != codes.Unavailable {
			t.Errorf("%+v", r)
		}
	}
	until(t, "the patient one is left, and parked", func() bool {
		waiting, tickets := b.queued()
		return waiting == 0 && tickets == 1
	})
	if _, err := b.call(t.Context(), "meanwhile"); status.Code(err) != codes.Unavailable {
		t.Errorf("%v", err)
	}
	s.start()
	s.gate <- struct{}{}
	if r := <-patient; r.err != nil {
		t.Error(r.err)
	}
	b.check()
}

// A call that is retried while no server can be reached takes one place in the queue, not one for
// each attempt.
func TestRetriesTakeOnePlace(t *testing.T) {
	b := newBench(t, 1, `{"capacity": 1}`, nil)
	state := b.state(b.servers...)
	state.ServiceConfig = b.resolver.CC().ParseServiceConfig(fmt.Sprintf(`{
		"loadBalancingConfig": [{%q: {"capacity": 1, "queue": 1}}],
		"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.001s",
			"maxBackoff": "0.001s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]
	}`, watched))
	if state.ServiceConfig.Err != nil {
		t.Fatal(state.ServiceConfig.Err)
	}
	b.resolver.UpdateState(state)
	b.servers[0].stop()
	until(t, "the server cannot be reached", func() bool {
		return b.conn.GetState() == connectivity.TransientFailure
	})
	_, err := b.call(t.Context(), "")
	if status.Code(err) != codes.Unavailable || strings.Contains(err.Error(), errFull.Error()) {
		t.Error(err)
	}
	b.check()
}

// A server that answers with errors gives its slots back.
func TestServerFails(t *testing.T) {
	wrong := errors.New("wrong")
	b := newBench(t, 1, `{"capacity": 2}`, func(s *testServer) { s.work = func(string) error { return wrong } })
	for range 20 {
		if _, err := b.call(t.Context(), "x"); status.Code(err) != codes.Unknown {
			t.Fatal(err)
		}
	}
	b.check()
}

// Many goroutines, with deadlines, servers that die and return, and an unsteady resolver: no server
// has too many calls, no slot is lost, and every call ends.
func TestUnrest(t *testing.T) {
	b := newBench(t, 3, `{"capacity": 2}`, nil)
	for _, s := range b.servers {
		s.work = func(string) error { time.Sleep(time.Duration(rand.IntN(400)) * time.Microsecond); return nil }
	}
	quit := make(chan struct{})
	var unrest, calls sync.WaitGroup
	unrest.Go(func() {
		r := rand.New(rand.NewPCG(1, 1))
		for round := 0; ; round++ {
			select {
			case <-quit:
				return
			case <-time.After(20 * time.Millisecond):
			}
			switch round % 4 {
			case 0:
				b.resolver.UpdateState(b.state(b.servers[r.IntN(3)]))
			case 1, 3:
				b.resolver.UpdateState(b.state(b.servers...))
			case 2:
				s := b.servers[r.IntN(3)]
				s.stop()
				s.start()
			}
		}
	})
	var mu sync.Mutex
	count := map[codes.Code]int{}
	for g := range uint64(32) {
		calls.Go(func() {
			r := rand.New(rand.NewPCG(g, 2))
			for range 100 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+r.IntN(200))*time.Millisecond)
				_, err := b.call(ctx, "x", grpc.WaitForReady(r.IntN(2) == 0))
				cancel()
				mu.Lock()
				count[status.Code(err)]++
				mu.Unlock()
			}
		})
	}
	calls.Wait()
	close(quit)
	unrest.Wait()
	for code := range count {
		if code != codes.OK && code != codes.DeadlineExceeded && code != codes.Unavailable {
			t.Errorf("%d calls ended with %v", count[code], code)
		}
	}
	t.Logf("%v", count)
	b.resolver.UpdateState(b.state(b.servers...))
	if _, err := b.call(t.Context(), "at last", grpc.WaitForReady(true)); err != nil {
		t.Error(err)
	}
	// Handlers of calls that ended at their deadline may go on in the server, so only the client's
	// count is checked.
	b.check()
}

// A tagger is a stats.Handler that replaces the contexts of calls.
type tagger func(context.Context) context.Context

func (f tagger) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return f(ctx) }
func (tagger) HandleRPC(context.Context, stats.RPCStats)                         {}
func (tagger) HandleConn(context.Context, stats.ConnStats)                       {}
func (tagger) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// Contexts need not be comparable.
func TestContextNotComparable(t *testing.T) {
	type tagged struct {
		context.Context
		tags []string
	}
	b := newBench(t, 1, `{"capacity": 1}`, gated, grpc.WithStatsHandler(tagger(
		func(ctx context.Context) context.Context { return tagged{ctx, []string{"a"}} })))
	first := b.begin(t.Context(), "first")
	until(t, "a call is in the server", func() bool { now, _, _ := b.servers[0].calls(); return now == 1 })
	ctx, cancel := context.WithCancel(t.Context())
	second := b.begin(ctx, "second")
	b.untilWaiting(1)
	third := b.begin(t.Context(), "third")
	b.untilWaiting(2)
	cancel()
	if r := <-second; status.Code(r.err) != codes.Canceled {
		t.Errorf("%+v", r)
	}
	for _, ended := range []<-chan result{first, third} {
		b.servers[0].gate <- struct{}{}
		if r := <-ended; r.err != nil {
			t.Error(r.err)
		}
	}
	b.check()
}

// A call whose context cannot be cancelled is refused, with or without a free slot.
func TestContextNotCancellable(t *testing.T) {
	b := newBench(t, 1, `{"capacity": 1}`, nil, grpc.WithStatsHandler(tagger(context.WithoutCancel)))
	_, err := b.call(t.Context(), "", grpc.WaitForReady(true))
	if status.Code(err) != codes.Internal || !strings.Contains(err.Error(), "TagRPC") {
		t.Error(err)
	}
	b.check()
}

// Closing the connection ends calls that wait.
func TestClose(t *testing.T) {
	b := newBench(t, 1, `{"capacity": 1}`, gated)
	first := b.begin(t.Context(), "in flight")
	until(t, "a call is in the server", func() bool { now, _, _ := b.servers[0].calls(); return now == 1 })
	second := b.begin(t.Context(), "waiting")
	b.untilWaiting(1)
	b.conn.Close()
	for _, ended := range []<-chan result{first, second} {
		if r := <-ended; status.Code(r.err) != codes.Canceled {
			t.Errorf("%+v", r)
		}
	}
	until(t, "no tickets are left", func() bool { _, tickets := b.queued(); return tickets == 0 })
}

// An endpoint that gets another address, or loses one, keeps its calls: they count with those of
// every endpoint that has one of the addresses.
func TestEndpointWithOtherAddresses(t *testing.T) {
	g := make(chan struct{})
	b := newBench(t, 1, `{"capacity": 1}`, func(s *testServer) { s.gate = g })
	results := []<-chan result{b.begin(t.Context(), "first")}
	until(t, "the first call is in service", func() bool { now, _, _ := b.servers[0].calls(); return now == 1 })
	for i, addresses := range [][]string{{"s0", "gone"}, {"s0", "gone", "gone too"}, {"s0"}} {
		var e resolver.Endpoint
		for _, a := range addresses {
			e.Addresses = append(e.Addresses, resolver.Address{Addr: a})
		}
		b.resolver.UpdateState(resolver.State{Endpoints: []resolver.Endpoint{e}})
		results = append(results, b.begin(t.Context(), fmt.Sprint("during ", addresses)))
		b.untilWaiting(i + 1)
		until(t, "the server is ready", func() bool { return b.readyOf(e) })
	}
	close(g)
	for _, ended := range results {
		if r := <-ended; r.err != nil {
			t.Errorf("%s: %v", r.id, r.err)
		}
	}
	if _, top, _ := b.servers[0].calls(); top != 1 {
		t.Errorf("%d calls at once at a server with capacity 1", top)
	}
	b.check()
}

// readyOf reports whether an endpoint has a connection.
func (b *bench) readyOf(e resolver.Endpoint) bool {
	b.policy.updating.Lock()
	defer b.policy.updating.Unlock()
	s, ok := b.policy.servers.Get(e)
	if !ok {
		return false
	}
	b.policy.scheduler.mu.Lock()
	defer b.policy.scheduler.mu.Unlock()
	return s.picker != nil
}

// The service config goes to another policy and back: calls from before still count.
func TestPolicyAndBack(t *testing.T) {
	g := make(chan struct{})
	b := newBench(t, 1, `{"capacity": 1}`, func(s *testServer) { s.gate = g })
	results := []<-chan result{b.begin(t.Context(), "first")}
	until(t, "the first call is in service", func() bool { now, _, _ := b.servers[0].calls(); return now == 1 })
	key := b.policy.scheduler.key
	old := b.policy
	for _, policy := range []string{"round_robin", watched} {
		state := b.state(b.servers...)
		state.ServiceConfig = b.resolver.CC().ParseServiceConfig(
			fmt.Sprintf(`{"loadBalancingConfig": [{%q: {"capacity": 1}}]}`, policy))
		b.resolver.UpdateState(state)
		until(t, "the policy is "+policy, func() bool {
			old.updating.Lock()
			defer old.updating.Unlock()
			return old.closed && (policy != watched || lastBuilt.Load() != old)
		})
	}
	b.policy = lastBuilt.Load()
	until(t, "the server is ready", func() bool { return b.readyOf(b.state(b.servers...).Endpoints[0]) })
	for i := range 2 {
		results = append(results, b.begin(t.Context(), fmt.Sprint("later ", i)))
	}
	b.untilWaiting(2)
	close(g)
	for _, ended := range results {
		if r := <-ended; r.err != nil {
			t.Errorf("%s: %v", r.id, r.err)
		}
	}
	if _, top, _ := b.servers[0].calls(); top != 1 {
		t.Errorf("%d calls at once at a server with capacity 1", top)
	}
	b.check()
	// Nothing is left when the connection has been closed.
	b.conn.Close()
	channels.mu.Lock()
	defer channels.mu.Unlock()
	if key == nil || channels.all[key] != nil {
		t.Errorf("the channel of a closed connection with the key %v is kept", key)
	}
}

// A server that answers at once with UNAVAILABLE would be idle most often, and get most of the calls:
// it is ejected after three in a row. Errors of other kinds are answers.
func TestFastFailureIsNoFavourite(t *testing.T) {
	var bad atomic.Pointer[error]
	b := newBench(t, 2, `{"capacity": 1}`, func(s *testServer) {
		s.work = func(string) error {
			if err := bad.Load(); s.name == "s1" && err != nil {
				return *err
			}
			return nil
		}
	})
	count := func(err error) (failed int) {
		bad.Store(&err)
		for range 200 {
			if _, got := b.call(t.Context(), "x"); got != nil {
				failed++
			}
		}
		return failed
	}
	if n := count(status.Error(codes.NotFound, "there is none")); n < 50 {
		t.Errorf("%d of 200 calls fail with NOT_FOUND: the server is ejected", n)
	}
	began := time.Now()
	n := count(status.Error(codes.Unavailable, "not now"))
	// Three, and one after each backoff of at least 100 ms, on a machine of any speed.
	if most := 3 + int(time.Since(began)/(100*time.Millisecond)); n < 3 || n > most {
		t.Errorf("%d of 200 calls fail with UNAVAILABLE, want 3 to %d", n, most)
	}
	none := error(nil)
	bad.Store(&none)
	until(t, "the server is tried again", func() bool {
		b.call(t.Context(), "x")
		b.policy.scheduler.mu.Lock()
		defer b.policy.scheduler.mu.Unlock()
		return !slices.ContainsFunc(b.policy.scheduler.servers, func(s *server) bool {
			return s.health.Ejected() || s.health.HalfOpen()
		})
	})
	b.check()
}
