package dispatch

import (
	"context"
	"errors"
)

// What can happen to an item.
var (
	// ErrFull says that all slots of workers are taken and the pool has no room.
	ErrFull = errors.New("dispatch: the pool is full")
	// ErrTooOld says that an item was older than [MaxAge] when its turn came.
	ErrTooOld = errors.New("dispatch: the item was too old when its turn came")
	// ErrClosed says that nothing more is taken.
	ErrClosed = errors.New("dispatch: the dispatcher is closed")
)

// A WorkerID names a worker of one [Dispatcher] or [Caller]. The first workers have 0, 1, 2, …, those that are added the numbers that
// follow, and none is used twice.
type WorkerID uint64

// A Dispatcher hands items to workers, each a function with a goroutine of its own: CAPPED for real work. A worker accepts at most c
// items, the one that it works on counted; the others wait in a pool, and the oldest goes first.
//
// There are no rounds. An item that comes throws: it picks one of the idle workers at random, or if none is idle one of those that have a
// slot. The slot that is found goes to the oldest item that waits. If none is found the item waits in the pool. A worker that is done with an
// item pulls the oldest one from the pool. If there is none, and it has accepted none, it takes the oldest item that another worker has
// accepted and not begun. So
//
//   - no worker ever has more than c items, nor works on two at once; it begins them in the order in which it accepted them;
//   - no item waits while a worker is idle, neither in the pool nor behind another item;
//   - an item waits in the pool only while every worker has c;
//   - every item that was taken is served, dropped, or handed back, exactly once.
//
// Oldest is exact: items are ordered by when [Dispatcher.Submit] was called, those counted whose caller still waits for room; calls at the same
// time are in some order. With one worker items begin in that order. With more they are given to workers in that order; one that was
// accepted may then wait for the item before it while a younger one begins elsewhere, unless c is 1.
//
// Submit and the end of an item take constant time. An item that waits takes 72 bytes and its value; the memory is used again, and nothing is allocated while there
// are not more items than 1024, or than there were. When they have gone, so has their memory, but for 1024. It differs from the process of the paper, in which every ball asks one bin in each round without knowing which
// have room: here throws go to where room is, which the paper's would find if it were repeated at once. And a bin of the paper does not
// give back a ball; if workers did not, an item could wait for one that hangs while others are idle.
//
// All methods may be called from several goroutines at once, and from workers; but a worker that waits for [Dispatcher.Close] waits for
// itself, and so may one that waits in Submit because the pool is full.
type Dispatcher[T any] struct{ scheduler *scheduler[T] }

// NewDispatcher starts workers. A worker's context ends when [Dispatcher.Abort] is called. A function that panics, or ends its goroutine,
// is called again for the next item: see [Stats.Panics] and [Logger]. There may be no workers at first. Call [Dispatcher.Close] when it is
// no longer needed. Without [Buffer] a worker may have SweetSpot(0.9) items, which is 2.
//
// It panics if a function is nil, or if [OnDrop] is for another type of items.
func NewDispatcher[T any](workers []func(context.Context, T), opts ...DispatcherOption) *Dispatcher[T] {
	o := gatherDispatcher(opts)
	d := newScheduler[T](o, len(workers))
	d.drop = dropper[T](o)
	for _, f := range workers {
		demandWorker(f != nil)
	}
	for _, f := range workers {
		d.add(f)
	}
	return &Dispatcher[T]{d}
}

func demandWorker(good bool) { demand(good, "a worker", "a function", "nil") }

// Submit hands over an item, and waits while the pool is full. Those who wait are let in in the order in which they called. If it
// returns nil, the item is the dispatcher's; if it returns [ErrClosed], or the error of ctx, which bounds the wait and nothing else, it is not.
func (d *Dispatcher[T]) Submit(ctx context.Context, item T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.scheduler.submit(ctx, item, true)
}

// TrySubmit hands over an item if there is room, and returns [ErrFull] if not.
func (d *Dispatcher[T]) TrySubmit(item T) error {
	return d.scheduler.submit(context.Background(), item, false)
}

// AddWorker starts a worker, which takes the oldest items at once. It panics if f is nil. While a dispatcher that is closed still has items a worker
// can be added; afterwards it does nothing, and the number it returns names no worker.
func (d *Dispatcher[T]) AddWorker(f func(context.Context, T)) WorkerID {
	demandWorker(f != nil)
	return d.scheduler.add(f)
}

// RemoveWorker has a worker finish what it has begun, and nothing more. What it had accepted and not begun goes back to the pool, where it is as
// old as it was. It does not wait for the worker, and reports whether there was one. It takes time in proportion to what goes back, and to what other workers
// have accepted if they have slots for it.
func (d *Dispatcher[T]) RemoveWorker(id WorkerID) bool { return d.scheduler.remove(id) }

// Close takes no more items, and waits until those that there are have been served and all goroutines have ended. Those who wait in Submit
// get [ErrClosed]. If ctx ends first its error is returned, and what was said holds nonetheless: items are served, Close can be called
// again, and [Dispatcher.Abort] hands back what has not begun. If all workers were removed and items are left, one of these is needed, or a worker.
func (d *Dispatcher[T]) Close(ctx context.Context) error { return d.scheduler.close(ctx) }

// Abort takes no more items, and returns those that have not begun, the oldest first. The context of workers ends. It does not wait for
// them; Close does.
func (d *Dispatcher[T]) Abort() []T { return d.scheduler.abort() }

// Stats is what has happened so far, and what is now, all at one moment.
func (d *Dispatcher[T]) Stats() Stats { return d.scheduler.stats() }
