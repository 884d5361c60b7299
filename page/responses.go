package page

import (
	"context"
	"net/http"
	"time"
)

// An response knows whether it has begun: what goes wrong then, mostly that the visitor has left, can
// only end it. It may be long, as long as the visitor takes some of it now and then, and all of it
// at leastPace.
type response struct {
	http.ResponseWriter
	control  *http.ResponseController
	timeout  time.Duration
	begun    bool
	received time.Time
	stream   bool          // it is a stream of what happens, and as slow as that
	reserved bool          // it has a place
	blocked  time.Duration // for the visitor to take what was written
	sent     int64         // bytes
}

// minRate is how many bytes a second a visitor takes at least, after the first while: less would
// hold a large page in memory for hours.
const minRate = 32 << 10

// responseKey is where the context of a request has its answer.
type responseKey struct{}

func newResponse(to http.ResponseWriter, patience time.Duration) *response {
	return &response{ResponseWriter: to, control: http.NewResponseController(to), timeout: patience, received: time.Now()}
}

func (a *response) WriteHeader(status int) {
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *response) Write(b []byte) (n int, err error) {
	a.begun = true
	for first := true; err == nil && (first || n < len(b)); first = false {
		began, patience := time.Now(), a.timeout
		if !a.stream { // what it took us to make it is not held against the visitor
			patience = min(patience, a.timeout+time.Duration(float64(a.sent)/minRate*1e9)-a.blocked)
		}
		_ = a.control.SetWriteDeadline(began.Add(patience))
		var k int
		k, err = a.ResponseWriter.Write(b[n:min(len(b), n+1<<16)])
		n += k
		a.sent += int64(k)
		a.blocked += time.Since(began)
	}
	return n, err
}

// Unwrap is for http.ResponseController.
func (a *response) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// waitContext is until when the visitor of a request waits for its answer to begin, and is then told
// to come back: whoever waits in the context that is returned does so until then, and finds [busy]
// as its cause.
func (s *Server) waitContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if a, ok := ctx.Value(responseKey{}).(*response); ok {
		return context.WithDeadlineCause(ctx, a.received.Add(s.limits.Turn), errBusy)
	}
	return ctx, func() {}
}

// acquire takes one of so many rooms, as soon as there is one. Others wait in turn, and are told to
// come back if it is long since they asked.
func (s *Server) acquire(ctx context.Context, rooms chan struct{}) error {
	select {
	case rooms <- struct{}{}: // also for who has waited for something else for long
		return nil
	default:
	}
	ctx, cancel := s.waitContext(ctx)
	defer cancel()
	select {
	case rooms <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// reserve gives the answer of a request a place, before memory is taken for it: it has it until the
// visitor has taken the answer.
func (s *Server) reserve(ctx context.Context) error {
	a, _ := ctx.Value(responseKey{}).(*response)
	if a == nil || a.reserved {
		return nil
	}
	err := s.acquire(ctx, s.responseSlots)
	a.reserved = err == nil
	return err
}

// release gives the place of an answer to the next.
func (s *Server) release(a *response) {
	if a.reserved {
		a.reserved = false
		<-s.responseSlots
	}
}

// compute does what takes a while of a core, as reading a large model or drawing does, no more than
// a few at once.
func (s *Server) compute(ctx context.Context, do func() error) error {
	_, err := computed(ctx, s, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// computed is what a function makes in turn; see inTurn.
func computed[T any](ctx context.Context, s *Server, do func() (T, error)) (what T, err error) {
	if err = s.reserve(ctx); err != nil {
		return what, err
	}
	if err = s.acquire(ctx, s.computeSlots); err != nil {
		return what, err
	}
	defer func() { <-s.computeSlots }()
	return do()
}
