package calendar

import (
	"fmt"
	"unsafe"

	"github.com/almanac-sim/almanac/internal/prefetch"
)

// The record of an id that is cancelled or moved is out of the cache in a large queue, and nobody can foresee which it will be but the caller. Who has
// several at one time can say so, and their records are asked for some ids ahead.

// allAhead is by how many ids.
const allAhead = 16

// CancelAll takes back the events of ids, as Cancel does one after the other, and returns how many there were. Ids without an event, and those that
// are there again, are passed over. In a large queue that takes less time than one by one, because the memory of several ids is waited for
// at a time.
func (q *Queue) CancelAll(ids []ID) (cancelled int) {
	q.startAll(ids)
	for i, id := range ids {
		q.goOn(ids, i)
		if q.Cancel(id) {
			cancelled++
		}
	}
	return cancelled
}

// RescheduleAll moves the events of ids, each to the time at the same place of the other slice, as Reschedule does one after the other: so those of ids
// without an event are scheduled, an id that is there twice ends with its last time, and events with equal times leave in the order of the
// slice. In a large queue that takes less time than one by one.
//
// At the first id that Reschedule would refuse it stops, and returns an error that says which it is and wraps what Reschedule would say. The events of
// the ids before are moved then, and no others. It panics if the slices differ in length.
func (q *Queue) RescheduleAll(ids []ID, at []float64) error {
	if len(ids) != len(at) {
		panic("calendar: RescheduleAll needs a time for each id")
	}
	q.startAll(ids)
	for i, id := range ids {
		q.goOn(ids, i)
		if err := q.Reschedule(id, at[i]); err != nil {
			return fmt.Errorf("calendar: RescheduleAll: id %d at %v: %w", id, at[i], err)
		}
	}
	return nil
}

// startAll asks for the records of the first ids.
func (q *Queue) startAll(ids []ID) {
	for _, id := range ids[:min(allAhead, len(ids))] {
		q.prefetchRecord(id)
	}
}

// goOn asks for the record of the id that is allAhead behind number i.
func (q *Queue) goOn(ids []ID, i int) {
	if i += allAhead; i < len(ids) {
		q.prefetchRecord(ids[i])
	}
}

// prefetchRecord asks for the record of an id, if there is one and it is worth it.
func (q *Queue) prefetchRecord(id ID) {
	if q.ids >= q.cold && int(id>>pageBits) < len(q.pages) {
		prefetch.GatherPaged(q.pages, pageBits, unsafe.Sizeof(record{}), unsafe.Pointer(&id), unsafe.Sizeof(id), 1)
	}
}
