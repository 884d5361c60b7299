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
