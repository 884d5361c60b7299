package memory

import (
	"runtime"
	"testing"
)

// A hundred megabytes more are seen, and stay seen when they are gone.
func TestPeak(t *testing.T) {
	const size = 100 << 20
	before := Peak()
	block := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		block[i] = 1
	}
	after := Peak()
	runtime.KeepAlive(block)
	// The program may have had some of it before.
	if after < size || after < before {
		t.Errorf("%d before, %d after %d more", before, after, size)
	}
}
