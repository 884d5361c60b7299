package dispatchhttp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/dispatch/health"
)

// ErrAttemptTimeout is returned if a backend does not respond within [AttemptTimeout]. It is a
// timeout as defined by [net.Error].
var ErrAttemptTimeout error = &timeoutError{"dispatchhttp: the backend did not respond in time"}

// ErrResponseIdle is returned if a backend sends nothing for [ResponseIdle] within a response. It
// is a timeout as defined by [net.Error].
var ErrResponseIdle error = &timeoutError{"dispatchhttp: the backend was silent for too long within its response"}

type timeoutError struct{ text string }

func (e *timeoutError) Error() string { return e.text }
func (*timeoutError) Timeout() bool   { return true }
func (*timeoutError) Temporary() bool { return true }

// errOpaque is returned for a request whose URL has no path, like http:x, and so cannot be sent to
// a backend.
var errOpaque = errors.New("dispatchhttp: the URL of the request has no path, and must have one")

// A Transport sends requests to backends, with at most c in flight at each. It is an
// [http.RoundTripper], for clients and for [net/http/httputil.ReverseProxy].
//
// A request gets a slot of an idle backend, each with the same probability, or, if none is idle, of
// any backend with a free slot. Otherwise it waits, and the oldest goes first. So no request waits
// while a backend has a free slot. A slot is held until the body of the response is read to its end
// or closed, and that of an upgraded connection until the connection is closed: a body that is
// never closed holds its slot forever.
//
// Scheme, host and path prefix of the URL are those of the backend. The Host header is that of the
// request, if it has one, as with ReverseProxy. The rest of the path and the query are sent as they
// were written.
//
// Oldest is by start: the time of [WithStart], or the call of RoundTrip. A retried request keeps
// its age. If its context ends while it waits, it leaves the queue in constant time.
//
// A failed request is retried, at another backend if one has a free slot, if no connection was made
// and nothing of its body was read; or if it is idempotent by its method (GET, HEAD, OPTIONS,
// TRACE, PUT, DELETE) or an Idempotency-Key header, and its body can be read again by GetBody. It
// is not retried once there is a response; but see [RetryRefused].
//
// A response whose status is not from 200 to 999, or that switches to another protocol than the
// requested one, is an error.
//
// A backend that fails (no connection, an incomplete or invalid response, [AttemptTimeout],
// [FailOn]) is ejected, from 100 ms to 30 s, longer after each consecutive failure. After that it
// is half-open: it gets a single request, and another each time that the last backoff passes again,
// until a response makes it healthy; see [Backoff] and [HealthCheck]. While all backends are ejected requests wait. Errors of the client, such as a
// connection that it closes, are not failures of the backend.
//
// At most c is exact for what is sent. A backend that does not notice that a connection was closed,
// because the client went away or the attempt timed out, may still process that request when its
// slot is granted to another.
//
// A step takes constant time under one mutex; a waiting request takes about 240 bytes in addition
// to its own. All methods may be called from several goroutines at once. The only goroutines are
// those of health checks, of the [Base], and of request bodies that are being read.
type Transport struct {
	scheduler *scheduler
	base      http.RoundTripper
	traces    bool // base supports httptrace
	ownBase   bool
	options   atomic.Pointer[transportOptions] // replaced by Configure
}

// NewTransport returns a Transport over backends, of which there may be none at first. It returns
// an error if a backend is not a URL with http or https, a host and optionally a path, or if one
// occurs twice.
func NewTransport(backends []*url.URL, opts ...TransportOption) (*Transport, error) {
	o := newTransportOptions(opts)
	t := &Transport{scheduler: newScheduler(&o.schedulerOptions, rand.Uint64()), base: o.base}
	t.options.Store(o)
	if t.base == nil {
		t.base, t.ownBase = newBase(o), true
	}
	_, t.traces = t.base.(*http.Transport)
	t.setBackendOptions(o)
	if err := t.Set(backends); err != nil {
		return nil, err
	}
	return t, nil
}

func newBase(o *transportOptions) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	most := o.capacity
	for _, c := range o.capacities {
		most = max(most, c)
	}
	base := &http.Transport{
		DialContext:           dialer.DialContext,
		MaxIdleConnsPerHost:   most,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		ForceAttemptHTTP2:     true,
	}
	if o.unencryptedH2 {
		base.Protocols = new(http.Protocols)
		base.Protocols.SetHTTP2(true)
		base.Protocols.SetUnencryptedHTTP2(true)
	}
	return base
}

// RoundTrip sends a request to a backend when one has a free slot, and returns the response.
// Without a slot the error is [dispatch.ErrFull], [dispatch.ErrTooOld], [dispatch.ErrClosed], or
// that of the request's context.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body := &requestBody{req: req}
	if req.URL == nil || req.URL.Opaque != "" {
		body.finish(true)
		return nil, errOpaque
	}
	o := t.options.Load()
	ctx := req.Context()
	start, known := StartOf(ctx)
	if !known {
		start = time.Now()
	}
	held, err := t.scheduler.acquire(ctx, start)
	for attempt := 1; err == nil; attempt++ {
		var res *http.Response
		res, err = t.attempt(o, req, body, held, start)
		refused := err == nil && o.retryRefused && res.StatusCode == http.StatusTooManyRequests
		if err == nil && !(refused && attempt < o.attempts && body.replayable()) {
			body.finish(false)
			return t.deliver(ctx, o, res, body, held), nil
		}
		switch {
		case refused:
			discard(res)
			held, err = t.scheduler.retry(ctx, held, health.Neutral)
			continue
		case ctx.Err() != nil:
			t.scheduler.finish(held, health.Neutral, canceled)
			err = ctx.Err() // even if something else failed at the same time: the error returned is the one counted
		case !t.blames(body):
			t.scheduler.finish(held, health.Neutral, failed)
		default:
			t.warn(held, err)
			if attempt < o.attempts && mayRepeat(req, body, err) {
				held, err = t.scheduler.retry(ctx, held, health.Failure)
				continue
			}
			t.scheduler.finish(held, health.Failure, failed)
		}
		break
	}
	body.finish(true)
	return nil, err
}

func (t *Transport) warn(held slot, err error) {
	if log := t.options.Load().log; log != nil {
		log.Warn("dispatchhttp: a backend has failed", "backend", held.backend.url.String(), "error", err)
	}
}

// discard drops a response. If it is short and arrives at once its connection can be reused.
func discard(res *http.Response) {
	timer := time.AfterFunc(100*time.Millisecond, res.Body.(*cancelBody).cancel)
	io.CopyN(io.Discard, res.Body, 4<<10)
	timer.Stop()
	res.Body.Close()
}

// attempt sends a request to the backend of a slot. Closing the body of the response cancels the
// context of the attempt.
func (t *Transport) attempt(
	o *transportOptions, req *http.Request, body *requestBody, held slot, start time.Time,
) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	b, err := body.next(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	if t.traces {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GetConn: func(string) { body.sought.Store(true) },
		})
	}
	inTime := func() bool { return true }
	if o.attemptTimeout > 0 {
		inTime = time.AfterFunc(o.attemptTimeout, func() {
			body.expire()
			cancel()
		}).Stop
	}
	out := req.WithContext(ctx)
	out.Body = b
	out.URL = locate(held.backend.url, req.URL, cmp.Or(req.Host, held.backend.url.Host))
	if _, there := req.Header[StartHeader]; there || o.sendStart {
		out.Header = req.Header.Clone()
		if out.Header == nil {
			out.Header = http.Header{}
		}
		delete(out.Header, StartHeader)
		if o.sendStart {
			out.Header[StartHeader] = []string{FormatStart(start)}
		}
	}
	res, err := t.send(out, held, cancel)
	if !inTime() && req.Context().Err() == nil {
		if err == nil {
			res.Body.Close() // it arrived as the context ended
		}
		res, err = nil, ErrAttemptTimeout
	}
	if err == nil {
		if err = checkResponse(req, res); err != nil {
			res.Body.Close()
		}
	}
	if err != nil {
		cancel()
		return nil, err
	}
	res.Request = req
	res.Body = &cancelBody{res.Body, cancel}
	return res, nil
}

// send calls the base. If the base panics or calls runtime.Goexit, the slot is released.
func (t *Transport) send(req *http.Request, held slot, cancel func()) (*http.Response, error) {
	returned := false
	defer func() {
		if !returned {
			cancel()
			t.scheduler.finish(held, health.Neutral, failed)
		}
	}()
	res, err := t.base.RoundTrip(req)
	returned = true
	return res, err
}

// deliver wraps the body of a response so that it releases the slot.
func (t *Transport) deliver(
	ctx context.Context, o *transportOptions, res *http.Response, sent *requestBody, held slot,
) *http.Response {
	fails := slices.Contains(o.failOn, res.StatusCode)
	if !fails {
		t.scheduler.responded(held)
	}
	end := func(err error) {
		v, out := health.Neutral, completed
		switch {
		case fails:
			v = health.Failure
		case err == io.EOF:
			v = health.Success
		case err == nil:
		case ctx.Err() != nil:
			out = canceled
		case !t.blames(sent):
			out = broken
		default:
			v, out = health.Failure, broken
		}
		if v == health.Failure {
			t.warn(held, errors.Join(err, errors.New(res.Status)))
		}
		t.scheduler.finish(held, v, out)
	}
	body := res.Body.(*cancelBody)
	rw, both := body.ReadCloser.(io.ReadWriteCloser)
	switch {
	case res.StatusCode == http.StatusSwitchingProtocols && both:
		res.Body = newUpgradedBody(rw, body.cancel, end, o.responseIdle)
	case body.ReadCloser == http.NoBody:
		body.cancel()
		end(io.EOF)
		res.Body = http.NoBody
	default:
		res.Body = &responseBody{cancelBody: body, end: end, sent: sent, idle: o.responseIdle}
	}
	return res
}

// blames reports whether an error, before or within the response, is a failure of the backend, and
// not of the client, whose body broke off or is late, or whose request cannot be sent at all. After
// a body has broken off whatever fails is its consequence.
func (t *Transport) blames(body *requestBody) bool {
	return !body.broken() && (!t.traces || body.sought.Load())
}

// mayRepeat reports whether a failed request may be sent again.
func mayRepeat(req *http.Request, body *requestBody, err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	if ok && op.Op == "dial" && !body.begun() {
		return true // no server has seen any of it
	}
	return idempotent(req) && body.replayable()
}

func idempotent(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	return len(req.Header["Idempotency-Key"]) > 0
}
