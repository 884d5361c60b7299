//go:build !unix

package proxy

import "math"

// mostFiles is how many files this process may have open: no bound is known here.
func mostFiles() int { return math.MaxInt32 }
