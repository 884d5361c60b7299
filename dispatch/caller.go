package dispatch

import (
	"context"
	"sync"
)

// A Caller is a [Dispatcher] for work that has a result: Do returns what the worker returned. The
// guarantees about items, slots and order are those of Dispatcher. All methods may be called from
// several goroutines at once.
type Caller[T, R any] struct {
	scheduler *scheduler[*call[T, R]]
	calls     sync.Pool // of *call[T, R]
}

// A call is an item with its context and its result.
type call[T, R any] struct {
	ctx context.Context
	v   T
	r   R
	err error

	done chan struct{} // receives a token when r and err are set
}

// NewCaller starts the workers, of which there may be none at first. The context of a worker is
// that of the call. Call [Caller.Close] when the caller is no longer needed.
//
// It panics if a function is nil.
func NewCaller[T, R any](workers []func(context.Context, T) (R, error), opts ...Option) *Caller[T, R] {
	o := defaultOptions()
	for _, opt := range opts {
		opt.forCaller(o)
	}
	c := &Caller[T, R]{scheduler: newScheduler[*call[T, R]](o, len(workers))}
	c.calls.New = func() any { return &call[T, R]{done: make(chan struct{}, 1)} }
	c.scheduler.drop = func(k *call[T, R], err error) { k.err = err }
	c.scheduler.fail = func(k *call[T, R], err *PanicError) { k.err = err }
	if f := o.failOn; f != nil {
		c.scheduler.blames = func(k *call[T, R]) bool { return k.err != nil && f(k.err) }
	}
	c.scheduler.done = func(k *call[T, R]) { k.done <- struct{}{} }
	for _, f := range workers {
		demandWorker(f != nil)
	}
	for _, f := range workers {
		c.scheduler.add(adapt(f))
	}
	return c
}

// adapt returns a worker function that stores its result in the call.
func adapt[T, R any](f func(context.Context, T) (R, error)) func(context.Context, *call[T, R]) {
	return func(_ context.Context, k *call[T, R]) { k.r, k.err = f(k.ctx, k.v) }
}

// Do has a worker process an item and returns its result. If ctx ends before a worker has begun,
// the item is withdrawn in constant time and Do returns the error of ctx. Once a worker has begun,
// Do waits for it, and the worker may react to ctx. So no worker is processing the item when Do
// returns; and none has begun it if Do itself returns the error of ctx, [ErrTooOld] or [ErrClosed].
//
// If the worker panics the error is a [*PanicError]. Do blocks while the pool is full, as
// [Dispatcher.Submit] does.
func (c *Caller[T, R]) Do(ctx context.Context, item T) (R, error) { return c.do(ctx, item, true) }

// TryDo is Do if there is room, and returns [ErrFull] otherwise.
func (c *Caller[T, R]) TryDo(ctx context.Context, item T) (R, error) { return c.do(ctx, item, false) }

func (c *Caller[T, R]) do(ctx context.Context, v T, wait bool) (r R, err error) {
	if err := ctx.Err(); err != nil {
		return r, err
	}
	k := c.calls.Get().(*call[T, R])
	k.ctx, k.v = ctx, v
	it, seq, _, err := c.scheduler.enter(k, wait, false)
	if err == nil {
		select {
		case <-k.done:
			r, err = k.r, k.err
		case <-ctx.Done():
			if c.scheduler.withdraw(it, seq, accepted) {
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

// AddWorker starts a worker; see [Dispatcher.AddWorker].
func (c *Caller[T, R]) AddWorker(f func(context.Context, T) (R, error)) WorkerID {
	demandWorker(f != nil)
	return c.scheduler.add(adapt(f))
}

// RemoveWorker removes a worker; see [Dispatcher.RemoveWorker].
func (c *Caller[T, R]) RemoveWorker(id WorkerID) bool { return c.scheduler.remove(id) }

// Close stops the intake, and waits until the items in the pool have been served and all goroutines
// have ended. A Do that is blocked on a full pool returns [ErrClosed]. For ctx, see
// [Dispatcher.Close].
func (c *Caller[T, R]) Close(ctx context.Context) error { return c.scheduler.close(ctx) }

// Abort stops the intake. Every Do whose item has not begun returns [ErrClosed]. Items in service
// are not interrupted, because their context is that of the call.
func (c *Caller[T, R]) Abort() { c.scheduler.reject(c.scheduler.abort()) }

// Stats returns the counts so far and the current state, all of one moment.
func (c *Caller[T, R]) Stats() Stats { return c.scheduler.stats() }
