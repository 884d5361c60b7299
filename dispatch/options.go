package dispatch

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/almanac-sim/almanac/dispatch/health"
)

// A DispatcherOption configures a [Dispatcher]: any [Option], or [OnDrop].
type DispatcherOption interface{ forDispatcher(*options) }

// An Option configures a [Dispatcher] or a [Caller]: [Capacity], [ExpectedLoad], [PoolLimit],
// [MaxWait], [FailOn], [Backoff], [Seed] or [Logger].
type Option interface {
	DispatcherOption
	forCaller(*options)
}

type options struct {
	capacity  int // 0 unless set
	load      float64
	poolLimit int // −1 unless set
	maxWait   time.Duration
	onDrop    any // func(T, error)
	rule      health.Rule
	failOn    func(error) bool
	seed      uint64
	log       *slog.Logger
}

const (
	// defaultLoad is the expected load unless set: a service that is well used and not at its
	// limit. Any load from 0.01 to 0.997 gives the same capacity.
	defaultLoad = 0.9
	// minPoolLimit is the smallest default limit of the pool. The bound of the theorem is for many
	// workers; for one worker it is eight.
	minPoolLimit = 1024
	// failuresInARow eject a worker. One or two may be the fault of items.
	failuresInARow = 3
)

func defaultOptions() *options {
	return &options{load: defaultLoad, poolLimit: -1, seed: rand.Uint64(),
		rule: health.Rule{After: failuresInARow, First: health.First, Most: health.Most}}
}

type (
	forBoth       func(*options)
	forDispatcher func(*options)
)

func (f forBoth) forDispatcher(o *options)       { f(o) }
func (f forBoth) forCaller(o *options)           { f(o) }
func (f forDispatcher) forDispatcher(o *options) { f(o) }

// Capacity sets c, the number of items that a worker may have, including the one in service. The
// default is SweetSpot of package capped for the [ExpectedLoad], which is 2 unless that is set.
func Capacity(c int) Option {
	demand(c >= 1, "the capacity of a worker", "1 or more", c)
	return forBoth(func(o *options) { o.capacity = c })
}

// ExpectedLoad sets λ, the fraction of time that workers are expected to be busy. The defaults of
// [Capacity] and [PoolLimit] follow from it. The default is 0.9.
func ExpectedLoad(lambda float64) Option {
	demand(lambda > 0 && lambda < 1, "the expected load", "above 0 and below 1", lambda)
	return forBoth(func(o *options) { o.load = lambda })
}

// PoolLimit sets the number of items that may wait in the pool, in addition to those that workers
// have accepted. With 0 an item is taken only if a worker has a free slot. Items of a removed
// worker return to the pool even if it is full.
//
// The default is PoolBound of package capped for the initial workers, the [Capacity] and the
// [ExpectedLoad], and at least 1024: at that load the pool of the paper's process stays below the
// bound in any round with probability 1−2^(−2n).
func PoolLimit(n int) Option {
	demand(n >= 0, "the limit of the pool", "0 or more", n)
	return forBoth(func(o *options) { o.poolLimit = n })
}

// MaxWait sets how long an item may wait before it begins, from its call of Submit or Do. It is a
// deadline, also if all workers hang: [Caller.Do], or a [Dispatcher.Submit] that is still blocked,
// returns [ErrTooOld], and for an item that it has admitted a [Dispatcher] calls [OnDrop]. The
// default is no limit.
func MaxWait(d time.Duration) Option {
	demand(d > 0, "the longest wait", "above 0", d)
	return forBoth(func(o *options) { o.maxWait = d })
}

// FailOn sets which errors count as failures of the worker that returned them to a [Caller]. A worker
// that fails at once is idle most often, and would get most of the items; so one that fails three
// times in a row is ejected: see [Backoff]. The default is none, because an error may be the fault of
// the item; panics count in any case. The function is called in the goroutine of the worker. The
// workers of a [Dispatcher] return no errors.
func FailOn(f func(error) bool) Option {
	demand(f != nil, "the argument of FailOn", "a function", "nil")
	return forBoth(func(o *options) { o.failOn = f })
}

// Backoff sets how long a worker is ejected that fails three times in a row: it gets no items, and
// those that it has accepted return to the pool. Then it gets a single item, which makes it healthy
// or ejects it for twice as long, up to most. Items wait while all workers are ejected. The default
// is from 100 ms to 30 s, and most cannot be longer.
func Backoff(first, most time.Duration) Option {
	demand(first > 0 && first <= most, "the first backoff", "above 0 and not above the longest", first)
	demand(most <= health.Most, "the longest backoff", "at most 30 s", most)
	return forBoth(func(o *options) { o.rule.First, o.rule.Most = first, most })
}

// OnDrop sets a function that is called for each item that a [Dispatcher] drops because it waited
// longer than [MaxWait]; the error is [ErrTooOld]. It is called in a goroutine of its own, for the
// oldest item first; [Dispatcher.Close] waits for it. Several calls may run at once if one takes
// long. The default is to do nothing.
//
// The items of the dispatcher must be of type T, or [NewDispatcher] panics. A [Caller] does not
// take this option, because Do returns the error.
func OnDrop[T any](f func(item T, err error)) DispatcherOption {
	demand(f != nil, "the argument of OnDrop", "a function", "nil")
	return forDispatcher(func(o *options) { o.onDrop = f })
}

// Seed sets the seed of the random numbers by which workers are picked. By default every dispatcher
// has a seed of its own.
func Seed(seed uint64) Option { return forBoth(func(o *options) { o.seed = seed }) }

// Logger sets a logger. Panics of workers are logged as errors; at debug level, workers that are
// added or removed, Close and Abort. The default is silent.
func Logger(l *slog.Logger) Option { return forBoth(func(o *options) { o.log = l }) }

// dropper returns the function of OnDrop for items of type T, or nil.
func dropper[T any](o *options) func(T, error) {
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
