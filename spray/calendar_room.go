package spray

import (
	"unsafe"

	"github.com/almanac-sim/almanac/internal/huge"
)

// Memory that is used for the first time has to be found by the system, and cleared: that takes a millisecond or two for a huge page, and longer on
// a machine that is itself simulated. One who has a queue locked when it comes to such memory hides the queue's events for so long. So it is made
// ready beforehand, by one who uses the queue, and has given it back: what lies ahead of the last chunk and of the last slot, and when an array is
// all but full, the one that will take its place, so that only copying is left to be done.
//
// Where that is too late, since many events come at once, or the system cannot do it, chunks and slots grow when they must.

const (
	// ahead is how many bytes are made ready before they are needed.
	readyBytes = 1 << 20
	// largeBytes is how large an array is that this is for. Less is soon found.
	largeBytes = 1 << 20
)

// A reach is how far an array of a queue is used, and how far its memory is ready.
type reach struct{ used, ready, room int }

// wanting reports whether memory should be made ready for an array of things of a size.
func (r reach) wanting(size uintptr) bool {
	return uintptr(r.room)*size >= largeBytes && uintptr(r.used)*size+readyBytes/2 > uintptr(r.ready)*size && (r.ready < r.room || r.full())
}

// full reports whether an array will soon be too short.
func (r reach) full() bool { return r.used > r.room-r.room/32 }

func (q *queue[V]) chunksReach() reach {
	return reach{int(q.fresh) * chunkSlots, q.readyChunks, len(q.chunks)}
}

func (q *queue[V]) slotsReach() reach { return reach{len(q.slots), q.readySlots, cap(q.slots)} }

// wantsRoom reports whether memory should be made ready. The caller has the queue.
func (q *queue[V]) wantsRoom() bool {
	return q.chunksReach().wanting(unsafe.Sizeof(entry{})) || q.slotsReach().wanting(unsafe.Sizeof(slot[V]{}))
}

// makeRoom makes memory ready for a queue that the caller has given back. If somebody else has it, another time will do.
func (c *Calendar[V]) makeRoom(number uint32) {
	s, i, there := c.queue(int(number))
	top, ok := s.tryLock(i)
	if !ok {
		return
	}
	q := *there
	chunks, slots := q.chunks, q.slots[:cap(q.slots)]
	forChunks, forSlots := q.chunksReach(), q.slotsReach()
	s.unlock(i, top)

	moreChunks, readyChunks := ready(chunks, forChunks)
	moreSlots, readySlots := ready(slots, forSlots)

	if top, ok = s.tryLock(i); !ok {
		return
	}
	if len(q.chunks) == len(chunks) {
		if moreChunks != nil {
			copy(moreChunks, q.chunks)
			q.chunks = moreChunks
		}
		q.readyChunks = readyChunks
	}
	if cap(q.slots) == cap(slots) {
		if moreSlots != nil {
			moreSlots = moreSlots[:len(q.slots)]
			copy(moreSlots, q.slots)
			q.slots = moreSlots
		}
		q.readySlots = readySlots
	}
	s.unlock(i, top)
}

// ready makes memory of an array ready. It returns one twice as long, if it is full, and how far memory then is ready.
func ready[T any](array []T, r reach) (more []T, until int) {
	var t T
	size := unsafe.Sizeof(t)
	if !r.wanting(size) {
		return nil, r.ready
	}
	if r.full() {
		more = make([]T, 2*r.room)
		huge.Advise(more)
		array, r.ready = more, 0
	}
	until = min(max(r.used, r.ready)+readyBytes/int(size), len(array))
	huge.Populate(array[r.ready:until])
	return more, until
}
