// Package calendartest checks and times pending-event sets: any type with the methods of [Set],
// also of other modules.
//
//	calendartest.Run(t, func(start float64) calendartest.Set {
//		return calendar.New(calendar.StartAt(start))
//	})
//
// It has three parts:
//
//   - [Run] is a conformance suite, for a test: order, ties, refusals, hostile times, and long
//     random histories beside a [Reference], a heap that is simple enough to be right.
//   - [Replay] turns bytes into operations and compares sets after each of them, for a fuzz target.
//   - [Fill], [Hold], [HoldCancel], [GrowShrink] and their relatives are workloads, for a
//     benchmark, with the jumps of any [Distribution]; the example of Hold shows how they go
//     together.
//
// # Files
//
//	set.go           Set
//	run.go           Run: the suite, and its options
//	order.go         tests of order, ties and lookups
//	refuse.go        tests of what must be refused
//	hostile.go       tests with hostile times
//	load.go          tests under the workloads
//	random.go        long random histories
//	shadow.go        a set beside the reference, compared at every call
//	reference.go     Reference
//	replay.go        Replay
//	hold.go          the workloads
//	jumps.go         Jumps
//	distribution.go  Distribution
//	race.go, norace.go  whether the race detector is on
package calendartest
