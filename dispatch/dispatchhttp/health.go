package dispatchhttp

import (
	"slices"
	"time"
)

// A backend that fails is ejected: it gets no requests for a time that grows with each consecutive
// failure. Then it is half-open: it gets a single request, its probe.
//
//	          fails                    the backoff is over              a response
//	healthy ─────────▶ ejected ────────────────────────▶ half-open ───────────▶ healthy
//	                      ▲    (and the check passes)         │
//	                      └───────────────────────────────────┘ fails
//
// A probe may never end, because its client is silent or reads nothing. So when it has been in flight
// for the time of the last backoff there may be another one.
//
// The first backoff is short, so that one broken connection costs little. The count of failures is
// reset when a response has ended, and not when it begins: otherwise a backend that breaks off
// every body would always be ejected for the shortest time.

// A verdict is what an attempt says about the health of its backend.
type verdict uint8

const (
	neutral verdict = iota // nothing: the client went away, or closed the body early
	success                // the response ended
	failure                // no response, or an incomplete one
)

// An outcome is what became of a request that had a slot.
type outcome uint8

const (
	completed outcome = iota
	broken
	failed
	canceled
)

// updateHealth updates the health of the backend. It ignores failures of attempts that began before
// the last ejection.
func (s *scheduler) updateHealth(t slot, v verdict) {
	b, recent := t.backend, t.ejections == t.backend.ejections
	if t.probe && recent {
		b.probing = false
	}
	switch v {
	case success:
		b.completed++
		if recent {
			b.failures = 0
		}
	case failure:
		b.failed++
		if recent && !b.removed {
			s.eject(b)
		}
	}
}

// eject ejects a backend. The caller must call update.
func (s *scheduler) eject(b *backend) {
	if s.maxBackoff == 0 {
		return // a Limiter has no health
	}
	pause := s.firstBackoff
	for range b.failures {
		if pause >= s.maxBackoff/2 {
			pause = s.maxBackoff
			break
		}
		pause *= 2
	}
	b.failures++
	b.ejections++
	b.ejected, b.halfOpen, b.probing = true, false, false
	b.backoff, b.ejectedUntil = pause, s.now()+int64(pause)
	s.arm(b, pause)
}

// responded is called when a response has begun: a half-open backend becomes healthy.
func (s *scheduler) responded(t slot) {
	b := t.backend
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.halfOpen && t.ejections == b.ejections {
		b.halfOpen, b.probing = false, false
		s.update(b)
		s.fillSlots()
	}
}

// arm replaces the timer of a backend.
func (s *scheduler) arm(b *backend, pause time.Duration) {
	s.disarm(b)
	if s.ended {
		return
	}
	epoch := b.epoch
	b.timer = time.AfterFunc(pause, func() { s.onTimer(b, epoch) })
}

func (s *scheduler) disarm(b *backend) {
	b.epoch++
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
}

// onTimer runs when a backoff is over, a probe lasts too long, or a check is due.
func (s *scheduler) onTimer(b *backend, epoch uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.epoch != epoch {
		return
	}
	if s.check != nil {
		s.checks.Add(1)
		check, log := s.check, s.log
		s.mu.Unlock()
		err := check(s.ctx, b.url)
		if err != nil && log != nil && s.ctx.Err() == nil {
			log.Warn("dispatchhttp: a backend has failed its check", "backend", b.url.String(), "error", err)
		}
		s.mu.Lock()
		s.checks.Done()
		if b.epoch != epoch {
			return // it was removed, or has failed, in the meantime
		}
		if err != nil {
			s.eject(b)
			s.update(b)
			return
		}
		s.arm(b, s.interval)
	}
	if b.ejected || b.probing {
		b.ejected, b.halfOpen, b.probing = false, true, false
		s.update(b)
		s.fillSlots()
	}
}

// forget deletes a removed backend that has nothing in flight.
func (s *scheduler) forget(b *backend) {
	i := slices.Index(s.backends, b)
	s.backends = slices.Delete(s.backends, i, i+1)
}
