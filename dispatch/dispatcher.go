package dispatch

import (
	"context"
	"errors"
)

// Errors of [Dispatcher] and [Caller].
var (
	// ErrFull is returned if no worker has a free slot and the pool is full.
	ErrFull = errors.New("dispatch: the pool is full")
	// ErrTooOld is the fate of an item that has not begun within [MaxWait].
	ErrTooOld = errors.New("dispatch: the item has waited too long")
	// ErrClosed is returned after Close or Abort.
	ErrClosed = errors.New("dispatch: the dispatcher is closed")
)

// A WorkerID identifies a worker of one [Dispatcher] or [Caller]. The initial workers are 0, 1, 2,
// …; added workers get the numbers that follow. IDs are never reused.
type WorkerID uint64

// A Dispatcher hands items to workers, each a function with a goroutine of its own: CAPPED for real
// work. A worker accepts at most c items, including the one in service; the others wait in a pool,
// and the oldest goes first.
//
// There are no rounds. An arriving item picks an idle worker at random, or, if there is none, a
// worker with a free slot; the slot goes to the oldest waiting item. If no slot is free the item
// waits in the pool. A worker that finishes an item pulls the oldest item from the pool. If the
// pool is empty and the worker has accepted nothing else, it steals the oldest item that another
// worker has accepted and not begun. So
//
//   - no worker ever has more than c items or works on two at once; it begins items in the order
//     in which it accepted them;
//   - no item waits while a worker is idle, neither in the pool nor behind another item, unless the
//     worker is ejected;
//   - an item waits in the pool only while every worker has c;
//   - every submitted item is served, dropped, or handed back, exactly once.
//
// Oldest is exact: items are ordered by their calls of [Dispatcher.Submit], including calls that
// are blocked on a full pool; concurrent calls have some order. With one worker, items begin in
// that order. With more they are assigned in that order; an accepted item may then wait behind
// another while a younger one begins elsewhere, unless c is 1.
//
// Submit and the end of an item take constant time. A waiting item takes 72 bytes and its value.
// Items are reused: once warm, nothing is allocated while there are no more of them than in a full
// pool of the default limit, at all workers, and of 1024 blocked callers. Memory of more items is
// released once they are gone.
//
// It differs from the process of the paper in two ways. There, every ball asks one bin per round
// and does not know which bins have room; here, an item is assigned where there is room, which
// repeated requests would find. And a bin of the paper never gives back a ball; here workers
// steal, because otherwise an item could wait behind one that hangs while other workers are idle.
//
// All methods may be called from several goroutines at once, and from workers. But a worker that
// calls [Dispatcher.Close] waits for itself, and so may one that is blocked in Submit.
type Dispatcher[T any] struct{ scheduler *scheduler[T] }

// NewDispatcher starts the workers, of which there may be none at first. A worker's context ends
// when [Dispatcher.Abort] is called. A function that panics, or calls runtime.Goexit, is called
// again for the next item, but after three panics in a row not at once: see [Backoff],
// [Stats].Panics and [Logger]. Without [Capacity] a worker may have
// SweetSpot(0.9) items, which is 2. Call [Dispatcher.Close] when the dispatcher is no longer
// needed.
//
// It panics if a function is nil, or if [OnDrop] has another type of items.
func NewDispatcher[T any](workers []func(context.Context, T), opts ...DispatcherOption) *Dispatcher[T] {
	o := defaultOptions()
	for _, opt := range opts {
		opt.forDispatcher(o)
	}
	s := newScheduler[T](o, len(workers))
	s.drop = dropper[T](o)
	for _, f := range workers {
		demandWorker(f != nil)
	}
	for _, f := range workers {
		s.add(f)
	}
	return &Dispatcher[T]{s}
}

func demandWorker(good bool) { demand(good, "a worker", "a function", "nil") }

// Submit adds an item, and blocks while the pool is full. Blocked calls are admitted in the order
// in which they were made. If Submit returns nil the dispatcher owns the item. If it returns
// [ErrClosed] or the error of ctx it does not; ctx bounds the wait for room and nothing else.
func (d *Dispatcher[T]) Submit(ctx context.Context, item T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.scheduler.submit(ctx, item, true)
}

// TrySubmit adds an item if there is room, and returns [ErrFull] otherwise.
func (d *Dispatcher[T]) TrySubmit(item T) error {
	return d.scheduler.submit(context.Background(), item, false)
}

// AddWorker starts a worker, which takes the oldest items at once. It panics if f is nil. A worker
// can still be added while a closed dispatcher has items; after that AddWorker has no effect, and
// the ID that it returns is of no worker.
func (d *Dispatcher[T]) AddWorker(f func(context.Context, T)) WorkerID {
	demandWorker(f != nil)
	return d.scheduler.add(f)
}

// RemoveWorker removes a worker and reports whether it existed. The worker finishes the item in
// service, and RemoveWorker does not wait for that. Items that it has accepted and not begun return
// to the pool with their age. It takes time in proportion to these items, and to those that other
// workers have accepted if they have slots for them.
func (d *Dispatcher[T]) RemoveWorker(id WorkerID) bool { return d.scheduler.remove(id) }

// Close stops the intake, and waits until all items have been served and all goroutines have ended.
// Blocked calls of Submit return [ErrClosed]. If ctx ends first, Close returns its error; the
// dispatcher continues to drain, Close can be called again, and [Dispatcher.Abort] hands back the
// items that have not begun. If all workers were removed and items are left, it waits for Abort or
// for a new worker.
func (d *Dispatcher[T]) Close(ctx context.Context) error { return d.scheduler.close(ctx) }

// Abort stops the intake, returns the items that have not begun, the oldest first, and ends the
// context of the workers. It does not wait for them; Close does.
func (d *Dispatcher[T]) Abort() []T { return d.scheduler.abort() }

// Stats returns the counts so far and the current state, all of one moment.
func (d *Dispatcher[T]) Stats() Stats { return d.scheduler.stats() }
