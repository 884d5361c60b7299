package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sim/almanac/capped/cappedhttp"
)

// lanePatience is how long a backend is waited for before the client is watched. A client that goes away is noticed so much later.
const lanePatience = 20 * time.Millisecond

var errGone = errors.New("proxy: the client has gone")

// answer has a request answered, and reports whether the connection can be used again.
func (c *laneConn) answer(r *plainRequest, s *settings) (more bool) {
	p := c.l.p
	status, broken := 0, true
	active := p.active.Add(1)
	defer func() {
		c.watch.stop()
		p.active.Add(-1)
		p.counts.status(status, broken)
	}()
	var err error
	if active > int64(s.maxRequests) {
		status, err = c.refusal(r, s, func(w http.ResponseWriter) {
			p.counts.crowded.Add(1)
			refuse(w, http.StatusServiceUnavailable)
		})
	} else {
		status, err = c.ask(r, s)
	}
	broken = err != nil
	return !broken && !p.draining.Load()
}

// ask tries backends.
func (c *laneConn) ask(r *plainRequest, s *settings) (status int, err error) {
	p := c.l.p
	birth := time.Now()
	slot, ok := p.transport.TryAcquire(birth)
	if !ok {
		slot, err = p.transport.Acquire(c.watch.start(), birth)
	}
	stamp := ""
	if c.l.c.SendBirth {
		stamp = cappedhttp.FormatBirth(birth)
	}
	chunk := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	for try := 1; err == nil; try++ {
		u := slot.Backend()
		if u.Scheme != "http" || u.Path != "" { // it was added this moment
			slot.End(cappedhttp.Unsent, 0, nil)
			err = http.ErrNotSupported
			break
		}
		c.out = r.appendTo(c.out[:0], c.peer, c.from, stamp)
		var b *back
		var n int
		if b, n, err = c.exchange(slot, chunk[:]); err == nil {
			a, plain := readPlainAnswer(chunk[:n], r.head, int(c.l.c.MaxHeader), c.out[:0])
			c.out = a.out
			if plain {
				slot.Begun(a.status)
				slot.End(cappedhttp.Answered, a.status, nil)
				if c.watch.with(nil); a.closes || c.watch.left() {
					b.Close()
				} else {
					c.l.backs.put(b, time.Now())
				}
				c.watch.stop()
				if p.draining.Load() {
					c.out = slices.Insert(c.out, a.head, []byte("Connection: close\r\n")...)
				}
				return a.status, c.write(&pace{idle: s.clientIdle, rate: float64(s.minRate)}, c.out)
			}
			c.watch.start()
			c.watch.with(b)
			var res *http.Response
			var source *laneSource
			if res, source, err = c.strange(r, s, b, chunk[:n]); err == nil {
				return c.pass(slot, r, s, b, res, source)
			}
			b.Close()
		}
		switch {
		case err == errGone || c.watch.done != nil && c.watch.left():
			slot.End(cappedhttp.Cancelled, 0, nil)
			err = errGone
		case try < c.l.c.Tries:
			slot, err = slot.Again(c.watch.start(), err)
		default:
			slot.End(cappedhttp.Failed, 0, err)
		}
		if err != nil {
			break
		}
	}
	if err == errGone || c.watch.done != nil && c.watch.left() {
		p.counts.gone.Add(1)
		return 0, errGone
	}
	return c.refusal(r, s, func(w http.ResponseWriter) { cappedhttp.ErrorHandler(w, nil, err) })
}

// exchange sends what is in c.out to the backend of a slot and reads what comes first. If a connection that was used before is closed without an answer, the backend
// closed it for being idle; the request is one that may be sent again, and is, on a new one, as net/http does.
func (c *laneConn) exchange(slot cappedhttp.Slot, chunk []byte) (*back, int, error) {
	u := slot.Backend()
	c.tryEnd = time.Now().Add(c.l.c.TryTimeout)
	end := c.tryEnd
	if b := c.l.backs.get(u.Host); b != nil {
		n, err := c.over(b, chunk, end)
		if err == nil {
			return b, n, nil
		}
		b.Close()
		if err == cappedhttp.ErrTryTimeout || c.watch.done != nil && c.watch.left() {
			return nil, 0, err
		}
	}
	ctx, cancel := context.WithDeadline(c.watch.start(), end)
	b, err := c.l.backs.dial(ctx, u)
	cancel()
	if err != nil {
		if !time.Now().Before(end) {
			err = cappedhttp.ErrTryTimeout
		}
		return nil, 0, err
	}
	n, err := c.over(b, chunk, end)
	if err != nil {
		b.Close()
		return nil, 0, err
	}
	return b, n, nil
}

// over is one connection.
func (c *laneConn) over(b *back, chunk []byte, end time.Time) (int, error) {
	if c.watch.done != nil {
		c.watch.with(b)
		b.SetDeadline(end)
	} else {
		soon := time.Now().Add(lanePatience)
		if soon.After(end) {
			soon = end
		}
		b.SetDeadline(soon)
	}
	_, err := b.Write(c.out)
	n := 0
	if err == nil {
		n, err = b.Read(chunk)
		if errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(end) {
			c.watch.start()
			c.watch.with(b)
			b.SetDeadline(end)
			n, err = b.Read(chunk)
		}
	}
	if n > 0 {
		return n, nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = cappedhttp.ErrTryTimeout
	}
	return 0, err
}

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

// hopByHop are headers of an answer that are for us (RFC 9110, section 7.6.1), as ReverseProxy has them.
var hopByHop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// stream writes an answer in pieces. length is that of the body, or -1: then it goes in chunks, with a trailer if there is one; it is nil for an answer of our own.
func (c *laneConn) stream(s *settings, status int, h http.Header, body io.Reader, length int64, trailer func() http.Header, toHead bool) error {
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopByHop {
		h.Del(name)
	}
	bodiless := toHead || status == http.StatusNoContent || status == http.StatusNotModified
	chunked := !bodiless && length < 0
	switch {
	case chunked || status == http.StatusNoContent || status == http.StatusNotModified:
		h.Del("Content-Length")
	case !bodiless || trailer == nil:
		h.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	if chunked {
		h.Set("Transfer-Encoding", "chunked")
	}
	if trailer != nil && length < 0 {
		var names []string
		for name := range trailer() {
			names = append(names, name)
		}
		if len(names) > 0 {
			h.Set("Trailer", strings.Join(names, ", "))
		}
	}
	if c.l.p.draining.Load() {
		h.Set("Connection", "close")
	}
	pace := &pace{idle: s.clientIdle, rate: float64(s.minRate)}
	out := appendHead(nil, status, h)
	if bodiless {
		return c.write(pace, out)
	}
	piece := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(piece)
	if chunked { // who waits for what comes first should see the head
		if err := c.write(pace, out); err != nil {
			return err
		}
		out = nil
	}
	for {
		n, err := body.Read(piece[:])
		if chunked && n > 0 {
			out = append(strconv.AppendInt(out, int64(n), 16), "\r\n"...)
		}
		out = append(out, piece[:n]...)
		if chunked && n > 0 {
			out = append(out, "\r\n"...)
		}
		if chunked && err == io.EOF {
			out = appendFields(append(out, "0\r\n"...), trailer())
			out = append(out, "\r\n"...)
		}
		if len(out) > 0 {
			if err := c.write(pace, out); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		out = out[:0]
	}
}

// appendHead writes the head of an answer.
func appendHead(b []byte, status int, h http.Header) []byte {
	b = append(b, "HTTP/1.1 "...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(append(append(b, ' '), http.StatusText(status)...), "\r\n"...)
	b = appendFields(b, h)
	if status >= 200 && h.Get("Date") == "" {
		b = appendDate(b)
	}
	return append(b, "\r\n"...)
}

// ends are what would end a line; net/http writes spaces for them too.
var ends = strings.NewReplacer("\n", " ", "\r", " ")

func appendFields(b []byte, h http.Header) []byte {
	for name, values := range h {
		if strings.IndexFunc(name, func(r rune) bool { return r != '_' && (r > 0x7f || characters[r]&inName == 0) }) >= 0 {
			continue
		}
		for _, v := range values {
			b = append(append(append(append(b, name...), ": "...), ends.Replace(v)...), "\r\n"...)
		}
	}
	return b
}

// write writes to the client, which must keep pace.
func (c *laneConn) write(p *pace, b []byte) error {
	for len(b) > 0 {
		part := b[:min(len(b), chunkSize)]
		begun := time.Now()
		allowed := p.allowed(len(part))
		if allowed <= 0 {
			return errSlow
		}
		c.SetWriteDeadline(begun.Add(allowed))
		if _, err := c.Write(part); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				err = errSlow
			}
			return err
		}
		if b = b[len(part):]; len(b) > 0 || len(part) == chunkSize {
			p.passed(len(part), time.Since(begun))
		} else {
			p.passed(len(part), 0)
		}
	}
	return nil
}
