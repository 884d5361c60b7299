package dispatchgrpc_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"

	_ "github.com/almanac-sim/almanac/dispatch/dispatchgrpc"
)

// A busy server counts the calls that it has at once.
type busy struct {
	testpb.UnimplementedTestServiceServer
	now, most atomic.Int64
}

func (b *busy) EmptyCall(context.Context, *testpb.Empty) (*testpb.Empty, error) {
	now := b.now.Add(1)
	defer b.now.Add(-1)
	for most := b.most.Load(); now > most && !b.most.CompareAndSwap(most, now); most = b.most.Load() {
	}
	time.Sleep(time.Millisecond)
	return &testpb.Empty{}, nil
}

// A hundred calls at once, of which the server gets two at a time.
func Example() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server, b := grpc.NewServer(), &busy{}
	testpb.RegisterTestServiceServer(server, b)
	go server.Serve(listener)
	defer server.Stop()

	conn, err := grpc.NewClient(listener.Addr().String(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"capped_dispatch": {"capacity": 2}}]}`))
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	client := testpb.NewTestServiceClient(conn)

	var all sync.WaitGroup
	var done atomic.Int64
	for range 100 {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if _, err := client.EmptyCall(ctx, &testpb.Empty{}); err == nil {
				done.Add(1)
			}
		})
	}
	all.Wait()
	fmt.Printf("%d calls, at most %d at once\n", done.Load(), b.most.Load())
	// Output: 100 calls, at most 2 at once
}
