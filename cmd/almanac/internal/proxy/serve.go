package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Server is a proxy with its listeners: one for clients, and one for who looks after it.
type Server struct {
	proxy  *Proxy
	log    *slog.Logger
	server *http.Server
	lane   *lane        // nil if all requests go through net/http
	admin  *http.Server // nil if there is none
	where  net.Addr
	look   net.Addr
	token  string
	open   atomic.Int64 // connections
	cert   atomic.Pointer[tls.Certificate]
	cut    context.CancelFunc // ends what is in flight
	done   sync.WaitGroup
	failed chan error

	mu                     sync.Mutex
	config                 Config
	reread                 *reread // the last time; nil if there was none
	rereads, rereadsFailed uint64
}

// Start listens and serves. An error that is a [Problem] is about a setting, another about the machine: a port in use, say.
func Start(c Config, log *slog.Logger) (_ *Server, err error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	s := &Server{log: log, config: c, failed: make(chan error, 2)}
	if s.token, err = readToken(c.AdminToken); err != nil {
		return nil, err
	}
	cert, err := readCertificate(&c)
	if err != nil {
		return nil, err
	}
	s.cert.Store(cert)
	if s.proxy, err = New(c, log); err != nil {
		return nil, err
	}
	ctx, cut := context.WithCancel(context.Background())
	s.cut = cut
	quiet := slog.NewLogLogger(log.Handler(), slog.LevelDebug) // what strangers do wrong
	s.server = &http.Server{
		Handler:           s.proxy,
		ReadHeaderTimeout: c.HeaderTimeout,
		IdleTimeout:       c.KeepAlive,
		MaxHeaderBytes:    int(c.MaxHeader),
		ErrorLog:          quiet,
		Protocols:         new(http.Protocols),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: 250, SendPingTimeout: c.KeepAlive, PingTimeout: c.ClientIdle, WriteByteTimeout: c.ClientIdle,
			// A body that a backend does not take uses up its stream's window, and none of what other streams of the connection have, unless there are fifteen.
			MaxReceiveBufferPerStream: 256 << 10, MaxReceiveBufferPerConnection: 4<<20 - 1,
		},
	}
	s.server.Protocols.SetHTTP1(true)
	clients, err := net.Listen("tcp", c.Listen)
	if err != nil {
		cut()
		return nil, fmt.Errorf("--listen: %w", err)
	}
	s.where = clients.Addr()
	if c.Admin != "none" {
		l, err := net.Listen("tcp", c.Admin)
		if err != nil {
			cut()
			clients.Close()
			return nil, fmt.Errorf("--admin: %w", err)
		}
		s.look = l.Addr()
		s.admin = &http.Server{Handler: s.adminHandler(), ErrorLog: quiet, MaxHeaderBytes: 16e3,
			ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute}
		s.serve(func() error { return s.admin.Serve(l) })
	}
	most := within(c.MaxConnections, mostFiles(), c.Capacity*len(c.Backends))
	if most < c.MaxConnections {
		log.Warn("proxy: more files would be needed than this process may have open (ulimit -n)", "max-connections", c.MaxConnections, "used instead", most, "files", mostFiles())
	}
	bounded := newBounded(clients, most, &s.open)
	if c.Cert != "" {
		s.server.Protocols.SetHTTP2(true)
		s.server.TLSConfig = &tls.Config{
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.cert.Load(), nil },
			NextProtos:     []string{"h2", "http/1.1"},
		}
		s.serve(func() error { return s.server.Serve(newShaken(bounded, s.server.TLSConfig.Clone(), c.HeaderTimeout)) })
	} else {
		s.server.Protocols.SetUnencryptedHTTP2(true)
		var from net.Listener = bounded
		if laneWanted(&c) {
			s.lane = newLane(ctx, s.proxy, c, bounded)
			from = s.lane
		}
		s.serve(func() error { return s.server.Serve(strict{from}) })
	}
	return s, nil
}

func (s *Server) serve(serve func() error) {
	s.done.Go(func() {
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
}

// Addr is where clients come.
func (s *Server) Addr() string { return s.where.String() }

// URL is where clients come, with a scheme.
func (s *Server) URL() string {
	if s.cert.Load() != nil {
		return "https://" + s.Addr()
	}
	return "http://" + s.Addr()
}

// AdminAddr is where the status page is; empty if there is none.
func (s *Server) AdminAddr() string {
	if s.look == nil {
		return ""
	}
	return s.look.String()
}

// Failed tells if it cannot go on.
func (s *Server) Failed() <-chan error { return s.failed }

// Stats is how the proxy is.
func (s *Server) Stats() Stats {
	st := s.proxy.Stats()
	st.Connections = s.open.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	st.Rereads, st.RereadsFailed = s.rereads, s.rereadsFailed
	return st
}

// readCertificate reads the certificate of a Config; nil if it has none.
func readCertificate(c *Config) (*tls.Certificate, error) {
	if c.Cert == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return nil, Problem{Setting: "cert", Text: fmt.Sprintf("%s with key %s: %v", c.Cert, c.Key, err)}
	}
	return &cert, nil
}

// Reread reads a Config again and takes it over, and keeps how that went for the status page.
func (s *Server) Reread(read func() (Config, error)) (Config, error) {
	c, err := read()
	if err == nil {
		err = c.locate(s.Reload(c))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reread = &reread{At: time.Now().Format(time.RFC3339), File: c.file, Err: err}
	if err != nil {
		s.rereadsFailed++
	} else {
		s.rereads++
	}
	return c, err
}

// A reread is how it went to read a file again.
type reread struct {
	At, File string
	Err      error
}

// Reload takes over another Config. Backends that are not in it get no more requests, and what they have comes to its end. If something is wrong, or cannot change while
// the proxy runs, it returns an error and all is as it was.
func (s *Server) Reload(c Config) error {
	if err := c.Check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var fixed []string
	for _, name := range c.differs(&s.config) {
		if !whileRunning[name] || (name == "cert" || name == "key") && (c.Cert == "") != (s.config.Cert == "") {
			fixed = append(fixed, name)
		}
	}
	if len(fixed) > 0 {
		slices.Sort(fixed)
		text := "cannot be changed while the proxy runs; start it anew"
		if len(fixed) > 1 {
			text = fmt.Sprintf("cannot be changed while the proxy runs, nor can %s; start it anew", strings.Join(fixed[1:], ", "))
		}
		return Problem{Setting: fixed[0], Text: text}
	}
	cert, err := readCertificate(&c)
	if err != nil {
		return err
	}
	if err := s.proxy.set(&c); err != nil {
		return err
	}
	s.cert.Store(cert)
	s.config = c
	return nil
}

// Shutdown takes no more connections and waits for what is in flight, upgraded connections too, for as long as --drain allows. It returns an error that says how many
// requests were cut off, if any were.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	drain := s.config.Drain
	s.mu.Unlock()
	s.proxy.draining.Store(true)
	ctx, cancel := context.WithTimeout(ctx, drain)
	defer cancel()
	err := s.server.Shutdown(ctx) // which does not know of upgraded connections
	for err == nil && s.proxy.active.Load() > 0 {
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	left := s.proxy.active.Load()
	s.cut()
	s.server.Close()
	if s.lane != nil {
		s.lane.cut()
	}
	if s.admin != nil {
		s.admin.Close()
	}
	s.done.Wait()
	// What was cut off gives back its slots in a moment.
	end, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	s.proxy.transport.Close(end)
	s.proxy.base.CloseIdleConnections()
	if err != nil && left > 0 {
		return fmt.Errorf("requests that had not come to their end within %v were cut off: %d", drain, left)
	}
	return nil
}

// bounded is a listener that has at most so many connections; others wait where the system keeps them.
type bounded struct {
	net.Listener
	places chan struct{}
	ended  chan struct{}
	once   sync.Once
	open   *atomic.Int64
}

func newBounded(l net.Listener, n int, open *atomic.Int64) *bounded {
	return &bounded{Listener: l, places: make(chan struct{}, n), ended: make(chan struct{}), open: open}
}

func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.places <- struct{}{}:
	case <-b.ended:
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.places
		return nil, err
	}
	b.open.Add(1)
	return &placed{Conn: c, b: b}, nil
}

func (b *bounded) Close() error {
	b.once.Do(func() { close(b.ended) })
	return b.Listener.Close()
}

// placed is a connection that has a place.
type placed struct {
	net.Conn
	b    *bounded
	once sync.Once
}

func (c *placed) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.b.open.Add(-1)
		<-c.b.places
	})
	return err
}

// CloseWrite ends one direction, which upgraded connections and the end of a server's connection need.
func (c *placed) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return errors.ErrUnsupported
}
