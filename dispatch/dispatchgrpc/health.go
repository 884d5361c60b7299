package dispatchgrpc

import (
	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/almanac-sim/almanac/dispatch/health"
)

// rule ejects a server after three calls in a row that end with UNAVAILABLE. One or two may be of a
// method, or of a connection that was lost.
var rule = health.Rule{After: 3, First: health.First, Most: health.Most}

// verdictOf returns what the end of a call says about its server. A lost connection says nothing:
// the server gets no calls until it has another one.
func verdictOf(d balancer.DoneInfo) health.Verdict {
	switch code := status.Code(d.Err); {
	case !d.BytesReceived, code == codes.Canceled, code == codes.DeadlineExceeded:
		return health.Neutral
	case code == codes.Unavailable:
		return health.Failure
	}
	return health.Success // an error is a response too
}

// take takes a slot.
func (s *server) take() health.Attempt {
	a := s.health.Begin(s.reopen)
	s.add(1)
	return a
}

// give gives a slot back.
func (s *server) give(a health.Attempt, v health.Verdict) {
	if v == health.Success {
		s.health.Responded(a)
	}
	timer := s.reopen
	if s.scheduler.closed {
		timer = nil
	}
	s.health.End(a, v, rule, 0, timer) // when the backoff ends is not reported
	s.add(-1)
}

// reopen tries an ejected server again.
func (s *server) reopen(epoch uint64) {
	d := s.scheduler
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.health.Is(epoch) && s.health.Reopen() {
		s.update()
		d.channel.fill()
	}
}
