package proxy

import (
	"context"
	"net"
	"net/url"
	"sync"
	"time"
)

// backends are connections to backends that are without a request.
type backends struct {
	dialer *net.Dialer
	most   int // of each backend

	mu     sync.Mutex
	idle   map[string][]*back // by host, the one last used at the end
	reaper *time.Timer        // nil if there are none
	closed bool
}

// backIdle is how long one is kept, as in newBase.
const backIdle = 90 * time.Second

// A back is a connection to a backend.
type back struct {
	net.Conn
	probe func() bool // reports whether nothing has come, and it is open
	host  string
	since time.Time // it is idle
}

func newBackends(c *Config) *backends {
	return &backends{dialer: &net.Dialer{Timeout: c.DialTimeout, KeepAlive: 15 * time.Second}, most: c.Capacity, idle: map[string][]*back{}}
}

// get is a connection that was used before, or nil. A backend may have closed it, or have said something that nobody asked for, which must not be taken for the next
// answer.
func (b *backends) get(host string) *back {
	for {
		b.mu.Lock()
		all := b.idle[host]
		if len(all) == 0 {
			b.mu.Unlock()
			return nil
		}
		c := all[len(all)-1]
		all[len(all)-1] = nil
		b.idle[host] = all[:len(all)-1]
		b.mu.Unlock()
		if c.probe() {
			return c
		}
		c.Close()
	}
}

// dial makes one.
func (b *backends) dial(ctx context.Context, u *url.URL) (*back, error) {
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), "80")
	}
	c, err := b.dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &back{Conn: c, probe: newProbe(c), host: u.Host}, nil
}

// put keeps a connection whose answer has come to its end.
func (b *backends) put(c *back, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || len(b.idle[c.host]) >= b.most {
		c.Close()
		return
	}
	c.since = now
	b.idle[c.host] = append(b.idle[c.host], c)
	if b.reaper == nil {
		b.reaper = time.AfterFunc(backIdle, b.reap)
	}
}

// reap closes those that have been idle for long: a backend that is gone leaves some.
func (b *backends) reap() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reaper = nil
	old := time.Now().Add(-backIdle)
	for host, all := range b.idle {
		n := 0
		for n < len(all) && all[n].since.Before(old) {
			all[n].Close()
			n++
		}
		if all = append(all[:0], all[n:]...); len(all) == 0 {
			delete(b.idle, host)
		} else {
			b.idle[host] = all
		}
	}
	if len(b.idle) > 0 && !b.closed {
		b.reaper = time.AfterFunc(backIdle/2, b.reap)
	}
}

func (b *backends) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, all := range b.idle {
		for _, c := range all {
			c.Close()
		}
	}
	clear(b.idle)
	if b.reaper != nil {
		b.reaper.Stop()
	}
}
