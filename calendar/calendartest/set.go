// Package calendartest checks and times pending-event sets, yours included: anything with the methods of [Set].
//
//   - [Run] is a conformance suite, for a test: order, ties, refusals, hostile times, and long random histories beside a
//     [Reference], which is a heap that is plainly right.
//   - [Replay] turns bytes into operations and compares sets after each of them, for a fuzz target.
//   - [Fill], [Hold], [HoldCancel], [GrowShrink] and their relatives are workloads, for a benchmark, with the jumps of any
//     [Distribution]; the example of Hold shows how they go together.
//
// A test is one call:
//
//	calendartest.Run(t, func(start float64) calendartest.Set { return calendar.New(calendar.StartAt(start)) })
package calendartest

import "github.com/almanac-sim/almanac/calendar"

// A Set is a pending-event set: what [calendar.Queue] and [static.Queue] have in common.
type Set interface {
	Schedule(id calendar.ID, at float64) error
	Reschedule(id calendar.ID, at float64) error
	Cancel(id calendar.ID) bool
	Renumber(from, to calendar.ID) error
	Next() (id calendar.ID, at float64, ok bool)
	Peek() (id calendar.ID, at float64, ok bool)
	Due(id calendar.ID) (at float64, ok bool)
	Len() int
	Now() float64
}
