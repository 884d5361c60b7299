// Package dispatchhttp dispatches HTTP requests by the rule of package dispatch: at most c requests
// at a backend, the others wait, and the oldest goes first.
//
// A [Transport] is for clients and proxies: a [net/http.RoundTripper] over n backends with at most
// c requests in flight at each, for a [net/http.Client] or under a
// [net/http/httputil.ReverseProxy].
//
//	t, err := dispatchhttp.NewTransport(backends, dispatchhttp.Capacity(8), dispatchhttp.AttemptTimeout(5*time.Second))
//	client := &http.Client{Transport: t}
//
// A proxy with a transport of its own takes a slot with [Transport.Acquire], sends the request, and
// releases the slot with the outcome.
//
// [Limit] is middleware for servers: at most c requests in the handler at once, a bounded queue
// before it, and 429 for the rest.
//
//	http.ListenAndServe(address, dispatchhttp.Limit(handler, dispatchhttp.Capacity(32), dispatchhttp.PoolLimit(100)))
//
// Both keep the guarantees of [github.com/almanac-sim/almanac/dispatch.Dispatcher]: a slot goes to
// the oldest waiting request; no request waits while a slot is free; every request is counted once.
// Many transports before many servers with Limit, without shared state, are the setting of the
// theorem: a transport with [SendStart] sends the age of a request, and one with [RetryRefused]
// asks another server after a refusal.
//
// Errors are those of package dispatch, [ErrAttemptTimeout] and [ErrResponseIdle]. docs/guide/dispatch.md is the guide.
//
// # Files
//
//   - transport.go: Transport, RoundTrip, attempts and retries
//   - slot.go: Acquire and Slot, for proxies with a transport of their own
//   - backends.go: the backends of a Transport: Add, Remove, Set, health checks, Close
//   - limit.go: Limiter and Limit
//   - proxy.go: ErrorHandler, for ReverseProxy
//   - options.go: the options of both
//   - scheduler.go: the scheduler that both share: slots, the queue, and the invariants
//   - health.go: ejection, backoff and half-open backends
//   - start.go: when a request started: its header and its context
//   - body.go: bodies of requests over several attempts, and bodies of responses that hold a slot
//   - message.go: responses that cannot be passed on, and URLs at a backend
//   - stats.go: Stats, Counts and BackendStats
package dispatchhttp
