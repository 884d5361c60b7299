//go:build amd64 && gc && !race && !purego

package cpu

import "sync/atomic"

// StoreRelease stores v, after all that was stored or loaded before. What is loaded afterwards may
// be older.
//
//go:noescape
func StoreRelease(p *atomic.Uint64, v uint64)
