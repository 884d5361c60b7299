package caddyqueue

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
)

// An upstream is a backend as reverse_proxy has it. Caddy takes the health of an upstream from its
// checks and from a circuit breaker, and all upstreams of a handler share one breaker. So each has a
// handler of its own, which serves nothing, and whose breaker is open while the queue has ejected
// the backend: that is what the metric caddy_reverse_proxy_upstreams_healthy shows.
type upstream struct {
	*reverseproxy.Upstream
	holder *reverseproxy.Handler
}

func newUpstream(ctx caddy.Context, q *queue, scheme string, u *reverseproxy.Upstream) (upstream, error) {
	h := &reverseproxy.Handler{
		Upstreams: reverseproxy.UpstreamPool{u},
		CB:        breaker{q, &url.URL{Scheme: scheme, Host: u.Dial}},
		Transport: noTransport{},
	}
	return upstream{u, h}, h.Provision(ctx)
}

// A breaker is the circuit breaker of a backend.
type breaker struct {
	queue   *queue
	backend *url.URL
}

// OK reports whether the backend is not ejected.
func (b breaker) OK() bool { return !b.queue.transport.Ejected(b.backend) }

// RecordMetric does nothing: the queue learns of attempts by their slots.
func (breaker) RecordMetric(int, time.Duration) {}

// noTransport is that of a handler that serves nothing.
type noTransport struct{}

func (noTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("queue: this handler serves nothing")
}

var _ reverseproxy.CircuitBreaker = breaker{}
