package proxy

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// shaken is a listener of TLS connections that have shaken hands, by when it is known what they speak: those of HTTP/1 are watched. A server does the same with the hands, but
// takes no connection for HTTP/2 that is not a [tls.Conn], so that nothing can be put between before.
type shaken struct {
	net.Listener
	config  *tls.Config
	timeout time.Duration
	ready   chan accepted
	ctx     context.Context // ends with the listener
	cancel  context.CancelFunc
	hands   sync.WaitGroup
}

// accepted is what an Accept returns.
type accepted struct {
	conn net.Conn
	err  error
}

func newShaken(l net.Listener, config *tls.Config, timeout time.Duration) *shaken {
	s := &shaken{Listener: l, config: config, timeout: timeout, ready: make(chan accepted)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.hands.Go(func() {
		for s.ctx.Err() == nil {
			conn, err := l.Accept()
			if err != nil {
				s.give(accepted{err: err}) // the server knows which errors pass, and waits
				continue
			}
			s.hands.Go(func() { s.shake(tls.Server(conn, config)) })
		}
	})
	return s
}

// shake shakes hands. What does not succeed is given to the server nevertheless, which meets the same error, and says what it says then.
func (s *shaken) shake(c *tls.Conn) {
	ctx, stop := context.WithTimeout(s.ctx, s.timeout)
	defer stop()
	err := c.HandshakeContext(ctx)
	var conn net.Conn = c
	if err == nil && c.ConnectionState().NegotiatedProtocol != "h2" {
		conn = &watchedTLS{watched{Conn: c}, c}
	}
	s.give(accepted{conn: conn})
}

func (s *shaken) give(a accepted) {
	select {
	case s.ready <- a:
	case <-s.ctx.Done():
		if a.conn != nil {
			a.conn.Close()
		}
	}
}

func (s *shaken) Accept() (net.Conn, error) {
	select {
	case a := <-s.ready:
		return a.conn, a.err
	case <-s.ctx.Done():
		return nil, net.ErrClosed
	}
}

func (s *shaken) Close() error {
	s.cancel()
	err := s.Listener.Close()
	s.hands.Wait()
	return err
}

// watchedTLS is a connection of HTTP/1 by TLS. From its state the server knows that it is.
type watchedTLS struct {
	watched
	c *tls.Conn
}

// ConnectionState is that of the connection.
func (w *watchedTLS) ConnectionState() tls.ConnectionState { return w.c.ConnectionState() }
