// Package dispatchgrpc is a balancer for the clients of gRPC: at most c calls at each server, the
// others in one queue, and the oldest call first. It is the rule of CAPPED, as packages dispatch
// and dispatchhttp have it. It is a Go module of its own, so that only its users download gRPC.
//
// Importing it registers the policy capped_dispatch, which a service config chooses:
//
//	import _ "github.com/almanac-sim/almanac/dispatch/dispatchgrpc"
//
//	conn, err := grpc.NewClient("dns:///inference.example:50051",
//		grpc.WithTransportCredentials(creds),
//		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [
//			{"capped_dispatch": {"capacity": 2, "queue": 1000}}
//		]}`))
//
// capacity is the number of calls at a server at once; it is 2 unless set. queue is how many calls
// may wait; one more fails at once with UNAVAILABLE and is not retried. It is unlimited unless set.
//
// Use it for servers that do a few things at a time (models on an accelerator, databases, anything
// with a thread pool), so that a call waits at the client, where the next free server can take it,
// and not at a server that happens to be slow. If servers take any number of calls, round_robin or
// least_request is enough.
//
// # Contract
//
// No server has more than capacity calls of a client connection, also if the resolver changes the
// addresses of its endpoint, or if the service config goes to another policy and back (calls that
// the other policy makes do not count). Several clients do not know of each other: a server has at
// most capacity times as many. No call waits while a server that is connected has a
// free slot. An idle server is preferred to one with calls, and otherwise chosen at random.
//
// Slots are granted to waiting calls in the order in which the calls asked for a server. Calls from
// before the first answer of the name resolver ask when it has come, in any order. A call whose
// connection is lost, or whose server ends it with GOAWAY before it has processed it, keeps its
// place if gRPC repeats it, and a full queue does not refuse it. A call that a server has failed
// and that is retried (a retryPolicy of the service config) asks anew.
//
// A call that waits ends at its deadline, or when its context is cancelled. If a stats.Handler
// replaces the context by one that cannot be cancelled, all calls fail with INTERNAL. A stream
// holds its slot until it ends, so it must be read to its end or cancelled, as gRPC demands in any
// case.
//
// Calls wait for slots whether or not they have [grpc.WaitForReady]. When no server can be reached,
// those that have it go on waiting, and all others fail with UNAVAILABLE, as with any policy. The
// limit of the queue holds for those that wait, and for calls that failed and are about to be
// retried. When a server returns, gRPC wakes them in any order: the first slots go to the calls
// that ask first, and the oldest of the others is next.
//
// A server whose connection is lost gets no calls until it is back. One that answers three calls in
// a row with UNAVAILABLE is ejected for 100 ms, then gets a single call, which makes it healthy
// again or ejects it for twice as long, and so on up to 30 s. Calls wait while all servers are
// ejected. Any other status is an answer, and does not count.
//
// When slots are granted, gRPC wakes every call that waits, and each asks again. That takes about a
// microsecond of processor time for each, so set queue if thousands might wait.
// docs/decisions/0026-grpc-balancer.md says why.
//
// # Files
//
//   - balancer.go: the policy and its configuration, servers and their states, Pick
//   - scheduler.go: slots and the queue, and the invariants
//   - health.go: what ejects a server (package health has the rule)
//   - channel.go: what the policies of one client connection share: servers by their addresses
//
// [grpc.WaitForReady]: https://pkg.go.dev/google.golang.org/grpc#WaitForReady
package dispatchgrpc
