//go:build !amd64 || !gc || race

package spray

import "sync/atomic"

// release stores a word that others read, after all that was done before.
func release(word *atomic.Uint64, w uint64) { word.Store(w) }
