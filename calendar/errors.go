package calendar

import (
	"github.com/almanac-sim/almanac/internal/eventqueue"
	"github.com/almanac-sim/almanac/internal/panics"
)

// An ID names an event: a dense number that the caller chooses.
type ID = uint32

// A PanicError is the value with which [Queue.ScheduleAll] panics if the caller's function does. It
// has the value of that panic and its stack, which may be of another goroutine.
type PanicError = panics.Error

// The reasons for which scheduling is refused. When several apply, an id beyond the largest is
// reported first, then what is wrong with the time. A refused call changes nothing.
var (
	// ErrTime refuses a time that is NaN or infinite.
	ErrTime = eventqueue.ErrTime
	// ErrPast refuses a time before the clock.
	ErrPast = eventqueue.ErrPast
	// ErrScheduled refuses to schedule an id that has a pending event already.
	ErrScheduled = eventqueue.ErrScheduled
	// ErrNotScheduled refuses to renumber an id that has no pending event.
	ErrNotScheduled = eventqueue.ErrNotScheduled
	// ErrID refuses an id beyond the largest that a structure takes; see [MaxID].
	ErrID = eventqueue.ErrID
)

// A handleError is the [ErrNotScheduled] of an [Agenda], whose callers have handles and no ids.
type handleError string

func (e handleError) Error() string { return string(e) }
func (handleError) Unwrap() error   { return ErrNotScheduled }

// Interfaces, so that returning one allocates nothing.
var (
	errZeroHandle    error = handleError("calendar: the zero Handle names no event; use one that Schedule returned")
	errForeignHandle error = handleError("calendar: the handle is of another Agenda; use it with the one that returned it")
	errStaleHandle   error = handleError("calendar: the event of the handle was dispatched or cancelled; Schedule it anew")
)
