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

	mu     sync.Mutex
	last   settings
	claims []*claim // of started configurations, the newest last
}

// queues are all queues in use, by name. Like the hosts of reverse_proxy they belong to the process
// and not to a configuration.
var queues = caddy.NewUsagePool()

// settings are what handlers with one queue must agree on.
type settings struct {
	backends   string // dial addresses, separated by blanks, sorted
	dynamic    string // the source of others, as JSON
	https      bool
	capacity   int
	capacities string // of each backend, 0 for those with that of all, separated by blanks
	limit      int
	maxWait    time.Duration // 0 means no limit
	checks     string        // all options of health checks; empty without
}

// A claim is the use of a queue by one configuration.
type claim struct {
	settings
	log    *slog.Logger
	check  *check // nil without one
	source reverseproxy.UpstreamSource
	found  []string           // what the source has said last; the lock of the queue protects it
	cancel context.CancelFunc // of follow
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
	if s.capacities != "" {
		text += ", each " + s.capacities
	}
	if s.dynamic != "" {
		text += ", dynamic " + s.dynamic
	}
	if s.checks != "" {
		text += ", health checks " + s.checks
	}
	return text
}

func (s settings) scheme() string {
	if s.https {
		return "https"
	}
	return "http"
}

// urls are the backends as dispatchhttp wants them: those that the source has found, or else those
// of the list. The host is the dial address, which may be one of a Unix socket.
func (c *claim) urls() (all []*url.URL) {
	dials := c.found
	if len(dials) == 0 {
		dials = strings.Fields(c.backends)
	}
	for _, dial := range dials {
		all = append(all, &url.URL{Scheme: c.scheme(), Host: dial})
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
	if s.capacities != "" {
		by := map[string]int{}
		each := strings.Fields(s.capacities)
		for i, dial := range strings.Fields(s.backends) {
			if c, err := strconv.Atoi(each[i]); err == nil && c > 0 {
				by[(&url.URL{Scheme: s.scheme(), Host: dial}).String()] = c
			}
		}
		opts = append(opts, dispatchhttp.Capacities(by))
	}
	return opts
}

// openQueue returns the queue with a name, and takes a reference. If it is new it has the settings
// of c; health checks begin when the configuration starts.
func openQueue(name string, c *claim) (*queue, error) {
	q, _, err := queues.LoadOrNew(name, func() (caddy.Destructor, error) {
		q := &queue{name: name, last: c.settings}
		t, err := dispatchhttp.NewTransport(c.urls(), c.options(c.log)...)
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
	if c.source != nil {
		var ctx context.Context
		ctx, c.cancel = context.WithCancel(context.Background())
		go q.follow(ctx, c)
	}
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
	if c.cancel != nil {
		c.cancel()
	}
	switch n := len(q.claims); {
	case n == 0: // requests may still wait or be in flight, and end as they would have
		q.transport.Configure(q.last.options(slog.New(slog.DiscardHandler))...)
	case i == n:
		return q.apply(q.claims[n-1])
	}
	return nil
}

func (q *queue) apply(c *claim) error {
	q.last = c.settings
	opts := c.options(c.log)
	if c.check != nil {
		opts = append(opts, dispatchhttp.Check(c.check.run, time.Duration(c.check.Interval)),
			dispatchhttp.CheckCounts(c.check.Passes, c.check.Fails))
	}
	q.transport.Configure(opts...)
	if c.source != nil && c.found == nil {
		return nil // what is there stays until the source has said something
	}
	return q.transport.Set(c.urls())
}

// sourcePause is the time between two questions to a source of backends. The sources of Caddy answer
// from what they remember until their refresh is due.
const sourcePause = time.Second

// follow asks the source of a claim for the backends until ctx ends.
func (q *queue) follow(ctx context.Context, c *claim) {
	ticker := time.NewTicker(sourcePause)
	defer ticker.Stop()
	failed := false
	for {
		found, err := ask(ctx, c.source)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !failed {
			c.log.Warn("queue: the source of backends has failed; those that are known stay", "queue", q.name, "error", err)
		}
		if failed = err != nil; !failed {
			q.use(c, found)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// use makes the backends of a claim those that its source has found.
func (q *queue) use(c *claim, found []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.found != nil && slices.Equal(found, c.found) {
		return
	}
	c.found = found
	if n := len(q.claims); n == 0 || q.claims[n-1] != c {
		return
	}
	if err := q.transport.Set(c.urls()); err != nil {
		c.log.Warn("queue: backends that the source has found cannot be used", "queue", q.name, "error", err)
	}
}

// ask returns the dial addresses that a source has found, sorted. The request that it wants is one
// of no client: its placeholders have no values.
func ask(ctx context.Context, source reverseproxy.UpstreamSource) ([]string, error) {
	ctx = context.WithValue(ctx, caddy.ReplacerCtxKey, caddy.NewReplacer())
	ctx = context.WithValue(ctx, caddyhttp.VarsCtxKey, map[string]any{})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/", nil)
	if err != nil {
		return nil, err
	}
	all, err := source.GetUpstreams(req)
	if err != nil {
		return nil, err
	}
	found := []string{}
	for _, u := range all {
		found = append(found, u.Dial)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
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
