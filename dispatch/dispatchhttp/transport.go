package dispatchhttp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"time"
)

// ErrTryTimeout says that a backend did not answer within [TryTimeout]. It is a timeout as package net has them.
var ErrAttemptTimeout error = &timeoutError{"dispatchhttp: the backend did not answer in time"}

// ErrAnswerIdle says that a backend was silent for as long as [AnswerIdle] in the middle of its answer. It is a timeout as package net has them.
var ErrResponseIdle error = &timeoutError{"dispatchhttp: the backend was silent for too long in the middle of its answer"}

type timeoutError struct{ text string }

func (e *timeoutError) Error() string { return e.text }
func (*timeoutError) Timeout() bool   { return true }
func (*timeoutError) Temporary() bool { return true }

// ErrOpaque says that a request has a URL without a path, like http:x, which cannot be asked of a backend.
var ErrOpaque = errors.New("dispatchhttp: the URL of the request has no path, and must have one")

// A Transport sends requests to backends, at most c in flight at each: an [http.RoundTripper], for clients and for [net/http/httputil.ReverseProxy].
// A request gets a slot of an idle backend, any of them with the same probability, or if none is idle of any that has a slot; if there is none it
// waits, and the oldest goes first. So no request waits while a backend has a slot. A slot is held until the body of the answer was read to its end or is
// closed, and that of an upgraded connection until it is closed: a body that is never closed holds its slot for ever.
//
// Scheme, host and path prefix of the URL are the backend's; the Host header is the request's own, if it has one, as with ReverseProxy. The rest of the path and the
// query are sent as they were written.
//
// Oldest is by birth: what [WithBirth] says, or when RoundTrip was called; a request that is tried again keeps its age. While it waits its context governs:
// when that ends it is taken out, in constant time.
//
// A request is tried again, at another backend if one has a slot, if no connection was made and nothing of its body was read, or if it is idempotent by its method
// (GET, HEAD, OPTIONS, TRACE, PUT, DELETE) or says so by an Idempotency-Key header, and its body can be had again by GetBody. Once there is
// an answer, it is the answer; but see [RetryRefused].
//
// A response whose status is not from 200 to 999, or that switches to another protocol than exactly the one that was asked for, is an error.
//
// A backend that fails (no connection, an answer that breaks off or is an error, [TryTimeout], [FailOn]) is sent to rest, from 100 ms to 30 s, longer each time, and then
// gets one request to show that it works; see [Rest] and [HealthCheck]. While all rest requests wait. What the client does wrong, such as to
// go away, is not the backend's failure.
//
// At most c is exact for what is sent. A backend that does not notice that a connection was closed, since its client went away or the try took too
// long, may still be at work on that request when the slot goes to another.
//
// A step takes constant time under one mutex; a request that waits takes about 240 bytes beside its own. All methods may be called from several
// goroutines at once. There are no goroutines but those of checks and of the [Base].
type Transport struct {
	scheduler *scheduler
	base      http.RoundTripper
	traces    bool // base says by httptrace that it looks for a connection
	ownBase   bool
	o         *transportOptions
}

// NewTransport makes one over backends, of which there may be none at first. It returns an error that names the backend that is not a URL with
// http or https, a host, and perhaps a path, or that is there twice.
func NewTransport(backends []*url.URL, opts ...TransportOption) (*Transport, error) {
	o := gatherTransport(opts)
	t := &Transport{scheduler: newScheduler(&o.schedulerOptions, o.seed), base: o.base, o: o}
	if t.base == nil {
		t.base, t.ownBase = newBase(o), true
	}
	_, t.traces = t.base.(*http.Transport)
	t.scheduler.firstBackoff, t.scheduler.maxBackoff = o.firstBackoff, o.maxBackoff
	if o.checkPath != nil {
		t.scheduler.check, t.scheduler.interval = t.check, o.checkInterval
	}
	if err := t.Set(backends); err != nil {
		return nil, err
	}
	return t, nil
}

func newBase(o *transportOptions) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	base := &http.Transport{
		DialContext:           dialer.DialContext,
		MaxIdleConnsPerHost:   o.capacity,
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

// RoundTrip sends a request to a backend when one has a slot, and returns its answer. Errors before that are [dispatch.ErrFull], [dispatch.ErrTooOld],
// [dispatch.ErrClosed], and that of the request's context.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body := &requestBody{req: req}
	if req.URL == nil || req.URL.Opaque != "" {
		body.finish(true)
		return nil, ErrOpaque
	}
	ctx := req.Context()
	birth, known := StartOf(ctx)
	if !known {
		birth = time.Now()
	}
	tk, err := t.scheduler.acquire(ctx, birth)
	for try := 1; err == nil; try++ {
		var res *http.Response
		res, err = t.attempt(req, body, tk, birth)
		refused := err == nil && t.o.retryRefused && res.StatusCode == http.StatusTooManyRequests
		if err == nil && !(refused && try < t.o.attempts && body.replayable()) {
			body.finish(false)
			return t.deliver(ctx, res, tk), nil
		}
		switch {
		case refused:
			discard(res)
			tk, err = t.scheduler.retry(ctx, tk, neutral)
			continue
		case ctx.Err() != nil:
			t.scheduler.finish(tk, neutral, canceled)
			err = ctx.Err() // whatever else went wrong at the same time: what is returned is what is counted
		case !t.blames(err, body):
			t.scheduler.finish(tk, neutral, failed)
		default:
			t.warn(tk, err)
			if try < t.o.attempts && mayRepeat(req, body, err) {
				tk, err = t.scheduler.retry(ctx, tk, failure)
				continue
			}
			t.scheduler.finish(tk, failure, failed)
		}
		break
	}
	body.finish(true)
	return nil, err
}

func (t *Transport) warn(tk slot, err error) {
	if t.o.log != nil {
		t.o.log.Warn("dispatchhttp: a backend has failed", "backend", tk.server.url.String(), "error", err)
	}
}

// discard has done with an answer that nobody wants. If it is short, and there at once, its connection can be used again.
func discard(res *http.Response) {
	timer := time.AfterFunc(100*time.Millisecond, res.Body.(*cancelBody).cancel)
	io.CopyN(io.Discard, res.Body, 4<<10)
	timer.Stop()
	res.Body.Close()
}

// try sends a request to the backend of a ticket. The body of an answer ends the try's context.
func (t *Transport) attempt(req *http.Request, body *requestBody, tk slot, birth time.Time) (*http.Response, error) {
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
	if t.o.attemptTimeout > 0 {
		inTime = time.AfterFunc(t.o.attemptTimeout, cancel).Stop
	}
	out := req.WithContext(ctx)
	out.Body = b
	out.URL = locate(tk.server.url, req.URL, cmp.Or(req.Host, tk.server.url.Host))
	if _, there := req.Header[StartHeader]; there || t.o.sendStart {
		out.Header = req.Header.Clone()
		if out.Header == nil {
			out.Header = http.Header{}
		}
		delete(out.Header, StartHeader)
		if t.o.sendStart {
			out.Header[StartHeader] = []string{FormatStart(birth)}
		}
	}
	res, err := t.send(out, tk, cancel)
	if !inTime() && req.Context().Err() == nil {
		if err == nil {
			res.Body.Close() // it came as the context ended
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

// send calls the base. If the base panics, or ends its goroutine, the slot is given back.
func (t *Transport) send(req *http.Request, tk slot, cancel func()) (*http.Response, error) {
	returned := false
	defer func() {
		if !returned {
			cancel()
			t.scheduler.finish(tk, neutral, failed)
		}
	}()
	res, err := t.base.RoundTrip(req)
	returned = true
	return res, err
}

// answer has an answer's body give back the slot.
func (t *Transport) deliver(ctx context.Context, res *http.Response, tk slot) *http.Response {
	fails := slices.Contains(t.o.failOn, res.StatusCode)
	if !fails {
		t.scheduler.responded(tk)
	}
	end := func(err error) {
		v, o := neutral, completed
		switch {
		case fails:
			v = failure
		case err == io.EOF:
			v = success
		case err == nil:
		case ctx.Err() != nil:
			o = canceled
		default:
			v, o = failure, broken
		}
		if v == failure {
			t.warn(tk, errors.Join(err, errors.New(res.Status)))
		}
		t.scheduler.finish(tk, v, o)
	}
	body := res.Body.(*cancelBody)
	rw, both := body.ReadCloser.(io.ReadWriteCloser)
	switch {
	case res.StatusCode == http.StatusSwitchingProtocols && both:
		res.Body = newUpgradedBody(rw, body.cancel, end, t.o.responseIdle)
	case body.ReadCloser == http.NoBody:
		body.cancel()
		end(io.EOF)
		res.Body = http.NoBody
	default:
		res.Body = &responseBody{cancelBody: body, end: end, idle: t.o.responseIdle}
	}
	return res
}

// blames reports whether a try's error is the backend's, and not that of the client whose body broke off, or is slow to come, or whose request cannot be
// sent anywhere.
func (t *Transport) blames(err error, body *requestBody) bool {
	if err == ErrAttemptTimeout {
		return !body.awaited()
	}
	return !body.broken() && (!t.traces || body.sought.Load())
}

// mayRepeat reports whether a request that has failed may be sent once more.
func mayRepeat(req *http.Request, body *requestBody, err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	if ok && op.Op == "dial" && !body.begun() {
		return true // nobody has seen any of it
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
