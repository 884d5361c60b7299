// Package dispatch gives work to workers within one process: at most c items at each worker, the
// others in a pool, and the oldest item first. It is the rule of CAPPED (package capped) for real
// work, without rounds.
//
//	d := dispatch.NewDispatcher(workers, dispatch.Capacity(2), dispatch.MaxWait(time.Second))
//	err := d.Submit(ctx, item) // blocks while the pool is full
//	err = d.Close(ctx)         // drains
//
//	isOfWorker := func(err error) bool { return errors.Is(err, errDevice) }
//	c := dispatch.NewCaller(workers, dispatch.FailOn(isOfWorker))
//	result, err := c.Do(ctx, item)
//
// A [Dispatcher] takes items and does not report their results. A [Caller] does: Do returns what
// the worker returned. Use them for workers that do one thing at a time (connections, devices,
// licences), some of which may be slow or fail. A worker that panics three times in a row, or
// returns an error of [FailOn], is ejected for a while: otherwise one that fails at once would be
// idle most often, and get most of the items. If a bound for each worker, ages and statistics do
// not matter, a channel and a few goroutines are three times as fast; to limit concurrency, a
// semaphore is enough.
//
// # Contract
//
// No worker has more than c items or works on two at once. No item waits while a worker is idle,
// unless that is ejected; see [Backoff].
// Every item is served, dropped or handed back exactly once. Items are assigned in the order of the
// calls of Submit and Do, including calls that block.
//
// An item costs about 0.2 µs and no allocation. All methods may be called from any number of
// goroutines at once. Each worker has a goroutine; when Close returns nil, all have ended.
//
// The errors are [ErrFull], [ErrTooOld], [ErrClosed] and [*PanicError]. All are pointers.
//
// # The paper
//
// In the paper, servers accept requests in rounds and cannot give them back. Here a free slot goes
// to the oldest waiting item at once, and an idle worker takes an item that another has accepted
// and not begun.
//
// Package dispatchhttp does the same for HTTP requests and servers, package dispatchprom exports
// the statistics of both to Prometheus, and package dispatchtest is a reference implementation of
// the rule, for tests. docs/guide/dispatch.md is the guide, and docs/design/dispatch.md explains
// the scheduler.
//
// # Files
//
//   - dispatcher.go: Dispatcher, the errors, WorkerID
//   - caller.go: Caller
//   - options.go: the options of both
//   - scheduler.go: the scheduler that both share: items, queues, slots, and the invariants
//   - worker.go: the goroutine of a worker, panics, PanicError
//   - deadline.go: how items are dropped after MaxWait
//   - shutdown.go: how workers are removed, Close and Abort
//   - stats.go: Stats and WorkerStats
//   - histogram.go: WaitHistogram
//   - interleave.go, interleave_race.go: hooks by which tests yield between two steps
//   - health: ejection, backoff and half-open; shared with dispatchhttp
//   - slots: free slots by class, and queues by age; shared with dispatchhttp
package dispatch
