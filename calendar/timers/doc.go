// Package timers has timers in real (monotonic) time for programs with very many of them: idle
// time-outs, leases, retransmissions, delayed jobs.
//
//	var ts timers.Set
//	t := ts.AfterFunc(30*time.Second, func() { conn.Close() })
//	t.Reset(30 * time.Second) // on every packet: does not touch the queue
//	t.Stop()
//
// # Contract
//
// Stop and Reset mean what they mean for a timer of time.AfterFunc: a function that Stop or Reset
// reports to have prevented does not run; neither waits for a function that is running. A timer is
// never early. A function runs in a goroutine of its own, or where [Executor] says, and a panic in
// it ends the program.
//
// Time is that of the monotonic clock, as in package time. If the process is stopped, timers that
// were due meanwhile fire when it continues. While the machine is suspended, the monotonic clock of
// Linux stands still, and so do the timers.
//
// A Timer is a value. It is not a pointer as in package time, because a pointer would be one more
// object for the garbage collector; so it must be kept in one place.
//
// With fewer than 10,000 timers, use package time: it is simpler.
//
// docs/guide/timers.md is the guide, docs/design/timers.md explains the structure, and
// examples/sessions is a program.
//
// # Files
//
//	set.go     Set: options, AfterFunc, Close
//	timer.go   Timer: Reset and Stop, with and without the lock
//	shard.go   a part of a set: its lock, and how its timers are fired
//	wheel.go   the timing wheel of a shard
//	slots.go   what is kept of a timer, in pages
//	clock.go   the time, and readings of it that goroutines share
package timers
