package dispatchhttp

import (
	"math"
	"time"
)

// Configure replaces the options of t: one that is not given gets its default. [Base] and
// [UnencryptedHTTP2] are for [NewTransport] only, and do nothing here. Requests are not
// interrupted, and those that wait keep their place.
//
// If the capacity falls, a backend with more requests than it gets no other until enough of them
// have ended. If the limit of the queue falls, requests that wait already stay. A new [MaxWait] is
// for requests that arrive from now on.
func (t *Transport) Configure(opts ...TransportOption) {
	o := newTransportOptions(opts)
	s := t.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	old := t.options.Swap(o)
	s.capacity, s.limit, s.maxWait, s.log = o.capacity, o.poolLimit, o.maxWait, o.log
	s.rule = o.rule
	s.check, s.interval = nil, o.checkInterval
	if o.checkPath != nil {
		s.check = t.check
	}
	sameChecks := old.checkInterval == o.checkInterval && (old.checkPath == o.checkPath ||
		old.checkPath != nil && o.checkPath != nil && *old.checkPath == *o.checkPath)
	for _, b := range s.backends {
		s.update(b)
		if sameChecks || b.removed || b.health.Ejected() {
			continue // the timer of an ejected backend is that of its backoff
		}
		b.health.Disarm()
		if s.check != nil {
			b.health.Arm(s.interval, s.timerOf(b))
		}
	}
	s.fillSlots()
}

// RetryAfter returns how long a request would wait at the end of the queue, by the recent mean time
// that a slot is held: from 1 s to 60 s, in whole seconds, for the header Retry-After of a response
// that refuses a request.
func (t *Transport) RetryAfter() time.Duration {
	s := t.scheduler
	s.mu.Lock()
	available := 0
	for _, b := range s.backends {
		if !b.removed && !b.health.Ejected() {
			available++
		}
	}
	s.mu.Unlock()
	return time.Duration(s.retryAfter(max(available, 1))) * time.Second
}

// retryAfter returns the expected wait of a new request in seconds: the waiting requests and
// itself, c at a time at each of n backends.
func (s *scheduler) retryAfter(n int) int {
	s.mu.Lock()
	wait := s.service * float64(s.waiting.Len+1) / float64(s.capacity*n)
	s.mu.Unlock()
	return int(min(max(math.Ceil(wait/1e9), 1), maxRetryAfter))
}
