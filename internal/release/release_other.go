//go:build !amd64 || !gc || race || purego

package release

import "sync/atomic"

// Store stores v, after all that was stored or loaded before. What is loaded afterwards may be
// older.
func Store(p *atomic.Uint64, v uint64) { p.Store(v) }
