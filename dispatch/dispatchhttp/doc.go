// Package dispatchhttp is CAPPED for HTTP: at most c requests at a server, the others wait where they were made, and the oldest goes first.
//
// A [Transport] is for who sends requests: a [net/http.RoundTripper] over n backends with at most c requests in flight at each, for a
// [net/http.Client] or under a [net/http/httputil.ReverseProxy].
//
//	t, err := dispatchhttp.NewTransport(backends, dispatchhttp.Capacity(8), dispatchhttp.TryTimeout(5*time.Second))
//	client := &http.Client{Transport: t}
//
// [Limit] is for who answers them: at most c at once, a bounded room before that, and 429 for the rest.
//
//	http.ListenAndServe(address, dispatchhttp.Limit(handler, dispatchhttp.Capacity(32), dispatchhttp.PoolLimit(100)))
//
// Both have the same desk, on which the rules of [github.com/almanac-sim/almanac/dispatch.Dispatcher] hold: a slot goes to the oldest request that waits; no request waits while there
// is a slot; every request is counted once. Many transports before many servers with Limit, and nothing shared between them, is
// the setting of the theorem: a transport with [SendBirth] says how old a request is, and one with [RetryRefused] asks another server when
// one has said no.
package dispatchhttp
