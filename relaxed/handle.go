package relaxed

// A Handle names an event of a [Queue]. It is valid until the event is dispatched or cancelled, and
// refused afterwards: it never touches another event, nor one of another queue. Handles can be
// compared. The zero Handle names none.
type Handle struct {
	owner   uint32 // the Queue: see package owner
	queue   uint32 // the subqueue
	place   uint32 // the slot of the subqueue
	version uint32 // tells apart the events that use the slot one after the other
}
