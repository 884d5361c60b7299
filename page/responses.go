package page

import (
	"context"
	"net/http"
	"time"
)

// A response knows whether it has begun: after that, an error can only abort it. The reader may be
// slow, but must read something within the timeout, and on average at least minRate.
type response struct {
	http.ResponseWriter
	control  *http.ResponseController
	timeout  time.Duration
	begun    bool
	received time.Time
	stream   bool          // of events, without a minimum rate
	reserved bool          // it holds a response slot
	blocked  time.Duration // time in Write
	sent     int64         // bytes
}

// minRate is the slowest average rate of a reader, in bytes per second, after a first timeout.
// Otherwise large pages would stay in memory for hours.
const minRate = 32 << 10

// responseKey is the key of the response in the context of its request.
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
		if !a.stream { // the time to compute the response does not count
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

// waitContext limits how long a request waits for its response to begin. The cause of the context's
// end is then errBusy.
func (s *Server) waitContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if a, ok := ctx.Value(responseKey{}).(*response); ok {
		return context.WithDeadlineCause(ctx, a.received.Add(s.limits.WaitTimeout), errBusy)
	}
	return ctx, func() {}
}

// acquire takes a slot, in the order of requests, or returns errBusy after the time limit.
func (s *Server) acquire(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}: // a free slot is taken even after the time limit
		return nil
	default:
	}
	ctx, cancel := s.waitContext(ctx)
	defer cancel()
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// reserve takes a response slot before memory is allocated. The response holds it until it has been
// read.
func (s *Server) reserve(ctx context.Context) error {
	a, _ := ctx.Value(responseKey{}).(*response)
	if a == nil || a.reserved {
		return nil
	}
	err := s.acquire(ctx, s.responseSlots)
	a.reserved = err == nil
	return err
}

// release returns the slot of a response.
func (s *Server) release(a *response) {
	if a.reserved {
		a.reserved = false
		<-s.responseSlots
	}
}

// compute calls a function that takes processor time, such as compiling or rendering, when a
// compute slot is free.
func (s *Server) compute(ctx context.Context, do func() error) error {
	_, err := computed(ctx, s, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// computed is compute with a value.
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
