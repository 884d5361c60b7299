package main

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// A strait is a way to a server on which no more than so many bytes of what clients say pass until
// it is opened: workers behind it cannot come to the end of a study whose results are more than
// that, however long a test takes to do what it does meanwhile.
type strait struct {
	address string
	left    atomic.Int64
	opened  chan struct{}
	open    func() // lets everything pass from now on
}

// throttle makes a strait to a server.
func throttle(t *testing.T, server string, bytes int64) *strait {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &strait{address: l.Addr().String(), opened: make(chan struct{})}
	s.left.Store(bytes)
	s.open = sync.OnceFunc(func() { close(s.opened) })
	t.Cleanup(func() {
		l.Close()
		s.open()
	})
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go s.carry(client, server)
		}
	}()
	return s
}

// carry carries what is said on a connection, in both directions, until one of the two ends it.
func (s *strait) carry(client net.Conn, server string) {
	defer client.Close()
	to, err := net.Dial("tcp", server)
	if err != nil {
		return // it is away, and the client will come again
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(client, to)
		client.Close()
		to.Close()
	}()
	for some := make([]byte, 512); ; {
		n, err := client.Read(some)
		if n > 0 {
			if s.left.Add(-int64(n)) < 0 {
				<-s.opened
			}
			if _, err := to.Write(some[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
