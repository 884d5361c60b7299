package dispatchhttp

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/almanac-sim/almanac/capped"
)

// A TransportOption is something to be said about a [Transport] when it is made.
type TransportOption interface{ forTransport(*transportOptions) }

// A LimitOption is something to be said about a [Limiter] when it is made.
type LimitOption interface{ forLimit(*limitOptions) }

// An Option is for both: [Capacity], [PoolLimit], [MaxWait] and [Logger].
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
	attempts                 int
	attemptTimeout           time.Duration
	responseIdle             time.Duration
	firstBackoff, maxBackoff time.Duration
	failOn                   []int
	checkPath                *url.URL
	checkInterval            time.Duration
	base                     http.RoundTripper
	seed                     uint64
	sendStart                bool
	retryRefused             bool
	unencryptedH2            bool
}

type limitOptions struct {
	schedulerOptions
	trusted func(*http.Request) bool
	maxAge  time.Duration
}

const (
	// defaultLoad is the load that dispatch.Dispatcher expects, for which a buffer of 2 is best.
	defaultLoad         = 0.9
	defaultPoolLimit    = 1024
	defaultAttempts     = 3
	defaultFirstBackoff = 100 * time.Millisecond
	maxBackoff          = 30 * time.Second
	checkTimeout        = 5 * time.Second
)

func gatherTransport(opts []TransportOption) *transportOptions {
	o := &transportOptions{
		schedulerOptions: schedulerOptions{capacity: capped.SweetSpot(defaultLoad), poolLimit: defaultPoolLimit},
		attempts:         defaultAttempts, firstBackoff: defaultFirstBackoff, maxBackoff: maxBackoff, seed: rand.Uint64(),
	}
	for _, opt := range opts {
		opt.forTransport(o)
	}
	return o
}

func gatherLimit(opts []LimitOption) *limitOptions {
	o := &limitOptions{schedulerOptions: schedulerOptions{
		capacity: capped.SweetSpot(defaultLoad) * runtime.GOMAXPROCS(0), poolLimit: defaultPoolLimit,
	}}
	for _, opt := range opts {
		opt.forLimit(o)
	}
	return o
}

// The kinds of options are functions.
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

// Capacity says how many requests a backend, or a [Limiter], may have at once, c. The default for a backend is [capped.SweetSpot] of a load of
// 0.9, which is 2, as if it worked on one request at a time; for a Limiter it is that for each processor.
func Capacity(c int) Option {
	demand(c >= 1, "the capacity", "1 or more", c)
	return forBoth(func(o *schedulerOptions) { o.capacity = c })
}

// PoolLimit says how many requests may wait beside. With 0 one is taken only if there is a slot for it. The default is 1024.
func PoolLimit(n int) Option {
	demand(n >= 0, "the limit of the pool", "0 or more", n)
	return forBoth(func(o *schedulerOptions) { o.poolLimit = n })
}

// MaxWait says how old a request may be, since it came here, and still wait for a slot; with tries that have failed it is as old as they have taken. Then a [Transport] returns [dispatch.ErrTooOld], and a [Limiter] answers
// with 429. The default is as long as its context allows.
func MaxWait(d time.Duration) Option {
	demand(d > 0, "the longest wait", "above 0", d)
	return forBoth(func(o *schedulerOptions) { o.maxWait = d })
}

// Logger says where to write: backends that fail as warnings, and refusals for debugging. The default is nowhere.
func Logger(l *slog.Logger) Option { return forBoth(func(o *schedulerOptions) { o.log = l }) }

// Tries says how often a request is tried at most, where it allows to be tried again: see [Transport]. The default is 3.
func Attempts(n int) TransportOption {
	demand(n >= 1, "the number of tries", "1 or more", n)
	return forTransport(func(o *transportOptions) { o.attempts = n })
}

// TryTimeout says how long a backend has, from when it is given a request until the head of its answer is there. What takes longer has failed,
// with [ErrTryTimeout] unless it can be tried again. The time in which the request's body is sent counts; if it is
// the client that is waited for then, the backend has not failed. The default is as long as the
// context allows.
func AttemptTimeout(d time.Duration) TransportOption {
	demand(d > 0, "the timeout of a try", "above 0", d)
	return forTransport(func(o *transportOptions) { o.attemptTimeout = d })
}

// AnswerIdle says how long a backend may be silent while the body of its answer is being read. Then the answer has broken off, with [ErrAnswerIdle], and
// the backend has failed. An upgraded connection is closed if for that long nothing came from the backend, and nothing was sent to it. The default is as long as the context allows.
func ResponseIdle(d time.Duration) TransportOption {
	demand(d > 0, "the time that a backend may be silent", "above 0", d)
	return forTransport(func(o *transportOptions) { o.responseIdle = d })
}

// Rest says how long a backend is left alone after a failure. The rest doubles with each failure in a row, up to the most. The default is from
// 100 ms to 30 s, and it cannot be longer.
func Backoff(first, most time.Duration) TransportOption {
	demand(first > 0 && first <= most, "the first rest", "above 0 and not above the longest", first)
	demand(most <= maxBackoff, "the longest rest", "at most 30 s", most)
	return forTransport(func(o *transportOptions) { o.firstBackoff, o.maxBackoff = first, most })
}

// FailOn says which answers are failures of the backend too, by their status: 502, 503 or 504, say. They go to the client as they are. The default
// is none: an answer is an answer.
func FailOn(status ...int) TransportOption {
	status = slices.Clone(status)
	for _, code := range status {
		demand(code >= 400 && code <= 599, "the status of a failure", "from 400 to 599", code)
	}
	return forTransport(func(o *transportOptions) { o.failOn = status })
}

// HealthCheck has every backend asked for a path at intervals, and after each rest: it must answer 2xx within the interval, and within 5 s. These
// requests need no slot, so that a backend that is full can be asked. The default is to find out by requests alone.
func HealthCheck(path string, interval time.Duration) TransportOption {
	demand(strings.HasPrefix(path, "/"), "the path of a check", "one that begins with /", path)
	demand(interval > 0, "the interval of checks", "above 0", interval)
	u, err := url.Parse(path)
	demand(err == nil && u.Host == "", "the path of a check", "one that a URL can have", path)
	return forTransport(func(o *transportOptions) { o.checkPath, o.checkInterval = u, interval })
}

// Base says what sends requests. The default is an [http.Transport] that keeps as many idle connections to a backend as it has slots, uses HTTP/2 with
// backends that offer it over TLS, uses no proxy, and has 10 s for a connection. If it is not an http.Transport, every error that it returns
// before the context ends counts as a failure of the backend.
func Base(rt http.RoundTripper) TransportOption {
	demand(rt != nil, "the base", "something that sends requests", "nil")
	return forTransport(func(o *transportOptions) { o.base = rt })
}

// UnencryptedHTTP2 says that backends with http speak HTTP/2 without TLS. It has no effect with [Base].
func UnencryptedHTTP2() TransportOption {
	return forTransport(func(o *transportOptions) { o.unencryptedH2 = true })
}

// Seed says where the random numbers of choices come from. The default is another seed for each Transport.
func Seed(seed uint64) TransportOption {
	return forTransport(func(o *transportOptions) { o.seed = seed })
}

// SendBirth has requests say when they were born, in [BirthHeader], for a [Limiter] at the backend that trusts them.
func SendStart() TransportOption {
	return forTransport(func(o *transportOptions) { o.sendStart = true })
}

// RetryRefused has requests ask another backend when one answers 429 Too Many Requests, as a [Limiter] does that has no room, if their body can be
// sent again. It is for backends that have not begun on a request that they refuse so. There is no pause
// between tries; [Tries] bounds them. The answer of the last one goes to the client.
func RetryRefused() TransportOption {
	return forTransport(func(o *transportOptions) { o.retryRefused = true })
}

// TrustBirth says whose [BirthHeader] is believed: of requests for which trusted reports true. A birth is believed up to a greatest age; one that is
// said to be earlier counts as that old, and one in the future as born now. So a clock that is wrong, or a client that lies, gains at most
// that much. The default is to believe nobody: a request is born when it comes.
func TrustStart(trusted func(*http.Request) bool, oldest time.Duration) LimitOption {
	demand(trusted != nil, "what TrustBirth is given", "a function", "nil")
	demand(oldest > 0, "the greatest age", "above 0", oldest)
	return forLimit(func(o *limitOptions) { o.trusted, o.maxAge = trusted, oldest })
}
