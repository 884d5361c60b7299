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
	t.setBackendOptions(o)
	for _, b := range s.backends {
		b.capacity = s.capacityOf(b.url)
		s.update(b)
		if old.checkInterval == o.checkInterval || b.removed || b.health.Ejected() {
			continue // the timer of an ejected backend is that of its backoff
		}
		b.health.Disarm()
		if s.check != nil {
			b.health.Arm(s.interval, s.timerOf(b))
		}
	}
	s.fillSlots()
}

// setBackendOptions sets what a scheduler of a Limiter does not have.
func (t *Transport) setBackendOptions(o *transportOptions) {
	s := t.scheduler
	s.rule, s.capacities = o.rule, o.capacities
	s.check, s.interval, s.passes, s.fails = nil, o.checkInterval, o.checkPasses, o.checkFails
	if o.checkInterval > 0 {
		s.check = t.check
	}
}

// RetryAfter returns how long a request would wait at the end of the queue, by the recent mean time
// that a slot is held: from 1 s to 60 s, in whole seconds, for the header Retry-After of a response
// that refuses a request.
func (t *Transport) RetryAfter() time.Duration {
	return time.Duration(t.scheduler.retryAfter()) * time.Second
}

// retryAfter returns the expected wait of a new request in seconds: the waiting requests and
// itself, as many at a time as the available backends have slots.
func (s *scheduler) retryAfter() int {
	s.mu.Lock()
	all := 0
	for _, b := range s.backends {
		if !b.removed && !b.health.Ejected() {
			all += b.capacity
		}
	}
	if all == 0 {
		all = s.capacity
	}
	wait := s.service * float64(s.waiting.Len+1) / float64(all)
	s.mu.Unlock()
	return int(min(max(math.Ceil(wait/1e9), 1), maxRetryAfter))
}
