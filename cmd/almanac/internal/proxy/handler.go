package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/capped/cappedhttp"
)

// A Proxy is the handler: requests come in, go to backends, and answers go out.
type Proxy struct {
	log       *slog.Logger
	transport *cappedhttp.Transport
	base      *http.Transport
	limiter   *cappedhttp.Limiter // nil without --limit
	forward   *httputil.ReverseProxy
	budget    budget
	now       atomic.Pointer[settings]
	counts    counts
	active    atomic.Int64
	upgraded  atomic.Int64
	draining  atomic.Bool
}

// settings are what may change while a proxy runs. A request has those of when it came.
type settings struct {
	trusted                           []netip.Prefix
	maxBody, bodyBuffer, answerBuffer Size
	clientIdle                        time.Duration
	minRate                           Size
	maxRequests                       int
	plain                             bool // plain requests can go by the lane
}

// New makes one for a Config that was checked.
func New(c Config, log *slog.Logger) (*Proxy, error) {
	urls, err := c.urls()
	if err != nil {
		return nil, err
	}
	p := &Proxy{log: log}
	p.budget.total = int64(c.BufferMemory)
	if p.base, err = newBase(&c); err != nil {
		return nil, err
	}
	options := []cappedhttp.TransportOption{
		cappedhttp.Base(p.base), cappedhttp.Capacity(c.Capacity), cappedhttp.PoolLimit(c.Room), cappedhttp.MaxWait(c.MaxWait),
		cappedhttp.Tries(c.Tries), cappedhttp.TryTimeout(c.TryTimeout), cappedhttp.AnswerIdle(c.BackendIdle),
		cappedhttp.Rest(c.Rest, c.LongestRest), cappedhttp.FailOn(c.FailOn...), cappedhttp.Logger(log),
	}
	if c.Health != "" {
		options = append(options, cappedhttp.HealthCheck(c.Health, c.HealthEvery))
	}
	if c.SendBirth {
		options = append(options, cappedhttp.SendBirth())
	}
	if c.RetryRefused {
		options = append(options, cappedhttp.RetryRefused())
	}
	if p.transport, err = cappedhttp.NewTransport(urls, options...); err != nil {
		return nil, err
	}
	p.forward = &httputil.ReverseProxy{
		Rewrite: p.rewrite, Transport: tripper{p}, ErrorHandler: p.fail, BufferPool: pool{},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	if c.Limit > 0 {
		p.limiter = cappedhttp.Limit(http.HandlerFunc(behindLimit), cappedhttp.Capacity(c.Limit), cappedhttp.PoolLimit(c.LimitRoom),
			cappedhttp.MaxWait(c.MaxWait), cappedhttp.TrustBirth(p.trusts, c.OldestBirth), cappedhttp.Logger(log))
	}
	return p, p.set(&c)
}

// newBase is what sends requests to backends.
func newBase(c *Config) (*http.Transport, error) {
	base := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: c.DialTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:    c.DialTimeout,
		MaxIdleConnsPerHost:    c.Capacity,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: int64(c.MaxHeader),
		DisableCompression:     true, // what the client and the backend agree on is theirs
		ForceAttemptHTTP2:      true,
	}
	if c.BackendH2C {
		base.Protocols = new(http.Protocols)
		base.Protocols.SetHTTP2(true)
		base.Protocols.SetUnencryptedHTTP2(true)
	}
	if c.BackendCA != "" {
		text, err := os.ReadFile(c.BackendCA)
		if err != nil {
			return nil, Problem{Setting: "backend-ca", Text: err.Error()}
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			return nil, Problem{Setting: "backend-ca", Text: fmt.Sprintf("%s has no certificate in PEM, as -----BEGIN CERTIFICATE-----", c.BackendCA)}
		}
		base.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return base, nil
}

// set takes over what may change while the proxy runs.
func (p *Proxy) set(c *Config) error {
	urls, err := c.urls()
	if err != nil {
		return err
	}
	trusted, err := c.trusted()
	if err != nil {
		return err
	}
	if err := p.transport.Set(urls); err != nil {
		return err
	}
	p.now.Store(&settings{
		trusted: trusted, maxBody: c.MaxBody, bodyBuffer: c.BodyBuffer, answerBuffer: c.AnswerBuffer,
		clientIdle: c.ClientIdle, minRate: c.MinRate, maxRequests: c.MaxRequests, plain: lanePlain(c),
	})
	return nil
}

// trusts reports whether a request came straight from a proxy that is believed.
func (p *Proxy) trusts(r *http.Request) bool {
	return cappedhttp.TrustedNetworks(p.now.Load().trusted...)(r)
}

type settingsKey struct{}

// errMalformed says that a body could not be read: it is not as it should be, or breaks off.
var errMalformed = errors.New("proxy: the body of the request breaks off")

// ServeHTTP has a request answered by a backend, or says why not.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := p.now.Load()
	control := http.NewResponseController(w)
	pace := pace{idle: s.clientIdle, rate: float64(s.minRate)}
	out := &pacedWriter{ResponseWriter: w, pace: pace, control: control, streams: r.ProtoMajor == 2, upgraded: &p.upgraded}
	// The server forgets a Transfer-Encoding in HTTP/1.0; who is in front of us may not. What comes after such a request on its connection may be meant to be its body, and is
	// not read. Nor is what comes after a chunked one, or one for a WebSocket, which is not watched.
	out.close = r.ProtoMajor == 1 && (r.ProtoMinor == 0 || len(r.TransferEncoding) > 0 || slices.ContainsFunc(r.Header["Upgrade"], asksForSocket))
	out.final = r.ProtoMajor == 1 && r.ProtoMinor == 0
	active := p.active.Add(1)
	defer p.end(out)
	if active > int64(s.maxRequests) {
		out.refuse(&p.counts.crowded, http.StatusServiceUnavailable)
		return
	}
	if p.refused(out, r) {
		return
	}
	onlyWebSocket(r)
	if r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0 {
		if r.ContentLength > int64(s.maxBody) {
			out.refuse(&p.counts.large, http.StatusRequestEntityTooLarge)
			return
		}
		body := &pacedReader{ReadCloser: r.Body, pace: pace, most: int64(s.maxBody), control: control, streams: r.ProtoMajor == 2}
		defer body.finish()
		r.Body = body
		release, err := p.takeIn(r, body, s)
		defer release()
		if err != nil {
			p.fail(out, r, fmt.Errorf("%w: %w", errMalformed, err))
			return
		}
	}
	p.forward.ServeHTTP(out, r.WithContext(context.WithValue(r.Context(), settingsKey{}, s)))
}

// end is what follows every request.
func (p *Proxy) end(out *pacedWriter) {
	p.active.Add(-1)
	why := recover()
	if out.hijacked {
		p.upgraded.Add(-1)
		p.counts.status(http.StatusSwitchingProtocols, false)
		return // the connection is not the server's any more
	}
	if why != nil && why != http.ErrAbortHandler {
		p.log.Error("proxy: a request made the proxy panic", "panic", why, "stack", string(debug.Stack()))
		if out.status == 0 {
			out.close = true
			http.Error(out, "internal error", http.StatusInternalServerError)
			why = nil
		}
	}
	p.counts.status(out.status, why != nil)
	out.control.SetWriteDeadline(time.Now().Add(out.idle)) // for what is not flushed yet
	if why != nil {
		panic(http.ErrAbortHandler)
	}
}

// refuse answers for the backends.
func (w *pacedWriter) refuse(n *atomic.Uint64, status int) {
	n.Add(1)
	refuse(w, status)
}

func refuse(w http.ResponseWriter, status int) {
	switch status {
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
	}
	http.Error(w, strings.ToLower(http.StatusText(status)), status)
}

// fail answers when no backend did.
func (p *Proxy) fail(w http.ResponseWriter, r *http.Request, err error) {
	out := w.(*pacedWriter)
	large, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(err, errSlow):
		out.close = true
		out.refuse(&p.counts.slow, http.StatusRequestTimeout)
	case tooLarge:
		out.close = true
		p.log.Debug("proxy: a body is too large", "limit", large.Limit)
		out.refuse(&p.counts.large, http.StatusRequestEntityTooLarge)
	case r.Context().Err() != nil && !p.draining.Load():
		p.counts.gone.Add(1)
		panic(http.ErrAbortHandler) // nobody is there to read an answer
	case errors.Is(err, errMalformed):
		out.close = true
		out.refuse(&p.counts.malformed, http.StatusBadRequest)
	default:
		cappedhttp.ErrorHandler(w, r, err)
	}
}
