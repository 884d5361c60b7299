// Package proxy is what almanac proxy runs: a reverse proxy of [cappedhttp.Transport], toward the backends, and [cappedhttp.Limit], toward the clients.
//
//	          limits of size,       the body is here,           --limit: the room            a slot of
//	client ──▶ refusals ──────────▶ or as much as fits ────────▶ before it ────────────────▶ a backend
//	   ▲                                                                                        │
//	   └──────────────── at the client's pace ◀──────── at the backend's pace, into a buffer ◀──┘
//
// A slot is taken when the body of the request is here, and given back when the answer is: clients that are slow, in either direction, hold memory and
// not a backend. The memory is bounded by size, one by one and together; what does not fit streams, and then a client must keep up a minimum rate.
package proxy
