package dispatch

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

// A DispatcherOption is something to be said about a [Dispatcher] or a [Caller] when it is made: [Buffer], [ExpectedLoad], [PoolLimit],
// [MaxAge], [Seed] and [Logger] are for both, and [OnDrop] for a Dispatcher alone.
//
// It has no type parameter, so that the options that are not about items need none either. OnDrop is about items of type T: it takes T
// from the function that it is given, and to give a Dispatcher one for items of another type is a bug of the caller, for which
// [NewDispatcher] panics, whether anything is ever dropped or not.
type DispatcherOption func(*dispatcherOptions)

type dispatcherOptions struct {
	capacity  int // 0 unless told
	load      float64
	poolLimit int // −1 unless told
	maxWait   time.Duration
	onDrop    any // func(T, error)
	seed      uint64
	log       *slog.Logger
}

const (
	// defaultLoad is the load that is expected unless something else is said: of a service that is used well and not at its limit.
	// Any from 0.01 to 0.997 gives the same buffer.
	defaultLoad = 0.9
	// leastPool is the room that a pool has at least unless told. The theorem's bound is for many workers: for one it is eight.
	minPoolLimit = 1024
)

func gatherDispatcher(opts []DispatcherOption) *dispatcherOptions {
	o := &dispatcherOptions{load: defaultLoad, poolLimit: -1, seed: rand.Uint64()}
	for _, opt := range opts {
		opt(o)
	}
	return o
}

// Buffer says how many items a worker may have at most, c, the one that it works on counted. The default is [SweetSpot] of the
// [ExpectedLoad], which is 2 unless told.
func Capacity(c int) DispatcherOption {
	demand(c >= 1, "the buffer of a worker", "1 or more", c)
	return func(o *dispatcherOptions) { o.capacity = c }
}

// ExpectedLoad says what part of the time workers are expected to be busy, λ, from which the default [Buffer] and [PoolLimit] follow. The default
// is 0.9.
func ExpectedLoad(lambda float64) DispatcherOption {
	demand(lambda > 0 && lambda < 1, "the expected load", "above 0 and below 1", lambda)
	return func(o *dispatcherOptions) { o.load = lambda }
}

// PoolLimit says how many items may wait in the pool, beside those that workers have accepted. With 0 an item is taken only if a worker
// has a slot for it. The default is [PoolBound] of the first workers, the [Buffer] and the [ExpectedLoad], and at least 1024: at that load the
// pool of the paper's process stays below it in any round with probability 1−2^(−2n). Items that come back from a removed worker are
// not turned away; the pool may be over its limit for as long as that takes.
func PoolLimit(n int) DispatcherOption {
	demand(n >= 0, "the limit of the pool", "0 or more", n)
	return func(o *dispatcherOptions) { o.poolLimit = n }
}

// MaxAge says how old an item may be when its turn comes. An older one is not served: [Caller.Do] returns [ErrTooOld], and those of a
// Dispatcher go to [OnDrop]. The default is any age.
func MaxWait(d time.Duration) DispatcherOption {
	demand(d > 0, "the greatest age", "above 0", d)
	return func(o *dispatcherOptions) { o.maxWait = d }
}

// OnDrop says what is to be done with items that a [Dispatcher] has taken and does not serve because they are older than [MaxAge]; the error is
// [ErrTooOld]. It is called by the goroutine of the worker whose turn it was, which waits for it. Several may call it at once. The default is
// nothing.
//
// A [Caller] has none: every Do returns what became of its item.
func OnDrop[T any](f func(item T, err error)) DispatcherOption {
	demand(f != nil, "what OnDrop is given", "a function", "nil")
	return func(o *dispatcherOptions) { o.onDrop = f }
}

// Seed says where the random numbers of throws come from. The default is another seed for each Dispatcher.
func Seed(seed uint64) DispatcherOption { return func(o *dispatcherOptions) { o.seed = seed } }

// Logger says where to write: panics of workers as errors; and for debugging, that a worker is added or removed, and Close and Abort. The default
// is nowhere.
func Logger(l *slog.Logger) DispatcherOption { return func(o *dispatcherOptions) { o.log = l } }

// dropper is what a Dispatcher of T does with what it drops.
func dropper[T any](o *dispatcherOptions) func(T, error) {
	if o.onDrop == nil {
		return nil
	}
	f, ok := o.onDrop.(func(T, error))
	if !ok {
		panic(fmt.Sprintf("dispatch: OnDrop was given a %T, and must have a %T for this Dispatcher", o.onDrop, f))
	}
	return f
}

// demand panics unless an argument is good.
func demand(good bool, name, want string, got any) {
	if !good {
		panic(fmt.Sprintf("dispatch: %s must be %s, not %v", name, want, got))
	}
}
