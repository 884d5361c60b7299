package dispatchhttp

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"testing"
)

// A pipeServer is a backend behind pipes in memory. In a bubble of synctest time passes only when
// all goroutines wait, which they never seem to do on a connection of the system.
type pipeServer struct {
	conns chan net.Conn
	done  chan struct{}
}

// newPipeServer returns a backend, and the Base that reaches it. Both end with the test.
func newPipeServer(t *testing.T, f http.HandlerFunc) (*pipeServer, *url.URL, TransportOption) {
	s := &pipeServer{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: f}
	go server.Serve(s)
	client := &http.Transport{DialContext: s.dial, MaxIdleConnsPerHost: 8}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	return s, mustParse(t, "http://backend"), Base(client)
}

func (s *pipeServer) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case s.conns <- server:
		return client, nil
	case <-s.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept, Close and Addr make it a net.Listener.
func (s *pipeServer) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

func (s *pipeServer) Close() error   { close(s.done); return nil }
func (s *pipeServer) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
