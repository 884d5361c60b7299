package dispatchgrpc

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/status"

	"github.com/almanac-sim/almanac/internal/testscale"
)

// Many calls with short deadlines, cancellations and retries, while servers are restarted and
// fail, and the resolver changes the list and the configuration. When all calls have ended no slot
// is taken and no ticket is left, and a further call succeeds.
func TestAttack(t *testing.T) {
	const callers, servers = 64, 4
	calls := testscale.Size(10_000, 300_000)
	b := newBench(t, servers, `{"capacity": 3}`, func(s *testServer) {
		s.work = func(string) error {
			switch rand.IntN(40) {
			case 0:
				time.Sleep(20 * time.Millisecond)
			case 1:
				return status.Error(codes.Unavailable, "not now")
			}
			time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
			return nil
		}
	})
	restart := func(i int) {
		s := b.servers[i%servers]
		s.stop()
		s.start()
	}
	update := func(i int) {
		state := b.state(b.servers[:1+i%servers]...)
		if i%3 == 0 { // an endpoint with a further address
			e := &state.Endpoints[0]
			e.Addresses = append(e.Addresses, resolver.Address{Addr: "none"})
		}
		if i%4 == 0 {
			state.ServiceConfig = b.resolver.CC().ParseServiceConfig(fmt.Sprintf(`{
				"loadBalancingConfig": [{%q: {"capacity": %d, "queue": %d}}],
				"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.002s",
					"maxBackoff": "0.01s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`,
				watched, 1+i%3, []int{0, 40, 60}[i/4%3]))
		}
		b.resolver.UpdateState(state)
	}
	var all sync.WaitGroup
	var left, succeeded atomic.Int64
	left.Store(int64(calls))
	unrest := make(chan struct{})
	go func() { // as many disturbances on a slow machine as on a fast one
		defer close(unrest)
		for i := 0; left.Load() > 0; i++ {
			for next := left.Load() - 100; left.Load() > max(next, 0); {
				time.Sleep(time.Millisecond)
			}
			if i%2 == 0 {
				restart(i / 2)
			} else {
				update(i / 2)
			}
		}
	}()
	for k := range uint64(callers) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(k, 4))
			for left.Add(-1) >= 0 {
				patience := time.Duration(r.IntN(20_000)) * time.Microsecond
				if r.IntN(8) == 0 {
					patience = time.Minute // also on a slow machine
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				if r.IntN(2) == 0 { // perhaps before the Pick
					time.AfterFunc(time.Duration(r.IntN(200))*time.Microsecond, cancel)
				}
				switch _, err := b.call(ctx, "x", grpc.WaitForReady(r.IntN(8) > 0)); {
				case err == nil:
					succeeded.Add(1)
				case status.Code(err) == codes.Unavailable:
					time.Sleep(time.Millisecond) // it was refused, perhaps at once
				}
				cancel()
			}
		})
	}
	all.Wait()
	<-unrest
	b.check()
	t.Logf("%d of %d calls succeeded", succeeded.Load(), calls)
	if succeeded.Load() < int64(calls/50) {
		t.Error("most calls should have some time")
	}
	b.resolver.UpdateState(b.state(b.servers...))
	until(t, "a call succeeds", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := b.call(ctx, "after", grpc.WaitForReady(true))
		return err == nil
	})
	b.check()
}
