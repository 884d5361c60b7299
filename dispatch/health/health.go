// Package health is for the authors of balancers. It ejects servers that fail, and tries them again:
// the one rule that the workers of package dispatch, the backends of dispatchhttp and of the Caddy
// module, and the servers of dispatchgrpc have in common. Without it the server that fails fastest
// is idle most often, and gets most of the work.
//
// A [State] has no lock: the balancer holds its own around every step, also in the functions of
// timers. Times are in nanoseconds since any moment, by a clock that only goes forward.
package health

import "time"

// A Rule says when a server is ejected, and for how long: first for First, then for twice as long
// after each further failure in a row, up to Most. If Most is 0, never.
type Rule struct {
	After       int // failures in a row that eject a healthy server
	First, Most time.Duration
}

// The times of a Rule, unless they are set.
const (
	First = 100 * time.Millisecond
	Most  = 30 * time.Second
)

// A State is the health of one server. The zero value is healthy.
//
// A server that fails is ejected: it gets nothing to do for a time that grows with each failure in a
// row. Then it is half-open: it gets a single attempt, its probe.
//
//	          fails                    the backoff is over              a response
//	healthy ─────────▶ ejected ────────────────────────▶ half-open ───────────▶ healthy
//	                      ▲    (and the check passes)         │
//	                      └───────────────────────────────────┘ fails
//
// A probe may never end, because its client is silent or reads nothing. So when it has taken the
// time of the last backoff there may be another one.
//
// The first backoff is short, so that one broken connection costs little. The count of failures is
// reset when a response has ended, and not when it begins: otherwise a server that breaks off every
// response would always be ejected for the shortest time.
type State struct {
	failures  int    // in a row
	ejections uint64 // so far
	ejected   bool
	halfOpen  bool
	probing   bool // half-open, and its probe has not ended
	until     int64
	backoff   time.Duration // the last one
	timer     *time.Timer
	epoch     uint64 // of the timer; that of a stale timer is older
}

// A Verdict is what an attempt says about the health of its server.
type Verdict uint8

// The verdicts.
const (
	Neutral Verdict = iota // nothing: the client has gone away, or is at fault
	Success                // the response has ended
	Failure                // no response, or an incomplete one
)

// An Attempt remembers when it began.
type Attempt struct {
	ejections uint64
	Probe     bool // it is that of a half-open server
}

// An OnTimer function is called in a goroutine of its own when a backoff is over or a probe lasts
// too long, with the epoch for [State.Is]. If it is nil, no timer is set.
type OnTimer func(epoch uint64)

// Available reports whether the server may get something to do.
func (s *State) Available() bool { return !s.ejected && !s.probing }

// Ejected reports whether the server is ejected, and HalfOpen whether it is half-open.
func (s *State) Ejected() bool { return s.ejected }

// HalfOpen reports whether the server gets a single attempt.
func (s *State) HalfOpen() bool { return s.halfOpen }

// Failures returns the number of failures in a row.
func (s *State) Failures() int { return s.failures }

// Left returns for how much longer a server is ejected; more than 0 if it is.
func (s *State) Left(now int64) time.Duration {
	if !s.ejected {
		return 0
	}
	return max(time.Duration(s.until-now), 1)
}

// Begin begins an attempt.
func (s *State) Begin(f OnTimer) Attempt {
	if s.halfOpen {
		s.probing = true
		s.Arm(s.backoff, f)
	}
	return Attempt{s.ejections, s.halfOpen}
}

// Responded notes that a response has begun: a half-open server becomes healthy. It reports whether
// that has changed something.
func (s *State) Responded(a Attempt) bool {
	if !s.halfOpen || a.ejections != s.ejections {
		return false
	}
	s.halfOpen, s.probing = false, false
	return true
}

// End ends an attempt. It ignores what attempts that began before the last ejection say.
func (s *State) End(a Attempt, v Verdict, r Rule, now int64, f OnTimer) {
	if a.ejections != s.ejections {
		return
	}
	if a.Probe {
		s.probing = false
	}
	switch v {
	case Success:
		s.failures = 0
	case Failure:
		s.Fail(r, now, f)
	}
}

// Fail counts a failure, also of a check, and ejects the server if there are enough of them.
func (s *State) Fail(r Rule, now int64, f OnTimer) {
	if r.Most == 0 {
		return
	}
	s.failures++
	if s.failures < r.After {
		return
	}
	s.backoff = r.First
	for range s.failures - r.After {
		if s.backoff >= r.Most/2 {
			s.backoff = r.Most
			break
		}
		s.backoff *= 2
	}
	s.ejections++
	s.ejected, s.halfOpen, s.probing = true, false, false
	s.until = now + int64(s.backoff)
	s.Arm(s.backoff, f)
}

// Reopen makes an ejected server half-open, and allows another probe. It reports whether that has
// changed something.
func (s *State) Reopen() bool {
	if !s.ejected && !s.probing {
		return false
	}
	s.ejected, s.halfOpen, s.probing = false, true, false
	return true
}

// Reset makes a server healthy that was removed and is there again. It keeps the count of failures.
func (s *State) Reset() { s.ejected, s.halfOpen, s.probing = false, false, false }

// Arm replaces the timer.
func (s *State) Arm(pause time.Duration, f OnTimer) {
	s.Disarm()
	if f == nil {
		return
	}
	epoch := s.epoch
	s.timer = time.AfterFunc(pause, func() { f(epoch) })
}

// Disarm stops the timer.
func (s *State) Disarm() {
	s.epoch++
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// Is reports whether an epoch is that of the last timer.
func (s *State) Is(epoch uint64) bool { return s.epoch == epoch }

// Timed reports whether there is a timer.
func (s *State) Timed() bool { return s.timer != nil }
