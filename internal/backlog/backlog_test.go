package backlog_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/almanac-sim/almanac/internal/backlog"
)

// A bag is the plainest queue there is.
type bag struct {
	mutex sync.Mutex
	items []int
}

func (b *bag) put(x int) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.items = append(b.items, x)
}

func (b *bag) take() (x int, ok bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if len(b.items) == 0 {
		return 0, false
	}
	x = b.items[len(b.items)-1]
	b.items = b.items[:len(b.items)-1]
	return x, true
}

func insert(t *testing.T, l *backlog.Backlog, b *bag, x int) {
	if !l.Begin() {
		t.Error("all is said to be done")
	}
	b.put(x)
	l.Inserted()
}

// Producers apart from consumers, and consumers that produce: every element is taken once, all
// consumers come to the end, and none before.
func TestAllIsDone(t *testing.T) {
	for round := range 200 {
		var l backlog.Backlog
		l.Init()
		var b bag
		const producers, consumers, each = 3, 4, 50
		var taken, finished atomic.Int64
		var produce, consume sync.WaitGroup
		for g := range producers {
			produce.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(g)))
				for range each {
					insert(t, &l, &b, r.IntN(3)) // leads to so many others
				}
			})
		}
		for range consumers {
			consume.Go(func() {
				for {
					x := 0
					ok, err := l.Next(t.Context(), func() (ok bool) { x, ok = b.take(); return ok })
					if err != nil {
						t.Error(err)
					}
					if !ok {
						return
					}
					taken.Add(1)
					for range x {
						insert(t, &l, &b, x-1)
					}
					finished.Add(1)
					if !l.Done() {
						t.Error("it was done before")
					}
				}
			})
		}
		produce.Wait()
		l.Close()
		l.Close()
		consume.Wait()
		if _, left := b.take(); left || taken.Load() != finished.Load() || taken.Load() < producers*each {
			t.Fatalf("%d taken, %d finished, some are left: %v", taken.Load(), finished.Load(), left)
		}
		if l.Begin() {
			t.Fatal("an element comes after all is done")
		}
	}
}

// Goroutines that wait sleep, are woken by what comes, and go when the context ends.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l backlog.Backlog
		l.Init()
		var b bag
		ctx, cancel := context.WithCancel(context.Background())
		var got, gone atomic.Int64
		for range 5 {
			go func() {
				defer gone.Add(1)
				ok, err := l.Next(ctx, func() bool { _, ok := b.take(); return ok })
				if ok {
					got.Add(1)
					<-ctx.Done() // it is busy with it
				} else if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}()
		}
		synctest.Wait() // all sleep
		for range 3 {
			insert(t, &l, &b, 1)
		}
		synctest.Wait()
		if got.Load() != 3 || gone.Load() != 0 {
			t.Errorf("%d elements taken, want 3; %d gone", got.Load(), gone.Load())
		}
		cancel()
		synctest.Wait()
		if gone.Load() != 5 {
			t.Errorf("%d of 5 gone", gone.Load())
		}
		insert(t, &l, &b, 1)
		if ok, err := l.Next(ctx, func() bool { _, ok := b.take(); return ok }); ok || err == nil {
			t.Error("an ended context got an element")
		}
	})
}

// Two elements come when two goroutines have found nothing for the second time and do not sleep
// yet. There is room for one token: the goroutine that takes it passes it on.
func TestTokenIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l backlog.Backlog
		l.Init()
		var b bag
		var registered, ended sync.WaitGroup
		registered.Add(2)
		inserted := make(chan struct{})
		for range 2 {
			tries := 0
			ended.Go(func() {
				ok, err := l.Next(t.Context(), func() bool {
					if tries++; tries == 2 {
						registered.Done()
						<-inserted
						return false
					}
					_, ok := b.take()
					return ok
				})
				if !ok || err != nil {
					t.Error(ok, err)
				}
			})
		}
		registered.Wait()
		insert(t, &l, &b, 1)
		insert(t, &l, &b, 1)
		close(inserted)
		ended.Wait() // or synctest finds that all goroutines sleep
	})
}

// What is done more often than it was begun is noticed.
func TestDoneTooOften(t *testing.T) {
	var l backlog.Backlog
	l.Init()
	l.Begin()
	if !l.Done() {
		t.Error("there was one")
	}
	if l.Done() {
		t.Error("there was none")
	}
	l.Close()
	if l.Done() {
		t.Error("there was none")
	}
	if ok, err := l.Next(t.Context(), func() bool { return false }); ok || err != nil {
		t.Errorf("%v, %v at the end", ok, err)
	}
}
