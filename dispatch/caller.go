package dispatch

import (
	"context"
	"sync"
)

// A Caller is a [Dispatcher] for work that answers: Do returns what a worker says. What is promised there of items, slots and order holds
// for it too.
type Caller[T, R any] struct {
	scheduler *scheduler[*call[T, R]]
	calls     sync.Pool // of *call[T, R]
}

// A call is an item with who waits for its answer.
type call[T, R any] struct {
	ctx context.Context
	v   T
	r   R
	err error

	done chan struct{} // has a token when r and err are there
}

// NewCaller starts workers. The context of a worker is that of the call. There may be no workers at first. Call [Caller.Close] when it is no
// longer needed.
//
// It panics if a function is nil, or if there is an [OnDrop].
func NewCaller[T, R any](workers []func(context.Context, T) (R, error), opts ...DispatcherOption) *Caller[T, R] {
	o := gatherDispatcher(opts)
	if o.onDrop != nil {
		panic("dispatch: OnDrop is for a Dispatcher; Do of a Caller returns what became of its item")
	}
	c := &Caller[T, R]{scheduler: newScheduler[*call[T, R]](o, len(workers))}
	c.calls.New = func() any { return &call[T, R]{done: make(chan struct{}, 1)} }
	c.scheduler.drop = func(k *call[T, R], err error) { k.err = err }
	c.scheduler.fail = func(k *call[T, R], err *PanicError) { k.err = err }
	c.scheduler.done = func(k *call[T, R]) { k.done <- struct{}{} }
	for _, f := range workers {
		demandWorker(f != nil)
	}
	for _, f := range workers {
		c.scheduler.add(adapt(f))
	}
	return c
}

// answer has a worker write down what it says.
func adapt[T, R any](f func(context.Context, T) (R, error)) func(context.Context, *call[T, R]) {
	return func(_ context.Context, k *call[T, R]) { k.r, k.err = f(k.ctx, k.v) }
}

// Do has a worker work on an item, and returns what it says. If ctx ends before a worker has begun, the item is taken out, in constant time, and
// the error is that of ctx. Once a worker has begun, Do waits for it; that ctx has ended is for the worker to see. So when Do returns,
// nobody works on the item, and if it returns the error of ctx, [ErrTooOld] or [ErrClosed] by itself, nobody has.
//
// If the worker panics the error is a [*PanicError]. While the pool is full Do waits outside, as [Dispatcher.Submit] does.
func (c *Caller[T, R]) Do(ctx context.Context, item T) (R, error) { return c.do(ctx, item, true) }

// TryDo is Do if there is room, and returns [ErrFull] if not.
func (c *Caller[T, R]) TryDo(ctx context.Context, item T) (R, error) { return c.do(ctx, item, false) }

func (c *Caller[T, R]) do(ctx context.Context, v T, wait bool) (r R, err error) {
	if err := ctx.Err(); err != nil {
		return r, err
	}
	k := c.calls.Get().(*call[T, R])
	k.ctx, k.v = ctx, v
	it, stamp, _, err := c.scheduler.enter(k, wait, false)
	if err == nil {
		select {
		case <-k.done:
			r, err = k.r, k.err
		case <-ctx.Done():
			if c.scheduler.withdraw(it, stamp, accepted) {
				err = ctx.Err()
			} else {
				<-k.done
				r, err = k.r, k.err
			}
		}
	}
	*k = call[T, R]{done: k.done}
	c.calls.Put(k)
	return r, err
}

// AddWorker is that of [Dispatcher].
func (c *Caller[T, R]) AddWorker(f func(context.Context, T) (R, error)) WorkerID {
	demandWorker(f != nil)
	return c.scheduler.add(adapt(f))
}

// RemoveWorker is that of [Dispatcher].
func (c *Caller[T, R]) RemoveWorker(id WorkerID) bool { return c.scheduler.remove(id) }

// Close takes no more items, and waits until those in the pool have been served and all goroutines have ended. A Do that waits
// outside gets [ErrClosed]. For ctx, see [Dispatcher.Close].
func (c *Caller[T, R]) Close(ctx context.Context) error { return c.scheduler.close(ctx) }

// Abort takes no more items. Every Do whose item has not begun returns [ErrClosed]. What has begun is not disturbed, since its context is that
// of who called.
func (c *Caller[T, R]) Abort() { c.scheduler.reject(c.scheduler.abort()) }

// Stats is what has happened so far, and what is now, all at one moment.
func (c *Caller[T, R]) Stats() Stats { return c.scheduler.stats() }
