package sim

import (
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// No test may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noLeak checks at the end of a test that no goroutine is left.
func noLeak(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		// A goroutine of the test itself may take a moment to end; that of a process that is left
		// never does.
		after := runtime.NumGoroutine()
		for range 60_000 {
			if after <= before {
				return
			}
			time.Sleep(time.Millisecond)
			after = runtime.NumGoroutine()
		}
		t.Errorf("%d goroutines, %d before", after, before)
	})
}
