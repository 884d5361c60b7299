package dispatchhttp

import (
	"slices"

	"github.com/almanac-sim/almanac/dispatch/health"
)

// An outcome is what became of a request that had a slot.
type outcome uint8

const (
	completed outcome = iota
	broken
	failed
	canceled
)

// updateHealth updates the health of the backend of a slot. The caller must call update.
func (s *scheduler) updateHealth(t slot, v health.Verdict) {
	b := t.backend
	switch v {
	case health.Success:
		b.completed++
	case health.Failure:
		b.failed++
		b.checksPassed = 0
	}
	if b.removed && v == health.Failure {
		v = health.Neutral
	}
	b.health.End(t.attempt, v, s.rule, s.now(), s.timerOf(b))
}

// responded is called when a response has begun: a half-open backend becomes healthy.
func (s *scheduler) responded(t slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.backend.health.Responded(t.attempt) {
		s.update(t.backend)
		s.fillSlots()
	}
}

// timerOf returns what the timer of a backend runs.
func (s *scheduler) timerOf(b *backend) health.OnTimer {
	if s.ended {
		return nil
	}
	return func(epoch uint64) { s.onTimer(b, epoch) }
}

// onTimer runs when a backoff is over, a probe lasts too long, or a check is due.
func (s *scheduler) onTimer(b *backend, epoch uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !b.health.Is(epoch) {
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
		if !b.health.Is(epoch) {
			return // it was removed, or has failed, in the meantime
		}
		if err != nil {
			b.checksPassed = 0
			if b.checksFailed++; b.checksFailed < s.fails && !b.health.Ejected() {
				b.health.Arm(s.interval, s.timerOf(b))
				return
			}
			b.health.Fail(s.rule, s.now(), s.timerOf(b))
			s.update(b)
			return
		}
		b.checksFailed = 0
		b.checksPassed++
		b.health.Arm(s.interval, s.timerOf(b))
		if b.checksPassed < s.passes && b.health.Ejected() {
			return
		}
	}
	if b.health.Reopen() {
		s.update(b)
		s.fillSlots()
	}
}

// forget deletes a removed backend that has nothing in flight.
func (s *scheduler) forget(b *backend) {
	i := slices.Index(s.backends, b)
	s.backends = slices.Delete(s.backends, i, i+1)
}
