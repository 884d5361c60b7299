package proxy

import (
	"bytes"
	"context"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// A lane answers plain requests without net/http: one goroutine for a connection reads a request, sends it to a backend, reads the answer and writes it. The first request of
// a connection that is not plain, or not here at once, goes to net/http, and with it the connection.
//
//	          plain                      all of the answer is here
//	reading ────────▶ sent to a backend ──────────────────────────▶ written ──▶ reading
//	   │                      │
//	   │ anything else        │ the answer streams, or is strange
//	   ▼                      ▼
//	net/http's server     net/http's reader, and a pump
//
// Slots are those of the same [cappedhttp.Transport]: what waits there waits in one line, whichever way it came.
type lane struct {
	p      *Proxy
	c      *Config
	from   net.Listener
	handed chan net.Conn // to net/http
	failed chan error    // no more can be accepted
	ended  chan struct{} // nobody takes them any more
	once   sync.Once
	ctx    context.Context // ends with what is in flight
	backs  *backends
	done   sync.WaitGroup
	plain  atomic.Uint64 // requests that it has answered

	mu    sync.Mutex
	conns map[*laneConn]bool // whether it has a request
	stops bool               // when it has none
}

// laneWanted reports whether there can be one: with a limit, and where an answer can mean another try, requests go through net/http.
func laneWanted(c *Config) bool {
	return !c.noLane && c.Cert == "" && c.Limit == 0 && !c.RetryRefused && !c.BackendH2C
}

// lanePlain reports whether the backends are such that plain requests can be sent to them as they are.
func lanePlain(c *Config) bool {
	urls, err := c.urls()
	for _, u := range urls {
		if u.Scheme != "http" || u.Path != "" && u.Path != "/" {
			return false
		}
	}
	return err == nil
}

func newLane(ctx context.Context, p *Proxy, c Config, from net.Listener) *lane {
	l := &lane{p: p, c: &c, from: from, handed: make(chan net.Conn), failed: make(chan error, 1), ended: make(chan struct{}), ctx: ctx, backs: newBackends(&c), conns: map[*laneConn]bool{}}
	l.done.Go(l.accept)
	return l
}

// Accept is for net/http: connections that are handed over.
func (l *lane) Accept() (net.Conn, error) {
	select {
	case c := <-l.handed:
		return c, nil
	case err := <-l.failed:
		return nil, err
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

func (l *lane) Addr() net.Addr { return l.from.Addr() }

// Close takes no more connections, and closes those without a request.
func (l *lane) Close() error {
	err := l.from.Close()
	l.once.Do(func() { close(l.ended) })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stops = true
	for c, busy := range l.conns {
		if !busy {
			c.Close()
		}
	}
	return err
}

// cut closes all connections, and returns when nothing goes on any more.
func (l *lane) cut() {
	l.Close()
	l.mu.Lock()
	for c := range l.conns {
		c.Close()
	}
	l.mu.Unlock()
	l.done.Wait()
	l.backs.close()
}

func (l *lane) accept() {
	pause := time.Duration(0)
	for {
		c, err := l.from.Accept()
		if err == nil {
			pause = 0
			l.done.Go(func() { l.serve(c) })
			continue
		}
		select {
		case <-l.ended:
			return
		default:
		}
		// Too many files are open, say, for a while: as net/http's server has it.
		if t, ok := err.(interface{ Temporary() bool }); !ok || !t.Temporary() {
			l.failed <- err
			return
		}
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		select {
		case <-time.After(pause):
		case <-l.ended:
			return
		}
	}
}

// busy says whether a connection has a request, and reports whether it may go on.
func (l *lane) busy(c *laneConn, is bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = is
	return is || !l.stops
}

// A laneConn is a connection of a client.
type laneConn struct {
	net.Conn
	l          *lane
	peer, from string
	in         []byte // what has come and was not read
	lines, out []byte
	watch      watch
	tryEnd     time.Time // when a backend must have answered
}

// mostKept is how much of a buffer a connection keeps between requests.
const mostKept = 8 << 10

var headEnd = []byte("\r\n\r\n")

// serve is a connection, until it is over or handed to net/http.
func (l *lane) serve(conn net.Conn) {
	c := &laneConn{Conn: conn, l: l, in: make([]byte, 0, mostPlain), lines: make([]byte, 0, 512), out: make([]byte, 0, 1024)}
	c.peer, c.from = peerOf(conn.RemoteAddr().String())
	c.watch.c = c
	over := true
	defer func() {
		if why := recover(); why != nil {
			l.p.log.Error("proxy: a request made the proxy panic", "panic", why, "stack", string(debug.Stack()))
		}
		l.mu.Lock()
		delete(l.conns, c)
		l.mu.Unlock()
		if over {
			conn.Close()
		}
	}()
	patience := l.c.HeaderTimeout
	for {
		if !l.busy(c, false) {
			return
		}
		if !bytes.Contains(c.in, headEnd) && len(c.in) < cap(c.in) {
			if len(c.in) > 0 {
				patience = l.c.HeaderTimeout
			}
			conn.SetReadDeadline(time.Now().Add(patience))
			n, err := conn.Read(c.in[len(c.in):cap(c.in)])
			if c.in = c.in[:len(c.in)+n]; err != nil {
				return
			}
		}
		r, ok := readPlain(c.in, c.lines)
		c.lines = r.rest
		s := l.p.now.Load()
		if !ok || !s.plain {
			conn.SetDeadline(time.Time{})
			select {
			case l.handed <- &replayed{Conn: conn, first: c.in}:
				over = false
			case <-l.ended:
			}
			return
		}
		l.busy(c, true)
		l.plain.Add(1)
		if !c.answer(&r, s) {
			return
		}
		c.in = c.in[:copy(c.in, c.in[r.size:])]
		if cap(c.out) > mostKept {
			c.out = make([]byte, 0, 1024)
		}
		patience = l.c.KeepAlive
	}
}

// replayed is a connection of which something was read.
type replayed struct {
	net.Conn
	first []byte
}

func (r *replayed) Read(p []byte) (int, error) {
	if len(r.first) == 0 {
		return r.Conn.Read(p)
	}
	n := copy(p, r.first)
	if r.first = r.first[n:]; len(r.first) == 0 {
		r.first = nil
	}
	return n, nil
}

// CloseWrite ends one direction.
func (r *replayed) CloseWrite() error { return r.Conn.(*placed).CloseWrite() }
