package spray

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/almanac-sim/almanac/internal/stress"
	"github.com/almanac-sim/almanac/internal/testscale"
)

// Producers apart from consumers, and consumers that produce; some of what is produced is taken
// back. Everything ends once, all consumers come to the end, and nothing is left.
func TestBlockingConserves(t *testing.T) {
	stress.Interrupted(100, func() {
		for range testscale.Size(3, 50) {
			conserveBlocking(t, stress.FewerRaced(4000, 400))
		}
	})
}

func conserveBlocking(t *testing.T, each int) {
	const producers, consumers = 3, 5
	b := NewBlocking[float64, int](Concurrency(2))
	ends := make([]atomic.Int32, 2*producers*each)
	var produce, consume sync.WaitGroup
	for g := range producers {
		produce.Go(func() {
			for i := range each {
				id := g*each + i
				h, err := b.Insert(float64(i), id)
				if err != nil {
					t.Error(err)
				}
				if i%10 == 0 && b.Delete(h) {
					ends[id].Add(1)
					ends[id+producers*each].Add(1) // which will not come
				}
			}
		})
	}
	for range consumers {
		consume.Go(func() {
			for {
				at, id, err := b.Spray(t.Context())
				if err != nil {
					if !errors.Is(err, ErrDone) {
						t.Error(err)
					}
					return
				}
				if ends[id].Add(1); id < producers*each {
					h, err := b.Insert(at+1, id+producers*each)
					if err != nil {
						t.Error(err)
					}
					if id%10 == 1 && b.Delete(h) {
						ends[id+producers*each].Add(1)
					}
				}
				b.Done()
			}
		})
	}
	produce.Wait()
	b.Close()
	consume.Wait()
	for id := range ends {
		if n := ends[id].Load(); n != 1 {
			t.Fatalf("%d ended %d times", id, n)
		}
	}
	if _, err := b.Insert(1, 1); !errors.Is(err, ErrDone) || b.Len() != 0 {
		t.Errorf("after the end: %v, %d left", err, b.Len())
	}
}

// A consumer that waits goes when its context ends, and nothing is lost by that.
func TestBlockingContext(t *testing.T) {
	b := NewBlocking[float64, int]()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, _, err := b.Spray(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := b.Insert(1, 7); err != nil {
		t.Error(err)
	}
	if _, _, err := b.Spray(ctx); !errors.Is(err, context.DeadlineExceeded) || b.Len() != 1 {
		t.Errorf("%v, %d left", err, b.Len())
	}
	if at, id, err := b.Spray(t.Context()); id != 7 || at != 1 || err != nil {
		t.Error(id, at, err)
	}
	b.Close()
	b.Done()
	if _, _, err := b.Spray(t.Context()); !errors.Is(err, ErrDone) {
		t.Error(err)
	}
}

func TestBlockingDoneTooOften(t *testing.T) {
	b := NewBlocking[float64, int]()
	_, _ = b.Insert(1, 1)
	if _, _, err := b.Spray(t.Context()); err != nil {
		t.Error(err)
	}
	b.Done()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	b.Done()
}

func TestBlockingAllocatesNothing(t *testing.T) {
	b := NewBlocking[float64, int](Capacity(1000))
	for i := range 100 {
		_, _ = b.Insert(float64(i), i)
	}
	ctx := t.Context()
	if n := testing.AllocsPerRun(1000, func() {
		at, id, err := b.Spray(ctx)
		if err != nil {
			t.Error(err)
		}
		_, _ = b.Insert(at+100, id)
		b.Done()
	}); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
