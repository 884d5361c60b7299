package cpu_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/almanac-sim/almanac/internal/cpu"
)

// Whoever finds what was stored finds what was stored before it, and gets the lock back that was
// given.
func TestStoreReleases(t *testing.T) {
	const rounds = 200_000
	var lock atomic.Uint64
	var a, b uint64 // belong to the one whose turn it is
	turns := func(mine, others uint64) {
		for i := range uint64(rounds) {
			for try := 0; lock.Load() != mine; try++ {
				if try%64 == 63 {
					runtime.Gosched()
				}
			}
			if a != b || a != 2*i+mine {
				t.Errorf("round %d: %d and %d", i, a, b)
			}
			a++
			b++
			cpu.StoreRelease(&lock, others)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		turns(1, 0)
	}()
	turns(0, 1)
	<-done
	if lock.Load() != 0 || a != 2*rounds {
		t.Errorf("%d turns, and the lock is %d", a, lock.Load())
	}
}

func BenchmarkStore(b *testing.B) {
	var x atomic.Uint64
	b.Run("release", func(b *testing.B) {
		for b.Loop() {
			cpu.StoreRelease(&x, 1)
		}
	})
	b.Run("atomic", func(b *testing.B) {
		for b.Loop() {
			x.Store(1)
		}
	})
}
