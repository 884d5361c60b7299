package caddyqueue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/almanac-sim/almanac/dispatch/dispatchhttp"
)

// A queue is the queue of all handlers that have its name, in the configuration that runs and in
// earlier ones whose requests have not ended: each of these requests has a reference. So a reload keeps the queue: requests that wait keep
// their place, and those in flight their slots.
//
//	Provision ──▶ Start ──────────────────────────────▶ Stop ──▶ Cleanup
//	 a reference   the settings are applied: the newest   the settings of the newest
//	 is taken      started configuration decides          that is left decide again
//
// A configuration that fails to load is never started, and changes nothing. One that fails to start
// is stopped, and the settings of the one before it are applied again.
type queue struct {
	name      string
	transport *dispatchhttp.Transport
	checks    checker

	mu     sync.Mutex
	last   settings
	claims []*claim // of started configurations, the newest last
}

// queues are all queues in use, by name. Like the hosts of reverse_proxy they belong to the process
// and not to a configuration.
var queues = caddy.NewUsagePool()

// settings are what handlers with one queue must agree on.
type settings struct {
	backends       string // dial addresses, separated by blanks, sorted
	https          bool
	capacity       int
	limit          int
	maxWait        time.Duration // 0 means no limit
	healthURI      string
	healthInterval time.Duration
}

// A claim is the use of a queue by one configuration.
type claim struct {
	settings
	log       *slog.Logger
	transport http.RoundTripper // for health checks
}

// String is for messages about two claims that differ.
func (s settings) String() string {
	text := fmt.Sprintf("to %s, capacity %d, max_queue %d", s.backends, s.capacity, s.limit)
	if s.https {
		text += ", TLS"
	}
	if s.maxWait > 0 {
		text += ", max_wait " + s.maxWait.String()
	}
	if s.healthURI != "" {
		text += ", health_uri " + s.healthURI + " every " + s.healthInterval.String()
	}
	return text
}

// urls are the backends as dispatchhttp wants them. The host is the dial address, which may be one
// of a Unix socket.
func (s settings) urls() []*url.URL {
	scheme := "http"
	if s.https {
		scheme = "https"
	}
	var all []*url.URL
	for dial := range strings.FieldsSeq(s.backends) {
		all = append(all, &url.URL{Scheme: scheme, Host: dial})
	}
	return all
}

func (s settings) options(log *slog.Logger) []dispatchhttp.TransportOption {
	opts := []dispatchhttp.TransportOption{
		dispatchhttp.Capacity(s.capacity), dispatchhttp.PoolLimit(s.limit), dispatchhttp.Logger(log),
	}
	if s.maxWait > 0 {
		opts = append(opts, dispatchhttp.MaxWait(s.maxWait))
	}
	if s.healthURI != "" {
		opts = append(opts, dispatchhttp.HealthCheck(s.healthURI, s.healthInterval))
	}
	return opts
}

// openQueue returns the queue with a name, and takes a reference. If it is new it has the settings
// of c but for health checks, which begin when the configuration starts.
func openQueue(name string, c *claim) (*queue, error) {
	q, _, err := queues.LoadOrNew(name, func() (caddy.Destructor, error) {
		q := &queue{name: name, last: c.settings}
		q.last.healthURI = ""
		t, err := dispatchhttp.NewTransport(c.urls(), append(q.last.options(c.log), dispatchhttp.Base(&q.checks))...)
		q.transport = t
		return q, err
	})
	if err != nil {
		return nil, err
	}
	return q.(*queue), nil
}

// hold takes a reference for a request: a configuration that has the queue again, after one that
// has it not, finds the slots that are out.
func (q *queue) hold() { queues.LoadOrStore(q.name, q) }

// drop drops a reference.
func (q *queue) drop() error {
	_, err := queues.Delete(q.name)
	return err
}

// Destruct is called when neither a configuration nor a request uses the queue.
func (q *queue) Destruct() error { return nil }

// start applies a claim.
func (q *queue) start(c *claim) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.claims = append(q.claims, c)
	return q.apply(c)
}

// stop ends a claim.
func (q *queue) stop(c *claim) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.claims, c)
	if i < 0 {
		return nil
	}
	q.claims = slices.Delete(q.claims, i, i+1)
	switch n := len(q.claims); {
	case n == 0: // requests may still wait or be in flight, and end as they would have
		q.last.healthURI = ""
		q.transport.Configure(q.last.options(slog.New(slog.DiscardHandler))...)
	case i == n:
		return q.apply(q.claims[n-1])
	}
	return nil
}

func (q *queue) apply(c *claim) error {
	q.last = c.settings
	q.checks.transport.Store(&c.transport)
	q.transport.Configure(c.options(c.log)...)
	return q.transport.Set(c.urls())
}

// A checker sends health checks by the transport of the configuration that runs.
type checker struct {
	transport atomic.Pointer[http.RoundTripper]
}

// dialInfoKey is the key by which reverse_proxy tells its transport what to dial. It has no
// exported name; a backend that is a Unix socket cannot be dialled without it.
const dialInfoKey caddy.CtxKey = "reverse_proxy.dial_info"

// RoundTrip sends a health check. It prepares the request as the active health checks of
// reverse_proxy do.
func (c *checker) RoundTrip(req *http.Request) (*http.Response, error) {
	transport := c.transport.Load()
	if transport == nil {
		return nil, errors.New("queue: the configuration has not started")
	}
	addr, err := caddy.ParseNetworkAddress(req.URL.Host)
	if err != nil {
		return nil, err
	}
	dial := reverseproxy.DialInfo{
		Network: addr.Network, Address: addr.JoinHostPort(0),
		Host: addr.Host, Port: strconv.Itoa(int(addr.StartPort)),
	}
	ctx := context.WithValue(req.Context(), caddy.ReplacerCtxKey, caddy.NewReplacer())
	ctx = context.WithValue(ctx, caddyhttp.VarsCtxKey, map[string]any{})
	ctx = context.WithValue(ctx, dialInfoKey, dial)
	out := req.WithContext(ctx)
	u := *req.URL
	out.URL = &u
	out.URL.Host = dial.Address
	if addr.IsUnixNetwork() {
		out.Host = "localhost"
	}
	out = out.WithContext(context.WithValue(ctx, caddyhttp.OriginalRequestCtxKey, *out))
	return (*transport).RoundTrip(out)
}

// app is the part of the module that Caddy starts and stops with a configuration. Handlers load it;
// it needs no configuration.
type app struct{ claims map[*queue]*claim }

func (app) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "queue", New: func() caddy.Module { return new(app) }}
}

func (a *app) Provision(caddy.Context) error {
	a.claims = map[*queue]*claim{}
	return nil
}

// add adds the claim of a handler. Handlers of one configuration that share a queue must have the
// same settings.
func (a *app) add(q *queue, c *claim) error {
	old := a.claims[q]
	if old == nil {
		a.claims[q] = c
		return nil
	}
	if old.settings != c.settings {
		return fmt.Errorf("two handlers share the queue %q, and must have the same settings, "+
			"not (%v) and (%v): give one of them another name", q.name, old.settings, c.settings)
	}
	return nil
}

func (a *app) Start() error {
	for q, c := range a.claims {
		if err := q.start(c); err != nil {
			return errors.Join(err, a.Stop())
		}
	}
	return nil
}

func (a *app) Stop() error {
	var errs []error
	for q, c := range a.claims {
		errs = append(errs, q.stop(c))
	}
	return errors.Join(errs...)
}

var (
	_ caddy.App         = (*app)(nil)
	_ caddy.Provisioner = (*app)(nil)
)
