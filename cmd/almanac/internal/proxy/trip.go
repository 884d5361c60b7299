package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
)

// A tripper takes a request to a backend, through the limit if there is one, and reads the answer ahead of the client.
type tripper struct{ p *Proxy }

func (t tripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.p.limiter == nil {
		return t.p.trip(req, func() {})
	}
	c := &call{p: t.p, asked: req, answer: make(chan answer, 1), header: http.Header{}}
	go func() {
		defer func() {
			if why := recover(); why != nil { // it would end the program, here
				c.answer <- answer{err: fmt.Errorf("proxy: panic: %v\n%s", why, debug.Stack())}
			}
		}()
		t.p.limiter.ServeHTTP(c, req)
		if !c.passed {
			c.answer <- answer{res: c.refusal()}
		}
	}()
	a := <-c.answer
	return a.res, a.err
}

// trip sends a request when a backend has a slot, and returns when the head of its answer is here. ended is called when all of the answer is, and the slot
// has been given back; not for an upgraded connection.
func (p *Proxy) trip(req *http.Request, ended func()) (*http.Response, error) {
	res, err := p.transport.RoundTrip(req)
	switch {
	case err != nil:
		ended()
		return nil, err
	case res.StatusCode == http.StatusSwitchingProtocols && !strings.EqualFold(res.Header.Get("Upgrade"), req.Header.Get("Upgrade")):
		// ReverseProxy would answer for it, and leave the connection open, and with it the slot.
		res.Body.Close()
		ended()
		return nil, errors.New("proxy: the backend has switched to a protocol that was not asked for")
	case res.StatusCode == http.StatusSwitchingProtocols:
	case res.Body == http.NoBody:
		ended()
	case res.ContentLength >= 0 && res.ContentLength <= chunkSize:
		res.Body = readWhole(res.Body, int(res.ContentLength))
		ended()
	default:
		s := req.Context().Value(settingsKey{}).(*settings)
		res.Body = newPump(res.Body, &p.budget, int(s.answerBuffer), ended)
	}
	return res, nil
}

// A call is a request that is behind the limit until its answer is here, and no longer: a [cappedhttp.Limiter] counts a request until its handler returns, and a
// handler that wrote to the client would be as slow as that. It is the http.ResponseWriter that the limiter sees, to which it writes only when it refuses.
type call struct {
	p      *Proxy
	asked  *http.Request
	answer chan answer
	passed bool

	header http.Header
	status int
	body   bytes.Buffer
}

type answer struct {
	res *http.Response
	err error
}

// behindLimit is the handler of the limiter.
func behindLimit(w http.ResponseWriter, r *http.Request) {
	c := w.(*call)
	c.passed = true
	here := make(chan struct{})
	res, err := c.p.trip(r, func() { close(here) })
	c.answer <- answer{res, err}
	select {
	case <-here:
	case <-r.Context().Done(): // an upgraded connection has ended, or the client has gone
	}
}

func (c *call) Header() http.Header         { return c.header }
func (c *call) WriteHeader(status int)      { c.status = status }
func (c *call) Write(p []byte) (int, error) { return c.body.Write(p) }

// refusal is what the limiter wrote.
func (c *call) refusal() *http.Response {
	c.p.counts.refused.Add(1)
	return c.response()
}

// response is what was written.
func (c *call) response() *http.Response {
	return &http.Response{
		StatusCode: c.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: c.header, Request: c.asked,
		ContentLength: int64(c.body.Len()), Body: io.NopCloser(&c.body),
	}
}

// pool is where ReverseProxy gets its buffers.
type pool struct{}

func (pool) Get() []byte  { return chunks.Get().(*[chunkSize]byte)[:] }
func (pool) Put(b []byte) { chunks.Put((*[chunkSize]byte)(b)) }
