package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// errSlow says that a client was silent for too long, or too slow.
var errSlow = errors.New("proxy: the client is too slow")

// A pace is what is asked of a client: not to keep us waiting for longer than idle, nor, over all of a body and beyond the first idle, longer than its bytes take
// at rate. Only time counts in which the client is waited for, so that a stream may be silent for as long as its backend is.
type pace struct {
	idle  time.Duration
	rate  float64       // bytes per second; 0 for any
	bytes int64         // that have passed
	spent time.Duration // in waiting for the client
}

// allowed is how long n bytes more may take.
func (p *pace) allowed(n int) time.Duration {
	if p.rate == 0 {
		return p.idle
	}
	return min(p.idle, p.idle-p.spent+time.Duration(float64(p.bytes+int64(n))/p.rate*1e9))
}

func (p *pace) passed(n int, took time.Duration) {
	p.bytes += int64(n)
	p.spent += took
}

// A pacedReader is the body of a request, whose client must keep pace, and which must not be larger than it may. Somebody may still be reading it when the
// request is over, and must not touch the connection's deadlines then: they are the next request's.
type pacedReader struct {
	io.ReadCloser
	pace
	most    int64
	control *http.ResponseController
	streams bool // HTTP/2

	mu    sync.Mutex
	ended bool
	slow  bool // the client was
	over  bool // the request is
}

func (r *pacedReader) Read(p []byte) (int, error) {
	begun := time.Now()
	allowed := r.allowed(0)
	if allowed <= 0 {
		return 0, r.tooSlow()
	}
	r.deadline(begun.Add(allowed), false)
	n, err := r.ReadCloser.Read(p)
	r.passed(n, time.Since(begun))
	if err != nil || r.streams {
		// At the end of the body a server goes on reading, to see that the client is still there, and the deadline would say that it is not. That of an
		// HTTP/2 stream ends the body also if nobody reads.
		r.deadline(time.Time{}, err == io.EOF)
	}
	switch {
	case r.bytes > r.most:
		return 0, &http.MaxBytesError{Limit: r.most}
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = r.tooSlow()
	}
	return n, err
}

func (r *pacedReader) tooSlow() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slow = true
	return errSlow
}

func (r *pacedReader) deadline(t time.Time, ended bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.control.SetReadDeadline(t)
	}
	r.ended = r.ended || ended
}

// linger is how long a server may take to read the rest of a body that nobody wants.
const linger = 5 * time.Second

// finish says that the request is over.
func (r *pacedReader) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	switch {
	case r.ended:
	case r.slow:
		r.control.SetReadDeadline(time.Now())
	default:
		r.control.SetReadDeadline(time.Now().Add(linger))
	}
}

// A pacedWriter is a response, whose client must keep pace.
type pacedWriter struct {
	http.ResponseWriter
	pace
	control *http.ResponseController
	streams bool // HTTP/2
	status  int  // 0 before there is one
	close   bool // this is the last of the connection
	final   bool // an HTTP/1.0 client knows of no answers before the last

	hijacked bool
	upgraded *atomic.Int64 // how many there are
}

// Unwrap is for [http.ResponseController].
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack is for upgrades. A client that keeps up no pace then is the backend's to judge, and that nothing passes ends it. What the client has sent behind its
// head is read from the connection too: ReverseProxy does not look into the buffer.
func (w *pacedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := w.control.Hijack()
	if err != nil {
		return conn, rw, err
	}
	w.hijacked = true
	w.upgraded.Add(1)
	if n := rw.Reader.Buffered(); n > 0 {
		conn = &early{Conn: conn, sent: io.LimitReader(rw.Reader, int64(n))}
	}
	return conn, rw, nil
}

// early is a connection of which the first bytes were read already.
type early struct {
	net.Conn
	sent io.Reader // nil when they were taken
}

func (c *early) Read(p []byte) (int, error) {
	if c.sent != nil {
		if n, err := c.sent.Read(p); err == nil {
			return n, nil
		}
		c.sent = nil
	}
	return c.Conn.Read(p)
}

// CloseWrite ends one direction.
func (c *early) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return errors.ErrUnsupported
}

func (w *pacedWriter) WriteHeader(status int) {
	if status < 200 && w.final {
		return // RFC 9110, section 15.2
	}
	if status >= 200 {
		w.status = status
		if w.close {
			w.Header().Set("Connection", "close")
		}
		if _, there := w.Header()["Content-Type"]; !there {
			w.Header()["Content-Type"] = nil // or net/http would guess, and what a backend did not say is not for us to say
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *pacedWriter) Write(p []byte) (n int, err error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	err = w.within(len(p), func() (err error) {
		n, err = w.ResponseWriter.Write(p)
		return err
	})
	return n, err
}

// FlushError is for [http.ResponseController].
func (w *pacedWriter) FlushError() error { return w.within(0, w.control.Flush) }

// within has n bytes written in the time that they may take.
func (w *pacedWriter) within(n int, write func() error) error {
	begun := time.Now()
	allowed := w.allowed(n)
	if allowed <= 0 {
		return errSlow
	}
	w.control.SetWriteDeadline(begun.Add(allowed))
	err := write()
	w.passed(n, time.Since(begun))
	if w.streams {
		w.control.SetWriteDeadline(time.Time{}) // which would end the stream also if nothing is written
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = errSlow
	}
	return err
}
