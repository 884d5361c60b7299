//go:build race

package spray

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// The tests of many goroutines once more, with goroutines interrupted where it hurts.
func TestCalendarInterrupted(t *testing.T) {
	f := func() {
		switch x := rand.IntN(1000); {
		case x < 1:
			time.Sleep(20 * time.Microsecond)
		case x < 150:
			runtime.Gosched()
		}
	}
	interruption.Store(&f)
	defer interruption.Store(nil)
	fewer = 20
	defer func() { fewer = 1 }()
	t.Run("Conserves", TestCalendarConserves)
	t.Run("CancelsOnce", TestCalendarCancelsOnce)
	t.Run("IsNeverEmpty", TestCalendarIsNeverEmpty)
	t.Run("SeesWhatWanders", TestCalendarSeesWhatWanders)
}
