//go:build !race

package relaxed

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/almanac-sim/almanac/internal/timekey"
)

// What a queue does with thousands of entries is nesting, opening early, refining and sweeping,
// each of which meets the others. Here the numbers from which on it does so are small, and all of
// it happens all the time.

// smallQueue is a queue for which a few dozen entries are many.
func smallQueue() *subqueue[int] {
	q := newSubqueue[int](0)
	q.maxInBucket, q.maxInFirst, q.refined, q.slack = 48, 40, 40, 20
	return q
}

// A pendingEvent is what a queue was given, and in which order.
type pendingEvent struct {
	key   uint64
	value int
	entry entry
}

// pendingEvents is a heap: what a queue should hold.
type pendingEvents []pendingEvent

func (h pendingEvents) Len() int { return len(h) }
func (h pendingEvents) Less(i, k int) bool {
	return h[i].key < h[k].key || h[i].key == h[k].key && h[i].value < h[k].value
}
func (h pendingEvents) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *pendingEvents) Push(x any)   { *h = append(*h, x.(pendingEvent)) }
func (h *pendingEvents) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// A follower does the same with a queue and with a heap.
type follower struct {
	q      *subqueue[int]
	due    pendingEvents
	now    float64
	values int
	last   []uint64 // some keys that came before
	r      *rand.Rand
}

func (f *follower) add(at float64) {
	if !(at >= -math.MaxFloat64 && at <= math.MaxFloat64) {
		return
	}
	key := timekey.Of(at)
	heap.Push(&f.due, pendingEvent{key, f.values, f.q.add(key, f.values)})
	f.values++
	if len(f.last) < 50 {
		f.last = append(f.last, key)
	} else {
		f.last[f.r.IntN(len(f.last))] = key
	}
}

func (f *follower) take() error {
	if len(f.due) == 0 {
		if top := f.q.top(); top < empty {
			return fmt.Errorf("there is something at %x, and should be nothing", top)
		}
		return nil
	}
	want := heap.Pop(&f.due).(pendingEvent)
	key := f.q.top()
	if key != want.key {
		return fmt.Errorf("the first is at %x, want %x", key, want.key)
	}
	if v := f.q.take(key); v != want.value {
		return fmt.Errorf("the first at %x is %d, want %d", key, v, want.value)
	}
	f.now = timekey.Time(key)
	return nil
}

func (f *follower) cancel(i int) error {
	e := heap.Remove(&f.due, i).(pendingEvent).entry
	if !f.q.cancel(e.ID, e.Version) || f.q.cancel(e.ID, e.Version) {
		return fmt.Errorf("%+v could not be cancelled, or twice", e)
	}
	return nil
}

// step does something, of one kind, some times: by so much ahead, and so far apart.
func (f *follower) step(kind, times, ahead, apart byte) error {
	center, width := f.now+float64(ahead)/25, math.Exp(float64(apart)/12-14)
	for i := range 1 << (times % 8) {
		var err error
		switch kind % 13 {
		case 0:
			f.add(center + width*f.r.Float64())
		case 1:
			f.add(center)
		case 2:
			f.add(f.now + width*f.r.ExpFloat64())
		case 3:
			f.add(f.now - width*float64(i))
		case 4:
			f.add(math.Floor(f.now) + float64(f.r.IntN(10)))
		case 5:
			err = f.take()
		case 6, 7:
			for range 4 {
				if err = f.take(); err != nil {
					return err
				}
				f.add(f.now + width*f.r.ExpFloat64())
			}
		case 8:
			if len(f.due) > 0 {
				err = f.cancel(f.r.IntN(len(f.due)))
			}
		case 9: // a neighbour of another one
			if len(f.last) > 0 {
				f.add(timekey.Time(f.last[f.r.IntN(len(f.last))] + uint64(f.r.IntN(5)) - 2))
			}
		case 10:
			f.add(math.Exp(1400*f.r.Float64() - 700))
		case 11:
			f.add(-width * f.r.Float64())
		case 12:
			for range 5 {
				if err = f.take(); err != nil {
					return err
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return checkSubqueue(f.q)
}

// followSubqueue takes four bytes for a step. In the end all is taken.
func followSubqueue(data []byte) (nested int, err error) {
	f := follower{q: smallQueue(), r: rand.New(rand.NewPCG(24, uint64(len(data))))}
	for i := 0; i+4 <= len(data); i += 4 {
		if err := f.step(data[i], data[i+1], data[i+2], data[i+3]); err != nil {
			return 0, fmt.Errorf("step %d, %v: %w", i/4, data[i:i+4], err)
		}
	}
	for len(f.due) > 0 {
		if err := f.take(); err != nil {
			return 0, err
		}
	}
	return len(f.q.nested), checkSubqueue(f.q)
}

// randomSteps is n steps.
func randomSteps(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(25, seed))
	data := make([]byte, 4*n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// A queue for which few entries are many gives all back in order, equal times in that in which they
// came, and breaks no invariant.
func TestQueueOfSmallBuckets(t *testing.T) {
	nested := 0
	for seed := range uint64(100) {
		n, err := followSubqueue(randomSteps(seed, 60))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		nested += n
	}
	if nested == 0 {
		t.Error("nothing was nested")
	}
}

func FuzzQueueOfSmallBuckets(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomSteps(100+seed, 20))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := followSubqueue(data[:min(len(data), 400)]); err != nil {
			t.Error(err)
		}
	})
}
