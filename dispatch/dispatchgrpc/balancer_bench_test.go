package dispatchgrpc

import (
	"fmt"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/resolver/manual"
)

// A call to one of two servers that do nothing, from some goroutines at once: with round_robin,
// which limits nothing, and with a capacity of 2, so that all calls but four wait. gRPC wakes all
// that wait whenever slots are granted, and the difference shows what that costs.
func BenchmarkCall(b *testing.B) {
	for _, policy := range []string{`"round_robin": {}`, `"capped_dispatch": {"capacity": 2}`} {
		for _, callers := range []int{1, 4, 100, 1000, 10_000} {
			b.Run(fmt.Sprintf("%.16s/callers=%d", policy[1:], callers), func(b *testing.B) {
				client := benchClient(b, policy)
				b.ReportAllocs()
				b.ResetTimer()
				var all sync.WaitGroup
				for g := range callers {
					all.Go(func() {
						for range (b.N + g) / callers {
							if _, err := client.EmptyCall(b.Context(), &testpb.Empty{}); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
			})
		}
	}
}

// benchClient starts two servers and a client of them.
func benchClient(b *testing.B, policy string) testpb.TestServiceClient {
	r := manual.NewBuilderWithScheme("benchmark")
	two := &bench{}
	for range 2 {
		s := &testServer{t: b}
		s.start()
		s.name = s.address
		two.servers = append(two.servers, s)
	}
	r.InitialState(two.state(two.servers...))
	conn, err := grpc.NewClient("benchmark:///servers", grpc.WithResolvers(r),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(fmt.Sprintf(`{"loadBalancingConfig": [{%s}]}`, policy)))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	client := testpb.NewTestServiceClient(conn)
	for range 100 {
		if _, err := client.EmptyCall(b.Context(), &testpb.Empty{}, grpc.WaitForReady(true)); err != nil {
			b.Fatal(err)
		}
	}
	return client
}
