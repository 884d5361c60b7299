// Package dispatchhttp dispatches HTTP requests by the rule of package dispatch: at most c requests
// at a backend, the others wait, and the oldest goes first.
//
//	// In a client or a proxy: at most 8 requests in flight at each backend.
//	t, err := dispatchhttp.NewTransport(backends, dispatchhttp.Capacity(8))
//	client := &http.Client{Transport: t}
//
//	// In a server: at most 32 requests in the handler, 100 in the queue, and 429 for the rest.
//	limit := dispatchhttp.Limit(handler, dispatchhttp.Capacity(32), dispatchhttp.PoolLimit(100))
//	err = http.ListenAndServe(address, limit)
//
// A [Transport] is a [net/http.RoundTripper] over n backends, for a [net/http.Client] or under a
// [net/http/httputil.ReverseProxy]. It retries, ejects backends that fail, and checks their health.
// [Limit] is middleware for servers. A proxy with a transport of its own takes a slot with
// [Transport.Acquire], sends the request, and releases the slot with the outcome.
//
// # Contract
//
// Both keep the guarantees of [github.com/almanac-sim/almanac/dispatch.Dispatcher]: a slot goes to
// the oldest waiting request; no request waits while a slot is free; every request is counted once.
// A slot of a Transport is held until the body of the response is read to its end or closed. A
// request costs eight allocations in addition to those of the base. All methods may be called from
// any number of goroutines at once.
//
// Errors are those of package dispatch, [ErrAttemptTimeout] and [ErrResponseIdle]; all
// are pointers.
//
// # The paper
//
// Many transports before many servers with Limit, without shared state, are the setting of the
// paper's theorem: a transport with [SendStart] sends the age of a request, and one with
// [RetryRefused] asks another server after a refusal. There are no rounds.
//
// docs/guide/dispatch.md is the guide.
//
// # Files
//
//   - transport.go: Transport, RoundTrip, attempts and retries
//   - slot.go: Acquire and Slot, for proxies with a transport of their own
//   - configure.go: Configure, new options for a Transport in use, and RetryAfter
//   - backends.go: the backends of a Transport: Add, Remove, Set, health checks, Close
//   - limit.go: Limiter and Limit
//   - proxy.go: ErrorHandler, for ReverseProxy
//   - options.go: the options of both
//   - scheduler.go: the scheduler that both share: slots, the queue, and the invariants
//   - health.go: what ejects a backend (package health has the rule), and its timer
//   - start.go: when a request started: its header and its context
//   - body.go: bodies of requests over several attempts, and bodies of responses that hold a slot
//   - message.go: responses that cannot be passed on, and URLs at a backend
//   - stats.go: Stats, Counts and BackendStats
package dispatchhttp
