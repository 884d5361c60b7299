package proxy

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// refusal writes an answer of our own.
func (c *laneConn) refusal(r *plainRequest, s *settings, write func(http.ResponseWriter)) (int, error) {
	w := &call{header: http.Header{}}
	write(w)
	res := w.response()
	return w.status, c.stream(s, res.StatusCode, res.Header, res.Body, res.ContentLength, nil, r.head)
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
