package dispatchhttp

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/almanac-sim/almanac/dispatch"
)

// A Limiter is a handler that has at most c requests handled at once. Others wait in a room, the oldest first, and when that is full they are
// answered at once with 429 Too Many Requests and Retry-After.
//
// Oldest is by birth: when a request came, or what it says in [BirthHeader] if it is trusted: see [TrustBirth]. Among those born in the same
// millisecond, who came first. A request that waits does not have to leave for one that is older.
//
// A client that goes away leaves the room, in constant time. The server notices that when the request has no body, or it has been read; with one that has
// not, it does when its turn comes, or [MaxWait] is over.
//
// Retry-After is how long it would take to get to the end of the room's line, by the mean time that handlers took of late, in whole seconds from 1
// to 60.
//
// A slot is held until the handler returns or panics. A handler that takes over the connection and returns has given back its slot.
//
// A step takes constant time under one mutex, but for births out of order, which take one for each younger request that waits.
type Limiter struct {
	next      http.Handler
	scheduler *scheduler
	trusted   func(*http.Request) bool
	maxAge    time.Duration
}

// mostRetryAfter bounds what a client is told, in seconds: what was measured may have been a moment's.
const maxRetryAfter = 60

// Limit puts a [Limiter] before a handler.
func Limit(next http.Handler, opts ...LimitOption) *Limiter {
	demand(next != nil, "the handler", "one", "nil")
	o := gatherLimit(opts)
	l := &Limiter{next: next, scheduler: newScheduler(&o.schedulerOptions, 0), trusted: o.trusted, maxAge: o.maxAge}
	l.scheduler.cancel() // there is nothing to check
	l.scheduler.add(nil)
	return l
}

// Stats is what has happened so far, and what is now, all at one moment.
func (l *Limiter) Stats() Stats { return l.scheduler.stats() }

// ServeHTTP has a request handled, or turns it away. The handler sees the birth of the request by [BirthOf].
func (l *Limiter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	birth := l.start(r, time.Now())
	t, err := l.scheduler.acquire(r.Context(), birth)
	if err != nil {
		if l.scheduler.log != nil {
			l.scheduler.log.Debug("dispatchhttp: a request is turned away", "from", r.RemoteAddr, "error", err)
		}
		l.refuse(w, err)
		return
	}
	o := broken
	defer func() { l.scheduler.finish(t, neutral, o) }()
	l.next.ServeHTTP(w, r.WithContext(WithStart(r.Context(), birth)))
	o = completed
}

// birth is when a request was born.
func (l *Limiter) start(r *http.Request, now time.Time) time.Time {
	said := r.Header[StartHeader]
	if l.trusted == nil || len(said) != 1 || !l.trusted(r) {
		return now
	}
	birth, ok := ParseStart(said[0])
	switch age := now.Sub(birth); { // Sub does not overflow
	case !ok || age < 0:
		return now
	case age > l.maxAge:
		return now.Add(-l.maxAge)
	default:
		return now.Add(-age) // by the clock that does not jump
	}
}

// refuse answers for the handler.
func (l *Limiter) refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		// Most likely nobody is there to read it.
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

// retryAfter is how many seconds it takes until one that came now would have its turn: those in the line and itself, c at a time.
func (d *scheduler) retryAfter() int {
	d.mu.Lock()
	wait := d.service * float64(d.waiting.Len+1) / float64(d.capacity)
	d.mu.Unlock()
	return int(min(max(math.Ceil(wait/1e9), 1), maxRetryAfter))
}
