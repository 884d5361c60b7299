package dispatchhttp

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
	"github.com/almanac-sim/almanac/dispatch/health"
)

// A Limiter is a handler with at most c requests in the next handler at once. Other requests wait
// in a queue, the oldest first; when the queue is full they get 429 Too Many Requests with
// Retry-After at once.
//
// Oldest is by start: the arrival of a request, or its [StartHeader] if that is trusted; see
// [TrustStart]. Requests that started in the same millisecond are ordered by arrival. A waiting
// request is never removed for an older one.
//
// A request whose client goes away leaves the queue in constant time. The server notices that only
// once it has read the body of the request; otherwise such a request leaves when its turn comes, or
// after [MaxWait].
//
// Retry-After is the expected wait at the end of the queue, by the recent mean time of the handler,
// in whole seconds from 1 to 60.
//
// A slot is held until the handler returns or panics; a handler that hijacks the connection and
// returns has released its slot.
//
// A step takes constant time under one mutex, except for start times out of order, which take one
// step for each younger waiting request. All methods may be called from several goroutines at once.
type Limiter struct {
	next      http.Handler
	scheduler *scheduler
	trusted   func(*http.Request) bool
	maxAge    time.Duration
}

// maxRetryAfter bounds Retry-After, in seconds: the recent mean may be that of a moment.
const maxRetryAfter = 60

// Limit returns a [Limiter] before a handler. It panics if the handler is nil.
func Limit(next http.Handler, opts ...LimitOption) *Limiter {
	demand(next != nil, "the handler", "one", "nil")
	o := newLimitOptions(opts)
	l := &Limiter{next: next, scheduler: newScheduler(&o.schedulerOptions, 0), trusted: o.trusted, maxAge: o.maxAge}
	l.scheduler.cancel() // there are no health checks
	l.scheduler.add(nil)
	return l
}

// Stats returns the counts so far and the current state, all of one moment.
func (l *Limiter) Stats() Stats { return l.scheduler.stats() }

// ServeHTTP calls the next handler when a slot is free, or refuses the request. In the handler
// [StartOf] returns the start of the request.
func (l *Limiter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := l.start(r, time.Now())
	slot, err := l.scheduler.acquire(r.Context(), start)
	if err != nil {
		if l.scheduler.log != nil {
			l.scheduler.log.Debug("dispatchhttp: a request was refused", "from", r.RemoteAddr, "error", err)
		}
		l.refuse(w, err)
		return
	}
	o := broken
	defer func() { l.scheduler.finish(slot, health.Neutral, o) }()
	l.next.ServeHTTP(w, r.WithContext(WithStart(r.Context(), start)))
	o = completed
}

// start returns the start of a request.
func (l *Limiter) start(r *http.Request, now time.Time) time.Time {
	values := r.Header[StartHeader]
	if l.trusted == nil || len(values) != 1 || !l.trusted(r) {
		return now
	}
	start, ok := ParseStart(values[0])
	switch age := now.Sub(start); { // Sub does not overflow
	case !ok || age < 0:
		return now
	case age > l.maxAge:
		return now.Add(-l.maxAge)
	default:
		return now.Add(-age) // by the monotonic clock
	}
}

// refuse responds instead of the handler.
func (l *Limiter) refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		// The client has most likely gone.
		http.Error(w, "the request ended while it waited", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Retry-After", strconv.Itoa(l.scheduler.retryAfter()))
	text := "too many requests at once"
	if errors.Is(err, dispatch.ErrTooOld) {
		text = "too many requests: this one has waited too long"
	}
	http.Error(w, text, http.StatusTooManyRequests)
}
