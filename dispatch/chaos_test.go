package dispatch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// Conservation under chaos: workers that hang, panic, end their goroutine, are ten times slower, or
// are removed at work; callers that cancel; more goroutines than processors. Every item must be
// counted exactly once.

// fates count what became of each item.
type fates struct {
	begun, dropped, refused, aborted []atomic.Int32
}

func newFates(n int) *fates {
	return &fates{make([]atomic.Int32, n), make([]atomic.Int32, n), make([]atomic.Int32, n), make([]atomic.Int32, n)}
}

// check reports whether every item had one fate.
func (f *fates) check() (begun, dropped, refused, aborted int, err error) {
	for i := range f.begun {
		b, d, r, a := int(f.begun[i].Load()), int(f.dropped[i].Load()), int(f.refused[i].Load()), int(f.aborted[i].Load())
		if b+d+r+a != 1 && err == nil {
			err = fmt.Errorf("item %d was begun %d times, dropped %d, refused %d, aborted %d", i, b, d, r, a)
		}
		begun, dropped, refused, aborted = begun+b, dropped+d, refused+r, aborted+a
	}
	return
}

// misery is the behavior of the workers.
type misery struct {
	t       *testing.T
	release chan struct{} // hanging workers
	hanging atomic.Int32
	panics  atomic.Int32
}

// work processes an item in one of many ways. busy counts the items that its worker has in service.
func (m *misery) work(busy *atomic.Int32, item int, slow bool) {
	if busy.Add(1) != 1 {
		m.t.Error("a worker has two items at once")
	}
	defer busy.Add(-1)
	switch {
	case item%301 == 7 && m.hanging.Add(1) <= 2:
		<-m.release
	case item%17 == 3:
		m.panics.Add(1)
		panic(item)
	case item%97 == 5:
		m.panics.Add(1)
		runtime.Goexit()
	case item%5 == 0:
		runtime.Gosched()
	case item%40 == 1:
		time.Sleep(50 * time.Microsecond)
		if slow {
			time.Sleep(500 * time.Microsecond)
		}
	}
}

// watch polls the statistics until it is stopped.
func watch(t *testing.T, stats func() Stats, stop chan struct{}) {
	for {
		s := stats()
		sum := s.Served + s.Failed + s.TooOld + s.Canceled + s.Aborted + uint64(s.InService+s.Accepted+s.Pool)
		if s.Submitted != sum || s.Attempts < s.Refusals || s.Waits.Count > s.Submitted {
			t.Errorf("items are lost or doubled: %+v", s)
		}
		for _, w := range s.Workers {
			if w.Load > s.Capacity {
				t.Errorf("worker %d has %d items, more than %d", w.ID, w.Load, s.Capacity)
			}
			if w.Load == 0 && !w.Removed && w.Ejected == 0 && s.Pool > 0 {
				t.Errorf("worker %d is idle and %d items wait", w.ID, s.Pool)
			}
		}
		select {
		case <-stop:
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}

func dispatcherChaos(t *testing.T, items, capacity, limit int, seed uint64, abort bool) {
	defer goleak.VerifyNone(t)
	f := newFates(items)
	m := &misery{t: t, release: make(chan struct{})}
	newWorker := func(slow bool) func(context.Context, int) {
		busy := new(atomic.Int32)
		return func(_ context.Context, item int) {
			f.begun[item].Add(1)
			m.work(busy, item, slow)
		}
	}
	var workers []func(context.Context, int)
	for i := range 6 {
		workers = append(workers, newWorker(i == 0))
	}
	d := NewDispatcher(workers, Capacity(capacity), PoolLimit(limit), Seed(seed), MaxWait(3*time.Millisecond), Backoff(time.Millisecond, 4*time.Millisecond),
		OnDrop(func(item int, err error) {
			if err != ErrTooOld {
				t.Error(err)
			}
			f.dropped[item].Add(1)
		}))

	stop := make(chan struct{})
	var watching, submitting sync.WaitGroup
	watching.Go(func() { watch(t, d.Stats, stop) })
	watching.Go(func() { // workers come and go
		r := rand.New(rand.NewPCG(seed, 3))
		for {
			id := d.AddWorker(newWorker(false))
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(r.IntN(300)) * time.Microsecond):
			}
			if !d.RemoveWorker(id) && !abort {
				t.Error("a worker is gone")
			}
		}
	})
	const submitters = 8
	for s := range submitters {
		submitting.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(s)))
			for item := s; item < items; item += submitters {
				var err error
				switch r.IntN(4) {
				case 0:
					err = d.TrySubmit(item)
				case 1:
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(200))*time.Microsecond)
					err = d.Submit(ctx, item)
					cancel()
				default:
					err = d.Submit(context.Background(), item)
				}
				switch {
				case err == nil:
				case errors.Is(err, ErrTooOld):
					f.dropped[item].Add(1)
				case errors.Is(err, ErrFull), errors.Is(err, ErrClosed), errors.Is(err, context.DeadlineExceeded):
					f.refused[item].Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	if abort {
		for d.Stats().Submitted < uint64(items/5) {
			runtime.Gosched()
		}
		for _, item := range d.Abort() {
			f.aborted[item].Add(1)
		}
	}
	submitting.Wait()
	close(m.release)
	close(stop)
	watching.Wait()
	if err := d.Close(context.Background()); err != nil {
		t.Error(err)
	}
	begun, dropped, refused, aborted, err := f.check()
	s := d.Stats()
	t.Logf("%d begun, %d dropped, %d refused, %d aborted, %d panics, %d returned, %d moved, %d hung",
		begun, dropped, refused, aborted, s.Panics, s.Returned, s.Moved, min(m.hanging.Load(), 2))
	switch {
	case err != nil:
		t.Error(err)
	case int(s.Served+s.Failed) != begun || int(s.TooOld) != dropped || int(s.Aborted) != aborted ||
		int(s.Failed) != int(m.panics.Load()):
		t.Errorf("%d begun, %d dropped, %d aborted, %d panics: %+v", begun, dropped, aborted, m.panics.Load(), s)
	}
}

func callerChaos(t *testing.T, items, capacity, limit int, seed uint64, abort bool) {
	defer goleak.VerifyNone(t)
	f := newFates(items)
	m := &misery{t: t, release: make(chan struct{})}
	var workers []func(context.Context, int) (int, error)
	for i := range 6 {
		busy := new(atomic.Int32)
		workers = append(workers, func(ctx context.Context, item int) (int, error) {
			f.begun[item].Add(1)
			m.work(busy, item, i == 0)
			return -item, nil
		})
	}
	c := NewCaller(workers, Capacity(capacity), PoolLimit(limit), Seed(seed), MaxWait(3*time.Millisecond), Backoff(time.Millisecond, 4*time.Millisecond))
	stop := make(chan struct{})
	var watching, calling sync.WaitGroup
	watching.Go(func() { watch(t, c.Stats, stop) })
	const callers = 24
	var done atomic.Int32
	for s := range callers {
		calling.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(s)))
			for item := s; item < items; item += callers {
				do := c.Do
				if r.IntN(4) == 0 {
					do = c.TryDo
				}
				ctx, cancel := context.Background(), context.CancelFunc(func() {})
				if r.IntN(2) == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(300))*time.Microsecond)
				}
				got, err := do(ctx, item)
				cancel()
				begun := f.begun[item].Load() == 1 // and it is no longer in service
				switch p, panicked := errors.AsType[*PanicError](err); {
				case err == nil && begun && got == -item:
				case panicked && begun && (p.Value == item || errors.Is(err, errGoexit)):
				case err != nil && !panicked && !begun:
					f.refused[item].Add(1)
				default:
					t.Errorf("item %d, begun %v: got %d, %v", item, begun, got, err)
				}
				if int(done.Add(1)) == items/4 { // the others continue while some hang
					close(m.release)
				}
			}
		})
	}
	if abort {
		for c.Stats().Submitted < uint64(items/5) {
			runtime.Gosched()
		}
		c.Abort()
	}
	calling.Wait()
	close(stop)
	watching.Wait()
	if err := c.Close(context.Background()); err != nil {
		t.Error(err)
	}
	begun, _, refused, _, err := f.check()
	s := c.Stats()
	t.Logf("%d begun, %d refused, %d too old, %d canceled, %d aborted, %d panics, %d moved, %d hung",
		begun, refused, s.TooOld, s.Canceled, s.Aborted, s.Panics, s.Moved, min(m.hanging.Load(), 2))
	if err != nil || int(s.Served+s.Failed) != begun || s.Submitted != s.Served+s.Failed+s.TooOld+s.Canceled+s.Aborted {
		t.Errorf("%d begun, %v: %+v", begun, err, s)
	}
}

// chaos runs both, with several numbers of processors.
func chaos(t *testing.T, items int) {
	for _, processors := range []int{1, 2, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		for i := range 4 {
			capacity, limit, abort := 1+i%3, []int{0, 4, 50, 1000}[i], i%2 == 1
			name := fmt.Sprintf("processors=%d/capacity=%d/limit=%d/abort=%v", processors, capacity, limit, abort)
			t.Run("Dispatcher/"+name, func(t *testing.T) {
				dispatcherChaos(t, items, capacity, limit, uint64(i), abort)
			})
			t.Run("Caller/"+name, func(t *testing.T) {
				callerChaos(t, items, capacity, limit, uint64(i), abort)
			})
		}
	}
}

func TestDispatcherConcurrentChaos(t *testing.T) { chaos(t, 1500) }
