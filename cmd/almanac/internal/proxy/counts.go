package proxy

import (
	"sync/atomic"

	"github.com/almanac-sim/almanac/capped/cappedhttp"
)

// counts are what has become of requests here.
type counts struct {
	crowded, refused, method, malformed, large, slow, gone atomic.Uint64
	classes                                                [6]atomic.Uint64 // by the first digit of their status; 0 for those that broke off
}

// status counts a request that is over.
func (c *counts) status(status int, broken bool) {
	class := status / 100
	switch {
	case broken:
		class = 0
	case status == 0:
		class = 2 // what a server writes for a handler that wrote nothing
	case class > 5:
		class = 5
	}
	c.classes[class].Add(1)
}

// Stats is how a proxy is. Its parts are each of one moment.
type Stats struct {
	Transport   cappedhttp.Stats
	Limit       *cappedhttp.Stats // nil without a limit
	Active      int64             // requests that are here, those of slow clients too
	Upgraded    int64             // of these, connections that speak something else by now
	Connections int64             // of clients
	Buffered    int64             // bytes in buffers
	BufferLimit int64
	Draining    bool

	Rereads       uint64 // how often a file was read again
	RereadsFailed uint64 // and was wrong

	Answers [6]uint64 // by the first digit of their status; 0 for those that broke off

	// Of these, why the proxy answered itself.
	Crowded   uint64 // 503: too many here
	Refused   uint64 // 429: too many behind the limit
	Method    uint64 // 405: CONNECT and TRACE
	Malformed uint64 // 400: no request for a backend, or its body is malformed or breaks off
	Large     uint64 // 413: the body is too large
	Slow      uint64 // 408: the body came too slowly
	Gone      uint64 // the client went away first
}

// Stats is how the proxy is.
func (p *Proxy) Stats() Stats {
	s := Stats{
		Transport: p.transport.Stats(), Active: p.active.Load(), Upgraded: p.upgraded.Load(), Buffered: p.budget.used.Load(), BufferLimit: p.budget.total, Draining: p.draining.Load(),
		Crowded: p.counts.crowded.Load(), Refused: p.counts.refused.Load(), Method: p.counts.method.Load(), Malformed: p.counts.malformed.Load(),
		Large: p.counts.large.Load(), Slow: p.counts.slow.Load(), Gone: p.counts.gone.Load(),
	}
	for i := range s.Answers {
		s.Answers[i] = p.counts.classes[i].Load()
	}
	if p.limiter != nil {
		l := p.limiter.Stats()
		s.Limit = &l
	}
	return s
}
