// Package calendartest checks pending-event sets: a conformance suite that every one of them passes ([Run]), the simple
// reference they are compared with ([Reference]), and the workloads they are timed on ([Hold] and its relatives).
package calendartest

import "github.com/almanac-sim/almanac/calendar"

// A Set is a pending-event set: what [calendar.Queue] and [calendar.Static] have in common.
type Set interface {
	Schedule(id calendar.ID, at float64) error
	Reschedule(id calendar.ID, at float64) error
	Cancel(id calendar.ID) bool
	Renumber(from, to calendar.ID) error
	Next() (id calendar.ID, at float64, ok bool)
	Peek() (id calendar.ID, at float64, ok bool)
	At(id calendar.ID) (at float64, ok bool)
	Len() int
	Now() float64
}
