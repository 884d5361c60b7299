package dispatchhttp

import (
	"slices"
	"time"
)

// A server that fails is sent to rest, longer each time, and tried again with a single request.
//
//	          fails                    the rest is over                 an answer
//	at work ─────────▶ resting ────────────────────────▶ on probation ───────────▶ at work
//	                      ▲    (and the check is passed)      │
//	                      └───────────────────────────────────┘ fails
//
// A first rest is short, so that one connection that breaks costs little. The count of failures goes back to 0 when an answer has come to its
// end, and not when it begins: a server that breaks off in the middle of each body rests longer and longer all the same.

// verdict is what a try says about its server.
type verdict uint8

const (
	neutral verdict = iota // the client went away, or closed the body before its end
	success                // an answer came to its end
	failure                // no answer came, or not all of it
)

// outcome is what became of a request that had a slot.
type outcome uint8

const (
	completed outcome = iota
	broken
	failed
	canceled
)

// judge takes to heart what a try says. One that began before the server's last rest says nothing new.
func (d *scheduler) updateHealth(t slot, v verdict) {
	s, recent := t.server, t.ejections == t.server.ejections
	if t.probe && recent {
		s.probing = false
	}
	switch v {
	case success:
		s.completed++
		if recent {
			s.failures = 0
		}
	case failure:
		s.failed++
		if recent && !s.removed {
			d.eject(s)
		}
	}
}

// rest sends a server to rest. The caller files it.
func (d *scheduler) eject(s *server) {
	if d.maxBackoff == 0 {
		return // of a Limiter
	}
	pause := d.firstBackoff
	for range s.failures {
		if pause >= d.maxBackoff/2 {
			pause = d.maxBackoff
			break
		}
		pause *= 2
	}
	s.failures++
	s.ejections++
	s.ejected, s.halfOpen, s.probing = true, false, false
	s.ejectedUntil = d.now() + int64(pause)
	d.arm(s, pause)
}

// answers says that an answer has begun to come: a server on probation has passed.
func (d *scheduler) responded(t slot) {
	s := t.server
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.halfOpen && t.ejections == s.ejections {
		s.halfOpen, s.probing = false, false
		d.update(s)
		d.fillSlots()
	}
}

// arm has a server looked after later, and not at the time that was said before.
func (d *scheduler) arm(s *server, pause time.Duration) {
	d.disarm(s)
	if d.ended {
		return
	}
	epoch := s.epoch
	s.timer = time.AfterFunc(pause, func() { d.probe(s, epoch) })
}

func (d *scheduler) disarm(s *server) {
	s.epoch++
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// look is what a timer calls: a rest is over, or it is time for a check.
func (d *scheduler) probe(s *server, epoch uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.epoch != epoch {
		return
	}
	if d.check != nil {
		d.checks.Add(1)
		d.mu.Unlock()
		err := d.check(d.ctx, s.url)
		if err != nil && d.log != nil && d.ctx.Err() == nil {
			d.log.Warn("dispatchhttp: a backend has failed its check", "backend", s.url.String(), "error", err)
		}
		d.mu.Lock()
		d.checks.Done()
		if s.epoch != epoch {
			return // it was removed, or has failed in the meantime
		}
		if err != nil {
			d.eject(s)
			d.update(s)
			return
		}
		d.arm(s, d.interval)
	}
	if s.ejected {
		s.ejected, s.halfOpen, s.probing = false, true, false
		d.update(s)
		d.fillSlots()
	}
}

// forget drops a server that was removed and has nothing in flight.
func (d *scheduler) forget(s *server) {
	i := slices.Index(d.servers, s)
	d.servers = slices.Delete(d.servers, i, i+1)
}
