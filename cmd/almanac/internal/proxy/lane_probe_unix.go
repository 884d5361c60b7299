//go:build unix

package proxy

import (
	"net"
	"syscall"
)

// newProbe looks at a connection that should be silent, by a read that does not wait: net/http has a goroutine in Read for that, which costs more.
func newProbe(c net.Conn) func() bool {
	s, ok := c.(syscall.Conn)
	if !ok {
		return func() bool { return false }
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return func() bool { return false }
	}
	var silent bool
	var b [1]byte
	look := func(fd uintptr) {
		_, err := syscall.Read(int(fd), b[:])
		silent = err == syscall.EAGAIN
	}
	return func() bool { return raw.Control(look) == nil && silent }
}
