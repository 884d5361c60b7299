// Package dispatch hands work to workers within one process: at most c items at each worker, the
// others in a pool, and the oldest item first. It is the rule of CAPPED (package capped) for real
// work, without rounds.
//
//	d := dispatch.NewDispatcher(workers, dispatch.Capacity(2), dispatch.MaxWait(time.Second))
//	err := d.Submit(ctx, item) // blocks while the pool is full
//	err = d.Close(ctx)         // drains
//
// A [Dispatcher] takes items and does not report their results. A [Caller] does: Do returns what
// the worker returned. Use them for workers that do one thing at a time (connections, devices,
// licenses), some of which may be slow or fail, and for a bound on what each of them holds. A
// channel and a few goroutines are three times as fast if none of that matters, and a semaphore is
// enough to limit concurrency.
//
// All errors that the package returns are pointers: [ErrFull], [ErrTooOld], [ErrClosed] and
// [*PanicError].
//
// Package dispatchhttp does the same for HTTP requests and servers, package dispatchprom exports
// the statistics of both to Prometheus, and package dispatchtest is a reference implementation of
// the rule, for tests. docs/guide/dispatch.md is the guide.
//
// # Files
//
//   - dispatcher.go: Dispatcher, the errors, WorkerID
//   - caller.go: Caller
//   - options.go: the options of both
//   - scheduler.go: the scheduler that both share: items, queues, slots, and the invariants
//   - worker.go: the goroutine of a worker, panics, PanicError
//   - shutdown.go: how workers are removed, Close and Abort
//   - stats.go: Stats and WorkerStats
//   - histogram.go: WaitHistogram
//   - interleave.go, interleave_race.go: hooks by which tests yield between two steps
//   - internal/slots: free slots by class, and queues by age; shared with dispatchhttp
package dispatch
