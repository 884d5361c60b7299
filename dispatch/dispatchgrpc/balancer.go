package dispatchgrpc

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/balancer/endpointsharding"
	"google.golang.org/grpc/balancer/pickfirst"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/serviceconfig"
	"google.golang.org/grpc/status"

	"github.com/almanac-sim/almanac/dispatch/health"
)

// Name is the name of the policy in a service config.
const Name = "capped_dispatch"

// defaultCapacity is that of package dispatch.
const defaultCapacity = 2

func init() { balancer.Register(builder{name: Name}) }

// A builder makes a policy for each connection of a client.
type builder struct {
	name  string
	built func(*policy) // for tests; may be nil
}

func (b builder) Name() string { return b.name }

func (b builder) Build(cc balancer.ClientConn, opts balancer.BuildOptions) balancer.Balancer {
	p := &policy{ClientConn: cc, servers: resolver.NewEndpointMap[*server]()}
	p.scheduler = newScheduler(opts.ChannelzParent, rand.Uint64(), p.wake)
	p.child = endpointsharding.NewBalancer(p, opts, balancer.Get(pickfirst.Name).Build, endpointsharding.Options{})
	if b.built != nil {
		b.built(p)
	}
	return p
}

// config is the configuration in a service config.
type config struct {
	serviceconfig.LoadBalancingConfig `json:"-"`

	Capacity int `json:"capacity"` // calls at a server at once
	Queue    int `json:"queue"`    // calls that may wait; 0 means no limit
}

// ParseConfig ignores unknown fields, as service configs have it.
func (b builder) ParseConfig(text json.RawMessage) (serviceconfig.LoadBalancingConfig, error) {
	c := &config{Capacity: defaultCapacity}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf(`%s: %w; expected {"capacity": 2, "queue": 1000}`, b.name, err)
	}
	switch {
	case c.Capacity < 1:
		return nil, fmt.Errorf("%s: capacity %d: expected the number of calls at a server, 1 or more", b.name,
			c.Capacity)
	case c.Queue < 0:
		return nil, fmt.Errorf("%s: queue %d: expected how many calls may wait, or 0 for no limit", b.name, c.Queue)
	}
	return c, nil
}

// A policy is the balancer of one connection. It has a child for each endpoint, which keeps a
// connection to it, and intercepts the states that they report.
//
// Locks are taken in this order: updating, those of gRPC, the scheduler's.
type policy struct {
	balancer.ClientConn
	child     balancer.Balancer
	scheduler *scheduler
	waking    atomic.Bool // a goroutine is about to call repick

	// updating makes states reach gRPC in the order in which they were reported.
	updating sync.Mutex
	closed   bool
	servers  *resolver.EndpointMap[*server] // also those that are gone and still have calls
	state    balancer.State                 // of all children
}

// UpdateClientConnState takes a result of the resolver and a configuration.
func (p *policy) UpdateClientConnState(s balancer.ClientConnState) error {
	c, ok := s.BalancerConfig.(*config)
	if !ok {
		c = &config{Capacity: defaultCapacity}
	}
	p.updating.Lock()
	p.scheduler.configure(c.Capacity, c.Queue, p.all())
	p.updating.Unlock()
	// The children report their states before it returns. They check the health of servers if the
	// service config says so.
	return p.child.UpdateClientConnState(balancer.ClientConnState{
		ResolverState: pickfirst.EnableHealthListener(s.ResolverState),
	})
}

// all returns the servers. updating must be held.
func (p *policy) all() (all []*server) {
	for _, s := range p.servers.All() {
		all = append(all, s)
	}
	return all
}

// UpdateState takes the states of all children.
func (p *policy) UpdateState(state balancer.State) {
	p.updating.Lock()
	defer p.updating.Unlock()
	if p.closed {
		return
	}
	p.state = state
	listed := resolver.NewEndpointMap[bool]()
	ready := map[*server]balancer.Picker{}
	for _, child := range endpointsharding.ChildStatesFromPicker(state.Picker) {
		listed.Set(child.Endpoint, true)
		s, ok := p.servers.Get(child.Endpoint)
		if !ok {
			var addresses []string
			for _, a := range child.Endpoint.Addresses {
				addresses = append(addresses, a.Addr)
			}
			s = p.scheduler.newServer(addresses...)
			p.servers.Set(child.Endpoint, s)
		}
		if child.State.ConnectivityState == connectivity.Ready {
			ready[s] = child.State.Picker
		}
	}
	p.scheduler.setReady(p.all(), ready)
	for e, s := range p.servers.All() {
		// One with calls is kept: it may come back while it has them.
		if _, ok := listed.Get(e); !ok && p.scheduler.removeUnused(s) {
			p.servers.Delete(e)
		}
	}
	p.repick()
}

// repick makes gRPC repeat all Picks that wait. updating must be held.
func (p *policy) repick() {
	p.ClientConn.UpdateState(balancer.State{
		ConnectivityState: p.state.ConnectivityState,
		Picker:            &picker{p.scheduler, p.state},
	})
}

// wake calls repick soon. One call is enough for all slots that are granted until it begins. The
// caller may have any lock.
func (p *policy) wake() {
	if !p.waking.CompareAndSwap(false, true) {
		return
	}
	go func() {
		p.updating.Lock()
		defer p.updating.Unlock()
		p.waking.Store(false)
		if !p.closed {
			p.repick()
		}
	}()
}

// ResolverError passes an error of the resolver on to the children.
func (p *policy) ResolverError(err error) { p.child.ResolverError(err) }

// UpdateSubConnState is not called: children listen to their connections themselves.
func (p *policy) UpdateSubConnState(balancer.SubConn, balancer.SubConnState) {}

// ExitIdle connects.
func (p *policy) ExitIdle() { p.child.ExitIdle() }

// Close ends the policy. Calls in flight go on.
func (p *policy) Close() {
	p.child.Close()
	p.updating.Lock()
	defer p.updating.Unlock()
	p.closed = true
	p.scheduler.close()
}

// A picker is what gRPC calls for every call. A new one, even if it is the same, makes gRPC repeat
// the Picks that wait.
type picker struct {
	scheduler *scheduler
	state     balancer.State
}

// Pick returns a server with a free slot, or an error that makes the call wait.
func (k *picker) Pick(info balancer.PickInfo) (balancer.PickResult, error) {
	s, ok, err := k.scheduler.pick(info.Ctx)
	switch {
	case err == errNoDone:
		return balancer.PickResult{}, status.Errorf(codes.Internal, "%s: %v", Name, err)
	case err != nil:
		return balancer.PickResult{}, status.Errorf(codes.Unavailable, "%s: %v", Name, err)
	case !ok:
		return balancer.PickResult{}, k.reason(info)
	}
	result, err := s.picker.Pick(info)
	if err != nil {
		k.scheduler.release(s, health.Neutral)
		return result, err
	}
	done := result.Done
	result.Done = func(d balancer.DoneInfo) {
		if done != nil {
			done(d)
		}
		switch {
		case d.BytesReceived:
			k.scheduler.release(s, verdictOf(d))
		case d.Err == nil && !d.BytesSent: // the connection was lost between the Pick and the call
			k.scheduler.giveBack(info.Ctx, s)
		default:
			k.scheduler.lose(info.Ctx, s)
		}
	}
	return result, nil
}

// reason returns why a call waits: for a slot, for a connection, or because no server can be
// reached. The last fails it, unless it waits for servers to be ready.
func (k *picker) reason(info balancer.PickInfo) error {
	if k.state.ConnectivityState == connectivity.Ready {
		return balancer.ErrNoSubConnAvailable
	}
	_, err := k.state.Picker.Pick(info)
	if err == nil || err == balancer.ErrNoSubConnAvailable {
		return balancer.ErrNoSubConnAvailable
	}
	k.scheduler.park(info.Ctx)
	return err
}
