package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/capped/cappedhttp"
)

// A laneSource is what comes from a backend: what was read already, and then the rest. Until a head is read it is bounded, in bytes and in time; from then each Read has a time.
type laneSource struct {
	b     *back
	first []byte
	left  int64         // bytes of the head that may still come; -1 after it
	idle  time.Duration // for a Read, after it
}

var errLargeHead = errors.New("proxy: the head of the answer is too large")

func (s *laneSource) Read(p []byte) (n int, err error) {
	if s.left == 0 {
		return 0, errLargeHead
	}
	if s.left > 0 && int64(len(p)) > s.left {
		p = p[:s.left]
	}
	if len(s.first) > 0 {
		n = copy(p, s.first)
		s.first = s.first[n:]
	} else {
		if s.left < 0 {
			s.b.SetReadDeadline(time.Now().Add(s.idle))
		}
		n, err = s.b.Read(p)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			if err = cappedhttp.ErrAnswerIdle; s.left > 0 {
				err = cappedhttp.ErrTryTimeout
			}
		}
	}
	if s.left > 0 {
		s.left -= int64(n)
	}
	return n, err
}

// strange reads the head of an answer that is not plain. Interim answers (RFC 9110, section 15.2) are passed on.
func (c *laneConn) strange(r *plainRequest, s *settings, b *back, first []byte) (*http.Response, *laneSource, error) {
	b.SetDeadline(c.tryEnd)
	source := &laneSource{b: b, first: bytes.Clone(first), left: int64(c.l.c.MaxHeader), idle: c.l.c.BackendIdle}
	in := bufio.NewReader(source)
	method := http.MethodGet
	if r.head {
		method = http.MethodHead
	}
	for interim := 0; ; interim++ {
		res, err := http.ReadResponse(in, &http.Request{Method: method})
		if err == io.ErrUnexpectedEOF || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		switch {
		case err != nil:
			return nil, nil, err
		case res.StatusCode == http.StatusSwitchingProtocols || interim > 5 || res.StatusCode < 100:
			return nil, nil, errors.New("proxy: the backend has answered what was not asked: " + res.Status)
		case res.StatusCode >= 200:
			source.left = -1
			res.Body = &laneBody{ReadCloser: res.Body, in: in}
			return res, source, nil
		default:
			if err := c.write(&pace{idle: s.clientIdle}, appendHead(nil, res.StatusCode, res.Header)); err != nil {
				return nil, nil, errGone
			}
		}
	}
}

// A laneBody is the body of an answer. Its end is where a slot is given back.
type laneBody struct {
	io.ReadCloser
	in   *bufio.Reader
	once sync.Once
	end  func(error)
}

func (b *laneBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(func() { b.end(err) })
	}
	return n, err
}

func (b *laneBody) Close() error {
	b.once.Do(func() { b.end(nil) })
	return nil
}

// pass writes an answer as it comes.
func (c *laneConn) pass(slot cappedhttp.Slot, r *plainRequest, s *settings, b *back, res *http.Response, source *laneSource) (int, error) {
	slot.Begun(res.StatusCode)
	body := res.Body.(*laneBody)
	body.end = func(err error) {
		switch {
		case err == io.EOF:
			slot.End(cappedhttp.Answered, res.StatusCode, nil)
			if c.watch.with(nil); !res.Close && body.in.Buffered() == 0 && len(source.first) == 0 && !c.watch.left() {
				c.l.backs.put(b, time.Now())
				return
			}
		case err == nil:
			b.Close()
			slot.End(cappedhttp.Abandoned, res.StatusCode, nil)
		case c.watch.left():
			b.Close()
			slot.End(cappedhttp.Cancelled, 0, nil)
		default:
			b.Close()
			slot.End(cappedhttp.Broken, res.StatusCode, err)
		}
		b.Close()
	}
	defer body.Close() // which matters if there was a panic
	hasBody := !r.head && res.StatusCode != http.StatusNoContent && res.StatusCode != http.StatusNotModified && res.ContentLength != 0
	var out io.ReadCloser
	ended := make(chan struct{})
	switch {
	case !hasBody:
		body.once.Do(func() { body.end(io.EOF) })
		out = http.NoBody
		close(ended)
	case res.ContentLength > 0 && res.ContentLength <= chunkSize:
		out = readWhole(body, int(res.ContentLength))
		close(ended)
	default:
		out = newPump(body, &c.l.p.budget, int(s.answerBuffer), func() { close(ended) })
	}
	err := c.stream(s, res.StatusCode, res.Header, out, res.ContentLength, func() http.Header { return res.Trailer }, r.head)
	out.Close()
	<-ended
	return res.StatusCode, err
}
