package caddyqueue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/almanac-sim/almanac/dispatch"
	"github.com/almanac-sim/almanac/dispatch/dispatchprom"
)

func init() {
	caddy.RegisterModule(Handler{})
	caddy.RegisterModule(app{})
	caddy.RegisterModule(adminAPI{})
}

// The defaults of dispatchhttp.
const (
	defaultCapacity = 2
	defaultQueue    = 1024
	defaultAttempts = 3
)

// Handler is the handler queue: a reverse proxy with at most Capacity requests at a backend. Other
// requests wait in one queue, and the oldest goes to the first backend with a free slot. A slot is
// held until the response of the backend has been read, or the WebSocket or stream is closed; or
// until the next handler runs after it, as in forward auth.
//
// A request that arrives when the queue is full, or that has waited for MaxWait, gets 503 with
// Retry-After. One whose client has gone leaves the queue.
//
// A backend that refuses connections, breaks off responses, or responds with 502, 503 or 504 is
// ejected, from 100 ms to 30 s, longer after each consecutive failure; after that a single request decides whether it is healthy
// again. A failed request is sent to another backend if no backend has seen it, or if it is
// idempotent and nothing of its body was sent; it keeps its age.
//
// Placeholders are replaced when the configuration is loaded, so that {env.*} can be used, and
// those of a request cannot. The handler sets these, and those of reverse_proxy:
//
// Placeholder | Description
// ------------|-------------
// `{http.queue.name}` | The name of the queue
// `{http.queue.wait}` | How long the request has waited for a slot
// `{http.queue.wait_ms}` | The same in milliseconds
//
// A reload keeps the queue of a name, and changes its settings. It may be used by any number of
// goroutines at once.
type Handler struct {
	// The name of the queue, in metrics and in the admin API. Handlers with the same name share a
	// queue. The default is the list of backends; so give a name to a queue whose list of backends
	// will be changed by a reload.
	Name string `json:"name,omitempty"`

	// How many requests a backend may have at once, unless its `max_requests` says otherwise. Default: 2.
	Capacity caddyhttp.WeakString `json:"capacity,omitempty"`

	// How many requests may wait. With 0 a request is taken only if a slot is free. Default: 1024.
	MaxQueue caddyhttp.WeakString `json:"max_queue,omitempty"`

	// The old name of max_queue.
	Queue caddyhttp.WeakString `json:"queue,omitempty"`

	// How long a request may wait, such as "5s". Default: as long as its client.
	MaxWait caddyhttp.WeakString `json:"max_wait,omitempty"`

	// How often a request is sent at most, if it may be sent again. Default: 3.
	Attempts caddyhttp.WeakString `json:"attempts,omitempty"`

	// A path of the backends that is requested at intervals; the response must be 2xx. A backend that
	// fails is ejected, and gets no request until a check passes. Default: health is learned from
	// requests alone.
	HealthURI string `json:"health_uri,omitempty"`

	// The time between two checks of a backend, such as "10s". Default: 30s. The other options of checks
	// are those of the proxy: `health_checks.active`.
	HealthInterval caddyhttp.WeakString `json:"health_interval,omitempty"`

	// The proxy, as for the handler reverse_proxy: `upstreams` are the backends, or
	// `dynamic_upstreams` finds them, and `upstreams` are used while it finds none. Its active health
	// checks are done by the queue, with the same options. It cannot have a selection policy, passive
	// health checks or a circuit breaker, which would choose backends.
	Proxy *reverseproxy.Handler `json:"reverse_proxy,omitempty"`

	queue            *queue
	repeatsResponses bool                // a retry_match may look at the response
	upstreams        map[string]upstream // by dial address
}

// naming is that of Caddy: upstreams go by the address that is dialled.
var naming = dispatchprom.Naming{Prefix: "caddy_queue_", Backend: "upstream", Label: addressOf}

// CaddyModule returns the information about the module.
func (Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.queue", New: func() caddy.Module { return new(Handler) }}
}

// Provision checks the configuration and opens the queue.
func (h *Handler) Provision(ctx caddy.Context) error {
	var p problems
	c := h.claim(&p)
	attempts := p.number("attempts", h.Attempts, 1, defaultAttempts)
	h.checkProxy(&p)
	if err := p.err(); err != nil {
		return err
	}
	if h.Name == "" {
		h.Name = strings.TrimSpace(c.backends + " " + c.dynamic)
	}

	if h.Proxy.LoadBalancing == nil {
		h.Proxy.LoadBalancing = new(reverseproxy.LoadBalancing)
	}
	lb := h.Proxy.LoadBalancing
	lb.Retries = attempts - 1
	if lb.RetryMatchRaw == nil {
		lb.RetryMatchRaw = idempotent()
	}
	for _, set := range lb.RetryMatchRaw {
		_, has := set["expression"]
		h.repeatsResponses = h.repeatsResponses || has
	}
	// The proxy has no backends, source or checks of its own.
	pool := h.Proxy.Upstreams
	h.Proxy.Upstreams, h.Proxy.HealthChecks = nil, nil
	if c.dynamic != "" {
		source, err := ctx.LoadModule(h.Proxy, "DynamicUpstreamsRaw")
		if err != nil {
			return err
		}
		c.source = source.(reverseproxy.UpstreamSource)
	}
	if err := h.Proxy.Provision(ctx); err != nil {
		return err
	}
	h.upstreams = map[string]upstream{}
	c.log = ctx.Slogger()
	if c.check != nil {
		c.check.use(h.Proxy.Transport)
	}
	t, ok := h.Proxy.Transport.(reverseproxy.TLSTransport)
	c.https = ok && t.TLSEnabled()
	h.Proxy.Transport = &transport{h.Proxy.Transport}
	lb.SelectionPolicy = selector{h}
	var err error
	if h.queue, err = openQueue(h.Name, c); err != nil {
		return err
	}
	for _, u := range pool {
		up, err := newUpstream(ctx, h.queue, c.scheme(), u)
		if err != nil {
			return err
		}
		h.upstreams[u.Dial] = up
	}
	a, err := ctx.App("queue")
	if err != nil {
		return err
	}
	if err := a.(*app).add(h.queue, c); err != nil {
		return err
	}
	err = ctx.GetMetricsRegistry().Register(
		dispatchprom.NewProxyCollector(h.queue.transport, prometheus.Labels{"queue": h.Name}, naming))
	if errors.As(err, &prometheus.AlreadyRegisteredError{}) {
		return nil // by another handler with this queue
	}
	return err
}

// Cleanup is called when the configuration is no longer used. Requests of this handler may still
// wait or be in flight.
func (h *Handler) Cleanup() error {
	var errs []error
	if h.upstreams != nil { // the proxy is provisioned
		errs = append(errs, h.Proxy.Cleanup())
		for _, u := range h.upstreams {
			errs = append(errs, u.holder.Cleanup())
		}
	}
	if h.queue != nil {
		errs = append(errs, h.queue.drop())
	}
	return errors.Join(errs...)
}

// claim reads the settings of the queue.
func (h *Handler) claim(p *problems) *claim {
	c := &claim{settings: settings{
		capacity: p.number("capacity", h.Capacity, 1, defaultCapacity),
		limit:    p.number("max_queue", cmp.Or(h.MaxQueue, h.Queue), 0, defaultQueue),
		maxWait:  p.duration("max_wait", h.MaxWait, 0),
	}}
	h.Name = p.text("name", h.Name)
	if c.check = h.check(p); c.check != nil {
		c.checks = c.check.String()
	}
	if h.Proxy != nil {
		c.dynamic = string(h.Proxy.DynamicUpstreamsRaw)
	}
	if h.Proxy == nil || len(h.Proxy.Upstreams) == 0 && c.dynamic == "" {
		p.addf(`there is no backend: write "to" with at least one address, like "to localhost:9001" ` +
			`(in JSON, "reverse_proxy": {"upstreams": [{"dial": "localhost:9001"}]})`)
		return c
	}
	var all []string
	own := false
	for _, u := range h.Proxy.Upstreams {
		u.Dial = p.text("to", u.Dial)
		addr, err := caddy.ParseNetworkAddress(u.Dial)
		switch {
		case err != nil:
			p.addf("backend %q must be an address like localhost:9001: %v", u.Dial, err)
		case !addr.IsUnixNetwork() && (addr.Host == "" || addr.PortRangeSize() != 1 || addr.StartPort == 0):
			p.addf("backend %q must have a host and one port, like localhost:9001", u.Dial)
		case slices.Contains(all, u.Dial):
			p.addf("backend %q is there twice: name it once, and set the capacity instead", u.Dial)
		}
		if u.MaxRequests < 0 {
			p.addf("the capacity of backend %q must be 1 or more, not %d", u.Dial, u.MaxRequests)
		}
		if u.MaxRequests > 0 {
			own = true
		}
		all = append(all, u.Dial)
	}
	slices.Sort(all)
	c.backends = strings.Join(all, " ")
	if own {
		each := make([]string, len(all))
		for _, u := range h.Proxy.Upstreams {
			each[slices.Index(all, u.Dial)] = strconv.Itoa(u.MaxRequests)
		}
		c.capacities = strings.Join(each, " ")
	}
	return c
}

// checkProxy refuses what would choose backends beside the queue.
func (h *Handler) checkProxy(p *problems) {
	if h.Proxy == nil {
		return
	}
	lb := h.Proxy.LoadBalancing
	if lb != nil && lb.SelectionPolicyRaw != nil {
		p.addf("the queue chooses the backend: remove the selection policy, or use reverse_proxy")
	}
	if lb != nil && (lb.Retries != 0 || lb.TryDuration != 0 || lb.TryInterval != 0) {
		p.addf("use attempts and max_wait, and no retries, try_duration or try_interval")
	}
	if h.Proxy.HealthChecks != nil && h.Proxy.HealthChecks.Passive != nil || h.Proxy.CBRaw != nil {
		p.addf("the queue ejects backends that fail by itself: remove the passive health checks and the circuit breaker")
	}
}

// idempotent matches requests that may be sent twice.
func idempotent() caddyhttp.RawMatcherSets {
	return caddyhttp.RawMatcherSets{
		{"method": json.RawMessage(`["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]`)},
		{"header": json.RawMessage(`{"Idempotency-Key": ["*"]}`)},
	}
}

// ServeHTTP sends a request to a backend when one has a free slot. What runs after the response,
// because handle_response says so, needs no slot of its backend: neither the next handler, as in
// forward auth, nor another handler of this kind, which would wait for a slot while it holds one.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if before, ok := r.Context().Value(attemptKey{}).(*attempt); ok {
		before.leave()
	}
	a := &attempt{handler: h, arrived: time.Now()}
	if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		repl.Map(a.placeholder)
	}
	h.queue.hold()
	defer h.queue.drop()
	returned := false
	defer func() { a.end(returned) }() // the proxy panics if a response breaks off
	err := h.Proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), attemptKey{}, a)),
		caddyhttp.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
			a.leave()
			return next.ServeHTTP(w, r)
		}))
	returned = true
	if a.refused != nil {
		return h.refuse(w, a.refused)
	}
	return err
}

// refuse responds to a request that got no slot.
func (h *Handler) refuse(w http.ResponseWriter, err error) error {
	switch {
	case errors.Is(err, dispatch.ErrFull), errors.Is(err, dispatch.ErrTooOld), errors.Is(err, dispatch.ErrClosed):
		after := int(h.queue.transport.RetryAfter() / time.Second)
		w.Header().Set("Retry-After", strconv.Itoa(after))
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	case errors.Is(err, context.Canceled):
		w.WriteHeader(499) // the client has gone; reverse_proxy logs the same status
		return nil
	}
	return caddyhttp.Error(http.StatusGatewayTimeout, err)
}

// problems are all that is wrong with a configuration.
type problems struct{ all []error }

func (p *problems) addf(format string, args ...any) {
	p.all = append(p.all, fmt.Errorf("queue: "+format, args...))
}

func (p *problems) err() error { return errors.Join(p.all...) }

// text replaces placeholders.
func (p *problems) text(name, text string) string {
	text = caddy.NewReplacer().ReplaceKnown(text, "")
	if i := strings.IndexByte(text, '{'); i >= 0 && strings.IndexByte(text[i:], '}') > 0 {
		p.addf("%s %q has a placeholder without a value when the configuration is loaded: "+
			"write a value, or one like {env.NAME}", name, text)
	}
	return text
}

// number reads a whole number from least.
func (p *problems) number(name string, value caddyhttp.WeakString, least, otherwise int) int {
	if value == "" {
		return otherwise
	}
	text := p.text(name, string(value))
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > math.MaxInt32 {
		p.addf("%s must be a whole number from %d, like %d, not %q", name, least, otherwise, text)
		return otherwise
	}
	return n
}

// duration reads a duration above 0. A number alone is in nanoseconds in Caddy's JSON; that is
// nearly always a mistake, and refused.
func (p *problems) duration(name string, value caddyhttp.WeakString, otherwise time.Duration) time.Duration {
	if value == "" {
		return otherwise
	}
	text := p.text(name, string(value))
	d, err := caddy.ParseDuration(text)
	if err != nil || d <= 0 {
		p.addf("%s must be a duration above 0 with a unit, like 5s or 500ms, not %q", name, text)
		return otherwise
	}
	return d
}

var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddy.CleanerUpper          = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
