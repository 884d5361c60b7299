package calendartest

import "github.com/almanac-sim/almanac/calendar"

// A Set is a pending-event set: what [calendar.Queue] and the Queue of package calendar/static have
// in common. The methods do what those of calendar.Queue do.
type Set interface {
	// Schedule makes the event of an id due at a time. It refuses what calendar.Queue refuses.
	Schedule(id calendar.ID, at float64) error
	// Reschedule moves the event of an id, or schedules it if none is pending.
	Reschedule(id calendar.ID, at float64) error
	// Cancel removes the event of an id, and reports whether there was one.
	Cancel(id calendar.ID) bool
	// Renumber gives the event of one id to another that has none.
	Renumber(from, to calendar.ID) error
	// Next removes the earliest event and moves the clock to its time.
	Next() (id calendar.ID, at float64, ok bool)
	// Peek returns what Next would, and changes nothing.
	Peek() (id calendar.ID, at float64, ok bool)
	// Due returns when the event of an id is due.
	Due(id calendar.ID) (at float64, ok bool)
	// Len is the number of pending events.
	Len() int
	// Now is the time of the last event dispatched, or the start.
	Now() float64
}
