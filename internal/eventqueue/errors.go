package eventqueue

import "errors"

// An ID names an event: a dense number that the caller chooses.
type ID = uint32

// The reasons for which scheduling is refused. When several apply, an id beyond the largest is
// reported first, then what is wrong with the time. A refused call changes nothing.
var (
	// ErrTime refuses a time that is NaN or infinite.
	ErrTime = errors.New("calendar: time is not a finite number")
	// ErrPast refuses a time before the clock.
	ErrPast = errors.New("calendar: time is before now")
	// ErrScheduled refuses to schedule an id that has a pending event already.
	ErrScheduled = errors.New("calendar: id is already scheduled")
	// ErrNotScheduled refuses to renumber an id that has no pending event.
	ErrNotScheduled = errors.New("calendar: id is not scheduled")
	// ErrID refuses an id beyond the largest that a structure takes; see [MaxID].
	ErrID = errors.New("calendar: id is beyond the largest")
)
