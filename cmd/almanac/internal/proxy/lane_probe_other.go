//go:build !unix

package proxy

import "net"

// newProbe cannot look without waiting here, so that no connection is used twice.
func newProbe(net.Conn) func() bool { return func() bool { return false } }
