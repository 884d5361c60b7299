package dispatchgrpc

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

// watched is the policy under another name, so that tests see its scheduler. gRPC wants policies to
// be registered before anything runs.
const watched = "capped_dispatch_watched"

var lastBuilt atomic.Pointer[policy]

func init() { balancer.Register(builder{name: watched, built: func(p *policy) { lastBuilt.Store(p) }}) }

// A testServer is a gRPC server on a port of this machine. Each call waits until it gets a token,
// if it has a gate.
type testServer struct {
	testpb.UnimplementedTestServiceServer
	t    testing.TB
	name string
	gate chan struct{} // nil means that calls do not wait
	work func(id string) error

	mu       sync.Mutex
	address  string
	server   *grpc.Server
	now, top int
	served   []string // the calls, in the order in which they began
}

// start starts the server, or starts it again, at another port.
func (s *testServer) start() {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	server := grpc.NewServer()
	testpb.RegisterTestServiceServer(server, s)
	s.mu.Lock()
	s.address, s.server = l.Addr().String(), server
	s.mu.Unlock()
	go server.Serve(l) // ends with an error when it is stopped
	s.t.Cleanup(server.Stop)
}

// stop ends the server and its connections, and with them the calls.
func (s *testServer) stop() {
	s.mu.Lock()
	server := s.server
	s.mu.Unlock()
	server.Stop()
}

func (s *testServer) enter(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now++
	s.top = max(s.top, s.now)
	s.served = append(s.served, id)
}

func (s *testServer) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
}

// calls returns how many calls are in the server, the most there have been, and all that began.
func (s *testServer) calls() (now, top int, served []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, s.top, append([]string(nil), s.served...)
}

func (s *testServer) UnaryCall(ctx context.Context, r *testpb.SimpleRequest) (*testpb.SimpleResponse, error) {
	id := string(r.GetPayload().GetBody())
	s.enter(id)
	defer s.leave()
	if s.gate != nil {
		select {
		case <-s.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if s.work != nil {
		if err := s.work(id); err != nil {
			return nil, err
		}
	}
	return &testpb.SimpleResponse{Username: s.name}, nil
}

// EmptyCall does nothing.
func (s *testServer) EmptyCall(context.Context, *testpb.Empty) (*testpb.Empty, error) {
	return &testpb.Empty{}, nil
}

// FullDuplexCall echoes, until the client ends the stream.
func (s *testServer) FullDuplexCall(stream testpb.TestService_FullDuplexCallServer) error {
	s.enter("stream")
	defer s.leave()
	for {
		if _, err := stream.Recv(); err != nil {
			return nil
		}
		if err := stream.Send(&testpb.StreamingOutputCallResponse{}); err != nil {
			return err
		}
	}
}

// A bench has servers, s0, s1 and so on, and a client of them.
type bench struct {
	t        *testing.T
	servers  []*testServer
	resolver *manual.Resolver
	conn     *grpc.ClientConn
	client   testpb.TestServiceClient
	policy   *policy
}

// newBench starts servers and a client with a configuration of the policy.
func newBench(t *testing.T, n int, config string, prepare func(*testServer), opts ...grpc.DialOption) *bench {
	t.Helper()
	b := &bench{t: t, resolver: manual.NewBuilderWithScheme("bench")}
	for i := range n {
		s := &testServer{t: t, name: fmt.Sprintf("s%d", i)}
		if prepare != nil {
			prepare(s)
		}
		s.start()
		b.servers = append(b.servers, s)
	}
	b.resolver.InitialState(b.state(b.servers...))
	quick := backoff.Config{BaseDelay: 5 * time.Millisecond, Multiplier: 1.2, MaxDelay: 50 * time.Millisecond}
	var err error
	b.conn, err = grpc.NewClient("bench:///servers", append(opts, grpc.WithResolvers(b.resolver),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(fmt.Sprintf(`{"loadBalancingConfig": [{%q: %s}]}`, watched, config)),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: quick, MinConnectTimeout: 5 * time.Second}),
		grpc.WithContextDialer(b.dial))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.conn.Close() })
	b.client = testpb.NewTestServiceClient(b.conn)
	lastBuilt.Store(nil)
	b.conn.Connect()
	until(t, "the servers are ready", func() bool {
		b.policy = lastBuilt.Load()
		if b.policy == nil {
			return false
		}
		b.policy.scheduler.mu.Lock()
		defer b.policy.scheduler.mu.Unlock()
		return b.policy.scheduler.ready == n
	})
	return b
}

// dial finds a server by its name.
func (b *bench) dial(ctx context.Context, name string) (net.Conn, error) {
	for _, s := range b.servers {
		if s.name == name {
			s.mu.Lock()
			address := s.address
			s.mu.Unlock()
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		}
	}
	return nil, fmt.Errorf("there is no server %s", name)
}

// state is what the resolver says.
func (b *bench) state(servers ...*testServer) (s resolver.State) {
	for _, server := range servers {
		s.Endpoints = append(s.Endpoints, resolver.Endpoint{Addresses: []resolver.Address{{Addr: server.name}}})
	}
	return s
}

// call calls, and returns the server's name.
func (b *bench) call(ctx context.Context, id string, opts ...grpc.CallOption) (string, error) {
	r, err := b.client.UnaryCall(ctx, &testpb.SimpleRequest{Payload: &testpb.Payload{Body: []byte(id)}}, opts...)
	return r.GetUsername(), err
}

// A result is how a call ended.
type result struct {
	id, server string
	err        error
}

// begin calls in a goroutine.
func (b *bench) begin(ctx context.Context, id string, opts ...grpc.CallOption) <-chan result {
	ended := make(chan result, 1)
	go func() {
		server, err := b.call(ctx, id, opts...)
		ended <- result{id, server, err}
	}()
	return ended
}

// queued returns how many calls wait in the queue, and how many there are tickets for.
func (b *bench) queued() (waiting, tickets int) {
	d := b.policy.scheduler
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.waiting.Len, len(d.tickets)
}

func (b *bench) untilWaiting(n int) {
	b.t.Helper()
	until(b.t, fmt.Sprintf("%d calls wait", n), func() bool { w, _ := b.queued(); return w == n })
}

// check checks that nothing is left of the calls, all of which have ended.
func (b *bench) check() {
	b.t.Helper()
	until(b.t, "all slots are free", func() bool {
		if _, tickets := b.queued(); tickets > 0 {
			return false
		}
		d := b.policy.scheduler
		d.mu.Lock()
		defer d.mu.Unlock()
		return !slices.ContainsFunc(d.servers, func(s *server) bool { return s.taken > 0 })
	})
	b.policy.updating.Lock()
	defer b.policy.updating.Unlock()
	if err := b.policy.scheduler.verify(b.policy.all()); err != nil {
		b.t.Error(err)
	}
}

// until waits for a condition, as long as a slow machine may take.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}
