package dispatchhttp

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/capped"
	"github.com/almanac-sim/almanac/dispatch/health"
)

// A TransportOption configures a [Transport].
type TransportOption interface{ forTransport(*transportOptions) }

// A LimitOption configures a [Limiter].
type LimitOption interface{ forLimit(*limitOptions) }

// An Option configures either: [Capacity], [PoolLimit], [MaxWait] and [Logger].
type Option interface {
	TransportOption
	LimitOption
}

type schedulerOptions struct {
	capacity  int
	poolLimit int
	maxWait   time.Duration
	log       *slog.Logger
}

type transportOptions struct {
	schedulerOptions
	attempts       int
	attemptTimeout time.Duration
	responseIdle   time.Duration
	rule           health.Rule
	failOn         []int
	capacities     map[string]int
	check          func(context.Context, *url.URL) error // nil: request checkPath
	checkPath      *url.URL
	checkInterval  time.Duration // 0 means no checks
	checkPasses    int
	checkFails     int
	base           http.RoundTripper
	sendStart      bool
	retryRefused   bool
	unencryptedH2  bool
}

type limitOptions struct {
	schedulerOptions
	trusted func(*http.Request) bool
	maxAge  time.Duration
}

const (
	// defaultLoad is the default of dispatch.ExpectedLoad, for which a capacity of 2 is best.
	defaultLoad      = 0.9
	defaultPoolLimit = 1024
	defaultAttempts  = 3
	checkTimeout     = 5 * time.Second
)

func newTransportOptions(opts []TransportOption) *transportOptions {
	o := &transportOptions{
		schedulerOptions: schedulerOptions{capacity: capped.SweetSpot(defaultLoad), poolLimit: defaultPoolLimit},
		attempts:         defaultAttempts, failOn: []int{502, 503, 504},
		rule: health.Rule{After: 1, First: health.First, Most: health.Most},
	}
	for _, opt := range opts {
		opt.forTransport(o)
	}
	return o
}

func newLimitOptions(opts []LimitOption) *limitOptions {
	o := &limitOptions{schedulerOptions: schedulerOptions{
		capacity: capped.SweetSpot(defaultLoad) * runtime.GOMAXPROCS(0), poolLimit: defaultPoolLimit,
	}}
	for _, opt := range opts {
		opt.forLimit(o)
	}
	return o
}

type (
	forBoth      func(*schedulerOptions)
	forTransport func(*transportOptions)
	forLimit     func(*limitOptions)
)

func (f forBoth) forTransport(o *transportOptions)      { f(&o.schedulerOptions) }
func (f forBoth) forLimit(o *limitOptions)              { f(&o.schedulerOptions) }
func (f forTransport) forTransport(o *transportOptions) { f(o) }
func (f forLimit) forLimit(o *limitOptions)             { f(o) }

func demand(good bool, name, want string, got any) {
	if !good {
		panic(fmt.Sprintf("dispatchhttp: %s must be %s, not %v", name, want, got))
	}
}

// Capacity sets c, how many requests a backend, or the handler of a [Limiter], may have at once.
// The default for a backend is [capped.SweetSpot] of a load of 0.9, which is 2, as if it processed
// one request at a time; for a Limiter it is that for each processor.
func Capacity(c int) Option {
	demand(c >= 1, "the capacity", "1 or more", c)
	return forBoth(func(o *schedulerOptions) { o.capacity = c })
}

// Capacities sets the capacity of single backends, by their URL as in [BackendStats]; [Capacity] is
// that of the others. It is also their weight: while requests wait, a backend with twice the slots
// has twice the requests in flight.
func Capacities(by map[string]int) TransportOption {
	by = maps.Clone(by)
	for backend, c := range by {
		demand(c >= 1, "the capacity of "+backend, "1 or more", c)
	}
	return forTransport(func(o *transportOptions) { o.capacities = by })
}

// PoolLimit sets how many requests may wait for a slot. With 0 a request is taken only if a slot is
// free. The default is 1024.
func PoolLimit(n int) Option {
	demand(n >= 0, "the limit of the pool", "0 or more", n)
	return forBoth(func(o *schedulerOptions) { o.poolLimit = n })
}

// MaxWait sets how long a request may wait for a slot, counted from its arrival here and including
// failed attempts. After that a [Transport] returns ErrTooOld of package dispatch, and a [Limiter]
// responds with 429. The default is no limit but the context.
func MaxWait(d time.Duration) Option {
	demand(d > 0, "the longest wait", "above 0", d)
	return forBoth(func(o *schedulerOptions) { o.maxWait = d })
}

// Logger sets a logger. Failures of backends are logged as warnings, and refused requests at debug
// level. The default is silent.
func Logger(l *slog.Logger) Option { return forBoth(func(o *schedulerOptions) { o.log = l }) }

// Attempts sets how often a request is sent at most, if it may be retried: see [Transport]. The
// default is 3.
func Attempts(n int) TransportOption {
	demand(n >= 1, "the number of attempts", "1 or more", n)
	return forTransport(func(o *transportOptions) { o.attempts = n })
}

// AttemptTimeout sets how long a backend may take from the start of an attempt to the header of its
// response. After that the attempt has failed, with [ErrAttemptTimeout] unless the request is
// retried. The time to send the body of the request counts; if the client is late with it, the
// backend has not failed. The default is no limit but the context.
func AttemptTimeout(d time.Duration) TransportOption {
	demand(d > 0, "the timeout of an attempt", "above 0", d)
	return forTransport(func(o *transportOptions) { o.attemptTimeout = d })
}

// ResponseIdle sets how long a backend may be silent while the body of its response is read. After
// that the response breaks off with [ErrResponseIdle], and the backend has failed. An upgraded
// connection is closed if nothing was sent in either direction for that time. The default is no
// limit but the context.
func ResponseIdle(d time.Duration) TransportOption {
	demand(d > 0, "the time that a backend may be silent", "above 0", d)
	return forTransport(func(o *transportOptions) { o.responseIdle = d })
}

// Backoff sets how long a backend is ejected after a failure. The time doubles with each
// consecutive health.Failure, up to most. The default is from 100 ms to 30 s, and most cannot be longer.
func Backoff(first, most time.Duration) TransportOption {
	demand(first > 0 && first <= most, "the first backoff", "above 0 and not above the longest", first)
	demand(most <= health.Most, "the longest backoff", "at most 30 s", most)
	return forTransport(func(o *transportOptions) { o.rule.First, o.rule.Most = first, most })
}

// FailOn sets the statuses of responses that count as failures of the backend. The client gets the
// response all the same. The default is 502, 503 and 504: a backend that responds so at once is idle
// most often, and would get most of the requests. FailOn() means none.
func FailOn(status ...int) TransportOption {
	status = slices.Clone(status)
	for _, code := range status {
		demand(code >= 400 && code <= 599, "the status of a failure", "from 400 to 599", code)
	}
	return forTransport(func(o *transportOptions) { o.failOn = status })
}

// HealthCheck requests a path of every backend at intervals, and after each ejection: the response
// must be 2xx within the interval, and within 5 s. A check needs no slot, so that it works with a
// full backend. The default is to learn the health from requests alone.
func HealthCheck(path string, interval time.Duration) TransportOption {
	demand(strings.HasPrefix(path, "/"), "the path of a check", "one that begins with /", path)
	demand(interval > 0, "the interval of checks", "above 0", interval)
	u, err := url.Parse(path)
	demand(err == nil && u.Host == "", "the path of a check", "one that a URL can have", path)
	return forTransport(func(o *transportOptions) { o.check, o.checkPath, o.checkInterval = nil, u, interval })
}

// Check is as [HealthCheck] with a function that checks a backend. A nil error means that it has
// passed. It runs in a goroutine of its own, must return when its context ends, and should return
// soon in any case, since the next check of the backend comes an interval later.
func Check(f func(ctx context.Context, backend *url.URL) error, interval time.Duration) TransportOption {
	demand(f != nil, "the argument of Check", "a function", "nil")
	demand(interval > 0, "the interval of checks", "above 0", interval)
	return forTransport(func(o *transportOptions) { o.check, o.checkPath, o.checkInterval = f, nil, interval })
}

// CheckCounts sets how many checks in a row must pass before an ejected backend is tried again, and
// how many must fail before a healthy one is ejected. After an ejection by a request, one failed
// check prolongs it. The default is 1 and 1.
func CheckCounts(passes, fails int) TransportOption {
	demand(passes >= 1, "the number of passes", "1 or more", passes)
	demand(fails >= 1, "the number of fails", "1 or more", fails)
	return forTransport(func(o *transportOptions) { o.checkPasses, o.checkFails = passes, fails })
}

// Base sets the RoundTripper that sends requests. The default is an [http.Transport] that keeps as
// many idle connections to a backend as it has slots, uses HTTP/2 with backends that offer it over
// TLS, uses no proxy, and has a timeout of 10 s for connections. With a base that is not an
// http.Transport every error before the end of the context counts as a failure of the backend.
func Base(rt http.RoundTripper) TransportOption {
	demand(rt != nil, "the base", "something that sends requests", "nil")
	return forTransport(func(o *transportOptions) { o.base = rt })
}

// UnencryptedHTTP2 uses HTTP/2 without TLS for backends with http. It has no effect with [Base].
func UnencryptedHTTP2() TransportOption {
	return forTransport(func(o *transportOptions) { o.unencryptedH2 = true })
}

// SendStart sends the start of each request in [StartHeader], for a [Limiter] at the backend that
// trusts it.
func SendStart() TransportOption {
	return forTransport(func(o *transportOptions) { o.sendStart = true })
}

// RetryRefused retries a request at another backend after 429 Too Many Requests, as a [Limiter]
// responds when its queue is full, if the body can be sent again. Use it for backends that have not
// begun a request that they refuse so. There is no pause between attempts; [Attempts] bounds them.
// The client gets the response of the last one.
func RetryRefused() TransportOption {
	return forTransport(func(o *transportOptions) { o.retryRefused = true })
}

// TrustStart makes a [Limiter] use the [StartHeader] of requests for which trusted returns true. A
// start earlier than maxAge ago counts as that old, and one in the future as now, so that a wrong
// clock or a lie gains at most maxAge. The default is to trust no request: its start is its
// arrival.
func TrustStart(trusted func(*http.Request) bool, maxAge time.Duration) LimitOption {
	demand(trusted != nil, "the argument of TrustStart", "a function", "nil")
	demand(maxAge > 0, "the greatest age", "above 0", maxAge)
	return forLimit(func(o *limitOptions) { o.trusted, o.maxAge = trusted, maxAge })
}
