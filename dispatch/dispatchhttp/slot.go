package dispatchhttp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/almanac-sim/almanac/dispatch/health"
)

// A Slot is a slot of a backend that the caller holds, from [Transport.Acquire] to [Slot.Release].
type Slot struct {
	t        *Transport
	ctx      context.Context // of Acquire
	held     slot
	failure  error // the status of the response counts as a failure
	released atomic.Bool
}

// Acquire waits for a slot as [Transport.RoundTrip] does, and leaves it to the caller to send the
// request: for proxies that have a transport of their own, such as a module of Caddy. The slot must
// be released, by one call of [Slot.Release]. Oldest is by the start that [WithStart] has given to
// the context, or by the call; a request that is sent again, after [Slot.Retry], keeps its age.
//
// Without a slot the error is [dispatch.ErrFull], [dispatch.ErrTooOld], [dispatch.ErrClosed], or
// that of the context. The options of attempts ([Attempts], [AttemptTimeout], [ResponseIdle],
// [Base], [RetryRefused] and [SendStart]) do not concern such requests; for [FailOn], see
// [Slot.Responded].
func (t *Transport) Acquire(ctx context.Context) (*Slot, error) {
	start, known := StartOf(ctx)
	if !known {
		start = time.Now()
	}
	held, err := t.scheduler.acquire(ctx, start)
	if err != nil {
		return nil, err
	}
	return &Slot{t: t, ctx: ctx, held: held}, nil
}

// Backend is the URL of the backend, which must not be changed.
func (s *Slot) Backend() *url.URL { return s.held.backend.url }

// Responded tells the scheduler that the response has begun, with its status. If that is one of
// [FailOn] the backend has failed, whatever Release says. Otherwise a half-open backend is healthy
// from now on, and need not wait for the end of the response, which may be a long stream. Release
// tells it too.
func (s *Slot) Responded(status int) {
	if slices.Contains(s.t.options.Load().failOn, status) {
		s.failure = fmt.Errorf("dispatchhttp: the status of the response is %d", status)
		return
	}
	if s.held.attempt.Probe {
		s.t.scheduler.responded(s.held)
	}
}

// Retry gives the slot back after a failed attempt and waits for another one, at another backend if
// one has a free slot, as RoundTrip does for a retry: the request keeps its age and its place, and
// a full queue does not refuse it. The error is about the backend, as in [Slot.Release]; nil means
// that there was a response, which is not to be used. Whether the request may be sent twice is for
// the caller to know.
//
// After nil the slot is held again, and [Slot.Backend] is the new backend. After an error, which is
// one of those of Acquire, there is no slot, and the request is counted.
func (s *Slot) Retry(err error) error {
	if s.released.Load() {
		panic("dispatchhttp: Retry of a slot that was released")
	}
	v := health.Neutral
	err = cmp.Or(err, s.failure)
	s.failure = nil
	if err != nil && s.ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		s.t.warn(s.held, err)
		v = health.Failure
	}
	held, err := s.t.scheduler.retry(s.ctx, s.held, v)
	if err != nil {
		s.released.Store(true)
		return err
	}
	s.held = held
	return nil
}

// Release gives the slot to the oldest waiting request, and counts the request with its outcome:
//
//   - nil: the response has ended ([Counts].Completed). It makes a half-open backend healthy.
//   - [context.Canceled], or any error once the context of Acquire has ended: the request was given
//     up (Canceled), which says nothing about the backend.
//   - another error: there was no response, or only a part of one (Failed). The backend is ejected,
//     as after a failed RoundTrip.
//
// Later calls do nothing.
func (s *Slot) Release(err error) {
	if s.released.Swap(true) {
		return
	}
	switch {
	case err == nil && s.failure != nil:
		s.t.warn(s.held, s.failure)
		s.t.scheduler.finish(s.held, health.Failure, completed)
	case err == nil:
		s.t.scheduler.responded(s.held)
		s.t.scheduler.finish(s.held, health.Success, completed)
	case s.ctx.Err() != nil || errors.Is(err, context.Canceled):
		s.t.scheduler.finish(s.held, health.Neutral, canceled)
	default:
		s.t.warn(s.held, err)
		s.t.scheduler.finish(s.held, health.Failure, failed)
	}
}
