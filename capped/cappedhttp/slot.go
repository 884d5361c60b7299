package cappedhttp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// A Slot is one of a backend's that a request has, for who sends requests without net/http: see [Transport.Acquire]. It must be given back once, by [Slot.End] or
// [Slot.Again].
type Slot struct {
	t  *Transport
	tk ticket
}

// An Ending is what became of a request that had a [Slot].
type Ending uint8

const (
	Answered  Ending = iota // all of the answer is here
	Abandoned               // the answer is not wanted any more, and nobody is to blame
	Cancelled               // the client went away
	Broken                  // the answer broke off, which is the backend's failure
	Failed                  // there was no answer, which is the backend's failure
	Unsent                  // there was no answer, and the backend was not asked
)

// TryAcquire takes a slot if there is one and nobody waits. If it reports false, the request is not counted.
func (t *Transport) TryAcquire(birth time.Time) (Slot, bool) {
	d := t.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.waiting.n > 0 {
		return Slot{}, false
	}
	s := d.pick(nil)
	if s == nil {
		return Slot{}, false
	}
	now := d.now()
	d.stamp++
	d.total.Requests++
	return Slot{t, d.grant(s, age{born: min(int64(birth.Sub(d.start)), now), came: now, stamp: d.stamp}, now)}, true
}

// Acquire waits for a slot as [Transport.RoundTrip] does, among the same requests and by the same rule, and returns the same errors.
func (t *Transport) Acquire(ctx context.Context, birth time.Time) (Slot, error) {
	tk, err := t.desk.enter(ctx, birth)
	return Slot{t, tk}, err
}

// Backend is where the request goes.
func (s Slot) Backend() *url.URL { return s.tk.server.url }

// Begun says that the head of an answer is here, with its status.
func (s Slot) Begun(status int) {
	if !slices.Contains(s.t.o.failOn, status) {
		s.t.desk.answers(s.tk)
	}
}

// Again gives back the slot of a try that has failed, which is the backend's failure, and waits for another, as the same request.
func (s Slot) Again(ctx context.Context, err error) (Slot, error) {
	s.t.warn(s.tk, err)
	tk, err := s.t.desk.again(ctx, s.tk, bad)
	return Slot{s.t, tk}, err
}

// End gives back the slot. The status is that of the answer, if there is one, and err says what is wrong, if something is.
func (s Slot) End(how Ending, status int, err error) {
	v, o := nothing, wasAnswered
	switch how {
	case Answered:
		v = good
		if slices.Contains(s.t.o.failOn, status) {
			v, err = bad, errors.New(http.StatusText(status))
		}
	case Cancelled:
		o = wasCancelled
	case Broken:
		v, o = bad, wasBroken
	case Failed:
		v, o = bad, hasFailed
	case Unsent:
		o = hasFailed
	}
	if v == bad {
		s.t.warn(s.tk, err)
	}
	s.t.desk.leave(s.tk, v, o)
}
