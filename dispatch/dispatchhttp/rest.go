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
	nothing verdict = iota // the client went away, or closed the body before its end
	good                   // an answer came to its end
	bad                    // no answer came, or not all of it
)

// outcome is what became of a request that had a slot.
type outcome uint8

const (
	wasAnswered outcome = iota
	wasBroken
	hasFailed
	wasCancelled
)

// judge takes to heart what a try says. One that began before the server's last rest says nothing new.
func (d *desk) judge(t ticket, v verdict) {
	s, recent := t.server, t.rests == t.server.rests
	if t.probe && recent {
		s.probe = false
	}
	switch v {
	case good:
		s.answered++
		if recent {
			s.failures = 0
		}
	case bad:
		s.failed++
		if recent && !s.gone {
			d.rest(s)
		}
	}
}

// rest sends a server to rest. The caller files it.
func (d *desk) rest(s *server) {
	if d.most == 0 {
		return // of a Limiter
	}
	pause := d.first
	for range s.failures {
		if pause >= d.most/2 {
			pause = d.most
			break
		}
		pause *= 2
	}
	s.failures++
	s.rests++
	s.resting, s.probing, s.probe = true, false, false
	s.until = d.now() + int64(pause)
	d.arm(s, pause)
}

// answers says that an answer has begun to come: a server on probation has passed.
func (d *desk) answers(t ticket) {
	s := t.server
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.probing && t.rests == s.rests {
		s.probing, s.probe = false, false
		d.file(s)
		d.settle()
	}
}

// arm has a server looked after later, and not at the time that was said before.
func (d *desk) arm(s *server, pause time.Duration) {
	d.disarm(s)
	if d.ended {
		return
	}
	epoch := s.epoch
	s.timer = time.AfterFunc(pause, func() { d.look(s, epoch) })
}

func (d *desk) disarm(s *server) {
	s.epoch++
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// look is what a timer calls: a rest is over, or it is time for a check.
func (d *desk) look(s *server, epoch uint64) {
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
			d.rest(s)
			d.file(s)
			return
		}
		d.arm(s, d.interval)
	}
	if s.resting {
		s.resting, s.probing, s.probe = false, true, false
		d.file(s)
		d.settle()
	}
}

// forget drops a server that was removed and has nothing in flight.
func (d *desk) forget(s *server) {
	i := slices.Index(d.servers, s)
	d.servers = slices.Delete(d.servers, i, i+1)
}
