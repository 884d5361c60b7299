package spray

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// growTogether has 64 goroutines fill one queue with n events, and returns how many bytes are there then, and how many were ever taken.
func growTogether(t *testing.T, n int, opts ...Option) (there, made uint64) {
	const goroutines = 64
	c := NewCalendar[int](append(opts, Processes(1))...)
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

// A calendar that had room for fewer events than come makes more of it while many use it.
func TestCalendarGrowsBeyondCapacity(t *testing.T) { growTogether(t, 1<<17, Capacity(1<<15)) }

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
	end := uint64(maxRoom)
	whole, half := int(end), int(end/2)
	for _, used := range []int{whole - 1, whole} {
		if r := (reach{used, whole, whole}); r.full() || r.wanting(16) {
			t.Errorf("%+v should be longer", r)
		}
	}
	if r := (reach{half - 1, half, half}); !r.full() || !r.wanting(16) {
		t.Errorf("%+v should not be longer", r)
	}
}

// Something is made ready, however large the things are, and then nobody is sent again until there are more.
func TestCalendarReadyForLargeValues(t *testing.T) {
	type large [2 * readyBytes]byte
	array := make([]large, 64)
	r := reach{used: 3, ready: 3, room: len(array)}
	if !r.wanting(unsafe.Sizeof(array[0])) {
		t.Fatal("nothing should be made ready")
	}
	if r.ready = populate(array, r); r.ready != 4 || r.wanting(unsafe.Sizeof(array[0])) {
		t.Errorf("%d are ready, want 4", r.ready)
	}
}

// A calendar with room for so many events makes no second array for them, whatever their times, nor is one about to be made. (It was when 31 of 32
// were there.)
func TestCalendarCapacityMemory(t *testing.T) {
	for _, n := range []int{1, 100, 10_000, 65_536, 100_000, 262_144, 400_000} {
		for name, at := range map[string]func(r *rand.Rand) float64{
			"exponential": (*rand.Rand).ExpFloat64,
			"log-normal":  func(r *rand.Rand) float64 { return math.Exp(5 * r.NormFloat64()) },
		} {
			for _, per := range []int{1, 2} {
				if per > 1 && n < 10_000 {
					continue // by chance, one of the queues gets far more than its share
				}
				r := rand.New(rand.NewPCG(27, uint64(n)))
				c := NewCalendar[int](Processes(1), PerProcess(per), Capacity(n))
				type room struct{ chunks, slots int }
				var before []room
				for i := range c.queues {
					q := c.queues[i].Load()
					before = append(before, room{len(q.chunks), cap(q.slots)})
				}
				for i := range n {
					_, _ = c.Schedule(at(r), i)
				}
				for i := range c.queues {
					q := c.queues[i].Load()
					if after := (room{len(q.chunks), cap(q.slots)}); after != before[i] {
						t.Errorf("%d %s events, queue %d of %d: %+v became %+v", n, name, i, per, before[i], after)
					}
				}
			}
		}
	}
}
