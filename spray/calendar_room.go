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
	// readyBytes is how many bytes are made ready before they are needed.
	readyBytes = 1 << 20
	// largeBytes is how large an array is that this is for. Less is soon found.
	largeBytes = 1 << 20
	// maxRoom is how long an array is at most: places are numbers of 32 bits.
	maxRoom = 1 << 32
)

// A reach is how far an array of a queue is used, and how far its memory is ready.
type reach struct{ used, ready, room int }

// wanting reports whether memory should be made ready for an array of things of a size.
func (r reach) wanting(size uintptr) bool {
	return uintptr(r.room)*size >= largeBytes && uintptr(r.used)*size+readyBytes/2 > uintptr(r.ready)*size && (r.ready < r.room || r.full())
}

// full reports whether an array will soon be too short, and may be longer.
func (r reach) full() bool { return r.used > r.room-r.room/32 && uint64(r.room) < maxRoom }

func (q *queue[V]) chunksReach() reach {
	return reach{int(q.fresh) * chunkSlots, q.readyChunks, len(q.chunks)}
}

func (q *queue[V]) slotsReach() reach { return reach{len(q.slots), q.readySlots, cap(q.slots)} }

// wantsRoom reports whether memory should be made ready, and nobody is about it. The caller has the queue.
func (q *queue[V]) wantsRoom() bool {
	return !q.preparing && (q.chunksReach().wanting(unsafe.Sizeof(entry{})) || q.slotsReach().wanting(unsafe.Sizeof(slot[V]{})))
}

// makeRoom makes memory ready for a queue that the caller has given back. If somebody else has it, another time will do.
//
// One at a time does that: an array may have hundreds of megabytes, and dozens of goroutines may use the queue. A new array is left with the queue
// before its memory is ready, so that, if the queue must grow meanwhile, it takes that one and does not make another.
func (c *Calendar[V]) makeRoom(number uint32) {
	s, i, there := c.queue(int(number))
	top, ok := s.tryLock(i)
	if !ok {
		return
	}
	q := there.Load()
	if !q.wantsRoom() { // somebody was faster
		s.unlock(i, top)
		return
	}
	q.preparing = true
	chunks, slots := q.chunks, q.slots[:cap(q.slots)]
	forChunks, forSlots := q.chunksReach(), q.slotsReach()
	s.unlock(i, top)

	moreChunks, moreSlots := longer(chunks, &forChunks), longer(slots, &forSlots)
	if moreChunks != nil || moreSlots != nil {
		top = s.await(i)
		if moreChunks != nil && len(q.chunks) == len(chunks) {
			q.moreChunks, chunks = moreChunks, moreChunks
		}
		if moreSlots != nil && cap(q.slots) == cap(slots) {
			q.moreSlots, slots = moreSlots, moreSlots
		}
		s.unlock(i, top)
	}
	readyChunks, readySlots := populate(chunks, forChunks), populate(slots, forSlots)

	top = s.await(i)
	q.preparing = false
	if q.moreChunks != nil {
		q.widenChunks()
	}
	if q.moreSlots != nil {
		q.widenSlots()
	}
	if len(q.chunks) == len(chunks) {
		q.readyChunks = readyChunks
	}
	if cap(q.slots) == cap(slots) {
		q.readySlots = readySlots
	}
	s.unlock(i, top)
}

// longer is an array twice as long, of which nothing is ready, if this one is about to be full.
func longer[T any](array []T, r *reach) []T {
	var t T
	if !r.wanting(unsafe.Sizeof(t)) || !r.full() {
		return nil
	}
	r.ready, r.room = 0, 2*r.room
	more := make([]T, r.room)
	huge.Advise(more)
	return more
}

// populate makes memory of an array ready, if it should be, and returns how far it then is.
func populate[T any](array []T, r reach) int {
	var t T
	size := unsafe.Sizeof(t)
	if !r.wanting(size) {
		return r.ready
	}
	until := min(max(r.used, r.ready)+max(1, readyBytes/int(size)), len(array))
	huge.Populate(array[min(r.ready, until):until])
	return until
}

// widenChunks has the queue use a longer array for its chunks: the one that is there for that, or a new one.
func (q *queue[V]) widenChunks() {
	wider := q.moreChunks
	q.moreChunks = nil
	if wider == nil {
		if uint64(len(q.chunks)) >= maxRoom {
			panic("spray: more than four billion events in one of the queues")
		}
		wider = make([]entry, 2*len(q.chunks))
		huge.Advise(wider)
	}
	copy(wider, q.chunks)
	q.chunks = wider
}

// widenSlots does the same for its slots.
func (q *queue[V]) widenSlots() {
	wider := q.moreSlots
	q.moreSlots = nil
	if wider == nil {
		wider = make([]slot[V], max(16, 2*len(q.slots)))
		huge.Advise(wider)
	}
	wider = wider[:len(q.slots)]
	copy(wider, q.slots)
	q.slots = wider
}
