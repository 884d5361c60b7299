package spray

import (
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// growTogether has 64 goroutines fill one queue with n events, and returns how many bytes are there then, and how many were ever taken.
func growTogether(t *testing.T, n int) (there, made uint64) {
	const goroutines = 64
	c := NewCalendar[int](Processes(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	for w := range goroutines {
		all.Go(func() {
			r := rand.New(rand.NewPCG(26, uint64(w)))
			for i := range n / goroutines {
				_, _ = c.Schedule(r.ExpFloat64(), i)
			}
		})
	}
	all.Wait()
	runtime.ReadMemStats(&after)
	mustCheck(t, c)
	sum, _ := c.Stats()
	if sum.Pending != n {
		t.Fatalf("%d events are there, not %d", sum.Pending, n)
	}
	return uint64(sum.Bytes), after.TotalAlloc - before.TotalAlloc
}

// An array that is replaced while many use it, in programs that are checked for races, too.
func TestCalendarGrowsForMany(t *testing.T) { growTogether(t, 1<<17) }

// However many goroutines fill a queue, one of them makes the array that replaces a full one, and at most one more is made, by one who comes to the end
// of the old one before that is there. Arrays that double are together twice the last, so that no more than four times what is there has
// been made. (Each goroutine made one, and it was 4.5 to 10 times.)
func TestCalendarMemoryIsMadeOnce(t *testing.T) {
	there, made := growTogether(t, 1<<19)
	t.Logf("%d MB are there, and %d MB were made", there>>20, made>>20)
	if made > 4*there {
		t.Errorf("%d MB were made, where %d MB are there", made>>20, there>>20)
	}
}

// An array that is as long as can be is not made longer, and nobody is sent to do so.
func TestCalendarReachEnds(t *testing.T) {
	if bits.UintSize < 64 {
		return // no array is so long
	}
	one := 1
	for _, used := range []int{one<<32 - 1, one << 32} {
		if r := (reach{used, one << 32, one << 32}); r.full() || r.wanting(16) {
			t.Errorf("%+v should be longer", r)
		}
	}
	if r := (reach{one<<31 - 1, one << 31, one << 31}); !r.full() || !r.wanting(16) {
		t.Errorf("%+v should not be longer", r)
	}
}
