package caddyqueue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"golang.org/x/net/http/httpguts"

	"github.com/almanac-sim/almanac/dispatch/dispatchhttp"
)

// An attempt is a request in the handler: the slot that it holds, and what became of the last time
// that it was sent. The proxy calls, in the goroutine of the request,
//
//	ServeHTTP ─▶ selector.Select ─▶ transport.RoundTrip ─▶ the response is copied ─▶ end
//	                   ▲                    │ failed, and may be sent again
//	                   └────────────────────┘
//
// Select takes the slot, and takes another one after a failure. end releases it.
type attempt struct {
	handler  *Handler
	arrived  time.Time
	waited   time.Duration
	slot     *dispatchhttp.Slot
	refused  error // there is no slot
	err      error // of the backend, since Select
	body     *requestBody
	response responseBody
}

// attemptKey is the key of the attempt in the context of a request.
type attemptKey struct{}

// leave ends the response for what runs after it, and releases the slot.
func (a *attempt) leave() {
	if a.response.ReadCloser != nil {
		a.response.Close()
	}
	if a.slot != nil {
		a.slot.Release(a.err)
	}
}

// end releases the slot. Without a return the response has broken off: if it was not the backend
// that failed it was the client.
func (a *attempt) end(returned bool) {
	if a.slot == nil {
		return
	}
	if a.err == nil && !returned {
		a.err = context.Canceled
	}
	a.slot.Release(a.err)
}

// fail notes an error, before or within the response. It says nothing about the backend if the
// client has gone, if its body has broken off, or if it is late with its body and the backend is
// silent meanwhile: whatever fails then is a consequence.
func (a *attempt) fail(ctx context.Context, err error) {
	a.err = err
	if ctx.Err() != nil || a.body != nil && (a.body.broken.Load() || a.body.awaited.Load() && isTimeout(err)) {
		a.err = fmt.Errorf("%w: %w", context.Canceled, err)
	}
}

func isTimeout(err error) bool {
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout()
}

// placeholder returns the values of the placeholders of the handler.
func (a *attempt) placeholder(key string) (any, bool) {
	switch key {
	case "http.queue.name", "http.capped.queue":
		return a.handler.Name, true
	case "http.queue.wait", "http.capped.wait":
		return a.waited, true
	case "http.queue.wait_ms", "http.capped.wait_ms":
		return a.waited.Seconds() * 1e3, true
	}
	return nil, false
}

// mayRepeat reports whether the body of the request, if it has one, can be sent again. Whether it
// is idempotent was decided before, by the retry_match of the proxy.
func (a *attempt) mayRepeat(r *http.Request) bool {
	if a.body == nil || !a.body.read.Load() {
		return true
	}
	// The proxy sends a body again if it has buffered all of it.
	most := a.handler.Proxy.RequestBuffers
	return most < 0 || r.ContentLength >= 0 && r.ContentLength < most
}

// A selector is the selection policy of the proxy: it waits for a slot. The pool is that of the
// configuration; if a reload has changed the list of backends meanwhile, the slot may be of a
// backend that is not in it.
type selector struct{ handler *Handler }

// Select returns the backend of the slot, or nil if there is none.
func (s selector) Select(
	_ reverseproxy.UpstreamPool, r *http.Request, _ http.ResponseWriter,
) *reverseproxy.Upstream {
	a := r.Context().Value(attemptKey{}).(*attempt)
	switch {
	case a.refused != nil:
		return nil
	case a.slot == nil:
		a.slot, a.refused = s.handler.queue.transport.Acquire(r.Context())
	case !a.mayRepeat(r):
		return nil
	default:
		a.refused = a.slot.Retry(a.err)
	}
	a.waited = time.Since(a.arrived)
	if a.refused != nil {
		a.slot = nil
		return nil
	}
	a.err, a.body = nil, nil
	dial := a.slot.Backend().Host
	if u, ok := s.handler.upstreams[dial]; ok {
		return u.Upstream
	}
	return &reverseproxy.Upstream{Dial: dial, Host: new(reverseproxy.Host)}
}

// A transport notes what becomes of attempts, around the transport of the proxy.
type transport struct{ http.RoundTripper }

// RoundTrip sends a request to the backend of its slot. The request is a copy that belongs to the
// proxy.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	a, ok := req.Context().Value(attemptKey{}).(*attempt)
	if !ok {
		return t.RoundTripper.RoundTrip(req)
	}
	if req.Body != nil && req.Body != http.NoBody {
		a.body = &requestBody{ReadCloser: req.Body}
		req.Body = a.body
	}
	res, err := t.RoundTripper.RoundTrip(req)
	if err == nil {
		if err = checkResponse(req, res); err != nil {
			res.Body.Close()
		}
	}
	if err != nil {
		a.fail(req.Context(), err)
		if !canBeSent(req) {
			a.err = fmt.Errorf("%w: %w", context.Canceled, err)
		}
		return nil, err
	}
	a.slot.Responded(res.StatusCode)
	switch {
	case res.StatusCode == http.StatusSwitchingProtocols:
	case res.Body != http.NoBody:
		a.response = responseBody{ReadCloser: res.Body, ctx: req.Context(), attempt: a}
		res.Body = &a.response
	case !a.handler.repeatsResponses:
		a.slot.Release(nil)
	}
	return res, nil
}

// The proxy asks its transport for these, if it has them.

// ProxyProtocolEnabled is that of the transport of the proxy.
func (t *transport) ProxyProtocolEnabled() bool {
	p, ok := t.RoundTripper.(reverseproxy.ProxyProtocolTransport)
	return ok && p.ProxyProtocolEnabled()
}

// RequiresContentLength is that of the transport of the proxy.
func (t *transport) RequiresContentLength() bool {
	c, ok := t.RoundTripper.(reverseproxy.ContentLengthRequiredTransport)
	return ok && c.RequiresContentLength()
}

// checkResponse refuses responses that the proxy cannot pass on: net/http panics if a handler
// writes an invalid status, and the proxy responds with an empty 200 if the backend switches to a
// protocol that was not requested.
func checkResponse(req *http.Request, res *http.Response) error {
	if res.StatusCode == http.StatusSwitchingProtocols {
		want, got := upgrade(req.Header), upgrade(res.Header)
		if want == "" || !strings.EqualFold(want, got) {
			return fmt.Errorf("queue: the backend switches to protocol %q, and %q was requested", got, want)
		}
		return nil
	}
	if res.StatusCode < 200 || res.StatusCode > 999 {
		return fmt.Errorf("queue: the backend responds with the invalid status %d", res.StatusCode)
	}
	return nil
}

func upgrade(h http.Header) string {
	if !httpguts.HeaderValuesContainsToken(h["Connection"], "Upgrade") {
		return ""
	}
	return h.Get("Upgrade")
}

// canBeSent reports whether net/http sends a request at all: a header may be invalid if it was
// configured with a placeholder, whose value the client has chosen. It is called after errors only.
func canBeSent(req *http.Request) bool {
	for _, h := range []http.Header{req.Header, req.Trailer} {
		for name, values := range h {
			if !httpguts.ValidHeaderFieldName(name) {
				return false
			}
			for _, v := range values {
				if !httpguts.ValidHeaderFieldValue(v) {
					return false
				}
			}
		}
	}
	return req.URL.Host != "" && httpguts.ValidHostHeader(req.Host)
}

// A requestBody notes whether something was read, whether a Read waits for the client, or waited for
// it when the transport gave up and closed the body, and whether the client broke it off. The
// transport reads it in another goroutine.
type requestBody struct {
	io.ReadCloser
	read, awaited, broken, closed atomic.Bool
}

func (b *requestBody) Close() error {
	b.closed.Store(true)
	return b.ReadCloser.Close()
}

func (b *requestBody) Read(p []byte) (int, error) {
	b.awaited.Store(true)
	n, err := b.ReadCloser.Read(p)
	if !b.closed.Load() {
		b.awaited.Store(false)
	}
	if n > 0 && !b.read.Load() {
		b.read.Store(true)
	}
	if err != nil && err != io.EOF {
		b.broken.Store(true)
	}
	return n, err
}

// A responseBody notes whether the backend broke it off, and releases the slot at its end; but if
// the proxy may send the request again because of a response, the request keeps its slot.
type responseBody struct {
	io.ReadCloser
	ctx     context.Context
	attempt *attempt
}

func (b *responseBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil:
	case err != io.EOF:
		b.attempt.fail(b.ctx, err)
	case !b.attempt.handler.repeatsResponses:
		b.attempt.slot.Release(nil)
	}
	return n, err
}

var (
	_ reverseproxy.Selector                       = selector{}
	_ reverseproxy.ProxyProtocolTransport         = (*transport)(nil)
	_ reverseproxy.ContentLengthRequiredTransport = (*transport)(nil)
)
